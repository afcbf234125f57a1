"""Score matrices of fashion automata: parsing, normal form, and ranks of neighborhoods.

The *code* of a neighborhood is the integer whose digits in base `states` are the states of the center and of its
neighbors, in the order of the offsets. The *rank table* of a matrix holds the rank of every code's score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import permutations
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge

Offset: TypeAlias = tuple[int, int]
Score: TypeAlias = float | str | Decimal
"""Number, or decimal as a string. Published score lists contain both."""
Scores: TypeAlias = Sequence[Score] | Sequence[Sequence[Score]] | NDArray[np.float64] | NDArray[np.int64]
"""Square matrix, flat (row by row) or nested."""
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.generic]
"""Array of float64; for exact sums, of int64, or of Python integers if int64 would overflow."""

VON_NEUMANN: tuple[Offset, ...] = ((0, 1), (0, -1), (-1, 0), (1, 0))
"""The four nearest cells as (dx, dy), in libFBCAGen's order."""

MAX_RANK_CODES = 2**22
"""Maximum number of codes in a rank table: enough for 21 states with four offsets, or 5 states with eight."""
MAX_RELABEL_STATES = 8
"""Maximum number of states of which all permutations are tried: 8! = 40,320."""


def normal_form(scores: Scores, *, relabel: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return the smallest non-negative integers whose differences have the same proportions as the scores.

    Scores are read as decimals. Adding a constant or multiplying by a positive number does not change the normal form.

    Parameters
    ----------
    scores
        Square score matrix, flat or nested.
    relabel
        Whether to ignore the order of the states, by taking the lexicographically smallest form of all permutations.

    Returns
    -------
    tuple of tuple of int
        Rows of the normal form.

    Raises
    ------
    TooLarge
        If `relabel` is set and there are more than 8 states.

    Examples
    --------
    >>> normal_form(["0.1", "0.3", "-0.1", "0.1"])
    ((1, 2), (0, 1))
    >>> normal_form([4, 3, 2, 1], relabel=True)
    ((0, 1), (2, 3))
    """
    states, values = read_scores(scores)
    if relabel and states > MAX_RELABEL_STATES:
        raise TooLarge(
            f"must have at most {MAX_RELABEL_STATES} states, got {states} with "
            f"{math.factorial(states):,} permutations; leave relabel out",
            at="relabel",
        )
    flat = to_smallest_integers(values)
    orders = permutations(range(states)) if relabel else [tuple(range(states))]
    return min(tuple(tuple(flat[own * states + other] for other in order) for own in order) for order in orders)


def read_score(value: Score) -> Fraction:
    """Return a score as an exact fraction of the decimal given. The automaton uses the nearest float64."""
    text = str(value.item() if isinstance(value, np.generic) else value)
    try:
        decimal = Decimal(text)
        # A short string such as 1e-999999999 can be a very long fraction.
        if len(text) <= 400 and math.isfinite(float(decimal)) and abs(decimal.adjusted()) <= 400:
            return Fraction(decimal)
    except (InvalidOperation, ValueError):
        pass
    raise InvalidRecipe("must be finite numbers of at most 400 digits", at="scores", got=value, rule="maximum")


def read_scores(scores: Scores) -> tuple[int, list[Fraction]]:
    """Return the number of states and the scores, row by row."""
    matrix = np.array(scores, dtype=np.object_)
    states = math.isqrt(matrix.size)
    if states < 2 or matrix.shape not in ((states * states,), (states, states)):
        raise InvalidRecipe("must be a square matrix of 2 x 2 or more, flat or nested", at="scores", got=scores)
    return states, [read_score(entry) for entry in matrix.ravel()]


def read_offsets(offsets: Sequence[Offset]) -> tuple[Offset, ...]:
    """Return offsets as a tuple of integer pairs."""
    try:
        return tuple((index(x), index(y)) for x, y in offsets)
    except (TypeError, ValueError):
        raise InvalidRecipe("must be pairs of integers (dx, dy)", at="offsets", got=offsets, rule="type") from None


def exact_linspace(ends: tuple[Score, Score], count: int) -> list[Fraction]:
    """Return evenly spaced values as exact fractions, so that their floats match the decimals a person would write."""
    first, last = (read_score(end) for end in ends)
    return [first + (last - first) * step / max(count - 1, 1) for step in range(count)]


def to_smallest_integers(values: Sequence[Fraction]) -> list[int]:
    """Return the smallest non-negative integers whose differences have the same proportions as those of the values."""
    scale = math.lcm(*(value.denominator for value in values))
    smallest = min(values)
    scaled = [int((value - smallest) * scale) for value in values]
    common = math.gcd(*scaled) or 1
    return [number // common for number in scaled]


def to_array(values: Sequence[Fraction], terms: int, exact: bool) -> Numbers:
    """Return the scores as an array for sums of `terms` scores: floats, or integers that do not overflow."""
    if not exact:
        return np.array(values, dtype=np.float64)
    scaled = to_smallest_integers(values)
    return np.array(scaled, dtype=np.int64 if max(scaled) * max(terms, 1) < 2**63 else np.object_)


def sum_scores(matrices: Numbers, terms: int) -> Numbers:
    """Return (matrix, code) the score of the neighborhood with each code, for every score matrix.

    `matrices` is (matrix, own state, neighbor state). `terms` is the number of neighbors (offsets); the scores of the
    neighbors are added in their order.
    """
    count, states, _ = matrices.shape
    sums: Numbers = np.zeros((count, states, 1), dtype=matrices.dtype)
    with np.errstate(over="ignore"):  # Sums may overflow to infinity, as in the automaton; infinity compares correctly.
        for _ in range(terms):
            sums = np.add(sums[..., None], matrices[:, :, None, :]).reshape(count, states, -1)
    return sums.reshape(count, -1)


def rank_rows(sums: Numbers) -> Integers:
    """Return, for each value, the number of distinct smaller values in its row."""
    order = np.argsort(sums, axis=1, kind="stable")
    ordered = np.take_along_axis(sums, order, axis=1)
    increases = np.zeros(sums.shape, dtype=np.int64)
    increases[:, 1:] = np.greater(ordered[:, 1:], ordered[:, :-1])
    ranks = np.empty_like(increases)
    np.put_along_axis(ranks, order, increases.cumsum(axis=1), axis=1)
    return ranks


def rank_table(states: int, values: Sequence[Fraction], offsets: tuple[Offset, ...], exact: bool) -> Integers:
    """Return (code,) the rank of the score of every neighborhood. Matrices with equal rank tables behave alike."""
    terms = len(offsets)
    if states ** (terms + 1) > MAX_RANK_CODES:
        raise TooLarge(
            f"{states} states with {terms} offsets make {states}^{terms + 1} neighborhoods; at most "
            f"{MAX_RANK_CODES:,} can be ranked; use fewer states or offsets",
            at="scores",
        )
    return rank_rows(sum_scores(to_array(values, terms, exact).reshape(1, states, states), terms)).ravel()
