"""Box-pushing puzzles from their end: all states from which a puzzle can be solved, by the pushes that they need.

A breadth-first search pulls the crates away from the targets. Each pull is a push in reverse, so the number of pulls
is the minimum number of pushes.

Source: Taylor and Parberry, "Procedural generation of Sokoban levels", 2011.
"""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .crates import CRATE, OPEN, CrateBoard, flood_region, move_crate, put_crates, remove_crates
from .states import double, double_rows, find_slot, rebuild_table
from .types import Int32_1D, Int32_2D


@part
def _pull(board: CrateBoard, state: Int32_1D, number: int, shift: int, child: Int32_1D) -> None:
    """Write the state after a pull of a crate. The crates of the state are on the board."""
    crate = state[number]
    child[:] = state
    move_crate(child, number, crate + shift)
    board.cells[crate] &= OPEN
    board.cells[crate + shift] |= CRATE
    child[child.size - 1] = flood_region(board, crate + 2 * shift)
    board.cells[crate] |= CRATE
    board.cells[crate + shift] &= OPEN


@kernel
def pull_crates(board: CrateBoard, targets: Int32_1D, limit: int) -> Int32_2D:
    """Return states from which all targets can be filled, nearest first, at most `limit`.

    A row holds the minimum number of pushes, the cells of the crates in ascending order, and the first cell of the
    player's region. `targets` are in ascending order, followed by one entry of any value.
    """
    width = targets.size
    states, count = np.empty((1024, width), dtype=np.int32), 0
    depths = np.zeros(1024, dtype=np.int32)
    table = rebuild_table(states, 0)
    put_crates(board, targets)
    for cell in range(board.cells.size):
        if board.cells[cell] == OPEN and flood_region(board, cell) == cell and count < min(limit, 1024):
            states[count] = targets
            states[count, width - 1] = cell
            table[find_slot(table, states, states[count])] = count
            count += 1
    remove_crates(board, targets)
    pulls = np.empty(4 * width, dtype=np.int32)
    first = 0
    while first < count:
        state = states[first].copy()
        put_crates(board, state)
        flood_region(board, state[width - 1])
        found = 0
        for number in range(width - 1):
            for direction in range(4):
                shift = board.shifts[direction]
                is_beside = board.reached[state[number] + shift] == board.floods[0]
                if is_beside and board.cells[state[number] + 2 * shift] == OPEN:
                    pulls[found] = 4 * number + direction
                    found += 1
        for place in range(found):
            if count == states.shape[0]:
                states, depths = double_rows(states), double(depths)
                table = rebuild_table(states, count)
            _pull(board, state, pulls[place] >> 2, board.shifts[pulls[place] & 3], states[count])
            slot = find_slot(table, states, states[count])
            if table[slot] < 0 and count < limit:
                table[slot] = count
                depths[count] = depths[first] + 1
                count += 1
        remove_crates(board, state)
        first += 1
    result = np.empty((count, 1 + width), dtype=np.int32)
    result[:, 0] = depths[:count]
    result[:, 1:] = states[:count]
    return result
