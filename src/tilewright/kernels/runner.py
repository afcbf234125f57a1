"""Solver of the ladder-and-gold game without digging: exact, by the components of the graph of cells.

Cells that can be reached from each other form components, and the moves between components have no cycles. One walk
can collect all gold if and only if each component with gold leads to the next one in topological order.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel
from .states import double
from .types import Int32_1D, Int64_1D, Uint8_1D

WALL, BRICK, LADDER, ROPE, ENEMY, GOLD, EXIT = 1, 2, 4, 8, 16, 32, 64
"""Bits of a cell. The margin of the board is WALL."""
LEFT, RIGHT, UP, DOWN, DIG_LEFT, DIG_RIGHT = range(6)
UNKNOWN, UNSOLVED, SOLVED = -1, 0, 1


class RunnerBoard(NamedTuple):
    """A level, flattened within a margin of walls."""

    cells: Uint8_1D
    holes: Uint8_1D
    """1 for bricks that were dug away."""
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


def make_board(cells: NDArray[np.uint8], *, enter_ladders: bool) -> RunnerBoard:
    """Return a level for the solvers."""
    padded = np.pad(cells, 1, constant_values=WALL)
    size, width = padded.size, padded.shape[1]
    return RunnerBoard(
        cells=padded.reshape(-1),
        holes=np.zeros(size, dtype=np.uint8),
        shifts=np.array([-1, 1, -width, width, enter_ladders], dtype=np.int64),
        reached=np.zeros(size, dtype=np.int32),
        queue=np.empty(size, dtype=np.int32),
        came=np.empty(size, dtype=np.uint8),
        floods=np.zeros(1, dtype=np.int64),
    )


@inline
def is_solid(board: RunnerBoard, cell: int) -> bool:
    """Return whether a cell blocks and carries the player."""
    bits = board.cells[cell]
    return bool(bits & WALL or (bits & BRICK and not board.holes[cell]))


@inline
def is_carried(board: RunnerBoard, cell: int) -> bool:
    """Return whether a player in a cell does not fall."""
    below = cell + board.shifts[DOWN]
    return bool(board.cells[cell] & (LADDER | ROPE) or board.cells[below] & LADDER or is_solid(board, below))


@kernel
def take_step(board: RunnerBoard, cell: int, direction: int) -> int:
    """Return the cell after a step, or -1 if it is impossible."""
    to = cell + board.shifts[direction]
    if is_solid(board, to) or board.cells[to] & ENEMY:
        return -1
    if direction == DOWN:
        is_free = board.cells[cell] & (LADDER | ROPE) or (board.shifts[4] and board.cells[to] & LADDER)
        return to if is_free or not is_carried(board, cell) else -1
    if direction == UP and not board.cells[cell] & LADDER:
        return -1
    return to if is_carried(board, cell) else -1


@kernel
def flood_steps(board: RunnerBoard, start: int, wanted: int, limit: int) -> int:
    """Queue the cells that the player reaches, at most `limit`, and return their number.

    Stops at the first cell with one of the wanted bits, other than the start, and returns minus its number then.
    """
    board.floods[0] += 1
    number = board.floods[0]
    board.reached[start] = number
    board.queue[0] = start
    first, last = 0, 1
    while first < last:
        cell = board.queue[first]
        first += 1
        for direction in range(4):
            to = take_step(board, cell, direction)
            if to >= 0 and board.reached[to] != number:
                if last == limit:
                    return last
                board.reached[to] = number
                board.came[to] = direction
                board.queue[last] = to
                last += 1
                if board.cells[to] & wanted:
                    return -to
    return last


@kernel
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


@kernel
def _find_components(board: RunnerBoard, start: int, components: Int32_1D) -> int:
    """Number the components of cells that the player reaches, the last ones on its way first; return their number."""
    size = board.cells.size
    order, low = np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.int32)
    stack, path = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    tried = np.zeros(size, dtype=np.uint8)
    components[:] = -1
    path[0], stack[0], order[start], low[start] = start, start, 0, 0
    depth, height, visited, count = 1, 1, 1, 0
    while depth > 0:
        cell = path[depth - 1]
        if tried[cell] < 4:
            to = take_step(board, cell, tried[cell])
            tried[cell] += 1
            if to < 0:
                continue
            if order[to] < 0:
                order[to], low[to] = visited, visited
                visited += 1
                path[depth], stack[height] = to, to
                depth += 1
                height += 1
            elif components[to] < 0:
                low[cell] = min(low[cell], order[to])
            continue
        depth -= 1
        if depth > 0:
            low[path[depth - 1]] = min(low[path[depth - 1]], low[cell])
        if low[cell] == order[cell]:
            while True:
                height -= 1
                components[stack[height]] = count
                if stack[height] == cell:
                    break
            count += 1
    return count


@kernel("int32[::1](RunnerBoard, int64, uint8[::1], int64, int64[::1])")
def collect_gold(board: RunnerBoard, start: int, visited: Uint8_1D, limit: int, result: Int64_1D) -> Int32_1D:
    """Return moves without digging that collect all gold and end at an exit, if there is one.

    Parameters
    ----------
    board
        The level; gold on the walk is removed.
    start
        Cell of the player.
    visited
        Set to 1 for all cells that the player reaches.
    limit
        Maximum number of cells to reach.
    result
        Receives SOLVED, UNSOLVED or UNKNOWN, and the number of reached cells.
    """
    moves, count = np.empty(256, dtype=np.int32), 0
    reached = flood_steps(board, start, 0, limit + 1)
    result[0], result[1] = UNSOLVED, min(reached, limit)
    for number in range(result[1]):
        visited[board.queue[number]] = 1
    if reached > limit:
        result[0] = UNKNOWN
        return moves[:0].copy()
    cells, has_exit = board.cells, False
    cells[start] &= ~np.uint8(GOLD)
    for cell in range(cells.size):
        if cells[cell] & GOLD and not visited[cell]:
            return moves[:0].copy()
        has_exit |= cells[cell] & EXIT > 0
    components = np.empty(cells.size, dtype=np.int32)
    last = _find_components(board, start, components)
    has_gold = np.zeros(last, dtype=np.uint8)
    golden, gold = np.empty(cells.size, dtype=np.int32), 0
    for cell in range(cells.size):
        if cells[cell] & GOLD:
            golden[gold] = cell
            gold += 1
            cells[cell] &= ~np.uint8(GOLD)
            has_gold[components[cell]] = 1
    player = start
    for component in range(last - 1, -1, -1):
        if not has_gold[component]:
            continue
        for number in range(gold):
            if components[golden[number]] == component:
                cells[golden[number]] |= GOLD
        while True:
            left = 0
            for number in range(gold):
                left += cells[golden[number]] & GOLD
            if left == 0:
                break
            to = flood_steps(board, player, GOLD, cells.size)
            if to > 0:
                return moves[:0].copy()
            moves, count = append_walk(board, -to, player, moves, count)
            player = -to
    if has_exit and not cells[player] & EXIT:
        to = flood_steps(board, player, EXIT, cells.size)
        if to > 0:
            return moves[:0].copy()
        moves, count = append_walk(board, -to, player, moves, count)
    result[0] = SOLVED
    return moves[:count].copy()
