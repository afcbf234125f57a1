"""Differences between a map and many others: cells, counts of sorted keys, and sequences of steps."""

from __future__ import annotations

import numpy as np

from . import kernel
from .types import (
    Int64_1D,
    ReadOnlyUint8_1D,
    ReadOnlyUint16_1D,
    ReadOnlyUint16_2D,
    ReadOnlyUint64_1D,
    ReadOnlyUint64_2D,
)


@kernel
def compare_cells(one: ReadOnlyUint16_1D, others: ReadOnlyUint16_2D, different: Int64_1D, either: Int64_1D) -> None:
    """Count, for each of the other rows, the cells that differ from `one`, and those that are not 0 in either."""
    for row in range(others.shape[0]):
        other = others[row]
        unequal = 0
        nonzero = 0
        for cell in range(one.size):
            unequal += int(one[cell] != other[cell])
            nonzero += int((one[cell] | other[cell]) != 0)
        different[row] = unequal
        either[row] = nonzero


@kernel
def compare_keys(one: ReadOnlyUint64_1D, others: ReadOnlyUint64_2D, differences: Int64_1D) -> None:
    """Compare the frequencies of keys. All keys are sorted; a key occurs as often as it is counted.

    The difference is the sum over all keys of |n a - m b|, where a and b are the counts of the key in `one` and in the
    other row, and m and n are the numbers of keys of `one` and of the other row.
    """
    size, other_size = one.size, others.shape[1]
    for row in range(others.shape[0]):
        other = others[row]
        at = 0
        near = 0
        total = 0
        while at < size or near < other_size:
            is_first = near == other_size or (at < size and one[at] <= other[near])
            key = one[at] if is_first else other[near]
            first, second = at, near
            while at < size and one[at] == key:
                at += 1
            while near < other_size and other[near] == key:
                near += 1
            total += abs((at - first) * other_size - (near - second) * size)
        differences[row] = total


@kernel
def count_edits(one: ReadOnlyUint8_1D, other: ReadOnlyUint8_1D) -> int:
    """Return the minimum number of insertions, deletions and replacements that change one sequence to the other.

    Source: Wagner and Fischer, "The string-to-string correction problem", 1974.
    """
    costs = np.arange(other.size + 1)
    for at in range(one.size):
        diagonal = costs[0]
        costs[0] = at + 1
        for near in range(other.size):
            replaced = diagonal + int(one[at] != other[near])
            diagonal = costs[near + 1]
            costs[near + 1] = min(replaced, diagonal + 1, costs[near] + 1)
    return int(costs[other.size])
