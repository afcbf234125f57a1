"""Filling of dead ends, one cell at a time from their ends."""

from __future__ import annotations

from . import kernel
from .types import Int64_1D, Uint8_1D

OPEN, SPARED = 1, 2
"""Passable cell, and cell that is never filled."""


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
