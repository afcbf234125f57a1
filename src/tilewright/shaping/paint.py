"""Paint: give connected regions of equal tiles another tile, as a bucket of paint does.

Regions are chosen by a place inside, by their tile and by their size, in that order: with `of` and `largest` the
largest pool becomes lava, with `of` and `at_most` every small patch becomes ore. What is left unsaid excludes nothing;
of equally large regions those of the tile that comes first in the tileset, then the first in reading order, win.
Decorative: it gives way at locked cells.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import model_validator

from ..analysis.regions import Directions, regions_of_tiles
from ..core.errors import InvalidRecipe
from ..core.grid import Label
from ..core.params import MAX_AREA, MAX_SIDE, Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class PaintParams(Params):
    renamed: ClassVar = {"at_least": "min_size", "at_most": "max_size"}
    tile: Label = param(tiles=True, initial=0)
    """Tile to paint with."""
    x: int | None = param(None, ge=0, le=MAX_SIDE, group="place")
    """Column of a cell inside the region to paint; together with y."""
    y: int | None = param(None, ge=0, le=MAX_SIDE, group="place")
    """Row of a cell inside the region to paint; together with x."""
    of: Label | None = param(None, tiles=True)
    """Paint regions of this tile only."""
    min_size: int = param(1, ge=1, le=MAX_AREA)
    """Paint regions of at least this many cells."""
    max_size: int | None = param(None, ge=1, le=MAX_AREA)
    """Paint regions of at most this many cells."""
    largest: int | None = param(None, ge=1, le=MAX_AREA)
    """Of these, paint this many of the largest."""
    smallest: int | None = param(None, ge=1, le=MAX_AREA, initial=1)
    """Of these, paint this many of the smallest."""
    directions: Directions = param(4)
    """Whether regions hang together by 4 directions, or diagonally as well by 8."""

    @model_validator(mode="after")
    def _check_choice(self) -> PaintParams:
        if (self.x is None) != (self.y is None):
            raise InvalidRecipe("a place needs both", at="x", rule="conflict", place="x, y")
        if self.largest is not None and self.smallest is not None:
            raise InvalidRecipe("give one of them", at="largest", rule="conflict", place="largest, smallest")
        if self.max_size is not None and self.max_size < self.min_size:
            raise InvalidRecipe(f"must be at least min_size, {self.min_size}, got {self.max_size}", at="max_size")
        sized = self.largest or self.smallest or self.max_size or self.min_size > 1
        if self.x is None and self.of is None and not sized:
            raise InvalidRecipe("say which regions to paint: by x and y, of, at_least, at_most, largest or smallest")
        return self


@shaper(PaintParams, example="caves --shape paint,tile=water,of=floor,smallest=3")
def paint(map: TileMap, p: PaintParams, site: Site, rng: Rng) -> TileMap:
    tile = site.tile(p.tile)
    tiles = np.unique(map.cells).tolist() if p.of is None else [site.tile(p.of)]
    if p.x is not None and p.y is not None:
        if p.x >= map.width or p.y >= map.height:
            raise InvalidRecipe(f"x={p.x} y={p.y} is outside the map of {map.width}x{map.height}", rule="outside")
        tiles = [there for there in np.unique(map.cells[..., p.y, p.x]).tolist() if there in tiles]
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
