"""Walls: turn the solid cells that touch a floor into walls.

For maps of rooms and passages in solid rock: every impassable cell beside a passable one, corners included, becomes the
wall's tile. Nothing that one can walk on changes. Decorative: it gives way at locked cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey import Survey
from ..core.errors import InvalidRecipe
from ..core.grid import Label
from ..core.params import Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class WallsParams(Params):
    tile: Label | None = param(None, tiles=True)
    """Tile of the walls; by default the one called wall, or else the most common impassable one."""
    of: Label | None = param(None, tiles=True)
    """Only cells that hold this tile become walls; by default all that are impassable."""
    thickness: int = param(1, ge=1, le=64, typical=(1, 4))
    """How many cells thick the walls are."""


@shaper(WallsParams)
def walls(map: TileMap, p: WallsParams, site: Site, rng: Rng) -> TileMap:
    survey = Survey(map)
    tile = (
        site.tile(p.tile)
        if p.tile is not None
        else map.tileset.by_name.get("wall", survey.most_common_tile(passable=False))
    )
    if tile is None or map.tileset.passable[tile]:
        raise InvalidRecipe("one that cannot be walked on is needed; name it", at="tile", rule="missing")
    near = survey.passable
    for _ in range(p.thickness):
        near = _dilate(near)
    solid = ~survey.passable if p.of is None else (map.cells == site.tile(p.of)) & ~survey.passable
    return map.replace(cells=np.where(near & solid & ~site.locked, tile, map.cells))


def _dilate(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells of a mask and those that touch one, on the same level."""
    for axis in (-2, -1):
        lines = np.moveaxis(mask, axis, 0)
        wider = lines.copy()
        wider[1:] |= lines[:-1]
        wider[:-1] |= lines[1:]
        mask = np.moveaxis(wider, 0, axis)
    return mask
