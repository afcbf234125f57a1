"""Passages between rooms around locked cells: groups of connected open cells outside rooms.

Locked floors are the first passages. To add no link to the graph, a passage must touch no more than two rooms, and only
linked ones. Locked floors that no room and no corridor has reached are joined to the nearest one as dead ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import neighbor_offsets
from ...dungeon.digging import DiggableGrid
from ...dungeon.dungeon import Dungeon
from ...kernels.bridges import Waves, build_labeled_map
from ...kernels.corridors import CORRIDOR, DOOR, EDGE
from ...kernels.drunkard import FLOOR as DUG
from ...kernels.drunkard import ROCK
from ...kernels.flood import label_regions

Box = tuple[int, int, int, int]
"""x, y, width and height."""
Mask = NDArray[np.bool_]
OFFSETS = neighbor_offsets(2, 4)
STEPS = (
    (np.s_[1:, :], np.s_[:-1, :]),
    (np.s_[:-1, :], np.s_[1:, :]),
    (np.s_[:, 1:], np.s_[:, :-1]),
    (np.s_[:, :-1], np.s_[:, 1:]),
)
"""Slices of the cells that have a neighbor in each direction, and of these neighbors."""
FAR = 1 << 30
"""Number larger than those of all rooms and passages."""


class Passages:
    """Passages of a dungeon with locked cells."""

    def __init__(self, dungeon: Dungeon, ground: DiggableGrid, links: Iterable[tuple[int, int]]) -> None:
        self._dungeon, self._ground = dungeon, ground
        self._links = {frozenset((one + 1, other + 1)) for one, other in links}
        found = label_regions(ground.map == DUG, OFFSETS)
        self._groups = np.maximum(found.cells, 0)
        """Number of the passage of each cell, from 1, or 0."""
        self._touched: list[frozenset[int]] = [frozenset()] * (found.count + 1)
        """Rooms that each passage touches, counted from 1 as in `owners`, by the number of the passage."""

    def allows_room(self, room: int, box: Box) -> bool:
        """Return whether a room can be in a box: without locked walls, and without a link that is not in the graph."""
        if (_select(self._dungeon.kinds, box) == EDGE).any():
            return False
        touched = [self._touched[group] | {room + 1} for group in _find_around(self._groups, box)]
        return all(len(rooms) == 1 or rooms in self._links for rooms in touched)

    def add_room(self, box: Box) -> None:
        """Record a room of the dungeon, which may split passages."""
        groups = _find_around(self._groups, box)
        _select(self._groups, box)[...] = 0
        for group in groups:
            pieces = label_regions(self._groups == group, OFFSETS)
            self._touched[group] = frozenset()
            for piece in range(1, pieces.count + 1):
                cells = pieces.cells == piece
                self._groups[cells] = len(self._touched)
                self._touched.append(frozenset(np.unique(self._dungeon.owners[_dilate(cells)]).tolist()) - {0})

    def find_joined(self) -> set[tuple[int, int]]:
        """Return the pairs of rooms that passages join, the smaller number first."""
        return {(min(rooms) - 1, max(rooms) - 1) for rooms in self._touched if len(rooms) == 2}

    def allows_corridor(self, one: int, other: int, boxes: Sequence[Box]) -> bool:
        """Return whether a corridor between two rooms meets no locked wall, no other room and no other passage."""
        ends = {one + 1, other + 1}
        return all(
            not (_select(self._dungeon.kinds, box) == EDGE).any()
            and ends.issuperset(_find_around(self._dungeon.owners, box))
            and all(ends >= self._touched[group] for group in _find_around(self._groups, box))
            for box in boxes
        )

    def add(self, boxes: Sequence[Box]) -> None:
        """Record a corridor, and the passages that it touches as parts of it."""
        number, touched = len(self._touched), frozenset[int]()
        for box in boxes:
            touched |= {*_find_around(self._dungeon.owners, box)}
            for group in _find_around(self._groups, box):
                if group != number:
                    touched |= self._touched[group]
                    self._groups[self._groups == group] = number
            _select(self._groups, box)[...] = number
        self._touched.append(touched)

    def dig_corridor(self, one: int, other: int) -> bool:
        """Dig the shortest path between two rooms that adds no other link; return whether there is one."""
        owners, ends = self._dungeon.owners, {one + 1, other + 1}
        rooms = np.select([owners == one + 1, owners == other + 1], [1, 2], 0).astype(np.int32)
        is_usable = np.array([number > 0 and touched <= ends for number, touched in enumerate(self._touched)])
        passages = is_usable[self._groups]
        obstacles = ((owners > 0) & (rooms == 0)) | ((self._groups > 0) & ~passages)
        return self._dig_path(rooms, ~_dilate(obstacles), passages)

    def join_rest(self) -> Iterator[bool]:
        """Join each locked floor that touches no room and no corridor; yield whether it could be joined."""
        owners = self._dungeon.owners
        for number in itertools.count(1):  # Joining two locked floors adds a passage.
            if number == len(self._touched):
                return
            own = self._groups == number
            if self._touched[number] or not own.any():
                continue
            ids = np.where(own, 0, np.where(owners > 0, owners, -self._groups))
            low, high = _find_extremes(ids)
            ends = np.where(own, 1, np.where(ids != 0, 2, 0)).astype(np.int32)
            yield self._dig_path(ends, low >= high, np.zeros_like(own))

    def _dig_path(self, ends: NDArray[np.int32], allowed: Mask, passages: Mask) -> bool:
        """Dig the shortest path from the cells with 1 to those with 2; return whether there is one.

        A path leads through the border of the map only if no other one exists.
        """
        for diggable in (self._ground.map == ROCK, self._ground.walkable):
            waves = Waves(build_labeled_map(ends, (diggable & allowed) | passages, OFFSETS))
            for _ in waves.spread():
                pass
            bridges = waves.find_bridges()
            if len(bridges):
                waves.dig(bridges)
                path = waves.marked.astype(np.bool_)
                self._open(path & (self._groups == 0))
                self.add([(x, y, 1, 1) for y, x in np.argwhere(path).tolist()])
                return True
        return False

    def _open(self, cells: Mask) -> None:
        """Open cells: doors in the walls of rooms, corridors elsewhere."""
        is_wall = _dilate(self._dungeon.owners > 0)
        is_wall[[0, -1]] = is_wall[:, [0, -1]] = False
        self._dungeon.kinds[cells] = CORRIDOR
        self._dungeon.kinds[cells & is_wall] = DOOR


def _select(cells: NDArray[Any], box: Box) -> NDArray[Any]:
    """Return the cells in a box."""
    x, y, width, height = box
    return cells[y : y + height, x : x + width]


def _find_around(cells: NDArray[Any], box: Box) -> list[int]:
    """Return the distinct values other than 0 of the cells in a box and beside it."""
    x, y, width, height = box
    wide = cells[y : y + height, max(0, x - 1) : x + width + 1]
    high = cells[max(0, y - 1) : y + height + 1, x : x + width]
    return [value for value in np.unique(np.concatenate((wide.ravel(), high.ravel()))).tolist() if value]


def _dilate(mask: Mask) -> Mask:
    """Return the cells of a mask and those beside them."""
    wide = mask.copy()
    for here, there in STEPS:
        wide[here] |= mask[there]
    return wide


def _find_extremes(numbers: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the smallest and largest number other than 0 beside each cell; FAR and -FAR where there is none."""
    low, high = np.full_like(numbers, FAR), np.full_like(numbers, -FAR)
    for here, there in STEPS:
        near = numbers[there]
        low[here] = np.minimum(low[here], np.where(near == 0, FAR, near))
        high[here] = np.maximum(high[here], np.where(near == 0, -FAR, near))
    return low, high
