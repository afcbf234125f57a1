"""The distance kernels against direct versions of their definitions."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.analysis.regions import Directions, neighbor_offsets
from tilewright.kernels.distance import (
    UNSEEN,
    WALL,
    StepGraph,
    search_steps,
    spread_costs,
    spread_small_costs,
    spread_steps,
    trace,
)

Cell = tuple[int, ...]
masks = arrays(
    np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=7), elements=some.sampled_from([True, True, False])
)


def steps_of(mask: NDArray[np.bool_], cell: Cell, offsets: NDArray[np.int64], cut: bool) -> list[tuple[int, Cell]]:
    """Return the possible steps from a cell."""

    def free(place: Cell) -> bool:
        inside = all(0 <= part < side for part, side in zip(place, mask.shape, strict=True))
        return inside and bool(mask[place])

    found = []
    for number, offset in enumerate(offsets.tolist()):
        near = tuple(a + b for a, b in zip(cell, offset, strict=True))
        parts: list[tuple[int, ...]] = [()]
        for a, b in zip(cell, offset, strict=True):
            parts = [(*part, place) for part in parts for place in {a, a + b}]
        if free(near) and (cut or all(free(part) for part in parts)):
            found.append((number, near))
    return found


def plain_dijkstra(
    mask: NDArray[np.bool_],
    values: NDArray[np.float64],
    costs: NDArray[np.float64],
    factors: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *,
    cut: bool,
    away: bool,
) -> NDArray[np.float64]:
    """Compute distances by Dijkstra's algorithm."""
    values = values.copy()
    queue = [(float(values[cell]), cell) for cell in map(tuple, np.argwhere(np.isfinite(values)).tolist())]
    queue.sort()
    while queue:
        value, cell = heappop(queue)
        if value > values[cell]:
            continue
        for number, near in steps_of(mask, cell, offsets, cut):
            new = value + costs[near if away else cell] * factors[number]
            if new < values[near]:
                values[near] = new
                heappush(queue, (new, near))
    return values


@some.composite
def walks(draw: some.DrawFn) -> tuple[StepGraph, NDArray[np.int64], bool, NDArray[np.int64]]:
    """Draw a graph with at least one free cell, its offsets, whether corners are cut, and its free cells."""
    mask = draw(masks)
    mask[draw(some.tuples(*(some.integers(0, side - 1) for side in mask.shape)))] = True
    directions: Directions = draw(some.sampled_from([4, 8]))
    cut = draw(some.booleans())
    offsets = neighbor_offsets(mask.ndim, directions)
    return StepGraph(mask, offsets, cut_corners=cut), offsets, cut, np.argwhere(mask)


@given(walks(), some.data())
def test_steps_are_those_of_plain_dijkstra(
    walk: tuple[StepGraph, NDArray[np.int64], bool, NDArray[np.int64]], data: some.DataObject
) -> None:
    ground, offsets, cut, free = walk
    chosen = free[data.draw(some.lists(some.integers(0, len(free) - 1), min_size=1, max_size=3, unique=True))]
    steps = ground.new_steps()
    queue = np.empty(steps.size, dtype=np.int32)
    places = ground.to_flat(chosen)
    queue[: len(places)] = places
    steps[places] = 0
    count = spread_steps(steps, ground.shifts, ground.guards, queue, len(places), -1)
    found = steps.reshape(ground.padded_shape)[ground.inner]
    start = np.full(ground.shape, np.inf)
    start[tuple(chosen.T)] = 0
    ones = np.ones(ground.shape)
    plain = plain_dijkstra(ground.passable, start, ones, np.ones(len(offsets)), offsets, cut=cut, away=False)
    assert count == np.isfinite(plain).sum()
    assert np.array_equal(np.where(found < 0, np.inf, found), plain)
    assert ((found == WALL) == ~ground.passable).all()
    assert ((found == UNSEEN) == (ground.passable & ~np.isfinite(plain))).all()


@given(
    walks(), some.integers(0, 2**32), some.booleans(), some.sampled_from([1.0, 0.1, 0.25, 1e-3 / 3]), some.booleans()
)
def test_costs_are_those_of_plain_dijkstra(
    walk: tuple[StepGraph, NDArray[np.int64], bool, NDArray[np.int64]], seed: int, away: bool, unit: float, many: bool
) -> None:
    ground, offsets, cut, free = walk
    random = np.random.default_rng(seed)
    costs: NDArray[np.float64] = unit * random.integers(1, 9, ground.shape).astype(np.float64)
    factors = np.where(np.abs(offsets).sum(axis=1) > 1, np.sqrt(2), 1.0)
    start = np.full(ground.shape, np.inf)
    chosen = tuple(free[random.integers(0, len(free), len(free) if many else 1)].T)
    start[chosen] = unit * random.integers(-9, 9, len(chosen[0]))
    values = np.full(ground.padded_shape, np.inf)
    values[ground.inner] = start
    flat = values.reshape(-1)
    seeds = np.flatnonzero(np.isfinite(flat))
    seeds = seeds[np.argsort(flat[seeds], kind="stable")]
    again = flat.copy()
    spread_costs(ground.new_costs(flat, costs, factors, away=away), seeds, -1)
    ground.spread(ground.new_costs(again, costs, factors, away=away), seeds)
    assert np.array_equal(flat, again), "the kind of queue changes nothing"
    plain = plain_dijkstra(ground.passable, start, costs, factors, offsets, cut=cut, away=away)
    assert np.array_equal(values[ground.inner], plain)


@given(walks(), some.integers(0, 2**32), some.booleans(), some.sampled_from([1, 9, 255]))
def test_small_costs_are_those_of_plain_dijkstra(
    walk: tuple[StepGraph, NDArray[np.int64], bool, NDArray[np.int64]], seed: int, away: bool, most: int
) -> None:
    ground, offsets, cut, free = walk
    random = np.random.default_rng(seed)
    costs = random.integers(0, most + 1, ground.shape).astype(np.float64)
    costs[~ground.passable] = np.inf
    chosen = np.unique(free[random.integers(0, len(free), int(random.integers(1, 4)))], axis=0)
    steps = ground.new_steps()
    small = ground.new_small_costs(costs)
    spread_small_costs(steps, small, ground.shifts, ground.guards, ground.to_flat(chosen), away)
    found = steps.reshape(ground.padded_shape)[ground.inner]
    start = np.full(ground.shape, np.inf)
    start[tuple(chosen.T)] = 0
    plain = plain_dijkstra(ground.passable, start, costs, np.ones(len(offsets)), offsets, cut=cut, away=away)
    assert np.array_equal(np.where(found < 0, np.inf, found), plain)
    assert ((found == WALL) == ~ground.passable).all()


@given(walks(), some.data())
def test_a_star_finds_a_shortest_path(
    walk: tuple[StepGraph, NDArray[np.int64], bool, NDArray[np.int64]], data: some.DataObject
) -> None:
    ground, offsets, cut, free = walk
    ends = [data.draw(some.integers(0, len(free) - 1)) for _ in range(2)]
    start, goal = (int(place) for place in ground.to_flat(free[ends]))
    values = np.full(ground.shape, np.inf)
    values[tuple(free[ends[0]])] = 0
    ones = np.ones(ground.shape)
    plain = plain_dijkstra(ground.passable, values, ones, np.ones(len(offsets)), offsets, cut=cut, away=True)
    length = plain[tuple(free[ends[1]])]
    steps, diagonal = ground.new_steps(), len(offsets) > 2 * len(ground.shape)
    came = np.zeros(steps.size, dtype=np.uint8)
    found = search_steps(steps, ground.strides, ground.shifts, ground.guards, came, start, goal, diagonal)
    assert found == np.isfinite(length)
    if found:
        path = np.empty(steps.size, dtype=np.int64)
        count = trace(came, ground.shifts, goal, start, path)
        assert count == length + 1
        cells = [tuple(cell) for cell in ground.to_cells(path[:count]).tolist()]
        for one, other in pairwise(cells):
            assert other in [near for _, near in steps_of(ground.passable, one, offsets, cut)]
        assert cells[0] == tuple(free[ends[1]].tolist())
        assert cells[-1] == tuple(free[ends[0]].tolist())


@pytest.mark.parametrize("directions", [4, 8])
def test_queues_grow_on_large_open_maps(directions: Directions) -> None:
    mask = np.ones((90, 120), dtype=np.bool_)
    mask[80, 1:] = False  # The path leads around this wall, so that everything else is searched first.
    ground = StepGraph(mask, neighbor_offsets(2, directions))
    random = np.random.default_rng(3)
    costs, factors = random.integers(1, 99, mask.shape).astype(float), np.ones(directions)
    values = np.full(ground.padded_shape, np.inf)
    values[1, 1] = 0
    start = np.full(mask.shape, np.inf)
    start[0, 0] = 0
    seeds = ground.to_flat(np.array([[0, 0]]))
    flat = values.reshape(-1)
    again = flat.copy()
    spread_costs(ground.new_costs(flat, costs, factors, away=True), seeds, -1)
    ground.spread(ground.new_costs(again, costs, factors, away=True), seeds)
    assert np.array_equal(flat, again)
    plain = plain_dijkstra(mask, start, costs, factors, neighbor_offsets(2, directions), cut=True, away=True)
    assert np.array_equal(values[ground.inner], plain)
    steps, came = ground.new_steps(), np.zeros(values.size, dtype=np.uint8)
    goal = int(ground.to_flat(np.array([[89, 119]]))[0])
    assert search_steps(steps, ground.strides, ground.shifts, ground.guards, came, int(seeds[0]), goal, directions == 8)
    ones = plain_dijkstra(
        mask, start, np.ones(mask.shape), factors, neighbor_offsets(2, directions), cut=True, away=True
    )
    assert steps[goal] == ones[89, 119]
