"""Induced paths: paths of which no two cells touch, except consecutive ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .random import below

FREE, TAKEN, BLOCKED = 0, 1, 2
"""Cell that the path may enter, cell of the path, and cell that it may not enter."""
COMPACT = 3
"""Of four extensions, the number that prefer cells with few free neighbors, so that long paths fit."""


@kernel
def count_taken(cells: NDArray[np.uint8], columns: int, cell: int) -> int:
    """Return the number of neighbors of a cell that are on the path."""
    count = 0
    for shift in (-columns, 1, columns, -1):
        count += cells[cell + shift] == TAKEN
    return count


@kernel
def count_free(cells: NDArray[np.uint8], columns: int, cell: int) -> int:
    """Return the number of neighbors of a cell that the path could still enter."""
    count = 0
    for shift in (-columns, 1, columns, -1):
        other = cell + shift
        if cells[other] == FREE and count_taken(cells, columns, other) == 0:
            count += 1
    return count


@kernel
def choose_extension(state: NDArray[np.uint64], cells: NDArray[np.uint8], columns: int, end: int) -> int:
    """Return a random cell beside an end of the path by which the path can grow; -1 if there is none."""
    is_compact = below(state, 4) < COMPACT
    best, chosen, ties = 9, -1, 0
    for shift in (-columns, 1, columns, -1):
        other = end + shift
        if cells[other] == FREE and count_taken(cells, columns, other) == 1:
            score = count_free(cells, columns, other) if is_compact else 0
            if score < best:
                best, chosen, ties = score, other, 1
            elif score == best:
                ties += 1
                if below(state, ties) == 0:
                    chosen = other
    return chosen


@kernel("int64(uint64[::1], uint8[::1], int64, int64[::1], int64, int64, int64)")
def grow_snake(
    state: NDArray[np.uint64],
    cells: NDArray[np.uint8],
    columns: int,
    ring: NDArray[np.int64],
    span: int,
    length: int,
    steps: int,
) -> int:
    """Grow an induced path at both ends until it has `length` cells, in at most `steps` steps; return its new span.

    `cells` is flat within a margin of BLOCKED. `ring` holds the cells of the path, from place `span >> 32` on, `span &
    0xffffffff` of them, around its end. When both ends are stuck, a random number of cells is removed from one end.
    """
    first, count = span >> 32, span & 0xFFFFFFFF
    size = ring.size
    for _ in range(steps):
        if count == length:
            break
        at_end = below(state, 2)
        grown = -1
        for _ in range(2):
            end = ring[(first + count - 1) % size] if at_end else ring[first]
            grown = choose_extension(state, cells, columns, end)
            if grown >= 0:
                break
            at_end = 1 - at_end
        if grown >= 0:
            if at_end:
                ring[(first + count) % size] = grown
            else:
                first = (first + size - 1) % size
                ring[first] = grown
            cells[grown] = TAKEN
            count += 1
            continue
        removed = 1 + below(state, max(1, count // 2))
        if removed >= count:
            removed = count - 1
        if removed == 0:
            break
        for _ in range(removed):
            if at_end:
                cells[ring[(first + count - 1) % size]] = FREE
            else:
                cells[ring[first]] = FREE
                first = (first + 1) % size
            count -= 1
    return (first << 32) | count
