"""Filling of dead ends, one cell at a time from their ends."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Marks: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int64]

OPEN, SPARED = 1, 2
"""Passable cell, and cell that is never filled."""


@kernel("int64(uint8[::1], int64[::1], int64[::1], int64)")
def fill_ends(cells: Marks, shifts: Places, queue: Places, end: int) -> int:
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
