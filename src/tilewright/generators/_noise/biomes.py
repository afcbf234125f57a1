"""What heights become: land that sinks towards the edges of a world, and tiles by height and moisture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lattice import Numbers, Window

LIFT = 0.4
"""How far an island's middle is raised: what its coast loses comes back there."""
FAR = 1 << 41
"""Cells from the origin, further than any world reaches: beyond, all sea is the same."""


class Island:
    """A world whose land sinks into the sea towards its edges, whatever window of it is looked at."""

    def __init__(self, share: float, world: tuple[int, int], window: Window) -> None:
        self._share = share
        sides = zip(reversed(world), window.origin, window.shape, strict=True)
        self._down, self._across = (_compute_hump(side, start, count) for side, start, count in sides)

    def sink(self, heights: Numbers, block: slice) -> Numbers:
        """Some rows of the window with their land sunk."""
        hump = self._down[block, None] * self._across[None, :]  # 0 on the edges and beyond, 1 in the middle
        shore = np.minimum(hump, self._share) / self._share
        shore = shore * shore * (3.0 - 2.0 * shore)
        return (heights + (1.0 - heights) * (LIFT * self._share) * hump) * shore


def _compute_hump(side: int, start: int, count: int) -> Numbers:
    """1 - t^2, where t goes from -1 in the first cell of the world to 1 in its last; 0 outside."""
    first = max(-FAR, min(start, FAR))
    t = (2.0 * (np.arange(count, dtype=np.int64) + first).astype(np.float64) + (1.0 - side)) / float(max(1, side - 1))
    return np.maximum(1.0 - t * t, 0.0)


class BiomeTable:
    """Tiles by height and moisture."""

    def __init__(self, thresholds: Sequence[float], table: Sequence[Sequence[str]]) -> None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(chain(*table)))}
        self._thresholds = tuple(thresholds)
        self.tile_numbers: NDArray[np.integer[Any]] = np.array(
            [numbers[name] for row in table for name in row], dtype=np.uint8 if len(numbers) <= 256 else np.uint16
        )
        """All rows one after the other, as positions among the names."""
        self._lengths = np.array([len(row) for row in table], dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._driest: NDArray[np.integer[Any]] = self.tile_numbers[self._starts]

    def find_tiles(self, heights: Numbers, moisture: Numbers | None) -> NDArray[np.integer[Any]]:
        """The position among the names of every cell's tile; a threshold belongs to the band above it."""
        band = np.zeros(heights.shape, dtype=np.uint8)
        for threshold in self._thresholds:
            band += heights >= threshold
        if moisture is None:
            driest: NDArray[np.integer[Any]] = self._driest.take(band)
            return driest
        lengths = self._lengths[band]
        places = np.minimum((moisture * lengths).astype(np.int64), lengths - 1)
        return self.tile_numbers.take(self._starts[band] + places)
