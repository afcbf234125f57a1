"""Choosing maps: the best, each once, or one side of a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..core.deprecation import renamed_names
from ..core.errors import InvalidRecipe, UnknownName
from ..core.params import check_integer
from .rows import as_digests, as_numbers

if TYPE_CHECKING:
    from .reader import Corpus

DEFAULT_SHARES = {"train": 0.8, "test": 0.2}
DIGITS = 13
"""Of a digest's, by which a map goes to one side: 52 bits, which a float holds exactly."""
POOL_DIVISOR, MIN_POOL_PER_MAP, MAX_POOL = 10, 3, 50_000
"""Maps that are to differ are chosen among the best tenth, but at least so many for each, and at most so many."""


# -- the best ---------------------------------------------------------------------------------------------------


def find_best(corpus: Corpus, by: str, count: int, *, largest: bool = True, diverse: Sequence[str] = ()) -> list[int]:
    """The maps with the most of a measure, or the least, the best first; equal maps count once.

    With `diverse`, the maps are far apart in these measures: of the best tenth, the best one, then again and again the
    one that is farthest from all that were taken. Each measure is scaled by its spread. Ties go to the better map,
    then to the lower number.
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
        sound = np.isfinite(found).all(axis=1)
        total += int(sound.sum())
        ids = np.concatenate([ids, table["id"].to_numpy()[sound]])
        digests = np.concatenate([digests, as_digests(table["digest"])[sound]])
        values = np.concatenate([values, found[sound]])
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
    """The best first, equal maps once, no more than so many."""
    order = np.lexsort((ids, -values[:, 0] if largest else values[:, 0]))
    _, first = np.unique(digests[order], return_index=True)
    order = order[np.sort(first)][:limit]
    return ids[order], digests[order], values[order]


def _choose_diverse(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places of rows that are far apart: the first one, then always the one farthest from all before.

    Source: Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985.
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    spread = values.std(axis=0)
    points = values / np.where(spread > 0, spread, 1.0)
    taken = [0]
    nearest = np.full(len(points), np.inf)
    while len(taken) < min(count, len(points)):
        nearest = np.minimum(nearest, ((points - points[taken[-1]]) ** 2).sum(axis=1))
        nearest[taken] = -1.0
        taken.append(int(nearest.argmax()))
    return np.array(taken, dtype=np.int64)


# -- each once --------------------------------------------------------------------------------------------------


def find_unique(corpus: Corpus) -> list[int]:
    """The maps that were made, each once: of equal ones the first."""
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
    """Sides and their shares. A map's side follows from its digest alone.

    So equal maps are on one side, and a corpus that grows, or another one, never moves a map to the other.
    """

    names: tuple[str, ...]
    bounds: tuple[float, ...]
    """Where each side ends, from 0 to 1; the last takes the rest."""

    @classmethod
    def of(cls, shares: Mapping[str, float] | None = None) -> Split:
        """A split by shares that add up to 1."""
        given = DEFAULT_SHARES if shares is None else shares
        if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) and name for name in given):
            raise InvalidRecipe("must be names with shares, such as train: 0.8", at="shares", got=given, rule="type")
        for name, share in given.items():
            number = not isinstance(share, bool) and isinstance(share, int | float) and isfinite(share)
            if not number or not 0 < share <= 1:
                raise InvalidRecipe(
                    "must be above 0 and at most 1", at=("shares", name), got=share, place=f"shares: {name}"
                )
        total = sum(given.values())
        if abs(total - 1) > 1e-9:
            raise InvalidRecipe(f"must add up to 1, got {total:.6g}", at="shares")
        return cls(tuple(given), tuple(accumulate(given.values())))

    def side_index(self, name: str) -> int:
        """The number of a side."""
        if name not in self.names:
            raise UnknownName("side of the split", name, self.names)
        return self.names.index(name)

    def assign_sides(self, digests: pa.ChunkedArray) -> NDArray[np.int64]:
        """For each map the number of its side."""
        places = [int(digest[:DIGITS], 16) / 16**DIGITS for digest in digests.to_pylist()]
        return np.searchsorted(self.bounds[:-1], places, side="right")


def split(corpus: Corpus, shares: Mapping[str, float] | None = None) -> dict[str, list[int]]:
    """The maps that were made, parted by their content; about so many on each side (0.8 train and 0.2 test)."""
    made = Split.of(shares)
    found: dict[str, list[int]] = {name: [] for name in made.names}
    for table in corpus.tables(["id", "digest", "reason"], made=True):
        ids, sides = table["id"].to_numpy(), made.assign_sides(table["digest"])
        for number, name in enumerate(made.names):
            found[name] += ids[sides == number].tolist()
    return found


__getattr__ = renamed_names(__name__, best="find_best", unique="find_unique")
