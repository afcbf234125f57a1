"""Queues and sets of states for searches that must agree with those of the PCG Benchmark.

The benchmark's agents keep nodes in Python's heapq and compare their priorities only. Which of several equal nodes is
first therefore depends on the heap's steps, which these functions repeat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.kernels import part
from tilewright.kernels.types import Float64_1D, Int64_1D, Int64_2D

MAX_POPS = 5000
"""Number of nodes that an agent takes from its queue."""
MAX_NODES = 4 * MAX_POPS + 1
TABLE = 1 << 14
"""Size of the set of states, more than twice MAX_POPS."""
BALANCES = (1.0, 0.5, 0.0, -1.0)
"""Weights of the depth in the agents of ddave and mdungeons, in their order; -1 is the breadth-first search."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@part
def start_search(columns: int) -> tuple[NDArray[np.int64], Float64_1D, Int64_1D, NDArray[np.int64]]:
    """Return nodes with that many columns, their priorities, the heap and the set of states.

    Node 0 is in the heap, and has zeros only.
    """
    nodes = np.empty((MAX_NODES, columns), dtype=np.int64)
    nodes[0] = 0
    priority = np.empty(MAX_NODES, dtype=np.float64)
    priority[0] = 0.0
    heap = np.empty(MAX_NODES, dtype=np.int64)
    heap[0] = 0
    return nodes, priority, heap, np.full((TABLE, 2), -1, dtype=np.int64)


@part
def sift_down(heap: Int64_1D, priority: Float64_1D, start: int, place: int) -> None:
    """Move an item toward the root until its parent is not larger."""
    item = heap[place]
    while place > start:
        parent = (place - 1) >> 1
        if not priority[item] < priority[heap[parent]]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


@part
def push_node(heap: Int64_1D, priority: Float64_1D, size: int, item: int) -> int:
    """Add an item; return the new size."""
    heap[size] = item
    sift_down(heap, priority, 0, size)
    return size + 1


@part
def pop_node(heap: Int64_1D, priority: Float64_1D, size: int) -> int:
    """Return the smallest of `size` items, and remove it."""
    size -= 1
    last = heap[size]
    if size == 0:
        return int(last)
    found = heap[0]
    place, child = 0, 1
    while child < size:
        right = child + 1
        if right < size and not priority[heap[child]] < priority[heap[right]]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = last
    sift_down(heap, priority, 0, place)
    return int(found)


@part
def add_state(table: Int64_2D, first: int, second: int) -> bool:
    """Add a state, a pair of numbers of which the first is not negative; return False if the table has it already.

    `table` has TABLE rows, all -1 at first.
    """
    mask = TABLE - 1
    mixed = (np.uint64(first) * MULTIPLIER) ^ (np.uint64(second) * np.uint64(0xD1B54A32D192ED03))
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))
    while table[slot, 0] >= 0:
        if table[slot, 0] == first and table[slot, 1] == second:
            return False
        slot = (slot + 1) & mask
    table[slot, 0] = first
    table[slot, 1] = second
    return True
