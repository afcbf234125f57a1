"""Mapping of heights: sinking of land toward the edges of a world, and tiles by height and moisture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.noise import sink_land
from .lattice import Numbers, Window

FAR = 1 << 41
"""Distance from the origin in cells, beyond the edge of any world. Farther cells are all sea."""


class Island:
    """World whose land sinks into the sea toward its edges, for any window of it."""

    def __init__(self, share: float, world: tuple[int, int], window: Window) -> None:
        self._share = share
        sides = zip(reversed(world), window.origin, window.shape, strict=True)
        self.down, self.across = (_compute_hump(side, start, count) for side, start, count in sides)
        """(row,) and (column,) factors of the hump, which is 0 at the edges and beyond, and 1 in the middle."""

    def sink(self, heights: Numbers, block: slice) -> Numbers:
        """Return the heights of some rows of the window with the land sunk."""
        return sink_land(heights, self.down[block, None] * self.across[None, :], self._share)


def _compute_hump(side: int, start: int, count: int) -> Numbers:
    """Return 1 - t^2, where t is -1 in the first cell of the world and 1 in its last; 0 outside."""
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
        """Indices into the tile names, all rows of the table concatenated."""
        self._lengths = np.array([len(row) for row in table], dtype=np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._driest: NDArray[np.integer[Any]] = self.tile_numbers[self._starts]

    def find_tiles(self, heights: Numbers, moisture: Numbers | None) -> NDArray[np.integer[Any]]:
        """Return the tile index of every cell. A threshold belongs to the band above it."""
        band = np.zeros(heights.shape, dtype=np.uint8)
        for threshold in self._thresholds:
            band += heights >= threshold
        if moisture is None:
            driest: NDArray[np.integer[Any]] = self._driest.take(band)
            return driest
        lengths = self._lengths[band]
        places = np.minimum((moisture * lengths).astype(np.int64), lengths - 1)
        return self.tile_numbers.take(self._starts[band] + places)
