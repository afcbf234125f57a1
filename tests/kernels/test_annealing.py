"""Annealing and quilting: guided steps, and the limit on copies of the samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tests.kernels.counters import check, has_copy
from tilewright.analysis.patterns import Sides, Wrap
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.pattern_counter import BOXES_PER_BLOCK, PatternCounter
from tilewright.generators._patterns.sample_index import find_copy_limit, make_copy_arrays, make_window_index
from tilewright.generators._patterns.target import TargetDistribution
from tilewright.kernels.annealing import fill_block_keys
from tilewright.kernels.copies import add_blocks, has_block
from tilewright.kernels.patterns import EMPTY


def make_sample_counter(
    name: str, size: int, *, side: int = 24, wrap: Wrap = (False, False), symmetry: int = 1, locked: float = 0.0
) -> PatternCounter:
    sample = Samples.of(name)
    sides: Sides = ((False, False),) * sample.axes
    target = TargetDistribution(
        sample.maps, len(sample.labels), (size,), (1.0,), (False,) * sample.axes, sides, symmetry
    )
    shape = (side,) * sample.axes
    start = target.draw_map(shape, Rng.of(1))
    return PatternCounter(target, [start], wrap=wrap, weight=0.5, frozen=Rng.of(2).cells(shape) < locked)


def anneal(counter: PatternCounter, steps: int) -> None:
    for _ in counter.anneal(Rng.of(3), 0, steps, steps):
        pass


@pytest.mark.parametrize("wrap", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize(("name", "size"), [("platforms", 2), ("ruins", 2), ("dungeon", 3)])
def test_no_large_block_is_copied(name: str, size: int, wrap: Wrap) -> None:
    counter = make_sample_counter(name, size, wrap=wrap, locked=0.02)
    anneal(counter, 60_000)
    check(counter)
    assert not has_copy(counter.tiles(0), wrap, counter.target.views, find_copy_limit(counter.target))


def test_rotated_and_mirrored_blocks_are_copies_too() -> None:
    counter = make_sample_counter("garden", 2, symmetry=8)
    anneal(counter, 60_000)
    assert not has_copy(counter.tiles(0), (False, False), counter.target.views, find_copy_limit(counter.target))


def test_without_the_limit_large_blocks_would_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.generators._patterns.sample_index.MAX_COPY_SIZE", 100)
    counter = make_sample_counter("platforms", 2)
    anneal(counter, 60_000)
    assert has_copy(counter.tiles(0), (False, False), counter.target.views, 7)


@settings(max_examples=20)
@given(
    wrap=some.tuples(some.booleans(), some.booleans()),
    side=some.integers(8, 14),
    stops=some.lists(some.integers(1, 2999), max_size=3),
)
def test_keys_of_blocks_are_updated(wrap: Wrap, side: int, stops: list[int]) -> None:
    counter, rng, first = make_sample_counter("ruins", 2, side=side, wrap=wrap), Rng.of(4), 0
    for last in (*sorted(set(stops)), 3000):
        for _ in counter.anneal(rng, first, last, 3000):
            pass
        first = last
    copies = make_copy_arrays(counter.target, counter.grid)
    fill_block_keys(copies, counter.geometry, counter.cells[0])
    assert copies.keys.any()
    assert np.array_equal(counter.copies.keys, copies.keys)


def test_changes_between_two_runs_are_noticed() -> None:
    counter = make_sample_counter("ruins", 2, side=12)
    anneal(counter, 500)
    for cell in np.ndindex(counter.grid.shape):
        counter.change(cell, 0)
    anneal(counter, 500)
    copies = make_copy_arrays(counter.target, counter.grid)
    fill_block_keys(copies, counter.geometry, counter.cells[0])
    assert np.array_equal(counter.copies.keys, copies.keys)


@pytest.mark.parametrize("name", ["dungeon", "keep"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_index_lists_every_occurrence(name: str, size: int) -> None:
    counter = (
        make_sample_counter(name, 3, side=8)
        if name == "dungeon"
        else make_sample_counter(name, 2, side=6, wrap=(False,) * 3)
    )
    target = counter.target
    index = make_window_index(target, counter.grid, size)
    (view, _), *_ = target.views
    shape = (size,) * target.axes
    windows = np.lib.stride_tricks.sliding_window_view(view, shape)
    assert len(index.occurrences) == np.prod(windows.shape[: target.axes])
    for first, count in index.ranges[index.ranges[:, 1] > 0].tolist():
        places = index.occurrences[first : first + count, 4 - target.axes :]
        found = {windows[tuple(place)].tobytes() for place in places.tolist()}
        assert len(found) == 1
        assert sum(window.tobytes() in found for window in windows.reshape(-1, size**target.axes)) == count


# -- quilting: boxes of the samples that match, without copies -------------------------------------------------------


def quilt(counter: PatternCounter) -> None:
    for _ in counter.quilt(Rng.of(3), BOXES_PER_BLOCK):
        pass


@pytest.mark.parametrize("wrap", [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize(("name", "size"), [("platforms", 2), ("ruins", 2), ("dungeon", 3)])
def test_a_quilt_is_near_the_samples_and_no_copy(name: str, size: int, wrap: Wrap) -> None:
    counter = make_sample_counter(name, size, wrap=wrap, locked=0.02)
    start, before = counter.tiles(0).copy(), counter.value
    quilt(counter)
    check(counter)
    assert counter.value < before / 2
    frozen = Rng.of(2).cells(start.shape) < 0.02
    assert (counter.tiles(0)[frozen] == start[frozen]).all()
    assert not has_copy(counter.tiles(0), wrap, counter.target.views, find_copy_limit(counter.target))


def test_maps_with_levels_are_quilted() -> None:
    counter = make_sample_counter("keep", 2, side=7, wrap=(False, False, False))
    before = counter.value
    quilt(counter)
    check(counter)
    assert counter.value < before / 2


def test_compared_edges_get_the_edges_of_the_sample() -> None:
    """Except where a box was left out, because it would be a copy."""
    sample = Samples.of("platforms")
    sides = ((True, True), (False, False))
    target = TargetDistribution(sample.maps, len(sample.labels), (2,), (1.0,), (False, False), sides)
    start = target.draw_map((16, 40), Rng.of(1))
    free = np.zeros(start.shape, dtype=np.bool_)
    counter = PatternCounter(target, [start], wrap=(False, False), weight=0.5, frozen=free)
    quilt(counter)
    check(counter)
    for row in (0, -1):
        assert np.isin(counter.tiles(0)[row], sample.maps[0][row]).mean() > 0.8
        assert np.isin(start[row], sample.maps[0][row]).mean() < 0.8


# -- kernels for copied blocks against a comparison of all blocks ----------------------------------------------------


maps = arrays(np.int32, array_shapes(min_dims=3, max_dims=3, max_side=6), elements=some.integers(0, 2))


def list_blocks(cells: NDArray[np.int32], side: int, thickness: int) -> set[bytes]:
    if thickness > cells.shape[0] or side > min(cells.shape[1:]):
        return set()
    windows = np.lib.stride_tricks.sliding_window_view(cells, (thickness, side, side))
    return {window.tobytes() for window in windows.reshape(-1, thickness * side * side)}


@settings(max_examples=150, deadline=None)
@given(maps, maps, some.integers(1, 4), some.integers(1, 2))
def test_common_blocks_are_found(sample: NDArray[np.int32], map: NDArray[np.int32], side: int, thickness: int) -> None:
    table = np.full(1 << 12, EMPTY, dtype=np.uint64)
    add_blocks(sample, side, thickness, table)
    blocks = list_blocks(sample, side, thickness)
    if side > 1:
        blocks = {block for block in blocks if len(np.unique(np.frombuffer(block, np.int32))) > 1}
    assert np.count_nonzero(table != EMPTY) == len(blocks)
    assert has_block(map, side, thickness, table) == bool(blocks & list_blocks(map, side, thickness))
