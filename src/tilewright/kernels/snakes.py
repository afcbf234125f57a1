"""Induced paths of exact length: a path is changed by random local moves until it has the wanted length.

The path grows and shrinks at its ends. A straight piece of three cells gets a bump, which makes the path two cells
longer, or loses one; a corner flips over. All moves keep the path induced: no two of its cells touch, except
consecutive ones. Moves that shorten the path are rare.

Source: the moves within the path are those of Berg and Foerster, "Random paths and random surfaces on a digital
computer", 1981, for walks that avoid themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .random import below
from .types import Int32_1D, Int64_1D, Uint8_1D, Uint64_1D

FREE, TAKEN, BLOCKED = 0, 1, 2
"""Cell that the path may enter, cell of the path, and cell that it may not enter."""
NONE = -1
"""Neighbor of an end of the path."""
HEAD, TAIL, COUNT = 0, 1, 2
"""Entries of `WindingPath.span`."""
END_MOVES = 4
"""Number of moves of which one is at an end of the path."""
SHORTENING = 20
"""Number of possible moves that make the path shorter, of which one is done."""


class WindingPath(NamedTuple):
    """An induced path as a linked list of cells, flat within a margin."""

    cells: Uint8_1D
    columns: int
    previous: Int32_1D
    following: Int32_1D
    order: Int32_1D
    """Cells of the path in any order, so that one can be drawn."""
    places: Int32_1D
    """Place of each cell of the path in `order`."""
    span: Int64_1D
    """[first cell, last cell, number of cells]"""


def start_path(is_free: NDArray[np.bool_], start: int) -> WindingPath:
    """Return a path of one cell on a map with a margin that is not free."""
    cells = np.where(is_free, FREE, BLOCKED).astype(np.uint8).reshape(-1)
    cells[start] = TAKEN
    path = WindingPath(
        cells=cells,
        columns=is_free.shape[1],
        previous=np.full(cells.size, NONE, dtype=np.int32),
        following=np.full(cells.size, NONE, dtype=np.int32),
        order=np.zeros(cells.size, dtype=np.int32),
        places=np.zeros(cells.size, dtype=np.int32),
        span=np.array([start, start, 1], dtype=np.int64),
    )
    path.order[0] = start
    return path


@inline
def _link(path: WindingPath, before: int, after: int, following: int, previous: int) -> None:
    """Set the cell that follows `before`, and the one that precedes `after`. NONE stands for the end of the path."""
    if before == NONE:
        path.span[HEAD] = following
    else:
        path.following[before] = following
    if after == NONE:
        path.span[TAIL] = previous
    else:
        path.previous[after] = previous


@inline
def _add(path: WindingPath, cell: int, before: int, after: int) -> None:
    """Add a cell between two others, of which one may be NONE."""
    path.cells[cell] = TAKEN
    path.previous[cell], path.following[cell] = before, after
    _link(path, before, after, cell, cell)
    count = path.span[COUNT]
    path.order[count], path.places[cell] = cell, count
    path.span[COUNT] = count + 1


@inline
def _remove(path: WindingPath, cell: int) -> None:
    """Remove a cell, and link its neighbors."""
    path.cells[cell] = FREE
    before, after = path.previous[cell], path.following[cell]
    _link(path, before, after, after, before)
    count = path.span[COUNT] - 1
    last = path.order[count]
    path.order[path.places[cell]], path.places[last] = last, path.places[cell]
    path.span[COUNT] = count


@inline
def _count_taken(path: WindingPath, cell: int) -> int:
    """Return the number of neighbors of a cell that are on the path."""
    count = 0
    for shift in (-path.columns, 1, path.columns, -1):
        count += path.cells[cell + shift] == TAKEN
    return count


@inline
def _is_free(path: WindingPath, cell: int, taken: int) -> bool:
    """Return whether a cell is free and beside this number of cells of the path."""
    return path.cells[cell] == FREE and _count_taken(path, cell) == taken


@part
def _change_end(state: Uint64_1D, path: WindingPath) -> None:
    """Add a random cell at an end of the path, or seldom remove the end."""
    is_tail = below(state, 2)
    end = path.span[TAIL if is_tail else HEAD]
    if below(state, SHORTENING) == 0:
        if path.span[COUNT] > 1:
            _remove(path, end)
        return
    shift = path.columns if below(state, 2) else 1
    cell = end + shift if below(state, 2) else end - shift
    if _is_free(path, cell, 1):
        if is_tail:
            _add(path, cell, end, NONE)
        else:
            _add(path, cell, NONE, end)


@part
def _change_middle(state: Uint64_1D, path: WindingPath, length: int) -> None:
    """Change the path at a random cell: add or remove a bump of a straight piece, or flip a corner."""
    middle = path.order[below(state, path.span[COUNT])]
    before, after = path.previous[middle], path.following[middle]
    if before == NONE or after == NONE:
        return
    if before - middle != middle - after:
        corner = before + after - middle
        if _is_free(path, corner, 2):
            _remove(path, middle)
            _add(path, corner, before, after)
        return
    side = path.columns if abs(before - middle) == 1 else 1
    if below(state, 2):
        side = -side
    if _is_free(path, middle + side, 1):
        if path.span[COUNT] + 2 <= length and _is_free(path, before + side, 1) and _is_free(path, after + side, 1):
            _remove(path, middle)
            _add(path, before + side, before, after)
            _add(path, middle + side, before + side, after)
            _add(path, after + side, middle + side, after)
        return
    is_bump = path.previous[before] == before + side and path.following[after] == after + side
    if is_bump and _is_free(path, middle + side, 3) and below(state, SHORTENING) == 0:
        _remove(path, before)
        _remove(path, after)
        _remove(path, middle)
        _add(path, middle + side, before + side, after + side)


@kernel(allocates=False)
def wind(state: Uint64_1D, path: WindingPath, length: int, steps: int) -> int:
    """Do random moves until the path has `length` cells, at most `steps`. Return the number of cells."""
    for _ in range(steps):
        if path.span[COUNT] == length:
            break
        if path.span[COUNT] < 3 or below(state, END_MOVES) == 0:
            _change_end(state, path)
        else:
            _change_middle(state, path, length)
    return int(path.span[COUNT])
