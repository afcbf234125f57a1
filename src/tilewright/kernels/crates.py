"""States of box-pushing puzzles: the cells of the crates, ascending, and the first cell that the player reaches.

The board is flattened within a margin of walls. The player's place within its region does not change which pushes are
possible, so states that differ only in it are one state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, part
from .types import Int32_1D, Int64_1D, Uint8_1D

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
