"""Pattern counts updated with a map equal those of a complete recount."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.kernels.counters import check, count_plainly, kinds, make_counter
from tilewright.analysis import patterns as analysis
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.padded_grid import PaddedGrid
from tilewright.kernels.patterns import keep, try_tile, undo


@settings(max_examples=120)
@given(kinds())
def test_new_counters_are_correct(kind: dict[str, Any]) -> None:
    check(make_counter(**kind))


@settings(max_examples=150)
@given(kinds(), some.integers(0, 1000))
def test_changes_are_counted(kind: dict[str, Any], seed: int) -> None:
    """Any cell gets any tile, including its current one."""
    counter, random = make_counter(**kind), np.random.default_rng(seed)
    for _ in range(int(random.integers(1, 40))):
        cell = tuple(int(random.integers(0, side)) for side in counter.grid.shape)
        counter.change(cell, int(random.integers(0, counter.target.tiles)))
    check(counter)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_accepted_changes_are_counted_completely(weight: float) -> None:
    """With a weight of 0, a pattern that is not in the samples lowers the divergence, if only by little."""
    accepted = 0
    for seed in range(4):
        counter = make_counter(seed, tiles=40, wrap=(False, True), wrap_sample=(True, False), weight=weight)
        own, rng = counter.arrays[0], Rng.of(seed)
        for _ in range(30):
            place, tile = int(counter.free[rng.below(counter.free.size)]), rng.below(40)
            limit = rng.random() * 1e-8
            cost, top = try_tile(own, 0, place, tile, limit)
            if cost <= limit:
                keep(own, 0, top, place, tile)
                counter.values[0] += cost
                accepted += 1
            else:
                undo(own, top, False)
        check(counter)
    assert accepted


@pytest.mark.parametrize("tiles", [3, 40])
def test_a_reverted_change_leaves_no_trace(tiles: int) -> None:
    counter, whole = (make_counter(3, tiles=tiles, sizes=(2, 3), side=8) for _ in range(2))
    old = int(counter.tiles()[4, 4])
    counter.change((4, 4), (old + 1) % tiles)
    assert not np.array_equal(counter.slots, whole.slots)
    counter.change((4, 4), old)
    assert counter.value == pytest.approx(whole.value, abs=1e-12)
    assert np.array_equal(counter.cells, whole.cells)
    check(counter)


@pytest.mark.parametrize("wrap", [*product((False, True), repeat=2), *product((False, True), repeat=3)])
@pytest.mark.parametrize("margin", [1, 2, 4])
def test_cells_and_their_copies(wrap: tuple[bool, ...], margin: int) -> None:
    """Every place beyond a wrapped edge has a home, and every home lists all its copies once.

    A margin may be wider than the map; its cells then have several copies along an axis.
    """
    for shape in ((5, 7), (2, 3)) if len(wrap) == 2 else ((3, 4, 5), (2, 3, 2)):
        grid = PaddedGrid(shape, wrap, ((False, False),) * len(wrap), margin)
        if not any(wrap):
            assert not grid.homes.size
            assert not grid.twins.size
            continue
        copies: dict[int, set[int]] = {}
        for cell in product(*(range(side + 2 * margin) for side in shape)):
            at = [one - margin for one in cell]
            # Windows start inside the map, so only the margin after its end is ever read.
            if any(one < 0 or (one >= side and not round_) for one, side, round_ in zip(at, shape, wrap, strict=True)):
                continue
            home = grid.flat_index(tuple(one % side for one, side in zip(at, shape, strict=True)))
            place = int(np.ravel_multi_index(cell, grid.padded_shape))
            assert grid.homes[place] == home
            copies.setdefault(home, set()).add(place)
        for cell in product(*map(range, shape)):
            home = place = grid.flat_index(cell)
            found = []
            while place >= 0:
                found.append(place)
                place = int(grid.twins[place])
            assert found[0] == home
            assert len(found) == len(set(found))
            assert set(found) == copies[home]


@settings(max_examples=40)
@given(kinds())
def test_padded_maps_wrap(kind: dict[str, Any]) -> None:
    counter = make_counter(**kind)
    tiles, grid = counter.tiles(), counter.grid
    wide = counter.cells[0].reshape(grid.padded_shape)
    for number, size in enumerate(counter.target.sizes):
        padded = analysis.pad_map(tiles, size, grid.wrap, grid.sides, counter.target.tiles)
        spans = grid.window_starts(size)
        region = wide[tuple(slice(span.start, span.stop + size - 1) for span in spans)]
        assert np.array_equal(region, padded)
        assert sum(count_plainly(counter, 0, number).values()) == grid.count_windows(size)


@settings(max_examples=60)
@given(kinds(), some.integers(0, 1000))
def test_rebuilding_slots_changes_nothing(kind: dict[str, Any], seed: int) -> None:
    counter = make_counter(**kind | {"tiles": 40})
    other = make_counter(**kind | {"tiles": 40})
    for number in range(4):
        counter.evolve(Rng.of(seed).child("more", number), 0, 40, noise=3.0, crossing=0.0)
        other.evolve(Rng.of(seed).child("more", number), 0, 40, noise=3.0, crossing=0.0)
        counter.free_slots(0)
        check(counter)
    assert np.array_equal(counter.tiles(), other.tiles())
    assert counter.value == other.value


@settings(max_examples=60)
@given(kinds(), some.integers(0, 1000))
def test_dense_and_hashed_keys_count_alike(kind: dict[str, Any], seed: int) -> None:
    """The same changes have the same cost, except for rounding."""
    values = []
    for maximum in (analysis.DENSE_KEYS, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(analysis, "DENSE_KEYS", maximum)
            counter, random = make_counter(**kind), np.random.default_rng(seed)
            values.append([counter.value])
            for _ in range(30):
                cell = tuple(int(random.integers(0, side)) for side in counter.grid.shape)
                counter.change(cell, int(random.integers(0, counter.target.tiles)))
                values[-1].append(counter.value)
            check(counter)
    assert values[0] == pytest.approx(values[1], abs=1e-10)
