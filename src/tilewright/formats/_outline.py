"""Outlines of open cells: closed loops along the edges between open and solid cells, as walls for other programs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.outline import trace


def trace_loops(is_open: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
    """Return the loops around the open cells of a mask (row, column). Cells outside the mask are solid.

    A loop is an array (corner, 2) of x and y in cells, without the first corner at its end. The open cells are on the
    right of each line, so loops run clockwise around open cells and counterclockwise around solid cells within them.
    Open cells that touch only at a corner have separate loops, so that nothing is visible through the corner. The loops
    have no corners inside straight lines, and start at their first corner in reading order.

    >>> trace_loops(np.array([[True, True], [False, False]]))[0].tolist()
    [[0, 0], [2, 0], [2, 1], [0, 1]]
    """
    padded = np.pad(is_open, 1)
    northwest, northeast = padded[:-1, :-1], padded[:-1, 1:]
    southwest, southeast = padded[1:, :-1], padded[1:, 1:]
    edges = (southeast & ~northeast).astype(np.uint8)
    edges |= (southwest & ~southeast).astype(np.uint8) << 1
    edges |= (northwest & ~southwest).astype(np.uint8) << 2
    edges |= (northeast & ~northwest).astype(np.uint8) << 3
    # A corner is where one or three of four cells are open; at two open cells in a diagonal, two loops have corners.
    diagonal = (northwest == southeast) & (northeast == southwest) & (northwest != northeast)
    odd = northwest ^ northeast ^ southwest ^ southeast
    total = int(odd.sum()) + 2 * int(diagonal.sum())
    corners = np.empty((total, 2), dtype=np.int32)
    ends = np.empty(total // 4, dtype=np.int64)
    loops = trace(edges, corners, ends)
    return np.split(corners, ends[: loops - 1]) if loops else []


def move_out(loops: list[NDArray[np.int32]], distance: float, width: int, height: int) -> list[NDArray[np.float64]]:
    """Return the loops with every line moved by a distance of less than half a cell into the solid cells.

    Lines along the border of the map, which is width x height cells, stay there.
    """
    if not loops:
        return []
    corners = np.concatenate(loops)
    ends = np.cumsum([len(loop) for loop in loops])
    first, last = np.concatenate([[0], ends[:-1]]), ends - 1
    following, previous = np.arange(1, len(corners) + 1), np.arange(-1, len(corners) - 1)
    following[last], previous[first] = first, last
    # Signs of the line that leaves each corner: one of x and y is 0.
    leaving = np.sign(corners[following] - corners)
    # The left of a line (dx, dy) is (dy, -dx), because y points down.
    outward = (leaving + leaving[previous])[:, ::-1] * np.array([1, -1])
    moved = np.clip(corners + distance * outward, 0.0, np.array([width, height], dtype=np.float64))
    return np.split(moved, ends[:-1])
