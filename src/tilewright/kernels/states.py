"""Growing tables of states, which are rows of integers, and hash tables that find them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from . import part
from .random import GAMMA, mix
from .types import Int32_1D, Int32_2D

Number = TypeVar("Number", bound=np.generic)

UNKNOWN, UNSOLVED, SOLVED = -1, 0, 1
"""Results of a search."""


@part
def find_slot(table: Int32_1D, states: Int32_2D, state: Int32_1D) -> int:
    """Return the slot of a state in the hash table, or the empty slot, -1, where it belongs."""
    key = np.uint64(0)
    for number in range(state.size):
        key = mix(key + GAMMA + np.uint64(state[number]))
    last = table.size - 1
    slot: int = np.int64(key & np.uint64(last))  # type: ignore[assignment]
    while table[slot] >= 0:
        other = states[table[slot]]
        is_equal = True
        for number in range(state.size):
            if other[number] != state[number]:
                is_equal = False
                break
        if is_equal:
            break
        slot = (slot + 1) & last
    return slot


@part
def rebuild_table(states: Int32_2D, count: int) -> Int32_1D:
    """Return a hash table with room for as many states as `states` can hold, a power of two."""
    table = np.full(2 * states.shape[0], -1, dtype=np.int32)
    for number in range(count):
        table[find_slot(table, states, states[number])] = number
    return table


@part
def double(array: NDArray[Number]) -> NDArray[Number]:
    """Return an array with twice as many entries or rows, of which the first half are those of the given one."""
    return np.concatenate((array, array))


@part
def trace_back(parents: Int32_1D, steps: Int32_1D, last: int) -> Int32_1D:
    """Return the steps that lead to a state, in order. The parent of the first state is -1; `last` may be -1."""
    count, state = 0, last
    while state >= 0 and parents[state] >= 0:
        state = parents[state]
        count += 1
    order = np.empty(count, dtype=np.int32)
    state = last
    while count > 0:
        count -= 1
        order[count] = steps[state]
        state = parents[state]
    return order
