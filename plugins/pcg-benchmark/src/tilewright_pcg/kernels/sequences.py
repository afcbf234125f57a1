"""Similarity of sequences."""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel, part
from tilewright.kernels.types import Float64_1D, Int64_1D, Uint8_1D, Uint8_2D

MAX_LENGTH = 200
"""Maximum length of sequences, from which difflib ignores common items."""


@part
def find_ratio(first: Uint8_1D, second: Uint8_1D) -> float:
    """Return twice the number of matching items, divided by the number of items of both sequences.

    The result equals `difflib.SequenceMatcher(None, first, second).ratio()` for sequences below MAX_LENGTH: the longest
    common run is found, the first in `first` and then in `second` on ties, then those to its left and right. It is not
    symmetric.
    """
    total = first.size + second.size
    if total == 0:
        return 1.0
    stack = np.empty((2 * MAX_LENGTH + 2, 4), dtype=np.int64)
    stack[0] = (0, first.size, 0, second.size)
    lengths = np.zeros(second.size + 1, dtype=np.int64)
    height, matches = 1, 0
    while height:
        height -= 1
        low, high, left, right = stack[height]
        best, best_first, best_second = 0, low, left
        lengths[left : right + 1] = 0
        for i in range(low, high):
            before = 0
            """Length of the run that ends at i - 1 and j - 1."""
            for j in range(left, right):
                run = before + 1 if first[i] == second[j] else 0
                before = lengths[j]
                lengths[j] = run
                if run > best:
                    best, best_first, best_second = run, i - run + 1, j - run + 1
        if best:
            matches += best
            if low < best_first and left < best_second:
                stack[height] = (low, best_first, left, best_second)
                height += 1
            if best_first + best < high and best_second + best < right:
                stack[height] = (best_first + best, high, best_second + best, right)
                height += 1
    return 2.0 * matches / total


@kernel
def matching_ratio(first: Uint8_1D, second: Uint8_1D) -> float:
    """Return the similarity of two sequences, see `find_ratio`."""
    return find_ratio(first, second)


@kernel
def compare_sequences(
    one: Uint8_1D,
    others: Uint8_2D,
    sizes: Int64_1D,
    limits: Float64_1D,
    ratios: Float64_1D,
) -> None:
    """Compute the similarity of a sequence to others: the larger one of both orders.

    Row k of `others` has `sizes[k]` items. Where an upper bound is at most `limits[k]`, the result is this bound.
    """
    counts = np.zeros(256, dtype=np.int64)
    for item in one:
        counts[item] += 1
    left = np.empty(256, dtype=np.int64)
    for number in range(sizes.size):
        other = others[number, : sizes[number]]
        left[:] = counts
        common = 0
        for item in other:
            if left[item] > 0:
                left[item] -= 1
                common += 1
        total = one.size + other.size
        ratios[number] = 2.0 * common / total if total else 1.0
        if ratios[number] > limits[number]:
            ratios[number] = max(find_ratio(one, other), find_ratio(other, one))
