"""The grid of a maze: positions of its places on the map, and the links that locked cells allow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import regions_of
from ...core.errors import GaveUp
from ...core.site import Site
from ...kernels.maze import FLOOR, WALL, MazeLayout, build_forest, carve
from ...kernels.types import Int32_1D, Uint8_1D, Uint8_2D

FREE = 2
"""Value of cells without a lock."""


class GridAxis:
    """Positions of the places along one axis: places of equal width, walls between them, and borders."""

    def __init__(self, side: int, passage: int, wall: int) -> None:
        self.count = max(1, (side - wall) // (passage + wall))
        self.width = min(passage, side)
        """Width of a place in cells; less than `passage` only if the map is narrower."""
        self.wall = wall
        used = self.count * (self.width + wall) - wall
        self.first = (side - used) // 2
        """First cell of the first place. Cells left over make the borders thicker, first the border at the far end."""

    def list_places(self) -> NDArray[np.int64]:
        """Return the cells of every place, as (place, cell)."""
        starts = self.first + (self.width + self.wall) * np.arange(self.count)
        cells: NDArray[np.int64] = starts[:, None] + np.arange(self.width)
        return cells

    def list_walls(self) -> NDArray[np.int64]:
        """Return the cells of the wall after every place but the last, as (place, cell)."""
        starts = self.first + self.width + (self.width + self.wall) * np.arange(self.count - 1)
        cells: NDArray[np.int64] = starts[:, None] + np.arange(self.wall)
        return cells


class MazeGrid:
    """Grid of places, with the possible and the required links between them."""

    def __init__(self, site: Site, passage: int, wall: int) -> None:
        self.shape = site.shape
        self.down, self.along = (GridAxis(side, passage, wall) for side in site.shape)
        self.rows, self.columns = self.down.count, self.along.count
        self.count = self.rows * self.columns
        self.open: Uint8_1D = np.ones(self.count, dtype=np.uint8)
        """1 for every place that the maze must reach."""
        self.links: Uint8_1D = np.zeros(self.count, dtype=np.uint8)
        """Links of the maze so far, as bits per place; initially those that locked floors make."""
        self.sketch: Callable[[], Uint8_1D] | None = None
        """Function that returns the links to draw, if a method shows more than `links`."""
        self.possible: Uint8_1D
        self.above: Int32_1D = np.empty(0, dtype=np.int32)
        """Union-find forest of connected places, as in kernels/maze; empty if locks give no link."""
        self.layout = MazeLayout(
            self.columns, self.down.first + 1, self.along.first + 1, self.down.width, self.along.width, wall
        )
        """Layout for `carve`, on a map with a margin of one cell."""
        self.required: Uint8_2D | None = None
        """With locks: FLOOR or WALL where a cell must have that value, FREE elsewhere."""
        if site.has_locks:
            self.required = _find_required(site)
            self.possible = np.zeros(self.count, dtype=np.uint8)
            _write_links(self.possible.reshape(self.rows, self.columns), *self._apply_locks(self.required))
        else:
            self.possible = list_all_links(self.rows, self.columns).reshape(-1)

    def _apply_locks(self, required: Uint8_2D) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Set the open places and the given links; return masks of the possible links to the east and to the south."""
        grid = self.rows, self.columns
        down, along = self.down.list_places(), self.along.list_places()
        connected = _find_connected_places(required, down, along)
        self.open[:] = connected.reshape(-1)
        east = _find_passages(required, down, along, self.along.list_walls())
        south = tuple(mask.T for mask in _find_passages(required.T, along, down, self.down.list_walls()))
        free = connected[:, :-1] & connected[:, 1:], connected[:-1] & connected[1:]
        _write_links(self.links.reshape(grid), east[1] & free[0], south[1] & free[1])
        if self.links.any():
            self.above = np.empty(self.count, dtype=np.int32)
            build_forest(self.links, self.above, self.columns)
        return east[0] & free[0], south[0] & free[1]

    @property
    def has_locks(self) -> bool:
        return self.required is not None

    def make_blank(self) -> Uint8_2D:
        """Return a map of walls with a margin of one cell."""
        return np.full((self.shape[0] + 2, self.shape[1] + 2), WALL, dtype=np.uint8)

    def draw(self) -> Uint8_2D:
        """Return the current maze: the places that have links."""
        links = self.links if self.sketch is None else self.sketch()
        cells = self.make_blank()
        carve(links, (links != 0).astype(np.uint8), self.layout, cells, 0, self.rows)
        return cells[1:-1, 1:-1]


def _find_required(site: Site) -> Uint8_2D:
    """Return (row, column) FLOOR or WALL for cells that must have this value, and FREE for other cells.

    Regions that locked walls enclose become wall, because they are unreachable. The region with the locked floors is
    kept, or the largest region if there are none. Raise GaveUp if two regions have locked floors.
    """
    required = np.full(site.shape, FREE, dtype=np.uint8)
    site.apply_locks(required)
    regions = regions_of(required != WALL)
    if regions.count < 2:
        return required
    floors = np.argwhere(required == FLOOR)
    numbers = regions.labels[tuple(floors.T)]
    candidates = np.unique(numbers) if len(floors) else regions.rank()[:1]
    kept = candidates[np.argmax(regions.sizes[candidates])]
    if len(candidates) > 1:
        cells = [floors[np.argmax(numbers == number)] for number in candidates if number != kept]
        raise GaveUp("locked walls separate locked floors; unlock a wall between them", cells=cells, remove=["locks"])
    required[regions.labels != kept] = WALL
    return required


def _find_connected_places(required: Uint8_2D, down: NDArray[np.int64], along: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the places whose cells are connected despite locked walls."""
    cells = np.ix_(down.reshape(-1), along.reshape(-1))
    free = (required[cells] != WALL).reshape(*down.shape, *along.shape)
    if down.shape[1] == along.shape[1] == 1 or free.all():
        single: NDArray[np.bool_] = free.all(axis=(1, 3))
        return single
    inside = np.zeros(required.shape, dtype=bool)
    inside[cells] = free.reshape(down.size, along.size)
    numbers = regions_of(inside).labels[cells].reshape(free.shape)
    largest: NDArray[np.int32] = numbers.max(axis=(1, 3))
    connected: NDArray[np.bool_] = (largest > 0) & ((numbers == 0) | (numbers == largest[:, None, :, None])).all(
        axis=(1, 3)
    )
    return connected


def _find_passages(
    required: Uint8_2D, down: NDArray[np.int64], along: NDArray[np.int64], walls: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the possible links, and of the links locked open, from every place to the next along an axis."""
    lines = (*down.shape, *walls.shape)
    between = required[np.ix_(down.reshape(-1), walls.reshape(-1))].reshape(lines)
    ends = np.ones(lines[:3], dtype=bool)  # Whether the cells before and after a line through the wall can be floor.
    for cells in (walls[:, 0] - 1, walls[:, -1] + 1):
        ends &= (required[np.ix_(down.reshape(-1), cells)] != WALL).reshape(lines[:3])
    possible: NDArray[np.bool_] = ((between != WALL).all(axis=3) & ends).any(axis=1)
    given: NDArray[np.bool_] = ((between == FLOOR).all(axis=3) & ends).any(axis=1)
    return possible, given


def list_all_links(rows: int, columns: int) -> Uint8_2D:
    """Return the links of all places of a grid to their neighbors."""
    links: Uint8_2D = np.zeros((rows, columns), dtype=np.uint8)
    _write_links(links, np.ones((rows, columns - 1), bool), np.ones((rows - 1, columns), bool))
    return links


def _write_links(grid: Uint8_2D, east: NDArray[np.bool_], south: NDArray[np.bool_]) -> None:
    """Write links to the east and to the south as direction bits of both places."""
    grid[:, :-1] |= east * np.uint8(2)
    grid[:, 1:] |= east * np.uint8(8)
    grid[:-1] |= south * np.uint8(4)
    grid[1:] |= south * np.uint8(1)
