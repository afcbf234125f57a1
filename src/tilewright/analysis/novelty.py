"""Novelty: the part of a map that is copied from samples with the same tile numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..kernels.copies import add_blocks, has_block
from ..kernels.patterns import EMPTY
from .patterns import Keys, Tiles, Wrap, pad_map

FIRST_SIDE = 6
"""Edge length of the blocks that the first search for copies starts with."""
LOOP_COST = 80_000
"""Number of cells compared in the time of one loop iteration."""
TRANSFORM_COST = 500
"""Number of cells compared in the time needed to transform one cell and back."""


class SampleBlocks:
    """The blocks of samples by edge length, to find blocks that maps have in common with them.

    Blocks are indexed when a map is first compared by blocks of that size; further maps are compared quickly.
    """

    def __init__(self, samples: Sequence[tuple[Tiles, Wrap]]) -> None:
        """Take the tiles of the samples, and whether each axis wraps around."""
        self._samples = samples
        self._tables: dict[int, Keys] = {}
        self._last = FIRST_SIDE
        """Result of the last search. The next one starts there; the result does not depend on it."""

    def find_copied_side(self, map: Tiles, wrap: Wrap) -> int:
        """Return the edge length of the largest square or cube of a map that occurs unchanged in a sample.

        A block in which all tiles are equal, such as empty sky, counts as a block of one cell. A sample that wraps
        around repeats without end. The search starts at the result of the previous search, doubles the step until it
        finds the bounds, then bisects.

        Parameters
        ----------
        map : ndarray of int
            Tiles of the map.
        wrap : sequence of bool
            Whether each axis of the map wraps around.

        Returns
        -------
        int
            Edge length in cells; 0 if no tile of the map occurs in a sample.
        """
        longest = min(map.shape)
        low, high = 0, longest + 1  # blocks of `low` are copied, blocks of `high` are not
        side, step = min(self._last, longest), 1
        while high - low > 1:
            if self._has_copy(map, wrap, side):
                low, side = side, min(high - 1, side + step)
            else:
                high, side = side, max(low + 1, side - step)
            step *= 2
            if low > 0 and high <= longest:
                side = (low + high) // 2
        self._last = max(1, low)
        return low

    def _has_copy(self, map: Tiles, wrap: Wrap, side: int) -> bool:
        """Return whether any block of a map with this edge length occurs in a sample."""
        if side not in self._tables:
            self._tables[side] = self._index(side)
        return has_block(_pad_levels(map, side, wrap), side, _thickness(map, side), self._tables[side])

    def _index(self, side: int) -> Keys:
        """Return a hash table of the keys of the samples' blocks."""
        padded = [_pad_levels(sample, side, wrap) for sample, wrap in self._samples]
        table = np.full(1 << (2 * sum(cells.size for cells in padded)).bit_length(), EMPTY, dtype=np.uint64)
        for (sample, _), cells in zip(self._samples, padded, strict=True):
            add_blocks(cells, side, _thickness(sample, side), table)
        return table


def _pad_levels(map: Tiles, side: int, wrap: Wrap) -> NDArray[np.int32]:
    """Return (level, row, column) the tiles of a map, extended along axes that wrap around."""
    padded = pad_map(map, side, wrap) if any(wrap) else map
    return np.ascontiguousarray(padded.reshape((-1, *padded.shape[-2:])), dtype=np.int32)


def _thickness(map: Tiles, side: int) -> int:
    """Return the number of levels of a block."""
    return 1 if map.ndim == 2 else side


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
    if direct_cost <= transform_cost:
        matches = max(_count_matches(map, sample, overlaps))
    else:
        matches = _max_matches(map, sample, overlaps, tiles)
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

    Computed by fast Fourier transforms. A count is at most 2^28, the number of cells of the largest map, and the error
    is at most this times 2^-53 times a small multiple of the 28 levels of the transform: less than 2^-15, far below the
    0.5 that rounding removes. The transforms are cyclic: along an axis that wraps around they have the length of the
    sample, and the map is folded onto it.
    """
    from numpy.fft import irfftn, rfftn

    axes = range(map.ndim)
    lengths = [axis.sample if axis.wraps else _round_up_length(max(axis.map, axis.sample)) for axis in overlaps]
    total = np.zeros((*lengths[:-1], lengths[-1] // 2 + 1), dtype=np.complex128)
    for tile in tiles:
        here, there = (map == tile).astype(np.float64), (sample == tile).astype(np.float64)
        for number, axis in enumerate(overlaps):
            here = _fold(here, axis.sample, number) if axis.wraps else here
        total += rfftn(here, lengths, axes) * rfftn(there, lengths, axes).conj()
    counts = np.rint(irfftn(total, lengths, axes)).astype(np.int64)
    # A transform counts positions of the map. If the sample is the longer one, they are negative.
    moves = [
        np.arange(axis.position_count)
        if axis.wraps or axis.map > axis.sample
        else -np.arange(axis.position_count) % length
        for axis, length in zip(overlaps, lengths, strict=True)
    ]
    return int(counts[np.ix_(*moves)].max())


def _round_up_length(length: int) -> int:
    """Return the next length whose prime factors are 2, 3 and 5, for which transforms are fast."""
    while True:
        rest = length
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return length
        length += 1


def _fold(values: NDArray[np.float64], length: int, axis: int) -> NDArray[np.float64]:
    """Return the sums of the values whose positions are equal modulo a length."""
    margin = [(0, 0)] * values.ndim
    margin[axis] = (0, -values.shape[axis] % length)
    padded = np.pad(values, margin)
    folded: NDArray[np.float64] = padded.reshape(*padded.shape[:axis], -1, length, *padded.shape[axis + 1 :]).sum(axis)
    return folded
