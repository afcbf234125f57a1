"""Diggable: what diggers of caves may dig, where they begin, and how the parts that they leave apart are joined.

Locked walls are never dug and locked floors must be reached. A way may lead through the border where a locked floor
lies in it or behind it; the rest of the border stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import find_blocking_cells, neighbor_offsets
from ..core.errors import GaveUp
from ..core.site import Frame, Site, Steps
from ..kernels.bridges import Waves, build_labeled_map
from ..kernels.drunkard import BLOCKED, FLOOR, ROCK
from ..kernels.flood import label_regions

Cells = NDArray[np.uint8]
UNLOCKED = 255
"""What a cell is, among the site's words, that is not locked."""


class DiggableGrid:
    """The cells of a map, within a margin of one blocked cell: FLOOR, ROCK that may be dug, or BLOCKED.

    All rock can be reached from the middle or from a locked floor, so that any share of it can be dug. Where locked
    walls leave nothing to dig, there is no floor.
    """

    def __init__(self, site: Site, border: int, *, open_labels: Sequence[int] = (0,), start_open: bool = True) -> None:
        """Locked cells of the open words are floor, other ones are walls; with `begun` there is floor at the middle."""
        height, width = site.shape
        self._site = site
        self._open_labels = open_labels
        self.top, self.left = (min(border, (side - 1) // 2) for side in (height, width))
        """The border, narrower where the map is too small for it: there is always a cell within."""
        self.height, self.width = height - 2 * self.top, width - 2 * self.left
        """Of what lies within the border."""
        self.cells: Cells = np.full((height + 2, width + 2), BLOCKED, dtype=np.uint8)
        self.map: Cells = self.cells[1:-1, 1:-1]
        self.map[self.top : self.top + self.height, self.left : self.left + self.width] = ROCK
        self.middle = (height // 2, width // 2)
        """Where digging begins: the cell of the map nearest to the centre that may be floor."""
        if site.has_locks:
            self._apply_locks()
        if start_open and self.map[self.middle] == ROCK:
            self.map[self.middle] = FLOOR
        self.capacity = self.cells.size - int(np.count_nonzero(self.cells == BLOCKED))
        """How many cells may be floor."""

    def _apply_locks(self) -> None:
        site, offsets = self._site, neighbor_offsets(2, 4)
        words: Cells = site.apply_locks(np.full(site.shape, UNLOCKED, dtype=np.uint8))
        floors = np.isin(words, self._open_labels)
        self._walkable = floors | (words == UNLOCKED)
        parts = label_regions(floors, offsets)
        places = label_regions(self._walkable, offsets)
        held = np.unique(places.cells[floors])
        if len(held) > 1:
            labels = np.maximum(parts.cells, 0).astype(np.int32)
            cells = find_blocking_cells(labels, self._walkable, offsets)
            raise GaveUp("locked walls keep locked floors asunder", cells=cells, remove=["locks"])
        open_ = (self.map == ROCK) & (words == UNLOCKED)
        if len(held):
            open_ &= places.cells == held[0]
        elif open_.any():  # in the place with the most rock; of equal ones the first
            open_ &= places.cells == np.argmax(np.bincount(places.cells[open_]))
        self.map[...] = BLOCKED
        self.map[floors] = FLOOR
        either = open_ | floors
        if either.any():
            self.middle = self._find_nearest(either)
            # The border, too, can keep rock from all that is dug: only what is reached within it is counted.
            reached = label_regions(either, offsets)
            starts = np.unique(np.append(reached.cells[floors], reached.cells[self.middle]))
            self.map[open_ & np.isin(reached.cells, starts)] = ROCK

    def _find_nearest(self, mask: NDArray[np.bool_]) -> tuple[int, int]:
        """The cell of a mask nearest to the centre; of equally near ones the first."""
        rows, columns = np.nonzero(mask)
        nearest = int(np.argmin((rows - self.middle[0]) ** 2 + (columns - self.middle[1]) ** 2))
        return int(rows[nearest]), int(columns[nearest])

    def flat_index(self, row: int, column: int) -> int:
        """Where a cell of the map lies in the flattened cells."""
        return (row + 1) * int(self.cells.shape[1]) + column + 1

    def find_floors(self) -> NDArray[np.int64]:
        """The floors there are, flat."""
        return np.flatnonzero(self.cells.reshape(-1) == FLOOR)

    def count_target(self, coverage: float) -> int:
        """How many floors such a share is: at least one, where there can be any."""
        return min(self.capacity, max(1, ceil(coverage * self.capacity)))

    def snapshot(self) -> Cells:
        """The map in the words floor, wall."""
        cells: Cells = (self.map != FLOOR).view(np.uint8)
        return cells

    def finish(self, **numbers: float) -> Steps:
        """Join what locks have kept apart, and return the map with its coverage and these numbers."""
        for _ in self.join():
            yield Frame(self.snapshot, "join", 1.0)
        coverage = len(self.find_floors()) / max(1, self.capacity)
        return self._site.map(self.snapshot(), numbers={"coverage": coverage, **numbers})

    def join(self) -> Iterator[float]:
        """Dig the shortest ways between floors that locks have kept apart; gives the share done."""
        if not self._site.has_locks:
            return
        offsets = neighbor_offsets(2, 4)
        parts = label_regions(self.map == FLOOR, offsets)
        if parts.count < 2:
            return
        labels = np.maximum(parts.cells, 0).astype(np.int32)
        waves = Waves(build_labeled_map(labels, self._walkable, offsets))
        yield from waves.spread()
        waves.dig(waves.find_bridges())
        self.map[waves.marked.astype(np.bool_)] = FLOOR
