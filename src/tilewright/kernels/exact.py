"""Functions with identical results on every machine: only + - * / in a fixed order.

The functions of NumPy and the C library differ in the last bit between processors and versions, and one bit can change
a tile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import part

LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""The natural logarithm of 2 in two parts; the first has so few bits that its product with an exponent is exact."""
LN2 = 0.69314718055994530942
TERMS, EXP_TERMS = 13, 20
"""Number of terms of the series of logarithm and exponential; the rest is below the last bit."""


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
