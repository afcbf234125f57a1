"""Patterns of maps against plain dictionaries of tuples; divergences against the textbook formula."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.plain import count_windows
from tilewright.analysis.patterns import (
    DENSE_KEYS,
    SMOOTHING,
    Coding,
    PatternCounts,
    divergence,
    divergences,
    iter_view_wraps,
    iter_views,
    pad_map,
    wraps,
)

Array = NDArray[np.int64]
Pattern = tuple[int, ...]


@st.composite
def maps(draw: st.DrawFn, dimensions: int | None = None, tiles: int | None = None) -> Array:
    axes = dimensions or draw(st.sampled_from((2, 3)))
    shape = draw(st.tuples(*[st.integers(1, 7 if axes == 2 else 4)] * axes))
    count = tiles or draw(st.sampled_from((1, 2, 3, 9, 70_000)))
    return np.random.default_rng(draw(st.integers(0, 1 << 30))).integers(0, count, shape)


def textbook_divergences(p: Counter[Pattern], q: Counter[Pattern]) -> tuple[float, float]:
    every = sorted(p.keys() | q.keys())
    one, other = (
        np.array([(counts[w] + SMOOTHING) / ((counts.total() + SMOOTHING) * (1 + SMOOTHING)) for w in every])
        for counts in (p, q)
    )
    return float(np.sum(one * np.log(one / other))), float(np.sum(other * np.log(other / one)))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_counts_equal_those_of_a_dictionary_of_tuples(data: st.DataObject) -> None:
    map = data.draw(maps())
    tiles = int(map.max()) + 1
    size = data.draw(st.integers(1, 4 if map.ndim == 2 else 3))
    wrap = data.draw(st.tuples(*[st.booleans()] * map.ndim))
    sides = [(False, False) if round_ else data.draw(st.tuples(st.booleans(), st.booleans())) for round_ in wrap]
    plain = count_windows(map, size, wrap, sides, tiles)
    coding = Coding(size, map.ndim, tiles + 1)
    found = PatternCounts.of(coding, [pad_map(map, size, wrap, sides, tiles)])
    assert sorted(found.counts.tolist()) == sorted(plain.values())
    assert found.total == plain.total()
    multipliers = coding.multipliers.tolist()
    keys = {sum(tile * m for tile, m in zip(w, multipliers, strict=True)) % (1 << 64): n for w, n in plain.items()}
    assert dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True)) == keys, "a key is a sum of tiles"
    if coding.bound:
        assert max(keys, default=0) < coding.bound <= DENSE_KEYS


def test_patterns_of_several_maps_are_counted_together() -> None:
    one, other = (np.random.default_rng(seed).integers(0, 3, (6, 5)) for seed in (1, 2))
    none, edges = (False, False), [(False, False)] * 2
    together = PatternCounts.of(Coding(2, 2, 3), [one, other])
    plain = count_windows(one, 2, none, edges, 3) + count_windows(other, 2, none, edges, 3)
    assert sorted(together.counts.tolist()) == sorted(plain.values())
    assert together.count(np.array([1 << 40], dtype=np.uint64)).tolist() == [0]


def test_keys_are_dense_for_few_patterns_and_hashed_for_many() -> None:
    assert Coding(3, 2, 2).bound == 2**9
    assert Coding(2, 3, 5).bound == 5**8
    assert Coding(3, 2, 5).bound == 0
    assert Coding(20, 2, 1).bound == 0, "too many cells for dense keys"
    every = np.array(list(product(range(2), repeat=9))).reshape(-1, 3, 3)
    keys = [int(Coding(3, 2, 2).keys(window)[0, 0]) for window in every]
    assert sorted(keys) == list(range(512))


def test_map_smaller_than_a_pattern_has_no_patterns() -> None:
    found = PatternCounts.of(Coding(3, 2, 2), [np.zeros((2, 5), dtype=np.int64)])
    assert (found.total, found.keys.size) == (0, 0)
    assert found.count(np.array([0], dtype=np.uint64)).tolist() == [0]


@settings(max_examples=60, deadline=None)
@given(maps(), maps(), st.sampled_from((1, 2, 3)))
def test_divergences_equal_the_textbook_formula(one: Array, other: Array, size: int) -> None:
    if one.ndim != other.ndim or min(*one.shape, *other.shape) < size:
        return
    none, edges = [False] * one.ndim, [(False, False)] * one.ndim
    coding = Coding(size, one.ndim, int(max(one.max(), other.max())) + 1)
    here, there = PatternCounts.of(coding, [one]), PatternCounts.of(coding, [other])
    expected = textbook_divergences(
        count_windows(one, size, none, edges, 0), count_windows(other, size, none, edges, 0)
    )
    assert divergences(here, there) == pytest.approx(expected, abs=1e-12, rel=1e-12)
    assert divergences(there, here) == pytest.approx(expected[::-1], abs=1e-12, rel=1e-12)
    assert divergences(here, here) == (0.0, 0.0)
    assert divergence(here, there, 0.25) == pytest.approx(0.25 * expected[0] + 0.75 * expected[1], abs=1e-12)
    assert min(expected) > -1e-9, "never negative, except for smoothing"


def test_new_and_missed_patterns() -> None:
    """Compare a sample of half a, half b with a map of only a."""
    coding = Coding(1, 2, 2)
    half, whole = (PatternCounts.of(coding, [np.array(cells)]) for cells in ([[0, 1]], [[0, 0]]))
    new, missed = divergences(whole, half)
    assert new == pytest.approx(np.log(2), abs=1e-4), "a is twice as frequent; nothing is new"
    assert missed > 6, "b is missing"


@pytest.mark.parametrize("symmetries", [1, 2, 8])
def test_views(symmetries: int) -> None:
    map = np.arange(6).reshape(2, 3)
    views = list(iter_views(map, symmetries))
    assert len(views) == len({(view.shape, view.tobytes()) for view in map_contiguous(views)}) == symmetries
    assert np.array_equal(views[0], map)
    if symmetries > 1:
        assert np.array_equal(views[1], map[:, ::-1])
    levels = list(iter_views(np.arange(24).reshape(2, 3, 4), symmetries))
    assert all(view.shape[0] == 2 for view in levels)
    for view, wrap in zip(iter_views(map, symmetries), iter_view_wraps((True, False), symmetries), strict=True):
        assert view.shape[wrap.index(True)] == 2, "the axis of two cells wraps around"


def map_contiguous(views: list[Any]) -> list[Any]:
    return [np.ascontiguousarray(view) for view in views]


def test_axes_by_their_names() -> None:
    assert wraps("xy", 2) == (True, True)
    assert wraps("x", 2) == (False, True)
    assert wraps("y", 3) == (False, True, False)
    assert wraps("z", 3) == (True, False, False)
    assert wraps("z", 2) == wraps("none", 2) == (False, False)
