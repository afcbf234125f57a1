"""Solver of the ladder-and-gold game without digging: exact, by the components of the graph of cells.

Cells that can be reached from each other form components, and the moves between components have no cycles. One walk
can collect all gold if and only if each component with gold leads to the next one in topological order.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
"""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .runner_board import (
    COMPONENT,
    DOWN,
    EXIT,
    GAIN,
    GOLD,
    LEFT,
    LEFT_STEPS,
    LOW,
    NO_EXIT,
    ORDER,
    PATH,
    RIGHT,
    SOLVED,
    STACK,
    STEPS,
    UNKNOWN,
    UNSOLVED,
    UP,
    RunnerBoard,
    append_walk,
    flood_steps,
    update_steps,
)
from .types import Int32_1D, Int64_1D, Uint8_1D


@part
def forget_components(board: RunnerBoard) -> None:
    """Forget the components, before a search in other steps or on another board."""
    board.graph[ORDER] = -1
    board.graph[COMPONENT] = -1


@part
def find_components(board: RunnerBoard, start: int, place: int, first: int, has_exit: bool) -> int:
    """Number the components of cells that the player reaches and that have no number yet, the last ones first.

    Parameters
    ----------
    board
        The level. Receives the rows COMPONENT and GAIN of its graph.
    start
        Cell of the player. Its component gets the largest number.
    place
        STEPS or HOPES: the steps that the player takes.
    first
        The first number.
    has_exit
        Whether walks must end at an exit. The gain of cells without such a walk is negative.

    Returns
    -------
    int
        Number of cells of the component of the player. They are the first entries of the row STACK.
    """
    graph, shifts, steps, cells = board.graph, board.shifts, board.steps, board.cells
    count, visited, depth, height, size, to = first, 0, 0, 0, 0, start
    while True:
        if to >= 0:
            graph[ORDER, to], graph[LOW, to] = visited, visited
            graph[GAIN, to] = NO_EXIT if has_exit and not cells[to] & EXIT else 0
            graph[LEFT_STEPS, to] = steps[to] >> place & 15
            graph[PATH, depth], graph[STACK, height] = to, to
            visited += 1
            depth += 1
            height += 1
        cell, to = graph[PATH, depth - 1], -1
        left = graph[LEFT_STEPS, cell]
        if left:
            direction = LEFT if left & 1 else RIGHT if left & 2 else UP if left & 4 else DOWN
            graph[LEFT_STEPS, cell] = left & (left - 1)
            near = cell + shifts[direction]
            if graph[ORDER, near] < 0:
                to = near
            elif graph[COMPONENT, near] < 0:
                graph[LOW, cell] = min(graph[LOW, cell], graph[ORDER, near])
            else:
                graph[GAIN, cell] = max(graph[GAIN, cell], graph[GAIN, near])
            continue
        if graph[LOW, cell] == graph[ORDER, cell]:
            gain, top = graph[GAIN, cell], height
            while True:
                height -= 1
                gain += cells[graph[STACK, height]] & GOLD > 0
                if graph[STACK, height] == cell:
                    break
            for number in range(height, top):
                graph[COMPONENT, graph[STACK, number]] = count
                graph[GAIN, graph[STACK, number]] = gain
            count += 1
            size = top - height
        depth -= 1
        if depth == 0:
            return size
        before = graph[PATH, depth - 1]
        graph[LOW, before] = min(graph[LOW, before], graph[LOW, cell])
        graph[GAIN, before] = max(graph[GAIN, before], graph[GAIN, cell])


@part
def collect_components(
    board: RunnerBoard, player: int, only_own: bool, moves: Int32_1D, count: int
) -> tuple[Int32_1D, int, int]:
    """Append the moves that collect the gold of all components, one after the other, or of the player's own one only.

    Return the moves, their number, and the cell of the player.
    """
    cells, components = board.cells, board.graph[COMPONENT]
    forget_components(board)
    find_components(board, player, STEPS, 0, False)
    own = components[player]
    golden, gold = np.empty(cells.size, dtype=np.int32), 0
    for cell in range(cells.size):
        if cells[cell] & GOLD:
            golden[gold] = cell
            gold += 1
            cells[cell] &= ~np.uint8(GOLD)
    for component in range(own, own - 1 if only_own else -1, -1):
        left = 0
        for number in range(gold):
            if components[golden[number]] == component:
                cells[golden[number]] |= GOLD
                left += 1
        while left > 0:
            to = -flood_steps(board, player, GOLD, cells.size)
            moves, count = append_walk(board, to, player, moves, count)
            player, left = to, 0
            for number in range(gold):
                left += cells[golden[number]] & GOLD > 0
    for number in range(gold):
        if only_own and components[golden[number]] != own:
            cells[golden[number]] |= GOLD
    return moves, count, player


@part
def finish_walk(board: RunnerBoard, player: int, moves: Int32_1D, count: int) -> Int32_1D:
    """Return the moves, and after them those that collect all gold without digging and end at an exit, if any."""
    moves, count, player = collect_components(board, player, False, moves, count)
    if not board.cells[player] & EXIT:
        to = flood_steps(board, player, EXIT, board.cells.size)
        if to < 0:
            moves, count = append_walk(board, -to, player, moves, count)
    return moves[:count].copy()


@part
def has_exits(board: RunnerBoard) -> bool:
    """Return whether the level has an exit."""
    return bool(np.any(board.cells & EXIT))


@kernel
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
    moves, left = np.empty(256, dtype=np.int32), 0
    for cell in range(board.cells.size):
        update_steps(board, cell)
    reached = flood_steps(board, start, 0, limit + 1)
    result[0], result[1] = UNSOLVED, min(reached, limit)
    for number in range(result[1]):
        visited[board.queue[number]] = 1
    if reached > limit:
        result[0] = UNKNOWN
        return moves[:0].copy()
    board.cells[start] &= ~np.uint8(GOLD)
    for cell in range(board.cells.size):
        left += board.cells[cell] & GOLD > 0
    forget_components(board)
    find_components(board, start, STEPS, 0, has_exits(board))
    if board.graph[GAIN, start] < left:
        return moves[:0].copy()
    result[0] = SOLVED
    return finish_walk(board, start, moves, 0)
