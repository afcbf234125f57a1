"""Score matrices of fashion automata: normal form, comparison by behavior, and the grid of all behaviors of two scores.

The score of a cell is the sum of `scores[own state, neighbor state]` over its neighbors. Every cell takes the state of
the highest-scoring cell among itself and its neighbors; on ties, the earlier cell wins. Only the order of the scores
matters, so infinitely many matrices share a finite number of behaviors. The next state of a cell depends on its
*situation*: the states of the cell, of its neighbors, and of their neighbors.

The *code* of a neighborhood is the integer whose digits in base `states` are the states of the center and of its
neighbors, in the order of the offsets. The *rank table* of a matrix holds the rank of every code's score.

Sources: Ashlock, "Evolvable fashion-based cellular automata for generating cavern systems", 2015, for the automata;
libFBCAGen's `behaviourNum` for the comparison of behaviors. The comparison of large automata by nested counts is our
own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from hashlib import blake2b
from itertools import combinations, permutations
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe, TooLarge
from ...core.site import block_size
from ...core.tilemap import TileMap
from ...core.tileset import Tileset

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
BLOCK = 1 << 16
"""Number of situations or neighborhoods in a block."""
MAX_SITUATIONS = 2**26
"""Default limit on enumerated situations: enough for 4 states with four offsets, or 2 states with eight."""
MAX_MEETINGS = 2**26
"""Maximum number of compared neighborhoods: enough for 13 states with four offsets, or 4 states with eight."""
MAX_GRID_RANKS = 2**25
"""Maximum number of ranks in a grid: 1,024 x 1,024 matrices with four offsets, 256 x 256 with eight."""
MAX_GRID_SITUATIONS = 2**32
"""Maximum number of situations enumerated for a grid."""


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


# -- behaviors ------------------------------------------------------------------------------------------------


def behaviour_id(
    scores: Scores,
    offsets: Sequence[Offset] = VON_NEUMANN,
    *,
    exact: bool = False,
    situations: int = MAX_SITUATIONS,
) -> str:
    """Return an identifier of an automaton's behavior, to compare score matrices with the same offsets.

    If there are at most `situations` situations, all are enumerated. The id then starts with `situations-`, and two ids
    are equal if and only if the matrices behave alike. Otherwise the id starts with `pairs-` and encodes which of two
    overlapping neighborhoods with different centers scores higher. Matrices with equal `pairs-` ids behave alike.
    Matrices with different `pairs-` ids may also behave alike, if a third cell always wins where they differ. (For two
    states, there were a third more ids than behaviors.)

    Parameters
    ----------
    scores
        Square score matrix, flat or nested.
    offsets
        Neighbors as (dx, dy), in the order in which ties are resolved.
    exact
        Whether to read the scores as decimals and add them without rounding, so that 0.1 + 0.2 ties with 0.3. By
        default, scores are added in float64 in the order of the offsets, as the automaton does.
    situations
        Maximum number of situations to enumerate.

    Returns
    -------
    str
        The method and a hash.

    Raises
    ------
    TooLarge
        If the automaton is too large for both methods.

    Examples
    --------
    >>> behaviour_id([1, 2, 3, 4]) == behaviour_id([[0, 10], [20, 30]])
    True
    >>> behaviour_id([1, 2, 3, 4]) == behaviour_id([4, 3, 2, 1])
    False
    """
    states, values = read_scores(scores)
    neighbors = read_offsets(offsets)
    return _compute_id(rank_table(states, values, neighbors, exact), states, neighbors, situations)


def behave_alike(
    a: Scores,
    b: Scores,
    offsets: Sequence[Offset] = VON_NEUMANN,
    *,
    exact: bool = False,
    situations: int = MAX_SITUATIONS,
) -> bool:
    """Return whether two matrices make the same automaton, as far as `behaviour_id` can decide.

    Matrices with equal rank tables are accepted immediately, even if they are too large for `behaviour_id`.

    Parameters
    ----------
    a, b
        Square score matrices, flat or nested.
    offsets
        Neighbors as (dx, dy).
    exact
        Whether to add scores as decimals, without rounding.
    situations
        Maximum number of situations to enumerate.

    Returns
    -------
    bool
        Whether the ids are equal; False for different numbers of states.

    Raises
    ------
    TooLarge
        If the rank tables differ and the automaton is too large to compare.

    Examples
    --------
    >>> behave_alike([1, 2, 3, 4], [[0, 10], [20, 30]])
    True
    """
    neighbors = read_offsets(offsets)
    (states, values), (other_states, other_values) = read_scores(a), read_scores(b)
    if states != other_states:
        return False
    table = rank_table(states, values, neighbors, exact)
    other = rank_table(states, other_values, neighbors, exact)
    if np.array_equal(table, other):
        return True
    return _compute_id(table, states, neighbors, situations) == _compute_id(other, states, neighbors, situations)


@dataclass(frozen=True, eq=False)
class BehaviourGrid:
    """Behaviors of a grid of score matrices."""

    numbers: NDArray[np.int32]
    """Number of the behavior of each matrix, a row per y and a column per x, counted from 0 by first appearance."""
    ids: tuple[str, ...]
    """The `behaviour_id` of every number."""
    x: NDArray[np.float64]
    """Score of "x" in each column."""
    y: NDArray[np.float64]
    """Score of "y" in each row."""

    def map(self) -> TileMap:
        """Return the grid as a map with one tile per behavior."""
        tiles = [f"behaviour{number}" for number in range(len(self.ids))]
        return TileMap(self.numbers, Tileset.from_labels(tiles, "behaviours"))


def behaviour_grid(
    scores: Sequence[Score] | Sequence[Sequence[Score]] = (0, "x", "y", 1),
    *,
    x: tuple[Score, Score] = (-2, 3),
    y: tuple[Score, Score] = (-2, 3),
    steps: int | tuple[int, int] = 201,
    offsets: Sequence[Offset] = VON_NEUMANN,
    exact: bool = False,
    situations: int = MAX_SITUATIONS,
) -> BehaviourGrid:
    """Return the behaviors of the 2 x 2 matrices obtained by varying two scores, "x" and "y".

    The default matrix covers almost all behaviors of two states: adding a constant and scaling transform any matrix
    with scores[0, 0] < scores[1, 1] to 0 and 1 at these positions, and swapping the states covers the opposite order.

    Parameters
    ----------
    scores
        Four scores, one of them "x" and one "y".
    x, y
        First and last value, both included. The first value may be larger than the last.
    steps
        Number of evenly spaced values per axis, or a pair (x, y).
    offsets
        Neighbors as (dx, dy).
    exact
        Whether to add scores as decimals, without rounding.
    situations
        Maximum number of situations to enumerate per matrix.

    Returns
    -------
    `BehaviourGrid`
        Numbers and ids of the behaviors.

    Raises
    ------
    InvalidRecipe
        If `scores` or `steps` are invalid.
    TooLarge
        If the grid has too many situations.

    Examples
    --------
    >>> behaviour_grid(x=(-1, 1), y=(-1, 1), steps=3).numbers
    array([[0, 1, 2],
           [3, 4, 5],
           [6, 6, 7]], dtype=int32)
    """
    neighbors = read_offsets(offsets)
    codes = 2 ** (len(neighbors) + 1)
    columns, rows = (steps, steps) if isinstance(steps, int) else steps
    if min(columns, rows) < 1 or columns * rows * codes > MAX_GRID_RANKS:
        text = f"must be at least 1 and, with {len(neighbors)} offsets, at most {MAX_GRID_RANKS // codes:,} in total"
        raise InvalidRecipe(text, at="steps", got=steps)
    sheet: list[Score] = np.array(scores, dtype=np.object_).ravel().tolist()
    if len(sheet) != 4 or sheet.count("x") != 1 or sheet.count("y") != 1:
        raise InvalidRecipe('must have four entries, one of them "x" and one "y"', at="scores", got=scores)
    across, down = exact_linspace(x, columns), exact_linspace(y, rows)
    fixed = [Fraction(0) if entry in ("x", "y") else read_score(entry) for entry in sheet]
    values = to_array([*across, *down, *fixed], len(neighbors), exact)

    tables: dict[bytes, int] = {}  # Matrices with equal rank tables behave alike and are computed once.
    ranking: list[int] = []
    for block in np.array_split(
        np.arange(rows * columns), -(-rows * columns * codes // block_size("behaviour", BLOCK))
    ):
        matrices = np.tile(values[-4:], (block.size, 1))
        matrices[:, sheet.index("x")] = values[block % columns]
        matrices[:, sheet.index("y")] = values[columns + block // columns]
        stack = rank_rows(sum_scores(matrices.reshape(-1, 2, 2), len(neighbors)))
        ranking += [tables.setdefault(table.tobytes(), len(tables)) for table in stack]

    each = 2 ** _compute_weights(2, neighbors).shape[1]
    if each <= situations and each * len(tables) > MAX_GRID_SITUATIONS:
        raise TooLarge(
            f"{len(tables):,} rank tables with {each:,} situations each; at most {MAX_GRID_SITUATIONS:,} in total "
            "are enumerated; take fewer steps, or situations=0 to decide by pairs",
            at="steps",
        )
    names = [_compute_id(np.frombuffer(table, dtype=np.int64), 2, neighbors, situations) for table in tables]
    found = {name: number for number, name in enumerate(dict.fromkeys(names))}
    behaviours = np.array([found[name] for name in names], dtype=np.int32)[ranking].reshape(rows, columns)
    return BehaviourGrid(behaviours, tuple(found), np.array(across, np.float64), np.array(down, np.float64))


@cached_by_size
def _compute_weights(states: int, offsets: tuple[Offset, ...]) -> Integers:
    """Return the weight of every cell's state in the code of each contender's neighborhood.

    The array has a row per contender (the cell itself, then its neighbors without repetitions) and a column per cell of
    a situation. The contenders are the first cells.
    """
    reach = ((0, 0), *offsets)
    contenders = tuple(dict.fromkeys(reach))
    cells = dict.fromkeys([*contenders, *((x + dx, y + dy) for x, y in contenders for dx, dy in offsets)])
    column = {cell: number for number, cell in enumerate(cells)}
    weights = np.zeros((len(contenders), len(column)), dtype=np.int64)
    for row, (x, y) in enumerate(contenders):
        for place, (dx, dy) in enumerate(reach):
            weights[row, column[x + dx, y + dy]] += states ** (len(offsets) - place)
    weights.setflags(write=False)
    return weights


def _list_codes(states: int, weights: Integers) -> Integers:
    """Return the weighted sums for all assignments of states to cells, the last cell's state varying fastest."""
    codes = np.zeros(1, dtype=np.int64)
    for weight in weights:
        codes = (codes[:, None] + weight * np.arange(states)).ravel()
    return codes


def _compute_id(ranks: Integers, states: int, offsets: tuple[Offset, ...], situations: int) -> str:
    """Return the id of a rank table's behavior, by the first method that is small enough."""
    weights = _compute_weights(states, offsets)
    if states ** weights.shape[1] <= situations:
        method, parts = "situations", _iter_outcomes(ranks, states, weights)
    else:
        method, parts = "pairs", _iter_contests(ranks, states, weights)
    digest = blake2b(f"{states} {offsets}".encode(), digest_size=16)
    for part in parts:
        digest.update(part.astype("<i4").tobytes())
    return f"{method}-{digest.hexdigest()}"


def _iter_outcomes(ranks: Integers, states: int, weights: Integers) -> Iterator[Integers]:
    """Yield the next state of every situation, in blocks."""
    contenders, cells = weights.shape
    own = np.repeat(np.arange(states), ranks.size // states)
    # Encode each claim as one integer: the higher rank wins, then the earlier contender; the last digit is its state.
    claims = [(ranks * contenders + contenders - 1 - number) * states + own for number in range(contenders)]
    outer = max(0, cells - int(math.log(block_size("behaviour", BLOCK), states)))
    within = [_list_codes(states, row[outer:]) for row in weights]
    for bases in zip(*(_list_codes(states, row[:outer]) for row in weights), strict=True):
        best = claims[0][bases[0] + within[0]]
        for claim, base, codes in zip(claims[1:], bases[1:], within[1:], strict=True):
            np.maximum(best, claim[base + codes], out=best)
        yield best % states


def _iter_contests(ranks: Integers, states: int, weights: Integers) -> Iterator[Integers]:
    """Yield, in blocks, which of two overlapping neighborhoods with different centers scores higher.

    For every assignment of the common cells, count for each neighborhood of the earlier contender how many
    neighborhoods of the later contender it beats, and vice versa. A neighborhood with a higher count beats all
    neighborhoods that one with a lower count beats, so these counts determine every contest without listing all pairs.
    """
    meetings = [(pair, _find_common_cells(weights, pair)) for pair in combinations(range(len(weights)), 2)]
    meeting_count = sum(
        states ** int(cells)
        for pair, common in meetings
        for cells in np.count_nonzero((weights[list(pair)] > 0) | common, axis=1)
    )
    if meeting_count > MAX_MEETINGS:
        raise TooLarge(
            f"{states} states under these offsets make {states}^{weights.shape[1]} situations and {meeting_count:,} "
            f"meetings; at most {MAX_MEETINGS:,} meetings are compared; use fewer states or offsets",
            at="scores",
        )
    identity = np.eye(weights.shape[1], dtype=np.int64)
    for pair, common in meetings:
        earlier, later = (_list_codes(states, identity[contender, common]) for contender in pair)
        differ = np.flatnonzero(earlier != later)
        shared = [_list_codes(states, weights[contender, common])[differ, None] for contender in pair]
        alone = [_list_codes(states, row[(row > 0) & ~common]) for row in weights[list(pair)]]
        height = max(1, block_size("behaviour", BLOCK) // max(codes.size for codes in alone))
        for start in range(0, differ.size, height):
            first, second = (
                ranks[base[start : start + height] + codes] for base, codes in zip(shared, alone, strict=True)
            )
            yield np.hstack([_count_below(second, first + 1), _count_below(first, second)])


def _find_common_cells(weights: Integers, pair: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a mask of the cells in both contenders' neighborhoods, and of the contenders themselves."""
    common: NDArray[np.bool_] = np.all(weights[list(pair)] > 0, axis=0)
    common[list(pair)] = True
    return common


def _count_below(values: Integers, limits: Integers) -> Integers:
    """Return, for every limit, the number of smaller values in the same row."""
    rows = np.arange(len(values))[:, None]
    lift = rows * (max(values.max(), limits.max()) + 1)  # Separates the rows in one sorted array.
    found = np.searchsorted(np.sort(values + lift, axis=1).ravel(), (limits + lift).ravel())
    counts: Integers = found.reshape(limits.shape) - rows * values.shape[1]
    return counts
