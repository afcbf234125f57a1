"""States of box-pushing puzzles: the cells of the crates, ascending, and the first cell that the player reaches.

The board is flattened within a margin of walls. The player's place within its region does not change which pushes are
possible, so states that differ only in it are one state.

`pull_crates` finds all states from which a puzzle can be solved, by the pushes that they need. A breadth-first search
pulls the crates away from the targets. Each pull is a push in reverse, so the number of pulls is the minimum number of
pushes.

Source of the pulls: Taylor and Parberry, "Procedural generation of Sokoban levels", 2011.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .states import double, find_slot, rebuild_table
from .types import Int32_1D, Int32_2D, Int64_1D, Uint8_1D

OPEN, CRATE = 1, 2
"""Bits of a cell of the board; walls have none."""


class CrateBoard(NamedTuple):
    """A board and what floods of it need."""

    cells: Uint8_1D
    """OPEN or not, and CRATE."""
    shifts: Int64_1D
    """Shifts to the left, right, upper and lower neighbor."""
    reached: Int32_1D
    """Number of the last flood that reached each cell."""
    queue: Int32_1D
    """Cells in the order in which the last flood reached them."""
    floods: Int64_1D
    """[number of the last flood, number of the cells that it reached]"""


def make_board(is_open: NDArray[np.bool_]) -> CrateBoard:
    """Return a board without crates."""
    padded = np.pad(is_open, 1).astype(np.uint8)
    size, width = padded.size, padded.shape[1]
    return CrateBoard(
        cells=padded.reshape(-1),
        shifts=np.array([-1, 1, -width, width], dtype=np.int64),
        reached=np.zeros(size, dtype=np.int32),
        queue=np.empty(size, dtype=np.int32),
        floods=np.zeros(2, dtype=np.int64),
    )


@part
def flood_region(board: CrateBoard, player: int) -> int:
    """Mark and queue the cells that the player reaches without pushing, and return the first in reading order."""
    cells, reached, queue, shifts = board.cells, board.reached, board.queue, board.shifts
    board.floods[0] += 1
    number = board.floods[0]
    reached[player] = number
    queue[0] = player
    start, end, first = 0, 1, player
    while start < end:
        cell = queue[start]
        start += 1
        first = min(first, cell)
        for direction in range(4):
            near = cell + shifts[direction]
            if cells[near] == OPEN and reached[near] != number:
                reached[near] = number
                queue[end] = near
                end += 1
    board.floods[1] = end
    return first


@inline
def put_crates(board: CrateBoard, state: Int32_1D) -> None:
    """Put the crates of a state on the board."""
    for number in range(state.size - 1):
        board.cells[state[number]] |= CRATE


@inline
def remove_crates(board: CrateBoard, state: Int32_1D) -> None:
    """Remove the crates of a state from the board."""
    for number in range(state.size - 1):
        board.cells[state[number]] &= OPEN


@part
def move_crate(state: Int32_1D, number: int, to: int) -> None:
    """Change the cell of a crate and keep the crates in ascending order."""
    while number > 0 and state[number - 1] > to:
        state[number] = state[number - 1]
        number -= 1
    while number + 2 < state.size and state[number + 1] < to:
        state[number] = state[number + 1]
        number += 1
    state[number] = to


# -- pulls --------------------------------------------------------------------------------------------------------


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
                states, depths = double(states), double(depths)
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
