"""Large sets of items of which no two are in conflict."""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel
from tilewright.kernels.random import below
from tilewright.kernels.types import Uint8_1D, Uint8_2D, Uint64_1D

MIN_REST, MORE_REST = 7, 10
"""Minimum number of steps for which a removed item cannot return, and how many more there can be."""


@kernel
def find_independent_set(conflicts: Uint8_2D, steps: int, state: Uint64_1D, best: Uint8_1D) -> int:
    """Search for a large set of items without a conflict; return its size.

    Each step adds the item that is in conflict with the fewest items of the set, a random one of several, and removes
    those items. They cannot return for some steps, so that the search leaves sets that no single item enlarges.
    Source: Glover, "Tabu Search - Part I", 1989.

    Parameters
    ----------
    conflicts
        Symmetric matrix with 1 for each pair of items in conflict, and 0 in the diagonal.
    steps
        Number of steps.
    state
        State of the random stream.
    best
        Result: 1 for each item of the largest set.
    """
    count = conflicts.shape[0]
    is_in = np.zeros(count, dtype=np.uint8)
    blocked = np.zeros(count, dtype=np.int64)
    """Number of items of the set that each item is in conflict with."""
    rest = np.zeros(count, dtype=np.int64)
    """Step from which each item can return."""
    size, record = 0, 0
    for step in range(steps):
        fewest, ties, found = count, 0, -1
        for item in range(count):
            if is_in[item] or rest[item] > step or blocked[item] > fewest:
                continue
            if blocked[item] < fewest:
                fewest, ties = blocked[item], 0
            ties += 1
            if below(state, ties) == 0:
                found = item
        if found < 0:
            continue
        for item in range(count):
            if is_in[item] and conflicts[found, item]:
                is_in[item] = 0
                size -= 1
                rest[item] = step + MIN_REST + below(state, MORE_REST)
                for other in range(count):
                    blocked[other] -= conflicts[item, other]
        is_in[found] = 1
        size += 1
        for other in range(count):
            blocked[other] += conflicts[found, other]
        if size > record:
            record = size
            best[:] = is_in
    return record
