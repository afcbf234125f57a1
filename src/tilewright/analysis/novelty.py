"""Novelty: the part of a map that is copied from samples with the same tile numbers."""

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
"""Odd multipliers that distinguish the halves of a block and mix their bits."""
HALF = np.uint64(32)
LOOP_COST = 80_000
"""Number of cells compared in the time of one loop iteration."""
TRANSFORM_COST = 500
"""Number of cells compared in the time needed to transform one cell and back."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """All blocks of one size in a map, indexed by their first cells, with a key per block.

    Equal blocks have equal keys. Keys have 64 bits; two different blocks share a key with probability 2^-64.
    """

    keys: Keys
    wrap: Wrap
    tiles: Tiles
    """Tile of each block that consists of one tile, -1 for other blocks."""

    @classmethod
    def from_cells(cls, map: Tiles, wrap: Wrap) -> Blocks:
        """Return the blocks of edge length 1."""
        return cls(map.astype(np.uint64), wrap, map.astype(np.int32))

    @property
    def mixed(self) -> Keys:
        """Keys of the blocks that contain at least two different tiles."""
        return self.keys[self.tiles < 0]

    def grow(self, more: int) -> Blocks:
        """Return the blocks whose edges are longer by `more` cells, at most twice as long.

        Each new block is composed of two overlapping or adjacent blocks along every axis. Along an axis that wraps
        around, the number of blocks does not change.
        """
        keys: Keys = self.keys
        tiles: Tiles = self.tiles
        for axis, wraps in enumerate(self.wrap):
            first, second = _shift_pairs(keys, axis, more, wraps)
            keys = np.asarray(first * FIRST + second * SECOND, dtype=np.uint64)
            keys ^= keys >> HALF
            keys *= SPREAD
            first_tiles, second_tiles = _shift_pairs(tiles, axis, more, wraps)
            tiles = np.where(first_tiles == second_tiles, first_tiles, -1)
        return Blocks(keys, self.wrap, tiles)


def _shift_pairs(values: NDArray[Any], axis: int, more: int, wraps: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the values along an axis, and for each of them the value `more` places after it."""
    if wraps:
        return values, np.roll(values, -more, axis)
    before, length = (slice(None),) * axis, values.shape[axis]
    rest = max(0, length - more)
    return values[(*before, slice(0, rest))], values[(*before, slice(length - rest, length))]


def find_copied_side(map: Tiles, wrap: Wrap, samples: Sequence[tuple[Tiles, Wrap]]) -> int:
    """Return the edge length of the largest square or cube of a map that occurs unchanged in a sample.

    A block in which all tiles are equal, such as empty sky, counts as a block of one cell. A sample that wraps around
    repeats without end. The search doubles the edge length while a common block exists, then bisects.

    Parameters
    ----------
    map : ndarray of int
        Tiles of the map.
    wrap : sequence of bool
        Whether each axis of the map wraps around.
    samples : sequence of (ndarray of int, sequence of bool)
        Tiles of the samples, and whether each axis wraps around.

    Returns
    -------
    int
        Edge length in cells; 0 if no tile of the map occurs in a sample.
    """
    longest = min(map.shape)
    blocks, sample_blocks, side = Blocks.from_cells(map, wrap), [Blocks.from_cells(*sample) for sample in samples], 1
    if not np.isin(map, np.concatenate([sample.reshape(-1) for sample, _ in samples])).any():
        return 0
    while 2 * side <= longest:
        longer_blocks, longer_samples = blocks.grow(side), [one.grow(side) for one in sample_blocks]
        if not _has_common_block(longer_blocks, longer_samples):
            break
        blocks, sample_blocks, side = longer_blocks, longer_samples, 2 * side
    low, high = side, min(longest, 2 * side - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if _has_common_block(blocks.grow(middle - side), [one.grow(middle - side) for one in sample_blocks]):
            low = middle
        else:
            high = middle - 1
    return low


def find_copied(map: Tiles, wrap: Wrap, samples: Sequence[tuple[Tiles, Wrap]], side: int) -> NDArray[np.bool_]:
    """Return a mask of the first cells of all copied blocks of an edge length with at least two different tiles."""
    every = [Blocks.from_cells(map, wrap), *(Blocks.from_cells(*sample) for sample in samples)]
    reached = 1
    while reached < side:
        more = min(reached, side - reached)
        every, reached = [one.grow(more) for one in every], reached + more
    own, *others = every
    copied: NDArray[np.bool_] = np.isin(own.keys, np.concatenate([other.mixed for other in others]))
    return copied & (own.tiles < 0)


def _has_common_block(one: Blocks, others: Sequence[Blocks]) -> bool:
    """Return whether a block with at least two different tiles occurs both in `one` and in any of `others`."""
    mine = np.sort(one.mixed)
    theirs = np.sort(np.concatenate([other.mixed for other in others]))
    if not mine.size or not theirs.size:
        return False
    smaller, larger = (mine, theirs) if mine.size < theirs.size else (theirs, mine)
    places = np.minimum(np.searchsorted(larger, smaller), larger.size - 1)
    return bool((larger[places] == smaller).any())


def min_difference(map: Tiles, sample: Tiles, wrap: Wrap) -> float:
    """Return the smallest fraction of cells in which a map and a sample differ, over all relative positions.

    Along each axis, the shorter of map and sample is placed completely on the longer. A sample that wraps around is
    repeated over the map and shifted by each of its own cells. Only overlapping cells count.
    """
    kind = np.min_scalar_type(max(int(map.max()), int(sample.max())))  # small integers are compared faster
    map, sample = map.astype(kind), sample.astype(kind)
    overlaps = [AxisOverlap(*axis) for axis in zip(map.shape, sample.shape, wrap, strict=True)]
    tiles = np.intersect1d(map, sample)
    direct_cost = prod(axis.position_count for axis in overlaps) * (prod(axis.shared for axis in overlaps) + LOOP_COST)
    transform_cost = prod(max(axis.map, axis.sample) for axis in overlaps) * len(tiles) * TRANSFORM_COST
    matches = (
        max(_count_matches(map, sample, overlaps))
        if direct_cost <= transform_cost
        else _max_matches(map, sample, overlaps, tiles)
    )
    cells: int = prod(axis.shared for axis in overlaps)
    return (cells - matches) / cells


@dataclass(frozen=True)
class AxisOverlap:
    """Overlap of a map and a sample along one axis, by their lengths."""

    map: int
    sample: int
    wraps: bool

    @property
    def shared(self) -> int:
        """Number of overlapping cells."""
        return self.map if self.wraps else min(self.map, self.sample)

    @property
    def position_count(self) -> int:
        """Number of relative positions."""
        return self.sample if self.wraps else abs(self.map - self.sample) + 1

    def slices_at(self, position: int) -> tuple[slice, slice]:
        """Return the slices of the map and of the repeated sample that overlap at a position."""
        map_start, sample_start = (position, 0) if not self.wraps and self.map > self.sample else (0, position)
        return slice(map_start, map_start + self.shared), slice(sample_start, sample_start + self.shared)


def _count_matches(map: Tiles, sample: Tiles, overlaps: Sequence[AxisOverlap]) -> Iterator[int]:
    """Yield the number of equal cells at each position, compared cell by cell."""
    wide = sample
    for number, axis in enumerate(overlaps):
        if axis.wraps:
            wide = np.take(wide, np.arange(axis.sample + axis.map - 1) % axis.sample, number)
    for positions in product(*(range(axis.position_count) for axis in overlaps)):
        here, there = zip(
            *(axis.slices_at(position) for axis, position in zip(overlaps, positions, strict=True)), strict=True
        )
        yield int(np.count_nonzero(map[here] == wide[there]))


def _max_matches(map: Tiles, sample: Tiles, overlaps: Sequence[AxisOverlap], tiles: Tiles) -> int:
    """Return the maximum number of equal cells over all positions: the maximum of a sum of correlations, one per tile.

    Computed by fast Fourier transforms, whose error is far below the 0.5 that rounding removes. The transforms are
    cyclic: along an axis that wraps around they have the length of the sample, and the map is folded onto it.
    """
    from scipy import fft

    lengths = [
        axis.sample if axis.wraps else fft.next_fast_len(max(axis.map, axis.sample), real=True) for axis in overlaps
    ]
    total = np.zeros((*lengths[:-1], lengths[-1] // 2 + 1), dtype=np.complex128)
    for tile in tiles:
        here, there = (map == tile).astype(np.float64), (sample == tile).astype(np.float64)
        for number, axis in enumerate(overlaps):
            here = _fold(here, axis.sample, number) if axis.wraps else here
        total += fft.rfftn(here, lengths) * fft.rfftn(there, lengths).conj()
    counts = np.rint(fft.irfftn(total, lengths)).astype(np.int64)
    # A transform counts positions of the map. If the sample is the longer one, they are negative.
    moves = [
        np.arange(axis.position_count)
        if axis.wraps or axis.map > axis.sample
        else -np.arange(axis.position_count) % length
        for axis, length in zip(overlaps, lengths, strict=True)
    ]
    return int(counts[np.ix_(*moves)].max())


def _fold(values: NDArray[np.float64], length: int, axis: int) -> NDArray[np.float64]:
    """Return the sums of the values whose positions are equal modulo a length."""
    margin = [(0, 0)] * values.ndim
    margin[axis] = (0, -values.shape[axis] % length)
    padded = np.pad(values, margin)
    folded: NDArray[np.float64] = padded.reshape(*padded.shape[:axis], -1, length, *padded.shape[axis + 1 :]).sum(axis)
    return folded
