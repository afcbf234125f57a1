"""The dungeon game of the PCG Benchmark's problem mdungeons, and its agents."""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel, part
from tilewright.kernels.types import Int64_1D, Int64_2D, Uint8_2D

from .agent_queue import MAX_POPS, add_state, pop_node, push_node, start_search

SOLID, EMPTY, PLAYER, EXIT, POTION, TREASURE, GOBLIN, OGRE = 0, 1, 2, 3, 4, 5, 6, 7
HEALTH, HEALING = 5, 2
ROW, COLUMN, HEALTH_LEFT, TAKEN, TREASURES, DEPTH, PARENT, MET = range(8)
"""Columns of a node; TAKEN has a bit for each thing that is gone, MET is the tile that the last move took."""
ACROSS = np.array([-1, 1, 0, 0], dtype=np.int64)
DOWN = np.array([0, 0, -1, 1], dtype=np.int64)
"""Moves: left, right, up and down."""


@part
def step_hero(level: Uint8_2D, numbers: Int64_2D, node: Int64_1D, move: int) -> None:
    """Move the player of a node. `numbers` has the number of the thing in each cell."""
    row, column = node[ROW] + DOWN[move], node[COLUMN] + ACROSS[move]
    tile = level[row, column]
    node[MET] = EMPTY
    if tile == SOLID:
        return
    node[ROW], node[COLUMN] = row, column
    if tile < POTION or node[TAKEN] >> numbers[row, column] & 1:
        return
    node[TAKEN] |= 1 << numbers[row, column]
    node[MET] = tile
    if tile == POTION:
        node[HEALTH_LEFT] = min(HEALTH, node[HEALTH_LEFT] + HEALING)
    elif tile == TREASURE:
        node[TREASURES] += 1
    else:
        node[HEALTH_LEFT] = max(0, node[HEALTH_LEFT] - (1 if tile == GOBLIN else 2))


@kernel
def solve_mdungeons(level: Uint8_2D, places: Int64_1D, balance: float, path: Int64_2D) -> int:
    """Play a level as an agent of the benchmark does; return the number of cells of its path, 0 without a solution.

    Parameters
    ----------
    level
        Tiles within a margin of SOLID, at most 62 of them things.
    places
        Rows and columns of player and exit.
    balance
        Weight of the depth in the priority; negative for a breadth-first search.
    path
        Result: row, column and the tile that was met at each cell of the path.
    """
    rows, columns = level.shape
    numbers = np.zeros((rows, columns), dtype=np.int64)
    things = 0
    for row in range(rows):
        for column in range(columns):
            if level[row, column] >= POTION:
                numbers[row, column] = things
                things += 1
    nodes, priority, heap, table = start_search(8)
    nodes[0, ROW], nodes[0, COLUMN], nodes[0, PARENT] = places[0], places[1], -1
    nodes[0, HEALTH_LEFT], nodes[0, MET] = HEALTH, EMPTY
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
        if node[HEALTH_LEFT] <= 0:
            continue
        row, column = node[ROW], node[COLUMN]
        if row == places[2] and column == places[3]:
            length = node[DEPTH] + 1
            for place in range(length - 1, -1, -1):
                path[place, 0], path[place, 1] = nodes[current, ROW], nodes[current, COLUMN]
                path[place, 2] = nodes[current, MET]
                current = nodes[current, PARENT]
            return int(length)
        if not add_state(table, (row * columns + column) * 8 + node[HEALTH_LEFT], node[TAKEN]):
            continue
        for move in range(4):
            child = nodes[made]
            child[:] = node
            child[PARENT], child[DEPTH] = current, node[DEPTH] + 1
            step_hero(level, numbers, child, move)
            if balance < 0:
                size += 1
            else:
                distance = abs(child[ROW] - places[2]) + abs(child[COLUMN] - places[3])
                cost = 4 * (HEALTH - child[HEALTH_LEFT]) - 2 * child[TREASURES]
                priority[made] = distance + cost + balance * child[DEPTH]
                size = push_node(heap, priority, size, made)
            made += 1
    return 0
