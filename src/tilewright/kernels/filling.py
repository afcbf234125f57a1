"""Filling of open cells: dead ends from their ends, and cells without which their region stays connected."""

from __future__ import annotations

from . import kernel, part
from .types import Int32_1D, Int64_1D, Uint8_1D

OPEN, SPARED = 1, 2
"""Open cell, and open cell that is never filled."""
MAX_DETOUR = 4096
"""Maximum number of cells that a search for a detour around a cell visits. Longer loops are not opened."""


@part
def joins_around(cells: Uint8_1D, columns: int, cell: int) -> bool:
    """Return whether the open neighbors of a cell are connected through the eight cells around it."""
    ring = (
        cell - columns, cell - columns + 1, cell + 1, cell + columns + 1,
        cell + columns, cell + columns - 1, cell - 1, cell - columns - 1,
    )  # fmt: skip
    groups = 0
    neighbors = 0
    for number in range(0, 8, 2):
        if cells[ring[number]]:
            neighbors += 1
            # A group ends where the next orthogonal neighbor cannot be reached past the corner.
            if not (cells[ring[number + 1]] and cells[ring[(number + 2) % 8]]):
                groups += 1
    return neighbors > 0 and groups <= 1


@part
def has_detours(cells: Uint8_1D, columns: int, cell: int, marks: Int32_1D, mark: int, queue: Int64_1D) -> bool:
    """Return whether the open neighbors of a cell are connected without it, by paths of limited extent."""
    wanted, end = 0, 0
    for shift in (-columns, 1, columns, -1):
        if cells[cell + shift]:
            wanted += 1
            if end == 0:
                queue[0] = cell + shift
                marks[cell + shift] = mark
                end = 1
    marks[cell] = mark
    found, place = 1, 0
    while place < end and found < wanted and end < MAX_DETOUR:
        at = queue[place]
        place += 1
        for shift in (-columns, 1, columns, -1):
            other = at + shift
            if cells[other] and marks[other] != mark:
                marks[other] = mark
                queue[end] = other
                end += 1
                distance = abs(other - cell)
                if distance == 1 or distance == columns:
                    found += 1
    return wanted > 0 and found == wanted


@kernel
def thicken_cells(
    cells: Uint8_1D,
    columns: int,
    order: Int64_1D,
    start: int,
    stop: int,
    marks: Int32_1D,
    queue: Int64_1D,
    count: int,
) -> int:
    """Fill up to `count` of the cells `order[start:stop]` whose neighbors stay connected; return the number filled.

    `cells` is flat within a margin of 0; `marks` has its size and holds no number above `start`.
    """
    filled = 0
    for place in range(start, stop):
        if filled == count:
            break
        cell = order[place]
        if cells[cell] != OPEN:
            continue
        if joins_around(cells, columns, cell) or has_detours(cells, columns, cell, marks, place + 1, queue):
            cells[cell] = 0
            filled += 1
    return filled


@kernel
def fill_ends(cells: Uint8_1D, shifts: Int64_1D, queue: Int64_1D, end: int) -> int:
    """Fill the queued cells that have one open neighbor, and replace the queue by the cells to check next.

    Return the length of the new queue.

    `cells` is flat within a margin of 0. A cell that is left with one open neighbor is checked next, so each call
    shortens every dead end by one cell.
    """
    later = 0
    for place in range(end):
        cell = queue[place]
        if cells[cell] != OPEN:
            continue
        neighbours, last = 0, 0
        for number in range(shifts.size):
            if cells[cell + shifts[number]]:
                neighbours += 1
                last = cell + shifts[number]
        if neighbours == 1:
            cells[cell] = 0
            queue[later] = last
            later += 1
    return later
