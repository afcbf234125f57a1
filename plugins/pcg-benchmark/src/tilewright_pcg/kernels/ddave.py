"""The platform game of the PCG Benchmark's problem ddave, and its agents."""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel, part
from tilewright.kernels.types import Int64_1D, Int64_2D, Uint8_2D

from .agent_queue import MAX_POPS, add_state, pop_node, push_node, start_search

SOLID, EMPTY, PLAYER, EXIT, DIAMOND, KEY, SPIKE = 0, 1, 2, 3, 4, 5, 6
AIR_TIME, HANG_TIME = 3, 1
ROW, COLUMN, AIR, HAS_KEY, TAKEN, JUMPS, DEPTH, PARENT, LOST = range(9)
"""Columns of a node; TAKEN has a bit for each diamond."""
SHIFTS = np.array([0, -1, 1, 0], dtype=np.int64)
"""Steps to the side of the moves wait, left, right and jump."""
JUMP = 3


@part
def step_player(level: Uint8_2D, numbers: Int64_2D, node: Int64_1D, move: int) -> None:
    """Move the player of a node. `numbers` has the number of the diamond in each cell."""
    row, column = node[ROW], node[COLUMN]
    has_ground, has_ceiling = level[row + 1, column] == SOLID, level[row - 1, column] == SOLID
    if move == JUMP:
        if has_ground and not has_ceiling:
            node[AIR] = AIR_TIME
            node[JUMPS] += 1
    elif level[row, column + SHIFTS[move]] != SOLID:
        column += SHIFTS[move]
    if node[AIR] > HANG_TIME:
        node[AIR] -= 1
        if level[row - 1, column] != SOLID:
            row -= 1
        else:
            node[AIR] = HANG_TIME
    elif node[AIR] > 0:
        node[AIR] -= 1
    elif level[row + 1, column] != SOLID:
        row += 1
    node[ROW], node[COLUMN] = row, column
    tile = level[row, column]
    if tile == DIAMOND:
        node[TAKEN] |= 1 << numbers[row, column]
    elif tile == SPIKE:
        node[LOST] = 1
    elif tile == KEY:
        node[HAS_KEY] = 1


@kernel
def solve_ddave(
    level: Uint8_2D,
    places: Int64_1D,
    target: Int64_1D,
    balance: float,
    path: Int64_2D,
) -> int:
    """Play a level as an agent of the benchmark does; return the number of cells of its path, 0 without a solution.

    Parameters
    ----------
    level
        Tiles within a margin of SOLID.
    places
        Rows and columns of player, exit and key.
    target
        Row and column to reach; negative for the exit with the key.
    balance
        Weight of the depth in the priority; negative for a breadth-first search.
    path
        Result: row, column and jumps at each cell of the path.
    """
    rows, columns = level.shape
    numbers = np.zeros((rows, columns), dtype=np.int64)
    diamonds = 0
    for row in range(rows):
        for column in range(columns):
            if level[row, column] == DIAMOND:
                numbers[row, column] = diamonds
                diamonds += 1
    nodes, priority, heap, table = start_search(9)
    nodes[0, ROW], nodes[0, COLUMN], nodes[0, PARENT] = places[0], places[1], -1
    made, size, start = 1, 1, 0
    """Number of nodes, end of the queue, and start of the queue of a breadth-first search."""
    for _ in range(MAX_POPS):
        if start >= size:
            break
        if balance < 0:
            current = start
            start += 1
        else:
            current = pop_node(heap, priority, size)
            size -= 1
        node = nodes[current]
        if node[LOST]:
            continue
        row, column = node[ROW], node[COLUMN]
        if target[0] >= 0:
            is_won = row == target[0] and column == target[1]
        else:
            is_won = node[HAS_KEY] == 1 and row == places[2] and column == places[3]
        if is_won:
            length = node[DEPTH] + 1
            for place in range(length - 1, -1, -1):
                path[place, 0], path[place, 1] = nodes[current, ROW], nodes[current, COLUMN]
                path[place, 2] = nodes[current, JUMPS]
                current = nodes[current, PARENT]
            return int(length)
        if not add_state(table, (row * columns + column) * 2 + node[HAS_KEY], node[TAKEN]):
            continue
        for move in range(4):
            child = nodes[made]
            child[:] = node
            child[PARENT], child[DEPTH] = current, node[DEPTH] + 1
            step_player(level, numbers, child, move)
            if balance < 0:
                size += 1
            else:
                if target[0] >= 0:
                    distance = abs(child[ROW] - target[0]) + abs(child[COLUMN] - target[1])
                elif child[HAS_KEY]:
                    distance = abs(child[ROW] - places[2]) + abs(child[COLUMN] - places[3])
                else:
                    distance = abs(child[ROW] - places[4]) + abs(child[COLUMN] - places[5]) + rows + columns
                priority[made] = distance + balance * child[DEPTH]
                size = push_node(heap, priority, size, made)
            made += 1
    return 0
