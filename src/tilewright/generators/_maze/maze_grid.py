"""The grid of a maze: where its places are on the map, and which of them can be linked around locked cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import regions_of
from ...core.errors import GaveUp
from ...core.site import Site
from ...kernels.maze import FLOOR, WALL, Bytes, MazeLayout, Places, build_forest, carve

FREE = 2
"""What a cell is that is not locked."""


class GridAxis:
    """Places along one side of the map: so many of a width, a wall between any two, and the rest is border."""

    def __init__(self, side: int, passage: int, wall: int) -> None:
        self.count = max(1, (side - wall) // (passage + wall))
        self.width = min(passage, side)
        """Cells of a place; fewer than wanted only where the map has no more."""
        self.wall = wall
        used = self.count * (self.width + wall) - wall
        self.first = (side - used) // 2
        """The first cell of the first place. What is left over makes the borders thicker, the far one first."""

    def list_places(self) -> NDArray[np.int64]:
        """(place, cell) where the cells of every place lie."""
        starts = self.first + (self.width + self.wall) * np.arange(self.count)
        cells: NDArray[np.int64] = starts[:, None] + np.arange(self.width)
        return cells

    def list_walls(self) -> NDArray[np.int64]:
        """(place but the last, cell) where the cells of the wall behind it lie."""
        starts = self.first + self.width + (self.width + self.wall) * np.arange(self.count - 1)
        cells: NDArray[np.int64] = starts[:, None] + np.arange(self.wall)
        return cells


class MazeGrid:
    """A grid of places, where links may be and where they must be."""

    def __init__(self, site: Site, passage: int, wall: int) -> None:
        self.shape = site.shape
        self.down, self.along = (GridAxis(side, passage, wall) for side in site.shape)
        self.rows, self.columns = self.down.count, self.along.count
        grid = self.rows, self.columns
        self.count = self.rows * self.columns
        self.open: Bytes = np.ones(self.count, dtype=np.uint8)
        """1 for every place that the maze has to reach."""
        self.links: Bytes = np.zeros(self.count, dtype=np.uint8)
        """Those of the maze so far; at first those that locked floors make."""
        self.sketch: Callable[[], Bytes] | None = None
        """Links to be drawn instead, by a method that has more to show."""
        self.possible: Bytes = np.zeros(self.count, dtype=np.uint8)
        self.above: Places = np.empty(0, dtype=np.int32)
        """Places that hang together, as kernels/maze wants it; empty where locks give no link."""
        self.layout = MazeLayout(
            self.columns, self.down.first + 1, self.along.first + 1, self.down.width, self.along.width, wall
        )
        """For `carve`, on a map with a margin of one cell."""
        self.required: Bytes | None = None
        """With locks: FLOOR or WALL where a cell must be that, FREE elsewhere."""
        east, south = (np.ones((self.rows, self.columns - 1), bool), np.ones((self.rows - 1, self.columns), bool))
        if site.has_locks:
            self.required = _find_required(site)
            east, south = self._apply_locks(self.required)
        _write_links(self.possible.reshape(grid), east, south)

    def _apply_locks(self, required: Bytes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where links may be, to the east and to the south; also what is open, and what is linked already."""
        grid = self.rows, self.columns
        down, along = self.down.list_places(), self.along.list_places()
        whole = _find_connected_places(required, down, along)
        self.open[:] = whole.reshape(-1)
        east = _find_passages(required, down, along, self.along.list_walls())
        south = tuple(way.T for way in _find_passages(required.T, along, down, self.down.list_walls()))
        free = whole[:, :-1] & whole[:, 1:], whole[:-1] & whole[1:]
        _write_links(self.links.reshape(grid), east[1] & free[0], south[1] & free[1])
        if self.links.any():
            self.above = np.empty(self.count, dtype=np.int32)
            build_forest(self.links, self.above, self.columns)
        return east[0] & free[0], south[0] & free[1]

    @property
    def has_locks(self) -> bool:
        return self.required is not None

    def make_blank(self) -> Bytes:
        """A map of walls with a margin of one cell."""
        return np.full((self.shape[0] + 2, self.shape[1] + 2), WALL, dtype=np.uint8)

    def draw(self) -> Bytes:
        """What can be seen of the maze so far: the places that are linked."""
        links = self.links if self.sketch is None else self.sketch()
        cells = self.make_blank()
        carve(links, (links != 0).astype(np.uint8), self.layout, cells, 0, self.rows)
        return cells[1:-1, 1:-1]


def _find_required(site: Site) -> Bytes:
    """What must be floor or wall. What locked walls cut off is wall as well: it could not be reached.

    The part with the locked floors is kept, or without any the largest; two parts with locked floors are one too many.
    """
    held = np.full(site.shape, FREE, dtype=np.uint8)
    site.apply_locks(held)
    parts = regions_of(held != WALL)
    if parts.count < 2:
        return held
    floors = np.argwhere(held == FLOOR)
    numbers = parts.labels[tuple(floors.T)]
    wanted = np.unique(numbers) if len(floors) else parts.rank()[:1]
    kept = wanted[np.argmax(parts.sizes[wanted])]
    if len(wanted) > 1:
        cells = [floors[np.argmax(numbers == number)] for number in wanted if number != kept]
        raise GaveUp("locked walls keep locked floors apart; unlock a wall between them", cells=cells, remove=["locks"])
    held[parts.labels != kept] = WALL
    return held


def _find_connected_places(required: Bytes, down: NDArray[np.int64], along: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The places whose cells hang together, once locked walls stand in them."""
    cells = np.ix_(down.reshape(-1), along.reshape(-1))
    free = (required[cells] != WALL).reshape(*down.shape, *along.shape)
    if down.shape[1] == along.shape[1] == 1 or free.all():
        single: NDArray[np.bool_] = free.all(axis=(1, 3))
        return single
    inside = np.zeros(required.shape, dtype=bool)
    inside[cells] = free.reshape(down.size, along.size)
    numbers = regions_of(inside).labels[cells].reshape(free.shape)
    most: NDArray[np.int32] = numbers.max(axis=(1, 3))
    whole: NDArray[np.bool_] = (most > 0) & ((numbers == 0) | (numbers == most[:, None, :, None])).all(axis=(1, 3))
    return whole


def _find_passages(
    required: Bytes, down: NDArray[np.int64], along: NDArray[np.int64], walls: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Between every place and the next one along: whether a straight way can be dug, and whether one is locked open."""
    lines = (*down.shape, *walls.shape)
    between = required[np.ix_(down.reshape(-1), walls.reshape(-1))].reshape(lines)
    ends = np.ones(lines[:3], dtype=bool)  # whether the cells before and behind a line through the wall can be floor
    for cells in (walls[:, 0] - 1, walls[:, -1] + 1):
        ends &= (required[np.ix_(down.reshape(-1), cells)] != WALL).reshape(lines[:3])
    possible: NDArray[np.bool_] = ((between != WALL).all(axis=3) & ends).any(axis=1)
    given: NDArray[np.bool_] = ((between == FLOOR).all(axis=3) & ends).any(axis=1)
    return possible, given


def _write_links(grid: Bytes, east: NDArray[np.bool_], south: NDArray[np.bool_]) -> None:
    """Directions of places, from the edges to the east and to the south."""
    grid[:, :-1] |= east * np.uint8(2)
    grid[:, 1:] |= east * np.uint8(8)
    grid[:-1] |= south * np.uint8(4)
    grid[1:] |= south * np.uint8(1)
