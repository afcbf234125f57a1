"""Boards of the ladder-and-gold game: the steps out of each cell, holes, and floods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, part
from .states import double
from .types import Int32_1D, Int32_2D, Int64_1D, Uint8_1D

WALL, BRICK, LADDER, ROPE, ENEMY, GOLD, EXIT, MARGIN = 1, 2, 4, 8, 16, 32, 64, 128
"""Bits of a cell. The margin of the board is WALL and MARGIN."""
LEFT, RIGHT, UP, DOWN, DIG_LEFT, DIG_RIGHT = range(6)
UNKNOWN, UNSOLVED, SOLVED = -1, 0, 1
STEPS, HOPES = 0, 4
"""Place in `RunnerBoard.steps` of the steps that are possible, and of those that may become possible by digging."""
ORDER, LOW, GAIN, COMPONENT, STACK, PATH, LEFT_STEPS, TRIED = range(8)
"""Rows of `RunnerBoard.graph`."""
NO_EXIT = -(1 << 24)


class RunnerBoard(NamedTuple):
    """A level, flattened within a margin of walls."""

    cells: Uint8_1D
    holes: Uint8_1D
    """1 for bricks that were dug away."""
    steps: Uint8_1D
    """Directions in which the player can leave each cell: one bit each, see STEPS and HOPES."""
    shifts: Int64_1D
    """Shifts to the left, right, upper and lower neighbor, and 1 if ladders can be entered from above."""
    reached: Int32_1D
    """Number of the last flood that reached each cell."""
    queue: Int32_1D
    """Cells in the order in which the last flood reached them."""
    came: Uint8_1D
    """Direction in which the last flood came to each cell."""
    floods: Int64_1D
    """[number of the last flood]"""
    graph: Int32_2D
    """Rows of the search for components: COMPONENT is the number of each cell's component, -1 if it was not reached,
    and GAIN the most gold that one walk from there collects."""


def make_board(cells: NDArray[np.uint8], *, enter_ladders: bool) -> RunnerBoard:
    """Return a level for the solvers."""
    padded = np.pad(cells, 1, constant_values=WALL | MARGIN)
    size, width = padded.size, padded.shape[1]
    return RunnerBoard(
        cells=padded.reshape(-1),
        holes=np.zeros(size, dtype=np.uint8),
        steps=np.zeros(size, dtype=np.uint8),
        shifts=np.array([-1, 1, -width, width, enter_ladders], dtype=np.int64),
        reached=np.zeros(size, dtype=np.int32),
        queue=np.empty(size, dtype=np.int32),
        came=np.empty(size, dtype=np.uint8),
        floods=np.zeros(1, dtype=np.int64),
        graph=np.empty((8, size), dtype=np.int32),
    )


@inline
def is_solid(cells: Uint8_1D, holes: Uint8_1D, cell: int) -> bool:
    """Return whether a cell blocks and carries the player."""
    return bool(cells[cell] & WALL or (cells[cell] & BRICK and not holes[cell]))


@inline
def is_carried(cells: Uint8_1D, holes: Uint8_1D, cell: int, below: int) -> bool:
    """Return whether a player in a cell does not fall into the cell below it."""
    return bool(cells[cell] & (LADDER | ROPE) or cells[below] & LADDER or is_solid(cells, holes, below))


@part
def update_steps(board: RunnerBoard, cell: int) -> None:
    """Write the steps out of a cell: those that are possible, and those that digging may make possible.

    For the latter, each brick that can perhaps be dug away both carries the player and lets it pass.
    """
    cells, holes, shifts = board.cells, board.holes, board.shifts
    bits, steps = cells[cell], 0
    if bits & MARGIN:
        return
    carried = is_carried(cells, holes, cell, cell + shifts[DOWN])
    for direction in range(4):
        to = cell + shifts[direction]
        solid, has_ladder = is_solid(cells, holes, to), cells[to] & LADDER > 0
        if cells[to] & (WALL | ENEMY) or (solid and cells[to + shifts[UP]] & (WALL | LADDER)):
            continue
        if direction == DOWN:
            leaves = not carried or bits & (LADDER | ROPE) > 0
            is_possible, may_be = leaves or (has_ladder and shifts[4] > 0), leaves or has_ladder or solid
        else:
            is_possible = may_be = carried and (direction != UP or bits & LADDER > 0)
        if is_possible and not solid:
            steps |= 1 << (STEPS + direction)
        if may_be:
            steps |= 1 << (HOPES + direction)
    board.steps[cell] = steps


@part
def set_hole(board: RunnerBoard, cell: int, is_hole: int) -> None:
    """Dig a brick away or put it back."""
    board.holes[cell] = is_hole
    update_steps(board, cell)
    for direction in range(4):
        update_steps(board, cell + board.shifts[direction])


@part
def flood_steps(board: RunnerBoard, start: int, wanted: int, limit: int) -> int:
    """Queue the cells that the player reaches, at most `limit`, and return their number.

    Stops at the first cell with one of the wanted bits, other than the start, and returns minus its number then.
    """
    cells, steps, shifts = board.cells, board.steps, board.shifts
    reached, queue, came = board.reached, board.queue, board.came
    board.floods[0] += 1
    number = board.floods[0]
    reached[start] = number
    queue[0] = start
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        for direction in range(4):
            to: int = cell + shifts[direction]
            if steps[cell] >> direction & 1 and reached[to] != number:
                if last == limit:
                    return last
                reached[to] = number
                came[to] = direction
                queue[last] = to
                last += 1
                if cells[to] & wanted:
                    return -to
    return last


@part
def append_walk(board: RunnerBoard, to: int, start: int, moves: Int32_1D, count: int) -> tuple[Int32_1D, int]:
    """Append the walk by which the last flood reached a cell; take the gold on it. Return moves and their number."""
    steps, cell = 0, to
    while cell != start:
        cell -= board.shifts[board.came[cell]]
        steps += 1
    while count + steps > moves.size:
        moves = double(moves)
    cell = to
    for number in range(steps):
        board.cells[cell] &= ~np.uint8(GOLD)
        moves[count + steps - 1 - number] = board.came[cell]
        cell -= board.shifts[board.came[cell]]
    return moves, count + steps
