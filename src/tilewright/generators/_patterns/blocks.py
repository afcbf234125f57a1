"""Blocks of large maps, which are annealed in parallel without seams.

At every stage of annealing, the map is cut into different blocks. Each block is annealed separately, together with the
patterns across its edges. Strips of frozen cells separate the blocks and are so wide that no pattern overlaps two
blocks. The next stage cuts the map at other positions, so every cell can change at some stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Sides, Tiles, Wrap

STAGES = 48
SHIFTS = (0.0, 0.5, 0.25, 0.75)
"""Offsets of the cuts at successive stages, as fractions of the block size."""


@dataclass(frozen=True, eq=False)
class Block:
    """Block of a map with the frozen cells around it that its patterns overlap."""

    places: tuple[NDArray[np.int64], ...]
    """Map coordinates along every axis."""
    frozen: NDArray[np.bool_]
    """Mask of the cells that do not change."""
    wrap: Wrap
    """For each axis, whether the block wraps around: it spans the complete axis, and the map wraps."""
    sides: Sides
    """For each axis, which of its two edges are edges of the map that are compared with those of the sample."""

    @property
    def cells(self) -> int:
        """Number of cells that can change."""
        return int(np.count_nonzero(~self.frozen))

    def extract(self, tiles: Tiles) -> Tiles:
        """Return a copy of the block's part of a map."""
        return tiles[np.ix_(*self.places)]

    def put(self, tiles: Tiles, new: Tiles) -> None:
        """Write the cells that can change into the map."""
        inner = self.extract(tiles)
        inner[~self.frozen] = new[~self.frozen]
        tiles[np.ix_(*self.places)] = inner


def has_blocks(shape: Sequence[int], block_size: int) -> bool:
    """Return whether a map is large enough to be split into blocks."""
    return prod(shape) >= 4 * block_size ** len(shape) and max(shape) >= 2 * block_size


def split_blocks(
    stage: int, shape: Sequence[int], block_size: int, reach: int, wrap: Wrap, sides: Sides
) -> Iterator[Block]:
    """Yield the blocks of a map at a stage; `reach` is the largest pattern size minus 1."""
    shift = SHIFTS[stage % len(SHIFTS)]
    axes = [
        list(_split_axis(length, block_size, shift, reach, round_, edges))
        for length, round_, edges in zip(shape, wrap, sides, strict=True)
    ]
    for chosen in product(*axes):
        places, frozen, wraps, edges = zip(*chosen, strict=True)
        is_frozen = np.zeros([len(along) for along in places], dtype=np.bool_)
        for axis, along in enumerate(frozen):
            is_frozen |= along.reshape([-1 if other == axis else 1 for other in range(len(shape))])
        yield Block(places, is_frozen, wraps, edges)


def _split_axis(
    length: int, block_size: int, shift: float, reach: int, round_: bool, edges: tuple[bool, bool]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_], bool, tuple[bool, bool]]]:
    """Split one axis into blocks and yield four values for each block.

    The values are the map coordinates of the block along the axis, a mask of the frozen coordinates, whether the block
    wraps around, and which of its two edges are compared with those of the sample.
    """
    count = round(length / block_size)
    if count < 2:
        yield np.arange(length), np.zeros(length, dtype=np.bool_), round_, edges
        return
    first = int(shift * length / count)
    cuts = [first + length * number // count for number in range(count + 1)]
    if not round_:
        cuts = sorted({0, *(cut for cut in cuts if cut < length), length})
    for here, there in pairwise(cuts):
        open_before, open_behind = round_ or here > 0, round_ or there < length
        # The last `reach` cells before the next block are frozen. Patterns of this block overlap `reach` cells on both
        # sides.
        start, stop = here - (reach if open_before else 0), there
        places = np.arange(start, stop)
        frozen = places < here
        frozen |= (places >= there - reach) & open_behind
        yield places % length, frozen, False, (edges[0] and here == 0, edges[1] and there == length)
