"""Ranks of floats, by radix sort."""

from __future__ import annotations

import numpy as np

from . import kernel
from .types import Float64_1D, Int64_1D

DIGIT_BITS = 11
DIGITS = 6
"""Number of digits of a 64-bit key."""


@kernel
def rank_floats(values: Float64_1D) -> Int64_1D:
    """Return the rank of each value among the different values, from 0. Values must not be NaN or -0.0.

    The order of the bits of positive floats is that of their values; for negative floats, it is reversed.
    """
    size = values.size
    bits = values.view(np.uint64)
    keys, sorted_keys = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    order, sorted_order = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    radix, mask = 1 << DIGIT_BITS, np.uint64((1 << DIGIT_BITS) - 1)
    counts = np.zeros((DIGITS, radix), dtype=np.int32)
    for i in range(size):
        is_negative = bits[i] >> np.uint64(63)
        keys[i] = ~bits[i] if is_negative else bits[i] | np.uint64(1 << 63)
        order[i] = i
        for digit in range(DIGITS):
            counts[digit, (keys[i] >> np.uint64(DIGIT_BITS * digit)) & mask] += 1
    for digit in range(DIGITS):
        places, total = counts[digit], 0
        for value in range(radix):
            count = places[value]
            places[value] = total
            total += count
        shift = np.uint64(DIGIT_BITS * digit)
        for i in range(size):
            value = (keys[i] >> shift) & mask
            place = places[value]
            places[value] += 1
            sorted_keys[place] = keys[i]
            sorted_order[place] = order[i]
        keys, sorted_keys = sorted_keys, keys
        order, sorted_order = sorted_order, order
    ranks = np.empty(size, dtype=np.int64)
    rank = 0
    for i in range(size):
        if i > 0 and keys[i] != keys[i - 1]:
            rank += 1
        ranks[order[i]] = rank
    return ranks
