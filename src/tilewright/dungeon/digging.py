"""Grids for digging techniques: which cells may be dug, where digging starts, and how separate floors are joined.

Locked walls are never dug, and locked floors must be reached. A path may lead through the border to a locked floor in
the border or behind it; the other cells of the border are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import find_blocking_cells, neighbor_offsets
from ..core.errors import GaveUp
from ..core.site import Frame, Site, Steps
from ..kernels.bridges import join_regions
from ..kernels.drunkard import BLOCKED, FLOOR, ROCK
from ..kernels.flood import label_regions

Cells = NDArray[np.uint8]
UNLOCKED = 255
"""Value of cells without a lock, beside the site's labels."""


class DiggableGrid:
    """Cells of a map within a margin of one blocked cell: FLOOR, ROCK that may be dug, or BLOCKED.

    All rock can be reached from the middle or from a locked floor, so that any fraction of it can be dug. If locked
    walls leave nothing to dig, there is no floor.
    """

    def __init__(self, site: Site, border: int, *, open_labels: Sequence[int] = (0,), start_open: bool = True) -> None:
        """Mark locked cells with `open_labels` as floor, and other locked cells as walls.

        With `start_open`, the middle is floor.
        """
        height, width = site.shape
        self._site = site
        self._open_labels = open_labels
        self.top, self.left = (min(border, (side - 1) // 2) for side in (height, width))
        """Width of the border; less if the map is too small, so that at least one cell is inside the border."""
        self.height, self.width = height - 2 * self.top, width - 2 * self.left
        """Size of the area within the border."""
        self.cells: Cells = np.full((height + 2, width + 2), BLOCKED, dtype=np.uint8)
        self.map: Cells = self.cells[1:-1, 1:-1]
        self.map[self.top : self.top + self.height, self.left : self.left + self.width] = ROCK
        self.middle = (height // 2, width // 2)
        """Start of digging: the cell nearest to the center of the map that may be floor."""
        if site.has_locks:
            self._apply_locks()
        if start_open and self.map[self.middle] == ROCK:
            self.map[self.middle] = FLOOR
        self.capacity = self.cells.size - int(np.count_nonzero(self.cells == BLOCKED))
        """Number of cells that may be floor."""

    def _apply_locks(self) -> None:
        """Mark floors and blocked cells from the locks, and keep only rock that can be reached."""
        site, offsets = self._site, neighbor_offsets(2, 4)
        labels: Cells = site.apply_locks(np.full(site.shape, UNLOCKED, dtype=np.uint8))
        floors = np.isin(labels, self._open_labels)
        self.walkable = floors | (labels == UNLOCKED)
        """Mask of the cells that no lock closes."""
        floor_regions = label_regions(floors, offsets)
        walkable_regions = label_regions(self.walkable, offsets)
        occupied = np.unique(walkable_regions.cells[floors])
        if len(occupied) > 1:
            region_labels = np.maximum(floor_regions.cells, 0).astype(np.int32)
            blocking = find_blocking_cells(region_labels, self.walkable, offsets)
            raise GaveUp("locked walls separate locked floors", cells=blocking, remove=["locks"])
        open_ = (self.map == ROCK) & (labels == UNLOCKED)
        if len(occupied):
            open_ &= walkable_regions.cells == occupied[0]
        elif open_.any():  # Use the region with the most rock; on ties, the first.
            open_ &= walkable_regions.cells == np.argmax(np.bincount(walkable_regions.cells[open_]))
        self.map[...] = BLOCKED
        self.map[floors] = FLOOR
        diggable = open_ | floors
        if diggable.any():
            self.middle = self._find_nearest(diggable)
            # The border may separate some rock from the start. Only rock that can be reached is counted.
            reached = label_regions(diggable, offsets)
            starts = np.unique(np.append(reached.cells[floors], reached.cells[self.middle]))
            self.map[open_ & np.isin(reached.cells, starts)] = ROCK

    def _find_nearest(self, mask: NDArray[np.bool_]) -> tuple[int, int]:
        """Return the cell of a mask nearest to the center; on ties, the first."""
        rows, columns = np.nonzero(mask)
        nearest = int(np.argmin((rows - self.middle[0]) ** 2 + (columns - self.middle[1]) ** 2))
        return int(rows[nearest]), int(columns[nearest])

    def flat_index(self, row: int, column: int) -> int:
        """Return the index of a map cell in the flattened `cells`."""
        return (row + 1) * int(self.cells.shape[1]) + column + 1

    def find_floors(self) -> NDArray[np.int64]:
        """Return the flat indices of all floors."""
        return np.flatnonzero(self.cells.reshape(-1) == FLOOR)

    def count_target(self, coverage: float) -> int:
        """Return the number of floors for a coverage: at least one, if any cell may be floor."""
        return min(self.capacity, max(1, ceil(coverage * self.capacity)))

    def snapshot(self) -> Cells:
        """Return the map in the labels floor and wall."""
        cells: Cells = (self.map != FLOOR).view(np.uint8)
        return cells

    def finish(self, **numbers: float) -> Steps:
        """Join floors that locks have separated, and return the map with its coverage and the given numbers."""
        for _ in self.join():
            yield Frame(self.snapshot, "join", 1.0)
        coverage = len(self.find_floors()) / max(1, self.capacity)
        return self._site.map(self.snapshot(), numbers={"coverage": coverage, **numbers})

    def join(self) -> Iterator[float]:
        """Dig the shortest paths between floors that locks have separated; yield the fraction done."""
        if self._site.has_locks:
            floors = self.map == FLOOR
            yield from join_regions(floors, self.walkable, neighbor_offsets(2, 4))
            self.map[floors] = FLOOR
