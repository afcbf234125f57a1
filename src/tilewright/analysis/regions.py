"""Connected regions: labels of cells that can be reached from each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap
from ..kernels.bridges import Waves, build_labeled_map
from ..kernels.flood import label_axes, label_regions

Directions: TypeAlias = Literal[4, 8]
"""Step directions: 4 along the axes (6 on 3D maps), or 8 with diagonals (26 on 3D maps)."""


Walkable: TypeAlias = TileMap | NDArray[np.bool_]
"""A map, or a mask of passable cells."""


@dataclass(frozen=True, slots=True)
class Regions:
    """Connected regions, numbered from 1 in the reading order of their first cells."""

    labels: NDArray[np.int32]
    """Region number of each cell; 0 for cells that belong to no region."""
    sizes: NDArray[np.int64]
    """(count + 1,) number of cells of each region; 0 for number 0."""

    @property
    def count(self) -> int:
        return len(self.sizes) - 1

    def rank(self) -> NDArray[np.int64]:
        """Return the region numbers by descending size; regions of equal size are in ascending order."""
        return np.argsort(-self.sizes[1:], kind="stable") + 1

    def mask(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Return the mask of the cells of some regions."""
        return self._flags(numbers)[self.labels]

    def keep(self, numbers: NDArray[Any]) -> Regions:
        """Return only these regions, renumbered in the same order."""
        flags = self._flags(numbers)
        if flags[1:].all():
            return self
        renumbered = (np.cumsum(flags) * flags).astype(np.int32)
        return Regions(renumbered[self.labels], self.sizes[flags | (np.arange(len(flags)) == 0)])

    def _flags(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        flags = np.zeros(len(self.sizes), dtype=np.bool_)
        flags[numbers] = True
        flags[0] = False
        return flags


def passable_of(map: Walkable) -> NDArray[np.bool_]:
    """Return the mask of passable cells of a map."""
    if isinstance(map, TileMap):
        return map.passable
    mask = np.asarray(map)
    if mask.ndim not in (2, 3) or not mask.size or mask.dtype != np.bool_:
        raise InvalidRecipe("must be a TileMap or a 2D or 3D array of booleans", at="map", got=map, rule="type")
    return np.ascontiguousarray(mask)


def regions(map: Walkable, *, directions: Directions = 4) -> Regions:
    """Return the connected regions of passable cells.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    directions : {4, 8}
        Steps along the axes only, or diagonal steps as well.

    Returns
    -------
    Regions
        Label of each cell, and the size of each region.

    Examples
    --------
    >>> found = regions(np.array([[True, False], [False, True]]))
    >>> found.count, found.sizes.tolist()
    (2, [0, 1, 1])
    """
    return regions_of(passable_of(map), directions)


def regions_of(mask: NDArray[np.bool_], directions: Directions = 4) -> Regions:
    """Return the connected regions of the cells in a mask.

    >>> regions_of(np.array([[True, False], [False, True]])).count
    2
    """
    labels = np.empty(mask.shape, dtype=np.int32)
    shape = (1, *mask.shape)[-3:]
    cells = np.ascontiguousarray(mask).view(np.uint8).reshape(shape)
    return Regions(labels, label_axes(cells, directions == 8, labels.reshape(shape)))


def regions_of_tiles(cells: NDArray[Any], tiles: Iterable[int], directions: Directions = 4) -> Regions:
    """Return the connected regions of equal tiles, for some tiles; numbered tile by tile in the given order."""
    labels, sizes = np.zeros(cells.shape, dtype=np.int32), [np.zeros(1, dtype=np.int64)]
    count = 0
    for tile in tiles:
        found = regions_of(cells == tile, directions)
        np.add(found.labels, count, out=labels, where=found.labels > 0)
        sizes.append(found.sizes[1:])
        count += found.count
    return Regions(labels, np.concatenate(sizes))


def dilate(mask: NDArray[np.bool_], radius: int, wrap: tuple[bool, bool] = (False, False)) -> NDArray[np.bool_]:
    """Return a mask with all cells within `radius` rows and columns added, per level.

    `wrap` says whether rows and columns wrap around.
    """
    for axis, wraps_around in zip((-2, -1), wrap, strict=True):
        margin = [(0, 0)] * mask.ndim
        margin[axis] = radius, radius
        lines = np.moveaxis(np.pad(mask, margin, mode="wrap" if wraps_around else "constant"), axis, 0)
        parts = (lines[shift : shift + mask.shape[axis]] for shift in range(2 * radius + 1))
        mask = np.moveaxis(reduce(np.logical_or, parts), 0, axis)
    return mask


@cache
def neighbor_offsets(dimensions: int, directions: Directions) -> NDArray[np.int64]:
    """Return the (neighbor, axis) offsets to a cell's neighbors: straight ones first, then diagonal ones. Read-only."""
    offsets = np.indices((3,) * dimensions).reshape(dimensions, -1).T - 1
    steps = np.abs(offsets).sum(axis=1)
    order = np.argsort(steps, kind="stable")
    found: NDArray[np.int64] = offsets[order[steps[order] <= (1 if directions == 4 else dimensions)]][1:]
    found.flags.writeable = False
    return found


def find_blocking_cells(
    parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: NDArray[np.int64]
) -> list[list[int]]:
    """Return the impassable cells on the shortest path between two labeled areas that no walkable path connects.

    `parts` holds the label of each cell, from 1, and 0 elsewhere. `offsets` holds the (neighbor, axis) offsets.
    """
    places = label_regions(walkable, offsets)
    with_parts = np.unique(places.cells[parts > 0])
    renumbered = np.zeros(places.count + 1, dtype=np.int32)
    renumbered[with_parts] = np.arange(1, len(with_parts) + 1)
    waves = Waves(build_labeled_map(renumbered[np.maximum(places.cells, 0)], np.ones_like(walkable), offsets))
    for _ in waves.spread():
        pass
    waves.dig(waves.find_bridges()[:1])
    return np.argwhere(waves.marked.astype(np.bool_) & ~walkable).tolist()
