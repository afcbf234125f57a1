"""Walls: turn the solid cells beside passable ones into walls.

Intended for rooms and passages in solid rock: every impassable cell that touches a passable one, also at a corner,
becomes a wall. Passable cells do not change. Locked cells keep their tiles.
"""

from __future__ import annotations

import numpy as np

from ..analysis.regions import dilate
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.grid import Label
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class WallsParams(Params):
    tile: Label | None = param(None, tiles=True)
    """Impassable tile of the walls; by default the tile named wall, or else the most common impassable tile."""
    of: Label | None = param(None, tiles=True)
    """Tile that becomes a wall; by default any impassable tile."""
    thickness: int = param(1, ge=1, le=64, typical=(1, 4))
    """Thickness of the walls in cells."""


@shaper(WallsParams)
def walls(map: TileMap, p: WallsParams, site: Site, rng: Rng) -> TileMap:
    survey = Survey(map)
    usual = map.tileset.by_name.get("wall", survey.most_common_tile(passable=False))
    tile = survey.choose_fill_tile(usual if p.tile is None else site.tile(p.tile))
    near = dilate(survey.passable, p.thickness)
    solid = ~survey.passable if p.of is None else (map.cells == site.tile(p.of)) & ~survey.passable
    return map.replace(cells=np.where(near & solid & ~site.locked, tile, map.cells))
