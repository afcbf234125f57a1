"""Novelty: how much of a map is copied, from samples whose tiles bear the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import CELL_GAMMA, ROW_SALT
from .patterns import Keys, Tiles, Wrap

FIRST, SECOND, SPREAD = np.uint64(CELL_GAMMA), np.uint64(ROW_SALT), np.uint64(0xBF58476D1CE4E5B9)
"""Odd numbers that keep the halves of a block apart, and spread their bits."""
HALF = np.uint64(32)
LOOP_COST = 80_000
"""Cells that are compared in the time that a loop takes to go round."""
TRANSFORM_COST = 500
"""Cells that are compared in the time in which one cell is transformed, there and back."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of one side in a map, by their first cells: a key each, the same for the same tiles.

    Keys are 64 bits of any kind; two different blocks share one with a chance of one in 2^64.
    """

    keys: Keys
    wrap: Wrap
    tiles: Tiles
    """(first cell) the tile of a block that is made of it alone, -1 for any other block."""

    @classmethod
    def from_cells(cls, map: Tiles, wrap: Wrap) -> Blocks:
        """Of side 1."""
        return cls(map.astype(np.uint64), wrap, map.astype(np.int32))

    @property
    def mixed(self) -> Keys:
        """The keys of blocks that hold several tiles."""
        return self.keys[self.tiles < 0]

    def grow(self, more: int) -> Blocks:
        """Blocks whose side is longer by as many cells, at most twice as long: they are made of two along every axis.

        Along an axis that wraps there are as many of any side.
        """
        keys: Keys = self.keys
        tiles: Tiles = self.tiles
        for axis, round_ in enumerate(self.wrap):
            first, second = _shift_pairs(keys, axis, more, round_)
            keys = np.asarray(first * FIRST + second * SECOND, dtype=np.uint64)
            keys ^= keys >> HALF
            keys *= SPREAD
            here, there = _shift_pairs(tiles, axis, more, round_)
            tiles = np.where(here == there, here, -1)
        return Blocks(keys, self.wrap, tiles)


def _shift_pairs(values: NDArray[Any], axis: int, more: int, round_: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The values along an axis, and those so many places behind them."""
    if round_:
        return values, np.roll(values, -more, axis)
    before, length = (slice(None),) * axis, values.shape[axis]
    rest = max(0, length - more)
    return values[(*before, slice(0, rest))], values[(*before, slice(length - rest, length))]


def find_copied_side(map: Tiles, wrap: Wrap, samples: Sequence[tuple[Tiles, Wrap]]) -> int:
    """The side of the largest square or cube of a map that stands in one of some samples as it is.

    Blocks of one tile alone do not count, but for single cells: an empty sky is nobody's invention. What wraps has
    blocks across its edges too; a sample that wraps goes on for ever. A block is made of smaller ones, so sides are
    doubled while some block is still known, and what lies between is halved.
    """
    most = min(map.shape)
    own, others, side = Blocks.from_cells(map, wrap), [Blocks.from_cells(*sample) for sample in samples], 1
    if not np.isin(map, np.concatenate([sample.reshape(-1) for sample, _ in samples])).any():
        return 0
    while 2 * side <= most:
        longer, known = own.grow(side), [one.grow(side) for one in others]
        if not _has_common_block(longer, known):
            break
        own, others, side = longer, known, 2 * side
    low, high = side, min(most, 2 * side - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if _has_common_block(own.grow(middle - side), [one.grow(middle - side) for one in others]):
            low = middle
        else:
            high = middle - 1
    return low


def find_copied(map: Tiles, wrap: Wrap, samples: Sequence[tuple[Tiles, Wrap]], side: int) -> NDArray[np.bool_]:
    """The first cells of all blocks of a side that stand in one of some samples, but for those of one tile alone."""
    every = [Blocks.from_cells(map, wrap), *(Blocks.from_cells(*sample) for sample in samples)]
    reached = 1
    while reached < side:
        more = min(reached, side - reached)
        every, reached = [one.grow(more) for one in every], reached + more
    own, *others = every
    copied: NDArray[np.bool_] = np.isin(own.keys, np.concatenate([other.mixed for other in others]))
    return copied & (own.tiles < 0)


def _has_common_block(one: Blocks, others: Sequence[Blocks]) -> bool:
    """Whether a block of the one, of several tiles, is among those of the others."""
    mine = np.sort(one.mixed)
    theirs = np.sort(np.concatenate([other.mixed for other in others]))
    if not mine.size or not theirs.size:
        return False
    few, many = (mine, theirs) if mine.size < theirs.size else (theirs, mine)
    places = np.minimum(np.searchsorted(many, few), many.size - 1)
    return bool((many[places] == few).any())


def min_difference(map: Tiles, sample: Tiles, wrap: Wrap) -> float:
    """The least share of cells in which a map and a sample differ, one laid on the other in every possible way.

    Along each axis the shorter lies wholly on the longer; a sample that wraps is repeated as far as the map goes, and
    laid on it at every cell of its own. Only cells that lie on each other count.
    """
    kind = np.min_scalar_type(max(int(map.max()), int(sample.max())))  # small numbers are compared many at a time
    map, sample = map.astype(kind), sample.astype(kind)
    lies = [AxisOverlap(*axis) for axis in zip(map.shape, sample.shape, wrap, strict=True)]
    tiles = np.intersect1d(map, sample)
    plain = prod(axis.position_count for axis in lies) * (prod(axis.shared for axis in lies) + LOOP_COST)
    transformed = prod(max(axis.map, axis.sample) for axis in lies) * len(tiles) * TRANSFORM_COST
    alike = max(_count_matches(map, sample, lies)) if plain <= transformed else _max_matches(map, sample, lies, tiles)
    cells: int = prod(axis.shared for axis in lies)
    return (cells - alike) / cells


@dataclass(frozen=True)
class AxisOverlap:
    """How a map and a sample of these lengths lie on each other along an axis."""

    map: int
    sample: int
    wraps: bool

    @property
    def shared(self) -> int:
        """How many cells lie on each other."""
        return self.map if self.wraps else min(self.map, self.sample)

    @property
    def position_count(self) -> int:
        """How many ways there are to lay them."""
        return self.sample if self.wraps else abs(self.map - self.sample) + 1

    def slices_at(self, way: int) -> tuple[slice, slice]:
        """Where in the map, and in a sample that is repeated, what lies on each other begins and ends."""
        here, there = (way, 0) if not self.wraps and self.map > self.sample else (0, way)
        return slice(here, here + self.shared), slice(there, there + self.shared)


def _count_matches(map: Tiles, sample: Tiles, lies: Sequence[AxisOverlap]) -> Iterator[int]:
    """How many cells are alike, for every way of laying one on the other: cell by cell."""
    wide = sample
    for number, axis in enumerate(lies):
        if axis.wraps:
            wide = np.take(wide, np.arange(axis.sample + axis.map - 1) % axis.sample, number)
    for ways in product(*(range(axis.position_count) for axis in lies)):
        here, there = zip(*(axis.slices_at(way) for axis, way in zip(lies, ways, strict=True)), strict=True)
        yield int(np.count_nonzero(map[here] == wide[there]))


def _max_matches(map: Tiles, sample: Tiles, lies: Sequence[AxisOverlap], tiles: Tiles) -> int:
    """The greatest of these numbers: from a sum of correlations, one for each tile.

    By fast Fourier transforms, which are off by far less than the half that rounding forgives. They go round by
    themselves: along an axis that wraps they are as long as the sample, and the map is wound up on it.
    """
    from scipy import fft

    lengths = [axis.sample if axis.wraps else fft.next_fast_len(max(axis.map, axis.sample), real=True) for axis in lies]
    total = np.zeros((*lengths[:-1], lengths[-1] // 2 + 1), dtype=np.complex128)
    for tile in tiles:
        here, there = (map == tile).astype(np.float64), (sample == tile).astype(np.float64)
        for number, axis in enumerate(lies):
            here = _fold(here, axis.sample, number) if axis.wraps else here
        total += fft.rfftn(here, lengths) * fft.rfftn(there, lengths).conj()
    counts = np.rint(fft.irfftn(total, lengths)).astype(np.int64)
    # The transforms count how far the map's cells are moved: where the sample is the longer one, backwards.
    moves = [
        np.arange(axis.position_count)
        if axis.wraps or axis.map > axis.sample
        else -np.arange(axis.position_count) % length
        for axis, length in zip(lies, lengths, strict=True)
    ]
    return int(counts[np.ix_(*moves)].max())


def _fold(values: NDArray[np.float64], length: int, axis: int) -> NDArray[np.float64]:
    """Values that come to lie on each other when an axis is wound up to this length, added."""
    margin = [(0, 0)] * values.ndim
    margin[axis] = (0, -values.shape[axis] % length)
    wide = np.pad(values, margin)
    wound: NDArray[np.float64] = wide.reshape(*wide.shape[:axis], -1, length, *wide.shape[axis + 1 :]).sum(axis)
    return wound
