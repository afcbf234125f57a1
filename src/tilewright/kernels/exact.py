"""Functions with identical results on every machine, with only + - * / in a fixed order; and ranks of floats.

The functions of NumPy and the C library differ in the last bit between processors and versions, and one bit can change
a tile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernel, part
from .types import Float64_1D, Int64_1D

LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""The natural logarithm of 2 in two parts; the first has so few bits that its product with an exponent is exact."""
LN2 = 0.69314718055994530942
TERMS, EXP_TERMS = 13, 20
"""Number of terms of the series of logarithm and exponential; the rest is below the last bit."""
DIGIT_BITS = 11
DIGITS = 6
"""Number of digits of the 64-bit keys by which floats are sorted."""


def log(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of positive numbers, accurate to one or two units in the last place.

    A number is m * 2^e with m near 1, and log(m) = 2 (s + s^3/3 + s^5/5 + ...) where s = (m - 1) / (m + 1).
    """
    fractions, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    small = fractions < 0.70710678118654752
    fractions = np.where(small, fractions * 2.0, fractions)
    powers = (exponents - small).astype(np.float64)
    s = (fractions - 1.0) / (fractions + 1.0)
    square = s * s
    series = np.zeros_like(s)
    for term in range(TERMS, 0, -1):
        series = (series + 1.0 / (2 * term + 1)) * square
    result: NDArray[np.float64] = powers * LN2_HIGH + (powers * LN2_LOW + (2.0 * s + 2.0 * s * series))
    return result


@part
def exact_power(base: float, exponent: float) -> float:
    """Return a number in (0, 1] to a positive power: exp(exponent * log(base)), accurate to about thirteen digits."""
    if base == 1.0:  # Even for an infinite exponent.
        return 1.0
    fraction, power_of_two = base, 0.0
    while fraction < 0.70710678118654752:
        fraction *= 2.0
        power_of_two -= 1.0
    s = (fraction - 1.0) / (fraction + 1.0)
    square = s * s
    series = 0.0
    for term in range(TERMS, 0, -1):
        series = (series + 1.0 / (2 * term + 1)) * square
    power = exponent * (power_of_two * LN2_HIGH + (power_of_two * LN2_LOW + (2.0 * s + 2.0 * s * series)))
    if power < -700.0:
        return 0.0
    halvings = np.floor(-power / LN2)
    rest = power + halvings * LN2_HIGH + halvings * LN2_LOW
    result = 1.0
    for term in range(EXP_TERMS, 0, -1):
        result = 1.0 + rest / term * result
    for _ in range(int(halvings)):
        result *= 0.5
    return result


@kernel
def rank_floats(values: Float64_1D) -> Int64_1D:
    """Return the rank of each value among the different values, from 0, by radix sort. None must be NaN or -0.0.

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
