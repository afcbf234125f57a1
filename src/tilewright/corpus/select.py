"""Selection of maps: the best maps, maps without duplicates, and the sets of a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, UnknownName
from ..core.params import check_integer
from .rows import as_digests, as_numbers

if TYPE_CHECKING:
    from .reader import Corpus

DEFAULT_SHARES = {"train": 0.8, "test": 0.2}
DIGITS = 13
"""Number of hexadecimal digits of the digest that determine the set of a map: 52 bits, which a float represents
exactly."""
POOL_DIVISOR, MIN_POOL_PER_MAP, MAX_POOL = 10, 3, 50_000
"""Size of the pool from which diverse maps are chosen: the best tenth, with a minimum per requested map and a
maximum."""


# -- the best ---------------------------------------------------------------------------------------------------


def find_best(corpus: Corpus, by: str, count: int, *, largest: bool = True, diverse: Sequence[str] = ()) -> list[int]:
    """Return the ids of the maps with the highest (or lowest) values of a measure, the best first.

    Of several equal maps, only the first is returned. With `diverse`, the maps differ in these measures: the best map
    is chosen first, then repeatedly the map of the best tenth that is farthest from all chosen maps. Each measure is
    scaled by its standard deviation. Ties are resolved in favor of the better map, then of the lower id.

    Parameters
    ----------
    corpus : Corpus
        The corpus to search.
    by : str
        Measure or numeric swept parameter.
    count : int
        Maximum number of maps.
    largest : bool
        Whether to prefer high values.
    diverse : sequence of str
        Measures in which the maps should differ.

    Returns
    -------
    list of int

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> len(find_best(corpus, "regions", 3))
    3
    """
    check_integer("count", count)
    diverse = [diverse] if isinstance(diverse, str) else list(diverse)
    numbers = corpus.numeric_columns([by, *diverse])
    pool_size = max(MIN_POOL_PER_MAP * count, MAX_POOL) if diverse else count
    ids = np.empty(0, dtype=np.int64)
    digests = np.empty(0, dtype="S32")
    values = np.empty((0, len(numbers)))
    total = 0
    for table in corpus.tables(["id", "digest", "reason", *numbers], made=True):
        found = np.stack([as_numbers(table[name]) for name in numbers], axis=1)
        finite = np.isfinite(found).all(axis=1)
        total += int(finite.sum())
        ids = np.concatenate([ids, table["id"].to_numpy()[finite]])
        digests = np.concatenate([digests, as_digests(table["digest"])[finite]])
        values = np.concatenate([values, found[finite]])
        if len(ids) > 2 * pool_size:
            ids, digests, values = _rank(ids, digests, values, largest, pool_size)
    ids, digests, values = _rank(ids, digests, values, largest, pool_size)
    if diverse:
        pool = max(-(-total // POOL_DIVISOR), MIN_POOL_PER_MAP * count)
        ids = ids[:pool][_choose_diverse(values[:pool, 1:], count)]
    chosen: list[int] = ids[:count].tolist()
    return chosen


def _rank(
    ids: NDArray[np.int64], digests: NDArray[Any], values: NDArray[np.float64], largest: bool, limit: int
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64]]:
    """Sort maps by value, remove duplicates and cut to the limit."""
    order = np.lexsort((ids, -values[:, 0] if largest else values[:, 0]))
    _, first = np.unique(digests[order], return_index=True)
    order = order[np.sort(first)][:limit]
    return ids[order], digests[order], values[order]


def _choose_diverse(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the indices of rows that are far apart: the first row, then repeatedly the row farthest from all chosen
    rows.

    Source: Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985.
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    deviation = values.std(axis=0)
    points = values / np.where(deviation > 0, deviation, 1.0)
    chosen = [0]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        nearest[chosen] = -1.0
        chosen.append(int(nearest.argmax()))
    return np.array(chosen, dtype=np.int64)


# -- duplicates -------------------------------------------------------------------------------------------------


def find_unique(corpus: Corpus) -> list[int]:
    """Return the ids of the generated maps without duplicates. Of several equal maps, the first is kept."""
    ids, digests = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype="S32")]
    for table in corpus.tables(["id", "digest", "reason"], made=True):
        ids.append(table["id"].to_numpy())
        digests.append(as_digests(table["digest"]))
    _, first = np.unique(np.concatenate(digests), return_index=True)
    found: list[int] = np.concatenate(ids)[np.sort(first)].tolist()
    return found


# -- splits -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """Sets of a split and their fractions. The set of a map depends only on its digest.

    Equal maps are in the same set, and adding maps to a corpus never moves a map to another set.
    """

    names: tuple[str, ...]
    bounds: tuple[float, ...]
    """Cumulative fractions: the upper limit of each set, from 0 to 1."""

    @classmethod
    def of(cls, shares: Mapping[str, float] | None = None) -> Split:
        """Return a split with fractions that add up to 1."""
        given = DEFAULT_SHARES if shares is None else shares
        if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) and name for name in given):
            raise InvalidRecipe("must be names with fractions, such as train: 0.8", at="shares", got=given, rule="type")
        for name, fraction in given.items():
            number = not isinstance(fraction, bool) and isinstance(fraction, int | float) and isfinite(fraction)
            if not number or not 0 < fraction <= 1:
                raise InvalidRecipe(
                    "must be above 0 and at most 1", at=("shares", name), got=fraction, place=f"shares: {name}"
                )
        total = sum(given.values())
        if abs(total - 1) > 1e-9:
            raise InvalidRecipe(f"must add up to 1, got {total:.6g}", at="shares")
        return cls(tuple(given), tuple(accumulate(given.values())))

    def side_index(self, name: str) -> int:
        """Return the index of a set."""
        if name not in self.names:
            raise UnknownName("set of the split", name, self.names)
        return self.names.index(name)

    def assign_sides(self, digests: pa.ChunkedArray) -> NDArray[np.int64]:
        """Return the index of the set of each map."""
        places = [int(digest[:DIGITS], 16) / 16**DIGITS for digest in digests.to_pylist()]
        return np.searchsorted(self.bounds[:-1], places, side="right")


def split(corpus: Corpus, shares: Mapping[str, float] | None = None) -> dict[str, list[int]]:
    """Split the generated maps into sets by their content.

    Parameters
    ----------
    corpus : Corpus
        The corpus to split.
    shares : mapping of str to float, optional
        Approximate fractions of the sets; 0.8 train and 0.2 test by default.

    Returns
    -------
    dict of str to list of int
        Ids of the maps in each set.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> sorted(split(corpus, {"train": 0.7, "validation": 0.1, "test": 0.2}))
    ['test', 'train', 'validation']
    """
    division = Split.of(shares)
    found: dict[str, list[int]] = {name: [] for name in division.names}
    for table in corpus.tables(["id", "digest", "reason"], made=True):
        ids, sides = table["id"].to_numpy(), division.assign_sides(table["digest"])
        for number, name in enumerate(division.names):
            found[name] += ids[sides == number].tolist()
    return found
