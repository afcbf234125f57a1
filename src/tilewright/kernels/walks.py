"""Shortest walks in a dungeon with keys, locks and fights: exact search over cells, keys, health and what is gone.

The rules are those of `play.games.dungeon`. A state is a row of integers: cell, health, and words of 31 bits with
one bit for each key color that opens something and for each enemy and potion that is gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import kernel, part
from .states import SOLVED, UNKNOWN, UNSOLVED, double, find_slot, rebuild_table, trace_back
from .types import Int32_1D, Int32_2D, Int64_1D, Uint8_1D

CELL, HEALTH, WORDS = 0, 1, 2
"""Columns of a state: the cell, the health, and the first of the words."""
WORD_BITS = 31


class WalkLevel(NamedTuple):
    """A dungeon, flattened within a margin of walls."""

    is_open: Uint8_1D
    """Whether the player can enter each cell, if it has the keys."""
    is_exit: Uint8_1D
    effects: Int32_1D
    """Change of health when a cell is entered for the first time."""
    items: Int32_1D
    """Bit of the enemy or potion of each cell, or -1."""
    keys: Int32_2D
    """Words with the bits of the keys in each kind of cell."""
    locks: Int32_2D
    """Words with the bits of the keys that each kind of cell needs."""
    kinds: Int32_1D
    """Kind of each cell: a row of `keys` and `locks`. Cells without keys and locks have the kind 0."""
    shifts: Int64_1D
    """Shifts to the left, right, upper and lower neighbor."""
    max_health: int
    """Health at the start, and its maximum; 0 without fights."""


@part
def _enter(level: WalkLevel, state: Int32_1D, cell: int) -> bool:
    """Move the player of a state to an open cell. Return whether it survives."""
    state[CELL] = cell
    kind = level.kinds[cell]
    for word in range(state.size - WORDS):
        state[WORDS + word] |= level.keys[kind, word]
    item = level.items[cell]
    if item >= 0:
        word, bit = WORDS + item // WORD_BITS, 1 << (item % WORD_BITS)
        if not state[word] & bit:
            state[word] |= bit
            state[HEALTH] = min(state[HEALTH] + level.effects[cell], level.max_health)
    return level.max_health == 0 or state[HEALTH] > 0


@part
def _is_locked(level: WalkLevel, state: Int32_1D, cell: int) -> bool:
    kind = level.kinds[cell]
    for word in range(state.size - WORDS):
        needed = level.locks[kind, word]
        if needed & state[WORDS + word] != needed:
            return True
    return False


@kernel
def find_walk(level: WalkLevel, start: int, words: int, limit: int, visited: Uint8_1D, result: Int64_1D) -> Int32_1D:
    """Return the directions of a shortest walk to an exit, and set [verdict, number of states] in `result`.

    At most `limit` states are examined. `visited` is set for all cells of examined states.
    """
    states = np.zeros((256, WORDS + words), dtype=np.int32)
    sources, moves = np.empty(256, dtype=np.int32), np.empty(256, dtype=np.int32)
    state = np.zeros(WORDS + words, dtype=np.int32)
    state[HEALTH] = level.max_health
    _enter(level, state, start)
    states[0], sources[0] = state, -1
    table = rebuild_table(states, 1)
    count, number, found = 1, 0, -1
    while number < count and number < limit:
        cell = states[number, CELL]
        visited[cell] = 1
        number += 1
        if level.is_exit[cell]:
            found = number - 1
            break
        for direction in range(4):
            to = cell + level.shifts[direction]
            if not level.is_open[to] or _is_locked(level, states[number - 1], to):
                continue
            state[:] = states[number - 1]
            if not _enter(level, state, to):
                continue
            slot = find_slot(table, states, state)
            if table[slot] >= 0:
                continue
            if count == states.shape[0]:
                states, sources, moves = double(states), double(sources), double(moves)
                table = rebuild_table(states, count)
                slot = find_slot(table, states, state)
            table[slot] = count
            states[count], sources[count], moves[count] = state, number - 1, direction
            count += 1
    result[0] = SOLVED if found >= 0 else UNSOLVED if number == count else UNKNOWN
    result[1] = number
    return trace_back(sources, moves, found)
