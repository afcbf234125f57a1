"""Articulation points of a grid: cells whose removal would split a region, found in one depth-first search."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Places: TypeAlias = NDArray[np.int64]
Order: TypeAlias = NDArray[np.int32]

FREE, WALL = 0, -1


@kernel("void(int32[::1], int64[::1], int64, uint8[::1], uint8[::1], uint8[::1])")
def find_cuts(
    order: Order,
    shifts: Places,
    root: int,
    came_from: NDArray[np.uint8],
    gates: NDArray[np.uint8],
    cuts: NDArray[np.uint8],
) -> None:
    """Search depth first through all FREE cells of a map within a margin of WALL, starting at `root` (-1: anywhere).

    `cuts` marks the articulation points. `came_from` holds the shift by which each cell was first entered. `gates`
    marks a cell if the cell and all cells first reached through it are connected to the rest only through its parent.
    """
    lowest = np.zeros(order.size, dtype=np.int32)
    turns = np.zeros(order.size, dtype=np.uint8)
    count = 0
    for begin in range(-1, order.size):
        start = root if begin < 0 else begin
        if start < 0 or order[start] != FREE:
            continue
        count += 1
        order[start] = lowest[start] = count
        children, cell = 0, start
        while True:
            if turns[cell] < shifts.size:
                number = turns[cell]
                turns[cell] += 1
                near = cell + shifts[number]
                if order[near] == FREE:
                    count += 1
                    order[near] = lowest[near] = count
                    came_from[near] = number
                    cell = near
                elif order[near] > 0 and order[near] < lowest[cell]:
                    # The parent is counted as well, which does not affect the comparison with >=.
                    lowest[cell] = order[near]
            elif cell == start:
                break
            else:
                parent = cell - shifts[came_from[cell]]
                lowest[parent] = min(lowest[parent], lowest[cell])
                if lowest[cell] >= order[parent]:
                    gates[cell] = 1
                    if parent != start:
                        cuts[parent] = 1
                children += parent == start
                cell = parent
        cuts[start] = children > 1


@kernel("int64(int64[::1], uint8[::1], uint8[::1], int64, int64)")
def count_gates(shifts: Places, came_from: NDArray[np.uint8], gates: NDArray[np.uint8], root: int, cell: int) -> int:
    """Return the number of cells that are on every path from the root of a search to a reached cell, both excluded."""
    count = 0
    while cell != root:
        gate = gates[cell]
        cell -= shifts[came_from[cell]]
        count += gate if cell != root else 0
    return count


@kernel("void(int64[::1], int32[::1], int64[::1], uint8[::1], int64[::1])")
def find_subtree_ends(walk: Places, order: Order, shifts: Places, came_from: NDArray[np.uint8], last: Places) -> None:
    """Set `last` (step,) to the last step in the subtree of each step; `walk` (step,) holds the cells of one region."""
    for step in range(walk.size - 1, 0, -1):
        before = order[walk[step] - shifts[came_from[walk[step]]]] - order[walk[0]]
        last[before] = max(last[before], last[step])
