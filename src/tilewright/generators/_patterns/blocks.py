"""Large maps in parts: on all processors at once, and without a seam.

At every stage of cooling the map is cut otherwise, and each part is annealed for itself, with the windows across its
edges. Between parts lie strips of cells that stay as they are, so wide that no window sees two; the next stage has its
cuts elsewhere, so that no cell stays behind.
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
"""By how much of a part's side the cuts of one stage after the other lie elsewhere."""


@dataclass(frozen=True, eq=False)
class Block:
    """Places of the map along every axis: those of a part, and beside them as many as its windows see."""

    places: tuple[NDArray[np.int64], ...]
    frozen: NDArray[np.bool_]
    """The cells that stay as they are."""
    wrap: Wrap
    """Where it has the whole of an axis that wraps."""
    sides: Sides
    """What it has of the map's edges that count."""

    @property
    def cells(self) -> int:
        """How many may change."""
        return int(np.count_nonzero(~self.frozen))

    def extract(self, tiles: Tiles) -> Tiles:
        return tiles[np.ix_(*self.places)]

    def put(self, tiles: Tiles, new: Tiles) -> None:
        """Write what may change into the map."""
        inner = self.extract(tiles)
        inner[~self.frozen] = new[~self.frozen]
        tiles[np.ix_(*self.places)] = inner


def has_blocks(shape: Sequence[int], block_size: int) -> bool:
    """Whether a map is so large."""
    return prod(shape) >= 4 * block_size ** len(shape) and max(shape) >= 2 * block_size


def split_blocks(
    stage: int, shape: Sequence[int], block_size: int, reach: int, wrap: Wrap, sides: Sides
) -> Iterator[Block]:
    """The parts of a map at a stage; `reach` is how far a window reaches behind its first cell."""
    shift = SHIFTS[stage % len(SHIFTS)]
    axes = [
        list(_split_axis(length, block_size, shift, reach, round_, edges))
        for length, round_, edges in zip(shape, wrap, sides, strict=True)
    ]
    for chosen in product(*axes):
        places, frozen, wraps, edges = zip(*chosen, strict=True)
        stays = np.zeros([len(along) for along in places], dtype=np.bool_)
        for axis, along in enumerate(frozen):
            stays |= along.reshape([-1 if other == axis else 1 for other in range(len(shape))])
        yield Block(places, stays, wraps, edges)


def _split_axis(
    length: int, block_size: int, shift: float, reach: int, round_: bool, edges: tuple[bool, bool]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_], bool, tuple[bool, bool]]]:
    """The parts of one axis: places, which of them stay as they are, whether it wraps, and which edges count."""
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
        # A strip of `reach` cells before the next part stays, and windows of this one see as far on both sides.
        start, stop = here - (reach if open_before else 0), there
        places = np.arange(start, stop)
        stays = places < here
        stays |= (places >= there - reach) & open_behind
        yield places % length, stays, False, (edges[0] and here == 0, edges[1] and there == length)
