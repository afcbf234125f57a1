"""Groups of maps with the same shape and tileset, for which kernels compute numbers of all maps in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.owners import merge_owners
from ..core.tilemap import Cells, TileMap
from ..kernels import surveys


class RegionTotals(NamedTuple):
    """Connected regions of passable cells of a map, in numbers."""

    regions: int
    largest: int
    """Number of cells of the largest region; 0 if there is none."""
    first: int
    """Index of the first cell of the largest region, the first one on ties; -1 if there is none."""


class RouteEnds(NamedTuple):
    """Indices of the start and the exit of a route, and the number of steps between them."""

    start: int
    exit: int
    length: int


class CutTotals(NamedTuple):
    """Numbers of chokepoints: all of them, and those on every path from the start to the exit of the route."""

    chokepoints: int
    between: int


class NeighborTotals(NamedTuple):
    """Numbers of cells by their neighbors. All but `dead_ends` are for 2D maps."""

    dead_ends: int
    """Passable cells with one passable neighbor, without diagonals."""
    passable: int
    """Pairs of a passable cell and a passable neighbor, with diagonals."""
    corridors: int
    """Cells with two separate exits."""
    junctions: int
    """Cells with three or four separate exits."""


class MapGroup:
    """Maps of one shape and tileset. Each property is computed for all of them on first access.

    Parameters
    ----------
    maps : sequence of TileMap
        At least one map. All maps have the same shape and tileset.
    """

    def __init__(self, maps: Sequence[TileMap]) -> None:
        self.maps = maps
        self.tileset = maps[0].tileset
        self._symmetric: dict[str, list[int]] = {}

    @cached_property
    def cells(self) -> Cells:
        """(map, level, row, column) tile ids; 2D maps have one level."""
        rows = self.maps[0].cells if len(self.maps) == 1 else np.concatenate([map.cells for map in self.maps])
        shape = self.maps[0].shape
        return rows.reshape(len(self.maps), *(1,) * (3 - len(shape)), *shape)

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """(map, level, row, column) mask of passable cells."""
        return self.tileset.passable.take(self.cells)

    @cached_property
    def regions(self) -> list[RegionTotals]:
        """Regions of each map."""
        return [RegionTotals(*row) for row in self._region_table.tolist()]

    @cached_property
    def routes(self) -> list[RouteEnds | None]:
        """Route of each map as `Survey.route` describes it; None if there is none."""
        return [RouteEnds(*row) if row[0] >= 0 else None for row in self._route_table.tolist()]

    @cached_property
    def cuts(self) -> list[CutTotals]:
        """Chokepoints of each map."""
        numbers = np.empty((len(self.maps), 2), dtype=np.int64)
        surveys.survey_cuts(self.passable.view(np.uint8), self._route_table, numbers)
        return [CutTotals(*row) for row in numbers.tolist()]

    @cached_property
    def neighbors(self) -> list[NeighborTotals]:
        """Numbers of cells of each map by their neighbors."""
        numbers = np.empty((len(self.maps), 4), dtype=np.int64)
        surveys.survey_neighbors(self.passable.view(np.uint8), numbers)
        return [NeighborTotals(*row) for row in numbers.tolist()]

    @cached_property
    def tile_counts(self) -> NDArray[np.int64]:
        """(map, tile) number of cells with each tile."""
        numbers = np.empty((len(self.maps), len(self.tileset)), dtype=np.int64)
        surveys.count_tiles(self.cells.astype(np.uint16, copy=False), numbers)
        return numbers

    @cached_property
    def tile_entropies(self) -> list[float]:
        """Shannon entropy of the tile frequencies of each map, in bits."""
        used = self.tile_counts > 0
        fractions = self.tile_counts[used] / self.maps[0].cells.size
        terms = fractions * -np.log2(fractions)
        ends = np.cumsum(np.count_nonzero(used, axis=1)).tolist()
        return [float(terms[start:end].sum()) for start, end in pairwise([0, *ends])]

    def count_symmetric(self, transform: str) -> list[int]:
        """Return the number of cells of each map that are equal to their image.

        The transform `x` swaps left and right, `y` swaps top and bottom, and `xy` rotates by 180 degrees.
        """
        if transform not in self._symmetric:
            self._symmetric[transform] = self._count_symmetric(transform)
        return self._symmetric[transform]

    @cached_property
    def _region_table(self) -> NDArray[np.int64]:
        numbers = np.empty((len(self.maps), 3), dtype=np.int64)
        surveys.survey_regions(self.passable.view(np.uint8), numbers)
        return numbers

    @cached_property
    def _route_table(self) -> NDArray[np.int64]:
        marks = [mark for number, map in enumerate(self.maps) if map.markers for mark in self.list_ends(number, map)]
        numbers = np.empty((len(self.maps), 3), dtype=np.int64)
        rows = np.array(marks, dtype=np.int64).reshape(-1, 3)
        surveys.survey_routes(self.passable.view(np.uint8), self._region_table, rows, numbers)
        return numbers

    def list_ends(self, number: int, map: TileMap) -> list[tuple[int, int, int]]:
        """Return a row for `surveys.survey_routes` for each passable cell with a marker start or exit."""
        passable = self.passable[number].reshape(-1)
        found = []
        for marker in map.markers:
            if marker.name in ("start", "exit"):
                cell = (marker.level * map.height + marker.y) * map.width + marker.x
                if passable[cell]:
                    found.append((number, int(marker.name == "exit"), cell))
        return found

    def _count_symmetric(self, transform: str) -> list[int]:
        cells = images = self.cells.astype(np.uint16, copy=False)
        if any(tile.joins or tile.country for tile in self.tileset):
            alike = merge_owners(self.tileset)
            cells, images = alike.take(cells), alike[self.tileset.reorient_tiles(transform)].take(cells)
        numbers = np.empty(len(self.maps), dtype=np.int64)
        surveys.count_symmetric(cells, images, "y" in transform, "x" in transform, numbers)
        return numbers.tolist()
