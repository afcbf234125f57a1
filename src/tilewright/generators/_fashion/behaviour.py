"""When two fashion automata behave alike, and the plane of all behaviours that two scores can make.

In a fashion automaton a cell's score is the sum over its neighbours of `scores[own state, their state]`;
every cell then takes the state of the best-scoring cell among itself and its neighbours, the earlier one on
ties. Only who beats whom matters, so endlessly many score matrices share a limited number of behaviours. What
a cell becomes depends on its *situation*: the states of itself, its neighbours and theirs.

Source: Ashlock, "Evolvable fashion-based cellular automata for generating cavern systems", 2015, for the
automata; libFBCAGen's `behaviourNum` for the question. Deciding large ones by nested counts is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from ...kernels.blocks import block_size
from .scores import (
    VON_NEUMANN,
    Integers,
    Offset,
    Score,
    Scores,
    exact_linspace,
    rank_rows,
    rank_table,
    read_offsets,
    read_score,
    read_scores,
    sum_scores,
    to_array,
)

MAX_SITUATIONS = 2**26
"""As many are enumerated unless told otherwise: 4 states with four offsets, 2 states with eight."""
MAX_MEETINGS = 2**26
"""As many neighbourhoods are held against each other: 13 states with four offsets, 4 states with eight."""
MAX_GRID_RANKS = 2**25
"""As many ranks are held for a grid: 1,024 x 1,024 matrices with four offsets, 256 x 256 with eight."""
MAX_GRID_SITUATIONS = 2**32
"""As many situations are enumerated for a grid."""


def behaviour_id(
    scores: Scores,
    offsets: Sequence[Offset] = VON_NEUMANN,
    *,
    exact: bool = False,
    situations: int = MAX_SITUATIONS,
) -> str:
    """A name of the automaton's behaviour, for comparing score matrices under the same offsets.

    Where there are at most `situations` they are enumerated: the id begins with `situations-`, and ids are
    equal if and only if the matrices behave alike. Where there are more it begins with `pairs-` and stands for
    who beats whom among neighbourhoods that can meet and differ in state: equal ids behave alike, but so may
    different ones, if all that sets them apart is always beaten by a third cell (with two states, a third more
    ids than behaviours were seen). What is too large for both raises `TooLarge`.

    Scores are added as an automaton runs, in float64 and in the order of the offsets; `exact` reads them as
    decimals and adds without rounding, so that 0.1 + 0.2 ties with 0.3.

    >>> behaviour_id([1, 2, 3, 4]) == behaviour_id([[0, 10], [20, 30]])
    True
    >>> behaviour_id([1, 2, 3, 4]) == behaviour_id([4, 3, 2, 1])
    False
    """
    states, values = read_scores(scores)
    places = read_offsets(offsets)
    return _compute_id(rank_table(states, values, places, exact), states, places, situations)


def behave_alike(
    a: Scores,
    b: Scores,
    offsets: Sequence[Offset] = VON_NEUMANN,
    *,
    exact: bool = False,
    situations: int = MAX_SITUATIONS,
) -> bool:
    """Whether two matrices make the same automaton, as far as `behaviour_id` can tell.

    Matrices that rank all neighbourhoods alike are found at once, even where `behaviour_id` refuses.
    """
    places = read_offsets(offsets)
    (states, values), (other_states, other_values) = read_scores(a), read_scores(b)
    if states != other_states:
        return False
    table = rank_table(states, values, places, exact)
    other = rank_table(states, other_values, places, exact)
    if np.array_equal(table, other):
        return True
    return _compute_id(table, states, places, situations) == _compute_id(other, states, places, situations)


@dataclass(frozen=True, eq=False)
class BehaviourGrid:
    """The behaviours of a plane of score matrices."""

    numbers: NDArray[np.int32]
    """One per matrix, a row per y and a column per x, counted from 0 in reading order of first appearance."""
    ids: tuple[str, ...]
    """The `behaviour_id` of every number."""
    x: NDArray[np.float64]
    """The score that each column writes for "x"."""
    y: NDArray[np.float64]
    """The score that each row writes for "y"."""

    def map(self) -> TileMap:
        """The plane as a map with a tile per behaviour, to be drawn and saved like any other."""
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
    """The behaviours of the matrices of two states that four scores make with "x" and "y" written in.

    `x` and `y` are the first and last value, both included, and `steps` the number of values each way (or
    across and down), at even distances; the larger end first turns an axis round. The default sheet misses
    little: adding and scaling bring every matrix with scores[0, 0] < scores[1, 1] to 0 and 1 there, and
    swapping the states those with >.

    >>> behaviour_grid(x=(-1, 1), y=(-1, 1), steps=3).numbers
    array([[0, 1, 2],
           [3, 4, 5],
           [6, 6, 7]], dtype=int32)
    """
    places = read_offsets(offsets)
    codes = 2 ** (len(places) + 1)
    columns, rows = (steps, steps) if isinstance(steps, int) else steps
    if min(columns, rows) < 1 or columns * rows * codes > MAX_GRID_RANKS:
        text = f"1 or more each way and, with {len(places)} offsets, at most {MAX_GRID_RANKS // codes:,} in all"
        raise InvalidRecipe(text, at="steps", got=steps)
    sheet: list[Score] = np.array(scores, dtype=np.object_).ravel().tolist()
    if len(sheet) != 4 or sheet.count("x") != 1 or sheet.count("y") != 1:
        raise InvalidRecipe('four entries, one of them "x" and one "y"', at="scores", got=scores)
    across, down = exact_linspace(x, columns), exact_linspace(y, rows)
    fixed = [Fraction(0) if entry in ("x", "y") else read_score(entry) for entry in sheet]
    values = to_array([*across, *down, *fixed], len(places), exact)

    tables: dict[bytes, int] = {}  # equal ones behave alike, and are quickly found
    ranking: list[int] = []
    for block in np.array_split(np.arange(rows * columns), -(-rows * columns * codes // block_size("behaviour"))):
        matrices = np.tile(values[-4:], (block.size, 1))
        matrices[:, sheet.index("x")] = values[block % columns]
        matrices[:, sheet.index("y")] = values[columns + block // columns]
        stack = rank_rows(sum_scores(matrices.reshape(-1, 2, 2), len(places)))
        ranking += [tables.setdefault(table.tobytes(), len(tables)) for table in stack]

    each = 2 ** _compute_weights(2, places).shape[1]
    if each <= situations and each * len(tables) > MAX_GRID_SITUATIONS:
        raise TooLarge(
            f"{len(tables):,} rank tables with {each:,} situations each, at most {MAX_GRID_SITUATIONS:,} in all "
            "are enumerated; take fewer steps, or situations=0 to decide by pairs",
            at="steps",
        )
    names = [_compute_id(np.frombuffer(table, dtype=np.int64), 2, places, situations) for table in tables]
    found = {name: number for number, name in enumerate(dict.fromkeys(names))}
    behaviours = np.array([found[name] for name in names], dtype=np.int32)[ranking].reshape(rows, columns)
    return BehaviourGrid(behaviours, tuple(found), np.array(across, np.float64), np.array(down, np.float64))


@lru_cache(maxsize=64)
def _compute_weights(states: int, offsets: tuple[Offset, ...]) -> Integers:
    """What the state of each cell of a situation counts in the code around each contender.

    A row per contender, the cell itself and then its neighbours (a second listing wins nothing), and a column
    per cell; the contenders are the first cells.
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
    """The weighted sums of all ways to give some cells states, the last cell's varying fastest."""
    codes = np.zeros(1, dtype=np.int64)
    for weight in weights:
        codes = (codes[:, None] + weight * np.arange(states)).ravel()
    return codes


def _compute_id(ranks: Integers, states: int, offsets: tuple[Offset, ...], situations: int) -> str:
    """The id of the behaviour that a rank table makes, by the first method that is small enough."""
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
    """The state that every situation leads to, in blocks."""
    contenders, cells = weights.shape
    own = np.repeat(np.arange(states), ranks.size // states)
    # One number per claim: the higher rank wins, then the earlier contender, and its state is the last digit.
    claims = [(ranks * contenders + contenders - 1 - number) * states + own for number in range(contenders)]
    outer = max(0, cells - int(math.log(block_size("behaviour"), states)))
    within = [_list_codes(states, row[outer:]) for row in weights]
    for bases in zip(*(_list_codes(states, row[:outer]) for row in weights), strict=True):
        best = claims[0][bases[0] + within[0]]
        for claim, base, codes in zip(claims[1:], bases[1:], within[1:], strict=True):
            np.maximum(best, claim[base + codes], out=best)
        yield best % states


def _iter_contests(ranks: Integers, states: int, weights: Integers) -> Iterator[Integers]:
    """Who beats whom where the neighbourhoods of two contenders meet and their centres differ, in blocks.

    For each filling of the cells they have in common: how many of the later contender's neighbourhoods fail
    against each of the earlier's, and how many of the earlier's fail against each of the later's. Whoever
    beats more beats the same ones and others, so these counts settle every contest without listing all pairs.
    """
    meetings = [(pair, _find_common_cells(weights, pair)) for pair in combinations(range(len(weights)), 2)]
    met = sum(
        states ** int(cells)
        for pair, common in meetings
        for cells in np.count_nonzero((weights[list(pair)] > 0) | common, axis=1)
    )
    if met > MAX_MEETINGS:
        raise TooLarge(
            f"{states} states under these offsets make {states}^{weights.shape[1]} situations and {met:,} "
            f"meetings, at most {MAX_MEETINGS:,} meetings can be decided; take fewer states or offsets",
            at="scores",
        )
    identity = np.eye(weights.shape[1], dtype=np.int64)
    for pair, common in meetings:
        earlier, later = (_list_codes(states, identity[contender, common]) for contender in pair)
        differ = np.flatnonzero(earlier != later)
        shared = [_list_codes(states, weights[contender, common])[differ, None] for contender in pair]
        alone = [_list_codes(states, row[(row > 0) & ~common]) for row in weights[list(pair)]]
        height = max(1, block_size("behaviour") // max(codes.size for codes in alone))
        for start in range(0, differ.size, height):
            first, second = (
                ranks[base[start : start + height] + codes] for base, codes in zip(shared, alone, strict=True)
            )
            yield np.hstack([_count_below(second, first + 1), _count_below(first, second)])


def _find_common_cells(weights: Integers, pair: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells that both contenders' neighbourhoods hold, and the contenders."""
    common: NDArray[np.bool_] = np.all(weights[list(pair)] > 0, axis=0)
    common[list(pair)] = True
    return common


def _count_below(values: Integers, limits: Integers) -> Integers:
    """For every limit, how many values of the same row are smaller."""
    rows = np.arange(len(values))[:, None]
    lift = rows * (max(values.max(), limits.max()) + 1)  # keeps the rows apart in one sorted list
    found = np.searchsorted(np.sort(values + lift, axis=1).ravel(), (limits + lift).ravel())
    counts: Integers = found.reshape(limits.shape) - rows * values.shape[1]
    return counts
