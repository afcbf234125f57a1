"""Keep largest: fill all separate regions of a map except the largest.

Regions are connected components of passable cells. Of equally large ones, the first in reading order is kept. The
shaper gives up if a region to fill contains a locked passable cell: use `connect` to join such a region instead.
"""

from __future__ import annotations

import numpy as np

from ..analysis.regions import Directions, regions_of
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe
from ..core.grid import Label
from ..core.many_maps import NoKernel, Stage, find_fill
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap
from ..kernels.bit_surveys import KEEP_LARGEST


class KeepLargestParams(Params):
    keep: int = param(1, ge=1, le=MAX_AREA, typical=(1, 10))
    """Number of regions to keep."""
    tile: Label | None = param(None, tiles=True)
    """Impassable tile that fills the other regions; by default the most common impassable tile of the map."""
    directions: Directions = param(4)
    """Whether cells are connected in 4 directions, or in 8 including diagonals."""


def plan_keep_largest(p: KeepLargestParams, site: Site) -> Stage:
    """Return the stage of many maps."""
    if p.keep != 1 or p.directions != 4:
        raise NoKernel("the shaper keep_largest with these parameters")
    state = find_fill(site, p.tile, "keep_largest")
    if site.tileset.passable[site.ids[state]]:
        raise NoKernel("the shaper keep_largest with a passable tile")
    return KEEP_LARGEST, state, 0


@shaper(KeepLargestParams, many=plan_keep_largest)
def keep_largest(map: TileMap, p: KeepLargestParams, site: Site, rng: Rng) -> TileMap:
    survey = Survey(map)
    tile = site.tile(p.tile) if p.tile is not None else survey.most_common_tile(passable=False)
    if tile is not None and map.tileset.passable[tile]:
        raise InvalidRecipe(f"must be impassable, {map.tileset[tile].name!r} is passable", at="tile")
    parts = regions_of(survey.passable, p.directions)
    small = parts.mask(parts.rank()[p.keep :])
    if not small.any():
        return map
    if (small & site.locked).any():
        text = "locked cells in smaller regions cannot be filled; join the regions with connect instead"
        raise GaveUp(text, cells=np.argwhere(small & site.locked).tolist())
    assert tile is not None  # several regions are separated by impassable cells
    return map.replace(cells=np.where(small, tile, map.cells))
