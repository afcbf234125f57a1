"""Score matrices of fashion automata: reading them, their normal form, and the ranks of their neighbourhoods.

A neighbourhood goes by its *code*, the number whose digits in base `states` are the centre's state and its neighbours'
in the order of the offsets; a matrix goes by its *rank table*, the ranks of all codes' scores.
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
"""A number, or a decimal in quotes: published score lists hold both."""
Scores: TypeAlias = Sequence[Score] | Sequence[Sequence[Score]] | NDArray[np.float64] | NDArray[np.int64]
"""A square matrix, flat (row after row) or nested."""
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.generic]
"""float64, or for exact sums int64, or Python's own whole numbers where those are too small."""

VON_NEUMANN: tuple[Offset, ...] = ((0, 1), (0, -1), (-1, 0), (1, 0))
"""The four nearest cells as (dx, dy), in libFBCAGen's order."""

MAX_RANK_CODES = 2**22
"""As many neighbourhoods make a rank table: 21 states with four offsets, 5 states with eight."""
MAX_RELABEL_STATES = 8
"""As many states are put in every order: 8! = 40,320."""


def normal_form(scores: Scores, *, relabel: bool = False) -> tuple[tuple[int, ...], ...]:
    """The smallest whole numbers from 0 up whose differences are in the same proportions.

    Scores are read as decimals. Adding a constant and multiplying by a positive number keep the form; with
    `relabel` so does renaming the states: the first of all renamings in lexicographic order is taken.

    >>> normal_form(["0.1", "0.3", "-0.1", "0.1"])
    ((1, 2), (0, 1))
    >>> normal_form([4, 3, 2, 1], relabel=True)
    ((0, 1), (2, 3))
    """
    states, values = read_scores(scores)
    if relabel and states > MAX_RELABEL_STATES:
        raise TooLarge(
            f"at most {MAX_RELABEL_STATES} states are put in every order, got {states} with "
            f"{math.factorial(states):,} orders; leave relabel out",
            at="relabel",
        )
    flat = to_smallest_integers(values)
    orders = permutations(range(states)) if relabel else [tuple(range(states))]
    return min(tuple(tuple(flat[own * states + other] for other in order) for own in order) for order in orders)


def read_score(value: Score) -> Fraction:
    """The score as the decimal a person wrote; its nearest float64 is what the automaton runs with."""
    text = str(value.item() if isinstance(value, np.generic) else value)
    try:
        decimal = Decimal(text)
        # A short text can be a long fraction, as 1e-999999999 is.
        if len(text) <= 400 and math.isfinite(float(decimal)) and abs(decimal.adjusted()) <= 400:
            return Fraction(decimal)
    except (InvalidOperation, ValueError):
        pass
    raise InvalidRecipe("finite numbers of at most 400 digits", at="scores", got=value, rule="maximum")


def read_scores(scores: Scores) -> tuple[int, list[Fraction]]:
    """The number of states and the scores, row after row."""
    matrix = np.array(scores, dtype=np.object_)
    states = math.isqrt(matrix.size)
    if states < 2 or matrix.shape not in ((states * states,), (states, states)):
        raise InvalidRecipe("a square matrix of 2 x 2 or more, flat or in rows", at="scores", got=scores)
    return states, [read_score(entry) for entry in matrix.ravel()]


def read_offsets(offsets: Sequence[Offset]) -> tuple[Offset, ...]:
    try:
        return tuple((index(x), index(y)) for x, y in offsets)
    except (TypeError, ValueError):
        raise InvalidRecipe("pairs of whole numbers (dx, dy)", at="offsets", got=offsets, rule="type") from None


def exact_linspace(ends: tuple[Score, Score], count: int) -> list[Fraction]:
    """Values at even distances, exact, so that their floats are the ones a person would write."""
    first, last = (read_score(end) for end in ends)
    return [first + (last - first) * step / max(count - 1, 1) for step in range(count)]


def to_smallest_integers(values: Sequence[Fraction]) -> list[int]:
    """The smallest whole numbers from 0 up whose differences are in the same proportions."""
    scale = math.lcm(*(value.denominator for value in values))
    least = min(values)
    whole = [int((value - least) * scale) for value in values]
    common = math.gcd(*whole) or 1
    return [number // common for number in whole]


def to_array(values: Sequence[Fraction], terms: int, exact: bool) -> Numbers:
    """The scores as sums of `terms` of them are made: floats, or whole numbers that do not overflow."""
    if not exact:
        return np.array(values, dtype=np.float64)
    whole = to_smallest_integers(values)
    return np.array(whole, dtype=np.int64 if max(whole) * max(terms, 1) < 2**63 else np.object_)


def sum_scores(matrices: Numbers, terms: int) -> Numbers:
    """The score of every code, a row per matrix, added in the order of the offsets."""
    count, states, _ = matrices.shape
    sums: Numbers = np.zeros((count, states, 1), dtype=matrices.dtype)
    with np.errstate(over="ignore"):  # an automaton runs on with infinity, and it compares well
        for _ in range(terms):
            sums = np.add(sums[..., None], matrices[:, :, None, :]).reshape(count, states, -1)
    return sums.reshape(count, -1)


def rank_rows(sums: Numbers) -> Integers:
    """How many different smaller values each value has in its row."""
    order = np.argsort(sums, axis=1, kind="stable")
    ordered = np.take_along_axis(sums, order, axis=1)
    climbs = np.zeros(sums.shape, dtype=np.int64)
    climbs[:, 1:] = np.greater(ordered[:, 1:], ordered[:, :-1])
    ranks = np.empty_like(climbs)
    np.put_along_axis(ranks, order, climbs.cumsum(axis=1), axis=1)
    return ranks


def rank_table(states: int, values: Sequence[Fraction], offsets: tuple[Offset, ...], exact: bool) -> Integers:
    """The rank of every code's score: all that a behaviour can depend on."""
    terms = len(offsets)
    if states ** (terms + 1) > MAX_RANK_CODES:
        raise TooLarge(
            f"{states} states with {terms} offsets make {states}^{terms + 1} neighbourhoods, at most "
            f"{MAX_RANK_CODES:,} can be ranked; take fewer states or offsets",
            at="scores",
        )
    return rank_rows(sum_scores(to_array(values, terms, exact).reshape(1, states, states), terms)).ravel()
