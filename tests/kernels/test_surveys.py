"""Totals of many maps against the functions for one map, and against plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.analysis.chokepoints import Cuts
from tilewright.analysis.paths import farthest_cell, steps_from
from tilewright.analysis.regions import regions_of
from tilewright.kernels.surveys import (
    count_symmetric,
    count_tiles,
    survey_cuts,
    survey_neighbors,
    survey_regions,
    survey_routes,
)

Stack = NDArray[np.bool_]
Numbers = NDArray[np.int64]


@some.composite
def stacks(draw: some.DrawFn) -> Stack:
    """Draw masks (map, level, row, column), most of them with one level."""
    levels = draw(some.sampled_from([1, 1, 2, 4]))
    shape = draw(some.integers(1, 5)), levels, *draw(some.tuples(some.integers(1, 9), some.integers(1, 9)))
    random = np.random.default_rng(draw(some.integers(0, 2**32)))
    return random.random(shape) < random.random((shape[0], 1, 1, 1))


def survey(kernel: object, stack: Stack, *more: Numbers, columns: int) -> Numbers:
    numbers = np.full((len(stack), columns), -9, dtype=np.int64)
    kernel(stack.view(np.uint8), *more, numbers)  # type: ignore[operator]
    return numbers


def draw_marks(stack: Stack, random: np.random.Generator) -> Numbers:
    """Return up to four starts and exits in passable cells of each map; some maps have none."""
    rows = [
        (number, int(random.integers(2)), int(cell))
        for number, mask in enumerate(stack)
        for cell in random.permutation(np.flatnonzero(mask))[: random.integers(0, 5)]
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def find_route(mask: NDArray[np.bool_], starts: Numbers, exits: Numbers) -> list[int]:
    """Return start, exit and length with distance maps of one map."""
    if not (len(starts) and len(exits)):
        regions = regions_of(mask)
        if not regions.count:
            return [-1, -1, -1]
        first = np.argwhere(regions.labels == regions.rank()[0])[:1]
        start = farthest_cell(steps_from(mask, first))
        exit = farthest_cell(steps_from(mask, np.array([start])))
        starts, exits = (np.array([np.ravel_multi_index(cell, mask.shape)]) for cell in (start, exit))
    cells = np.argwhere(np.ones_like(mask))
    from_start, to_exit = (steps_from(mask, cells[some]).reshape(-1) for some in (starts, exits))
    nearest_start = min(starts.tolist(), key=lambda cell: (to_exit[cell], cell))
    nearest_exit = min(exits.tolist(), key=lambda cell: (from_start[cell], cell))
    length = to_exit[nearest_start]
    return [nearest_start, nearest_exit, int(length)] if np.isfinite(length) else [-1, -1, -1]


@given(stacks())
def test_regions(stack: Stack) -> None:
    expected = []
    for mask in stack:
        found = regions_of(mask)
        largest = int(found.rank()[0]) if found.count else 0
        first = int(np.argmax(found.labels == largest)) if found.count else -1
        expected.append([found.count, int(found.sizes[largest]), first])
    assert survey(survey_regions, stack, columns=3).tolist() == expected


@given(stacks(), some.integers(0, 2**32))
def test_routes_and_chokepoints(stack: Stack, seed: int) -> None:
    marks = draw_marks(stack, np.random.default_rng(seed))
    routes = survey(survey_routes, stack, survey(survey_regions, stack, columns=3), marks, columns=3)
    cuts = survey(survey_cuts, stack, routes, columns=2)
    for number, mask in enumerate(stack):
        own = marks[marks[:, 0] == number]
        start, exit, length = find_route(mask, own[own[:, 1] == 0, 2], own[own[:, 1] == 1, 2])
        assert routes[number].tolist() == [start, exit, length]
        ends = [tuple(map(int, np.unravel_index(cell, mask.shape))) for cell in (start, exit) if cell >= 0]
        found = Cuts.of(mask, start=ends[0] if ends else None)
        assert cuts[number].tolist() == [found.cells.sum(), found.count_between(*ends) if ends else 0]


@given(stacks())
def test_neighbors(stack: Stack) -> None:
    found = survey(survey_neighbors, stack, columns=4)
    for mask, numbers in zip(stack, found.tolist(), strict=True):
        wide = np.pad(mask, 1)
        dead_ends = neighbors = corridors = junctions = 0
        for level, row, column in np.argwhere(wide).tolist():
            around = [
                bool(wide[level, row + y, column + x])
                for y, x in ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
            ]
            straight, joined = (
                around[::2],
                sum(around[k - 1] and around[k] and around[(k + 1) % 8] for k in (1, 3, 5, 7)),
            )
            dead_ends += sum(straight) + wide[level - 1, row, column] + wide[level + 1, row, column] == 1
            neighbors += sum(around)
            corridors += sum(straight) == 2 and joined == 0
            junctions += sum(straight) - joined >= 3
        assert numbers == [dead_ends, neighbors, corridors, junctions]


@pytest.mark.parametrize("shape", [(3, 1, 5, 8), (2, 3, 4, 5), (4, 1, 1, 1)])
def test_tiles_and_symmetry(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    cells = random.integers(0, 3, shape).astype(np.uint16)
    images = random.integers(0, 3, 3).astype(np.uint16)[cells]
    counts = np.full((len(cells), 4), -9, dtype=np.int64)
    count_tiles(cells, counts)
    assert counts.tolist() == [np.bincount(one.reshape(-1), minlength=4).tolist() for one in cells]
    for rows, columns in product((False, True), repeat=2):
        numbers = np.full(len(cells), -9, dtype=np.int64)
        count_symmetric(cells, images, rows, columns, numbers)
        mirrored = np.flip(images, tuple(axis for axis, flip in ((-2, rows), (-1, columns)) if flip))
        assert numbers.tolist() == (cells == mirrored).sum(axis=(1, 2, 3)).tolist()
