"""Fixes for unconnected regions of a map: tunnels between them, or deletion of all but the largest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import find_blocking_cells
from ...core.caching import cached_by_size
from ...core.errors import GaveUp
from ...core.site import block_size
from ...kernels.bridges import Waves, build_labeled_map
from ...kernels.connectivity import dig_tunnels, find_parts
from ...kernels.flood import BLOCKED, NUMBERING, add_opposites, label_regions
from ...kernels.types import Int64_1D
from .board import EMPTY_MASK, Area, Areas, Board
from .language import ConnectivityFix, Offsets

make_symmetric = cached_by_size(add_opposites)
"""Return a neighborhood for connectivity: symmetric and without the cell itself."""
UNIT_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
MAX_FLOOD_STEPS = 1 << 29
"""Maximum number of steps to check whether a rectangle is connected: about a second."""


def describe_defect(offsets: Offsets, sizes: list[tuple[int, int]] | None) -> str:
    """Describe why a neighborhood cannot join cells, or cannot reach all cells of rectangles of the sizes (width,
    height).
    """
    if not any(map(any, offsets)):
        return "joins no two cells"
    for width, height in sizes or ():
        if not is_connected(offsets, width, height):
            area = f"an area of {width}x{height}"
            return f"cannot connect every cell to every other in {area}; use plus or all"
    return ""


@cached_by_size
def is_connected(offsets: Offsets, width: int, height: int) -> bool:
    """Return whether every cell of a rectangle can be reached from every other without leaving it."""
    steps = make_symmetric(offsets)
    if set(UNIT_STEPS) <= {tuple(step) for step in steps.tolist()}:
        return True
    # If a smaller rectangle is connected, the complete one is too: shifted by one cell, it overlaps itself. In a narrow
    # rectangle, the path between adjacent cells can be long.
    reach = int(np.abs(steps).max())
    for longer, wider in ((1, 1), (reach, 1), (1, reach)):
        shape = min(height, 4 * reach * longer), min(width, 4 * reach * wider)
        if shape[0] * shape[1] * len(steps) > MAX_FLOOD_STEPS:
            break
        if label_regions(np.ones(shape, dtype=np.bool_), steps).count == 1:
            return True
    return False


class Adjacency:
    """Neighborhood for connectivity in areas of one width."""

    def __init__(self, offsets: Offsets, width: int) -> None:
        steps = make_symmetric(offsets)
        self.reach: Int64_1D = np.abs(steps).max(axis=0)
        self._down, across = (int(part) for part in self.reach)
        self._columns = width + 2 * across
        self.shifts: Int64_1D = steps @ np.array([self._columns, 1], dtype=np.int64)
        self.straight = {tuple(step) for step in steps.tolist()} >= set(UNIT_STEPS)
        """Whether a tunnel with a single corner is connected."""

    @staticmethod
    @cached_by_size
    def of(offsets: Offsets, width: int) -> Adjacency:
        """Return a cached instance."""
        return Adjacency(offsets, width)

    def size(self, height: int) -> int:
        """Return the number of cells of an area of this height, with a margin as wide as the offsets."""
        return (height + 2 * self._down) * self._columns


class Fixer:
    """Fixer of unconnected regions, which records the rooms that its tunnels join."""

    def __init__(self, board: Board, rooms: Areas, *, initial: int, dig: int) -> None:
        self.board = board
        self.rooms = rooms
        self.initial = initial
        self.dig = dig
        self._links: dict[tuple[int, int], Offsets] = {}
        self._locked = board.locked.view(np.uint8) if board.locked is not None else EMPTY_MASK

    def repair(
        self, area: Area, fix: ConnectivityFix, offsets: Offsets, *, record_links: bool = False
    ) -> Iterator[float]:
        """Connect or delete the unconnected regions of an area; yield the fraction done between blocks."""
        if fix.kind == "none":
            return
        x, y, width, height = area.tolist()
        adjacency = Adjacency.of(offsets, width)
        size = adjacency.size(height)
        labels, distance = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        queue, numbering = np.empty(size, dtype=np.int32), np.zeros(1, dtype=NUMBERING)
        board, corner, delete = self.board.padded, self.board.corner, fix.kind == "delete"
        while find_parts(
            board,
            self._locked,
            corner,
            area,
            self.initial,
            delete,
            adjacency.reach,
            adjacency.shifts,
            labels,
            distance,
            queue,
            numbering,
            max(1, block_size("tunnels", 1 << 22) // len(adjacency.shifts)),
        ):
            yield float(numbering["scanned"][0]) / size
        count = int(numbering["count"][0])
        if count < 2:
            return
        ends = dig_tunnels(
            board,
            corner,
            area,
            self.initial,
            self.dig,
            adjacency.reach,
            adjacency.shifts,
            adjacency.straight,
            fix.thickness,
            self._find_widening_limits(area, adjacency) if fix.thickness > 1 else area,
            labels,
            distance,
            numbering,
            self.board.rng.bits(),
        )
        if len(ends) < count - 1:
            self._give_up(area, fix, offsets)
        if record_links:
            rows, columns = np.divmod(ends, width + 2 * adjacency.reach[1])
            self._record_links(rows + (y - adjacency.reach[0]), columns + (x - adjacency.reach[1]), offsets)

    def _find_widening_limits(self, area: Area, adjacency: Adjacency) -> NDArray[np.int64]:
        """Return the left, top, right and bottom limit for widening tunnels, which excludes the edge of the map."""
        x, y, width, height = area.tolist()
        rows, columns = self.board.site.shape
        left, top, right, lower = max(0, 1 - x), max(0, 1 - y), min(width, columns - 1 - x), min(height, rows - 1 - y)
        down, across = adjacency.reach.tolist()
        return np.array([left + across, top + down, right + across, lower + down], dtype=np.int64)

    def _give_up(self, area: Area, fix: ConnectivityFix, offsets: Offsets) -> NoReturn:
        """Raise GaveUp with the locked cells that separate two regions, or with those that the fix cannot join."""
        x, y, width, height = area.tolist()
        window = slice(y, y + height), slice(x, x + width)
        dug = self.board.cells[window] != self.initial
        assert self.board.locked is not None
        locked = self.board.locked[window]
        steps = make_symmetric(offsets)
        regions = np.maximum(label_regions(dug, steps).cells, 0)
        blocking, reason = find_blocking_cells(regions, dug | ~locked, steps), "locked cells separate regions"
        if not blocking:
            blocking = np.argwhere(locked & dug).tolist()
            reason = f"locked cells are in regions that no path by {fix.neighbourhood!r} can join"
        raise GaveUp(reason, cells=[(row + y, column + x) for row, column in blocking])

    def _record_links(self, rows: NDArray[np.int64], columns: NDArray[np.int64], offsets: Offsets) -> None:
        """Record the rooms at both ends of tunnels. An end outside all rooms counts for the nearest room by walking
        distance.
        """
        room_of = np.zeros(self.board.cells.shape, dtype=np.int32)
        for number, (x, y, width, height) in enumerate(self.rooms.tolist(), 1):
            room_of[y : y + height, x : x + width] = number
        found = room_of[rows, columns]
        if not found.all():
            dug = self.board.cells != self.initial
            near = build_labeled_map(np.where(dug, room_of, 0).astype(np.int32), dug, make_symmetric(offsets))
            for _ in Waves(near).spread():
                pass
            found = np.maximum(near.cells[rows, columns], 0)
        for one, other in (found - 1).tolist():
            if 0 <= one != other >= 0:
                self._links[min(one, other), max(one, other)] = offsets

    def list_links(self) -> list[tuple[int, int]]:
        """Return the pairs of rooms that tunnels joined and that are still connected, sorted."""
        found = []
        for offsets in dict.fromkeys(self._links.values()):
            parts = label_regions(self.board.cells != self.initial, make_symmetric(offsets)).cells
            in_room = [set(np.unique(parts[y : y + h, x : x + w]).tolist()) for x, y, w, h in self.rooms.tolist()]
            for (one, other), by in self._links.items():
                if by == offsets and (in_room[one] & in_room[other]) - {BLOCKED}:
                    found.append((one, other))
        return sorted(found)
