"""The ladder-and-gold game of the PCG Benchmark's problem loderunner, without digging and enemies."""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel, part
from tilewright.kernels.types import Uint8_2D

BRICK, EMPTY, PLAYER, GOLD, ENEMY, LADDER, ROPE = 0, 1, 2, 3, 4, 5, 6
WALKING, CLIMBING, HANGING, FALLING = 1, 2, 3, 4
ACROSS = np.array([0, -1, 1, 0, 0], dtype=np.int64)
DOWN = np.array([0, 0, 0, -1, 1], dtype=np.int64)
"""Moves: wait, left, right, up and down."""


@part
def falls(level: Uint8_2D, row: int, column: int) -> bool:
    """Return whether a player in a cell falls."""
    if row >= level.shape[0] - 1 or level[row, column] != EMPTY:
        return False
    return bool(level[row + 1, column] != BRICK and level[row + 1, column] != LADDER)


@kernel
def explore_level(given: Uint8_2D, row: int, column: int, found: Uint8_2D) -> int:
    """Write how each cell is reached from a start, as the benchmark does; return the number of cells reached.

    A cell that is reached in several ways has the last one in the order of a breadth-first search.
    """
    rows, columns = given.shape
    level = given.copy()
    for place in range(level.size):
        # Player, gold and enemies are free space.
        if PLAYER <= level.flat[place] <= ENEMY:
            level.flat[place] = EMPTY
    seen = np.zeros(2 * level.size, dtype=np.uint8)
    queue = np.empty(2 * level.size, dtype=np.int64)
    queue[0] = (row * columns + column) * 2 + falls(level, row, column)
    seen[queue[0]] = 1
    end, place, count = 1, 0, 0
    while place < end:
        state = queue[place]
        place += 1
        is_falling, cell = state & 1, state >> 1
        row, column = cell // columns, cell % columns
        tile = level[row, column]
        count += found[row, column] == 0
        if is_falling:
            found[row, column] = FALLING
        elif tile == ROPE:
            found[row, column] = HANGING
        else:
            found[row, column] = CLIMBING if tile == LADDER else WALKING
        for move in range(5):
            next_row, next_column = row, column
            if is_falling:
                next_row += 1
            elif DOWN[move] != 0:
                other = min(max(row + DOWN[move], 0), rows - 1)
                if level[other, column] != BRICK and (tile == LADDER or (tile == ROPE and DOWN[move] > 0)):
                    next_row = other
            elif ACROSS[move] != 0:
                other = min(max(column + ACROSS[move], 0), columns - 1)
                if level[row, other] != BRICK:
                    next_column = other
            state = (next_row * columns + next_column) * 2 + falls(level, next_row, next_column)
            if not seen[state]:
                seen[state] = 1
                queue[end] = state
                end += 1
    return count
