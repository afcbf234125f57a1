"""Map under construction: cells within a margin that rules do not count, and the numbers of tiles still available."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...core.site import Site, block_size
from ...kernels.rules import OUTSIDE, fill, place_wanted, simulate
from .language import MAX_NAMES
from .program import Draw, Program

Area: TypeAlias = NDArray[np.int64]
"""Rectangle as x, y, width, height."""
Areas: TypeAlias = NDArray[np.int64]
"""Rectangles as (area, 4) that do not overlap."""
EMPTY_MASK: NDArray[np.uint8] = np.zeros((1, 1), dtype=np.uint8)
"""Placeholder for an array of the map's size in which nothing is set."""
UNLIMITED: NDArray[np.int64] = np.full(MAX_NAMES, -1, dtype=np.int64)


class Board:
    """Cells as label numbers, and the operations that change them.

    `maxima` holds the maximum number of each label, -1 for no limit; it is empty if no label has a limit.
    """

    def __init__(
        self, site: Site, rng: Rng, *, initial: int, maxima: NDArray[np.int64], margin: NDArray[np.int64]
    ) -> None:
        self.site = site
        self.rng = rng
        (rows, columns), (down, across) = site.shape, margin.tolist()
        self.corner = margin
        self._inner = slice(down, down + rows), slice(across, across + columns)
        self.padded: NDArray[np.uint8] = np.empty((rows + 2 * down, columns + 2 * across), dtype=np.uint8)
        """Map within its margin, starting at `corner` (row, column)."""
        self.cells: NDArray[np.uint8] = self.padded[self._inner]
        """Current map as (row, column)."""
        self.padded.fill(OUTSIDE)
        self.cells.fill(initial)
        self._new: NDArray[np.uint8] | None = None
        self.limited = bool(maxima.size)
        self._remaining: NDArray[np.int64] = maxima.copy() if self.limited else UNLIMITED
        self._wanted: NDArray[np.uint8] = np.zeros(self.padded.shape, dtype=np.uint8) if self.limited else EMPTY_MASK
        self.locked: NDArray[np.bool_] | None = None
        """Mask of locked cells; None if there are none."""
        if site.has_locks:
            self.locked = site.locked
            site.apply_locks(self.cells)
            if self.limited:
                self._remaining = np.where(maxima < 0, maxima, np.maximum(0, maxima - site.locked_counts()))

    def fill(self, area: Area, key: int, draw: Draw) -> None:
        """Draw the tiles of a room. Tiles with a maximum and locked cells are set by `place_limited`."""
        fill(self.padded, self._wanted, self.corner, area, key, draw.tiles, draw.limits, self._remaining)

    def place_limited(self) -> None:
        """Place wanted tiles with a maximum at cells in random order, and restore locked cells."""
        if self.limited:
            if self.locked is not None:
                self._wanted[self._inner][self.locked] = 0
            place_wanted(self.padded, self._wanted, self._remaining, self.rng.state)
        if self.locked is not None:
            self.site.apply_locks(self.cells)

    def simulate(self, areas: Areas, program: Program) -> Iterator[float]:
        """Apply a layer's rules once to all cells simultaneously; yield the fraction done between blocks."""
        if self._new is None:
            self._new = np.empty_like(self.padded)
        np.copyto(self._new, self.padded)
        key = self.rng.bits() if program.is_random else 0
        for part, first, end, done in self._split_areas(areas, program.effort):
            if done:
                yield done
            old, new, wanted, left = self.padded, self._new, self._wanted, self._remaining
            simulate(old, new, wanted, self.corner, part, first, end, key, *program.tables, left)
        self.padded, self._new = self._new, self.padded
        self.cells = self.padded[self._inner]
        self.place_limited()

    def _split_areas(self, areas: Areas, effort: int) -> Iterable[tuple[Areas, int, int, float]]:
        """Return areas with the first and last row of each block of work, and the fraction done before it."""
        height, width = self.site.shape
        rows = max(1, block_size("rules", 1 << 24) // (width * effort))
        if height <= rows:  # All areas together are no larger than the map.
            return [(areas, 0, height, 0.0)]
        return (
            (areas[number : number + 1], first, first + rows, (number + first / high) / len(areas))
            for number, high in enumerate(areas[:, 3].tolist())
            for first in range(0, high, rows)
        )
