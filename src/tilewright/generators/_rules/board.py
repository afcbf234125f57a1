"""The map in the making: its cells within a margin that no rule counts, and what may still be placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...core.site import Site
from ...kernels.blocks import block_size
from ...kernels.rules import OUTSIDE, fill, place_wanted, simulate
from .language import MAX_NAMES
from .program import Draw, Program

Area: TypeAlias = NDArray[np.int64]
"""x, y, width, height."""
Areas: TypeAlias = NDArray[np.int64]
"""(area, 4), of which none overlap."""
EMPTY_MASK: NDArray[np.uint8] = np.zeros((1, 1), dtype=np.uint8)
"""In place of an array as large as the map of which nothing is set."""
UNLIMITED: NDArray[np.int64] = np.full(MAX_NAMES, -1, dtype=np.int64)


class Board:
    """Cells that hold the numbers of words, and their changes. `maxima` are those of the words, -1 for any
    number; none are given where none has one."""

    def __init__(
        self, site: Site, rng: Rng, *, initial: int, maxima: NDArray[np.int64], margin: NDArray[np.int64]
    ) -> None:
        self.site = site
        self.rng = rng
        (rows, columns), (down, across) = site.shape, margin.tolist()
        self.corner = margin
        self._inner = slice(down, down + rows), slice(across, across + columns)
        self.padded: NDArray[np.uint8] = np.empty((rows + 2 * down, columns + 2 * across), dtype=np.uint8)
        """The map within its margin, from `corner` (row, column) on."""
        self.cells: NDArray[np.uint8] = self.padded[self._inner]
        """(row, column) the map as it is now."""
        self.padded.fill(OUTSIDE)
        self.cells.fill(initial)
        self._new: NDArray[np.uint8] | None = None
        self.limited = bool(maxima.size)
        self._remaining: NDArray[np.int64] = maxima.copy() if self.limited else UNLIMITED
        self._wanted: NDArray[np.uint8] = np.zeros(self.padded.shape, dtype=np.uint8) if self.limited else EMPTY_MASK
        self.locked: NDArray[np.bool_] | None = None
        """The cells that are taken; None when there are none."""
        if site.has_locks:
            self.locked = site.locked
            site.apply_locks(self.cells)
            if self.limited:
                self._remaining = np.where(maxima < 0, maxima, np.maximum(0, maxima - site.locked_counts()))

    def fill(self, area: Area, key: int, draw: Draw) -> None:
        """Draw the tiles of a room; those with a maximum, and locked cells, wait for `settle`."""
        fill(self.padded, self._wanted, self.corner, area, key, draw.tiles, draw.limits, self._remaining)  # type: ignore[arg-type]

    def place_limited(self) -> None:
        """Place what is wanted and has a maximum, cells in random order; put locked cells back."""
        if self.limited:
            if self.locked is not None:
                self._wanted[self._inner][self.locked] = 0
            place_wanted(self.padded, self._wanted, self._remaining, self.rng.state)
        if self.locked is not None:
            self.site.apply_locks(self.cells)

    def simulate(self, areas: Areas, program: Program) -> Iterator[float]:
        """Apply a layer's rules once, everywhere at the same time; between blocks, the share done."""
        if self._new is None:
            self._new = np.empty_like(self.padded)
        np.copyto(self._new, self.padded)
        key, draw = self.rng.bits() if program.is_random else 0, program.draw
        for part, first, end, done in self._split_areas(areas, program.effort):
            if done:
                yield done
            simulate(
                self.padded,
                self._new,
                self._wanted,
                self.corner,
                part,
                first,
                end,
                key,  # type: ignore[arg-type]
                program.offsets,
                program.counters,
                program.conditions,
                program.rules,
                draw.tiles,
                draw.limits,
                self._remaining,
            )
        self.padded, self._new = self._new, self.padded
        self.cells = self.padded[self._inner]
        self.place_limited()

    def _split_areas(self, areas: Areas, effort: int) -> Iterable[tuple[Areas, int, int, float]]:
        """Areas, and their first and last row to be worked on at once, with the share done before."""
        height, width = self.site.shape
        rows = max(1, block_size("rules") // (width * effort))
        if height <= rows:  # all areas together are no larger than the map
            return [(areas, 0, height, 0.0)]
        return (
            (areas[number : number + 1], first, first + rows, (number + first / high) / len(areas))
            for number, high in enumerate(areas[:, 3].tolist())
            for first in range(0, high, rows)
        )
