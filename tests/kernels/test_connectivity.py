"""Repair of connectivity: afterwards, all regions are joined, and only free cells were dug."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tests.plain import find_regions, join_pairs
from tilewright.core.seeds import Rng
from tilewright.kernels.connectivity import dig_tunnels, find_parts
from tilewright.kernels.flood import NUMBERING, add_opposites

INITIAL, DIG, OTHER, OUTSIDE = 3, 7, 9, 255
UNIT_STEPS = {(0, 1), (1, 0), (0, -1), (-1, 0)}
Cell = tuple[int, int]


class Case(NamedTuple):
    """Map with open cells, and an area to repair."""

    cells: NDArray[np.uint8]
    taken: NDArray[np.bool_] | None
    area: tuple[int, int, int, int]
    offsets: list[Cell]
    thickness: int
    delete: bool
    margin: tuple[int, int]
    seed: int


class RepairResult(NamedTuple):
    cells: NDArray[np.uint8]
    parts: int
    """Number of regions to join."""
    ends: list[list[Cell]]
    """Region cells (row, column) of the map at both ends of each tunnel."""


def inside(case: Case) -> set[Cell]:
    x, y, width, height = case.area
    return {(row, column) for row in range(y, y + height) for column in range(x, x + width)}


def find_open_cells(cells: NDArray[np.uint8], case: Case) -> set[Cell]:
    return {cell for cell in inside(case) if cells[cell] != INITIAL}


def repair(case: Case, budget: int = 1 << 30) -> RepairResult:
    """Repair a case with the kernels."""
    rows, columns = case.cells.shape
    board = np.full((rows + 2 * case.margin[0], columns + 2 * case.margin[1]), OUTSIDE, dtype=np.uint8)
    inner = board[case.margin[0] : case.margin[0] + rows, case.margin[1] : case.margin[1] + columns]
    inner[...] = case.cells
    taken = np.zeros((1, 1), dtype=np.uint8) if case.taken is None else case.taken.astype(np.uint8)
    x, y, width, height = case.area
    both = add_opposites(case.offsets)
    down, across = np.abs(both).max(axis=0).tolist()
    strides = np.array([width + 2 * across, 1])
    straight = {tuple(offset) for offset in both.tolist()} >= UNIT_STEPS
    size = (height + 2 * down) * (width + 2 * across)
    labels, distance = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    queue, numbering = np.empty(size, dtype=np.int32), np.zeros(1, dtype=NUMBERING)
    corner, area, reach, shifts = np.array(case.margin), np.array(case.area), np.array([down, across]), both @ strides
    while find_parts(
        board, taken, corner, area, INITIAL, case.delete, reach, shifts, labels, distance, queue, numbering, budget
    ):
        pass
    count, ends = int(numbering["count"][0]), np.empty((0, 2), dtype=np.int64)
    if count > 1:
        rim = np.array([across, down, across + width, down + height])
        ends = dig_tunnels(
            board,
            corner,
            area,
            INITIAL,
            DIG,
            reach,
            shifts,
            straight,
            case.thickness,
            rim,
            labels,
            distance,
            numbering,
            Rng.of(case.seed).bits(),
        )
    found = inner.copy()
    inner[...] = OUTSIDE
    assert (board == OUTSIDE).all()
    places = [[divmod(int(end), width + 2 * across) for end in pair] for pair in ends]
    return RepairResult(
        found, count, [[(row - down + y, column - across + x) for row, column in pair] for pair in places]
    )


@some.composite
def cases(draw: some.DrawFn) -> Case:
    shape = draw(some.tuples(some.integers(1, 12), some.integers(1, 12)))
    rng = np.random.default_rng(draw(some.integers(0, 2**32)))
    open_share = draw(some.sampled_from([0.05, 0.2, 0.5, 0.8]))
    cells = np.where(rng.random(shape) < open_share, rng.choice([DIG, OTHER], shape), INITIAL).astype(np.uint8)
    x, y = draw(some.integers(0, shape[1] - 1)), draw(some.integers(0, shape[0] - 1))
    whole = some.just((0, 0, shape[1], shape[0]))
    some_of = some.tuples(some.just(x), some.just(y), some.integers(1, shape[1] - x), some.integers(1, shape[0] - y))
    step = some.integers(-2, 2) | some.integers(-6, 6)
    offset = some.tuples(step, step).filter(any)
    offsets = some.sampled_from([[(0, 1), (1, 0)], [(0, 1), (1, 0), (1, 1)], [(1, 2), (2, 1), (1, -2), (2, -1)]])
    return Case(
        cells=cells,
        taken=rng.random(shape) < draw(some.sampled_from([0.05, 0.3])) if draw(some.booleans()) else None,
        area=draw(whole | some_of),
        offsets=draw(offsets | some.lists(offset, min_size=1, max_size=6)),
        thickness=draw(some.integers(1, 4)),
        delete=draw(some.booleans()),
        margin=draw(some.tuples(some.integers(0, 3), some.integers(0, 3))),
        seed=draw(some.integers(0, 99)),
    )


def find_kept_regions(case: Case) -> list[set[Cell]] | None:
    """Return the regions to join; None if the largest is ambiguous."""
    parts = find_regions(find_open_cells(case.cells, case), case.offsets)
    if not case.delete or len(parts) < 2:
        return parts
    size = max(len(part) for part in parts)
    if sum(len(part) == size for part in parts) > 1:
        return None
    taken = set() if case.taken is None else {tuple(cell) for cell in np.argwhere(case.taken).tolist()}
    return [part for part in parts if len(part) == size or part & taken]


@given(cases())
@settings(max_examples=1000)
def test_all_regions_are_joined_and_only_free_cells_are_dug(case: Case) -> None:
    after = repair(case)
    before = find_open_cells(case.cells, case)
    wanted = find_kept_regions(case)
    outside = np.ones(case.cells.shape, dtype=bool)
    outside[tuple(np.array(sorted(inside(case))).T)] = False
    assert np.array_equal(after.cells[outside], case.cells[outside])
    if case.taken is not None:
        assert np.array_equal(after.cells[case.taken], case.cells[case.taken])
    changed = {cell for cell in inside(case) if after.cells[cell] != case.cells[cell]}
    # Deleted cells may be dug again.
    assert all(after.cells[cell] == DIG or (after.cells[cell] == INITIAL and cell in before) for cell in changed)
    if not case.delete:
        assert not changed & before
    if wanted is None:
        assert case.taken is not None or len(find_regions(find_open_cells(after.cells, case), case.offsets)) == 1
        return
    assert after.parts == len(wanted)
    ground = {
        cell for cell in inside(case) if case.cells[cell] != INITIAL or case.taken is None or not case.taken[cell]
    }
    together = [place for place in find_regions(ground, case.offsets) if any(place & part for part in wanted)]
    if len(together) > 1:  # Nothing can join them.
        assert len(after.ends) < len(wanted) - 1
        assert find_open_cells(after.cells, case) == set().union(*wanted)
        return
    left = find_open_cells(after.cells, case)
    assert set().union(*wanted) <= left
    assert len(find_regions(left, case.offsets)) == min(1, len(wanted))
    # The minimum number of tunnels, each from one region to another, which together join all regions.
    of_part = {cell: number for number, part in enumerate(wanted) for cell in part}
    assert len(after.ends) == max(0, len(wanted) - 1)
    links = {(of_part[start], of_part[end]) for start, end in after.ends}
    assert all(start != end for start, end in links)
    assert len(set(join_pairs(len(wanted), links))) <= 1


@given(cases(), some.sampled_from([1, 2, 5, 40]))
@settings(max_examples=200)
def test_the_budget_changes_nothing(case: Case, budget: int) -> None:
    whole, in_blocks = repair(case), repair(case, budget)
    assert np.array_equal(whole.cells, in_blocks.cells)
    assert whole[1:] == in_blocks[1:]


@given(cases())
@settings(max_examples=200)
def test_thicker_tunnels_contain_thinner_ones(case: Case) -> None:
    thin, thick = repair(case._replace(thickness=1)), repair(case)
    assert find_open_cells(thin.cells, case) <= find_open_cells(thick.cells, case)
