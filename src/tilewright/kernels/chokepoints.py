"""Articulation points of a grid: cells whose removal would split a region, found in one depth-first search."""

from __future__ import annotations

import numpy as np

from . import kernel
from .types import Int32_1D, Int64_1D, Uint8_1D

FREE, WALL = 0, -1


@kernel
def find_cuts(
    order: Int32_1D,
    shifts: Int64_1D,
    root: int,
    came_from: Uint8_1D,
    gates: Uint8_1D,
    cuts: Uint8_1D,
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


@kernel
def count_gates(shifts: Int64_1D, came_from: Uint8_1D, gates: Uint8_1D, root: int, cell: int) -> int:
    """Return the number of cells that are on every path from the root of a search to a reached cell, both excluded."""
    count = 0
    while cell != root:
        gate = gates[cell]
        cell -= shifts[came_from[cell]]
        count += gate if cell != root else 0
    return count


@kernel
def find_subtree_ends(walk: Int64_1D, order: Int32_1D, shifts: Int64_1D, came_from: Uint8_1D, last: Int64_1D) -> None:
    """Set `last` (step,) to the last step in the subtree of each step; `walk` (step,) holds the cells of one region."""
    for step in range(walk.size - 1, 0, -1):
        before = order[walk[step] - shifts[came_from[walk[step]]]] - order[walk[0]]
        last[before] = max(last[before], last[step])
