"""Paint: replace the tile of connected regions of equal tiles, as a flood fill does.

Regions are selected by a cell inside them, by their tile and by their size, in that order: with `of` and `largest` the
largest pool becomes lava, with `of` and `max_size` every small patch becomes ore. A criterion that is not given
excludes nothing. Equally large regions are ranked by the order of their tiles in the tileset, then in reading order.
Locked cells keep their tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from ..analysis.regions import Directions, regions_of_tiles
from ..core.entries import shaper
from ..core.errors import InvalidRecipe, Problem, problem
from ..core.grid import Label
from ..core.params import MAX_AREA, MAX_SIDE, Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class PaintParams(Params):
    renamed: ClassVar[Mapping[str, str]] = {"at_least": "min_size", "at_most": "max_size"}
    tile: Label = param(tiles=True, initial=0)
    """Tile to paint with."""
    x: int | None = param(None, ge=0, le=MAX_SIDE, group="place")
    """Column of a cell inside the region to paint; given together with y."""
    y: int | None = param(None, ge=0, le=MAX_SIDE, group="place")
    """Row of a cell inside the region to paint; given together with x."""
    of: Label | None = param(None, tiles=True)
    """Tile of the regions to paint; by default any."""
    min_size: int = param(1, ge=1, le=MAX_AREA)
    """Minimum number of cells of a region to paint."""
    max_size: int | None = param(None, ge=1, le=MAX_AREA)
    """Maximum number of cells of a region to paint; by default unlimited."""
    largest: int | None = param(None, ge=1, le=MAX_AREA)
    """Number of regions to paint, the largest first; by default all."""
    smallest: int | None = param(None, ge=1, le=MAX_AREA, initial=1)
    """Number of regions to paint, the smallest first; by default all."""
    directions: Directions = param(4)
    """Whether cells are connected in 4 directions, or in 8 including diagonals."""

    def find_problems(self) -> Iterator[Problem]:
        sized = self.largest or self.smallest or self.max_size or self.min_size > 1
        if (self.x is None) != (self.y is None):
            yield problem("give both or neither", at="x", rule="conflict", place="x, y")
        elif self.largest is not None and self.smallest is not None:
            yield problem("give only one of them", at="largest", rule="conflict", place="largest, smallest")
        elif self.max_size is not None and self.max_size < self.min_size:
            yield problem(f"must be at least min_size, {self.min_size}, got {self.max_size}", at="max_size")
        elif self.x is None and self.of is None and not sized:
            yield problem("select regions to paint by x and y, of, min_size, max_size, largest or smallest")


@shaper(PaintParams, example="caves --shape paint,tile=water,of=floor,smallest=3")
def paint(map: TileMap, p: PaintParams, site: Site, rng: Rng) -> TileMap:
    tile = site.tile(p.tile)
    tiles = np.unique(map.cells).tolist() if p.of is None else [site.tile(p.of)]
    if p.x is not None and p.y is not None:
        if p.x >= map.width or p.y >= map.height:
            raise InvalidRecipe(f"x={p.x} y={p.y} is outside the map of {map.width}x{map.height}", rule="outside")
        tiles = [one for one in np.unique(map.cells[..., p.y, p.x]).tolist() if one in tiles]
    regions = regions_of_tiles(map.cells, tiles, p.directions)
    fitting = regions.sizes >= p.min_size
    if p.max_size is not None:
        fitting &= regions.sizes <= p.max_size
    if p.x is not None and p.y is not None:
        fitting &= np.isin(np.arange(len(fitting)), regions.labels[..., p.y, p.x])
    ranked = regions.rank()
    ranked = ranked[fitting[ranked]]
    if p.largest is not None:
        ranked = ranked[: p.largest]
    if p.smallest is not None:
        ranked = ranked[np.argsort(regions.sizes[ranked], kind="stable")][: p.smallest]
    return map.replace(cells=np.where(regions.mask(ranked) & ~site.locked, tile, map.cells))
