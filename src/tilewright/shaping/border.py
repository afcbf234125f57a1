"""Border: a frame of one tile around the edge of the map.

Locked cells keep their tiles. In a 3D map, every level gets a frame.
"""

from __future__ import annotations

import numpy as np

from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import InvalidRecipe
from ..core.grid import Label
from ..core.many_maps import Stage, find_fill
from ..core.params import MAX_SIDE, Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap
from ..kernels.bit_surveys import BORDER


class BorderParams(Params):
    thickness: int = param(1, ge=1, le=MAX_SIDE, typical=(1, 8))
    """Width of the frame in cells."""
    tile: Label | None = param(None, tiles=True)
    """Tile of the frame; by default the most common impassable tile of the map."""


def plan_border(p: BorderParams, site: Site) -> Stage:
    """Return the stage of many maps."""
    return BORDER, find_fill(site, p.tile, "border", prefers_first=True), p.thickness


@shaper(BorderParams, many=plan_border)
def border(map: TileMap, p: BorderParams, site: Site, rng: Rng) -> TileMap:
    tile = site.tile(p.tile) if p.tile is not None else Survey(map).most_common_tile(passable=False)
    if tile is None:
        raise InvalidRecipe(f"tileset {map.tileset.name!r} has no impassable tile; give one", at="tile", rule="missing")
    frame = np.ones(map.shape, dtype=np.bool_)
    frame[..., p.thickness : -p.thickness, p.thickness : -p.thickness] = False
    return map.replace(cells=np.where(frame & ~site.locked, tile, map.cells))
