"""What is done about parts of a map that do not hang together: tunnels between them, or the largest alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import gcd
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import in_the_way
from ...core.errors import GaveUp
from ...kernels.bridges import Waves, numbered
from ...kernels.flood import BLOCKED, COUNT, SCANNED, Places, parts_of, symmetric
from ...kernels.mending import STATES, dig_tunnels, find_parts
from .board import NOTHING, Area, Areas, Board
from .language import Fix, Offsets

UNIT_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
CELLS_PER_BLOCK = 1 << 20
"""Cells looked at between two yields: a few hundredths of a second."""


@lru_cache(maxsize=256)
def joints(offsets: Offsets) -> Places:
    """The neighbourhood as it counts for hanging together: both ways, and never a cell with itself."""
    return symmetric(offsets)


def lacks(offsets: Offsets, sizes: list[tuple[int, int]] | None) -> str:
    """What a neighbourhood lacks to join cells, or to lead everywhere in places of these sizes (width, height)."""
    if not any(map(any, offsets)):
        return "joins no two cells"
    if sizes is not None:
        if not reaches_everything(offsets):
            return "does not lead from every cell to every other, so it cannot connect them"
        for width, height in sizes:
            if not holds_together(offsets, width, height):
                return f"does not lead from every cell to every other in a place of {width}x{height}"
    return ""


@lru_cache(maxsize=256)
def reaches_everything(offsets: Offsets) -> bool:
    """Whether every cell of an endless plane can be reached from every other.

    The offsets span a lattice; it is the whole plane when the areas between all pairs of them have no common divisor.
    """
    spans = [a[0] * b[1] - a[1] * b[0] for at, a in enumerate(offsets) for b in offsets[:at]]
    return gcd(*spans) == 1


@lru_cache(maxsize=1024)
def holds_together(offsets: Offsets, width: int, height: int) -> bool:
    """Whether every cell of a rectangle can be reached from every other without leaving it."""
    if set(UNIT_STEPS[:2]) <= {tuple(offset) for offset in joints(offsets).tolist()}:
        return True
    # Where a part of it holds together, so does the whole: shifted by a cell, it overlaps itself. In a narrow place it
    # can take a long way to get from a cell to the one beside it.
    reach = max(1, *(abs(part) for offset in offsets for part in offset))
    sizes = [
        (min(height, 4 * reach * longer), min(width, 4 * reach * wider))
        for longer, wider in ((1, 1), (reach, 1), (1, reach))
    ]
    return any(parts_of(np.ones(size, dtype=np.bool_), joints(offsets)).count == 1 for size in dict.fromkeys(sizes))


class Joints:
    """A neighbourhood as it counts for hanging together, for areas of one width."""

    def __init__(self, offsets: Offsets, width: int) -> None:
        both = joints(offsets)
        self.reach: Places = np.abs(both).max(axis=0)
        self._down, across = (int(part) for part in self.reach)
        self._columns = width + 2 * across
        strides = np.array([self._columns, 1], dtype=np.int64)
        self.shifts: Places = both @ strides
        self.straight = {tuple(offset) for offset in both.tolist()} >= set(UNIT_STEPS)
        """Whether a tunnel with a single corner hangs together."""
        self.steps: Places = np.array(offsets) @ strides
        """Along which other tunnels are widened."""

    def size(self, height: int) -> int:
        """Cells of an area so high, within a margin as wide as the offsets reach."""
        return (height + 2 * self._down) * self._columns


class Fixer:
    """Fixes areas of a board, and remembers which rooms its tunnels join."""

    def __init__(self, board: Board, rooms: Areas, *, initial: int, dig: int) -> None:
        self.board = board
        self.rooms = rooms
        self.initial = initial
        self.dig = dig
        self._links: dict[tuple[int, int], Offsets] = {}
        self._taken = board.locked.view(np.uint8) if board.locked is not None else NOTHING

    def mend(self, area: Area, fix: Fix, offsets: Offsets, *, links: bool = False) -> Iterator[float]:
        """Connect or delete the unconnected parts of an area; between blocks, the share done."""
        if fix.kind == "none":
            return
        x, y, width, height = area.tolist()
        near = _near(offsets, width)
        size = near.size(height)
        field, distance = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        queue, state = np.empty(size, dtype=np.int64), np.zeros(STATES, dtype=np.int64)
        board, corner, delete = self.board.whole, self.board.corner, fix.kind == "delete"
        while find_parts(
            board,
            self._taken,
            corner,
            area,
            self.initial,
            delete,
            near.reach,
            near.shifts,
            field,
            distance,
            queue,
            state,
            CELLS_PER_BLOCK,
        ):
            yield float(state[SCANNED]) / size / 2
        count = int(state[COUNT])
        if count < 2:
            return
        ends = dig_tunnels(
            board,
            corner,
            area,
            self.initial,
            self.dig,
            near.reach,
            near.shifts,
            near.steps,
            near.straight,
            fix.thickness,
            self._rim(area, near) if fix.thickness > 1 else area,
            field,
            distance,
            state,
            self.board.rng.state,
        )
        if len(ends) < count - 1:
            self._give_up(area, offsets)
        if links:
            rows, columns = np.divmod(ends, width + 2 * near.reach[1])
            self._link(rows + (y - near.reach[0]), columns + (x - near.reach[1]), offsets)

    def _rim(self, area: Area, near: Joints) -> NDArray[np.int64]:
        """The left, top, right and lower end in the field of where tunnels may be widened: not at the map's rim."""
        x, y, width, height = area.tolist()
        rows, columns = self.board.site.shape
        left, top, right, lower = max(0, 1 - x), max(0, 1 - y), min(width, columns - 1 - x), min(height, rows - 1 - y)
        down, across = near.reach.tolist()
        return np.array([left + across, top + down, right + across, lower + down])

    def _give_up(self, area: Area, offsets: Offsets) -> NoReturn:
        """Name the locked cells between two parts that only they keep asunder."""
        x, y, width, height = area.tolist()
        place = slice(y, y + height), slice(x, x + width)
        dug = self.board.cells[place] != self.initial
        assert self.board.locked is not None
        walkable = dug | ~self.board.locked[place]
        blamed = in_the_way(np.maximum(parts_of(dug, joints(offsets)).cells, 0), walkable, joints(offsets))
        raise GaveUp("locked cells keep parts asunder", cells=[(row + y, column + x) for row, column in blamed])

    def _link(self, rows: NDArray[np.int64], columns: NDArray[np.int64], offsets: Offsets) -> None:
        """Note the rooms at both ends of tunnels; an end outside all rooms belongs to the room nearest on foot."""
        room_of = np.zeros(self.board.cells.shape, dtype=np.int32)
        for number, (x, y, width, height) in enumerate(self.rooms.tolist(), 1):
            room_of[y : y + height, x : x + width] = number
        found = room_of[rows, columns]
        if not found.all():
            dug = self.board.cells != self.initial
            near = numbered(np.where(dug, room_of, 0).astype(np.int32), dug, joints(offsets))
            for _ in Waves(near).spread():
                pass
            found = np.maximum(near.cells[rows, columns], 0)
        for one, other in (found - 1).tolist():
            if 0 <= one != other >= 0:
                self._links[min(one, other), max(one, other)] = offsets

    def links(self) -> list[tuple[int, int]]:
        """The rooms between which was dug and that still hang together, in order."""
        found = []
        for offsets in dict.fromkeys(self._links.values()):
            parts = parts_of(self.board.cells != self.initial, joints(offsets)).cells
            in_room = [set(parts[y : y + h, x : x + w].flat) - {BLOCKED} for x, y, w, h in self.rooms.tolist()]
            found += [link for link, by in self._links.items() if by == offsets and in_room[link[0]] & in_room[link[1]]]
        return sorted(found)


@lru_cache(maxsize=1024)
def _near(offsets: Offsets, width: int) -> Joints:
    return Joints(offsets, width)
