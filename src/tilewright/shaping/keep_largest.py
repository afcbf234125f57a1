"""Keep largest: fill all separate parts of a map but the largest.

Parts are the connected regions of passable cells; of equally large ones the first in reading order is kept. A locked
passable cell in a part that would be filled makes it give up: `connect` joins such a part instead.
"""

from __future__ import annotations

import numpy as np

from ..analysis.regions import Directions, regions_of
from ..analysis.survey import Survey
from ..core.errors import GaveUp, InvalidRecipe
from ..core.grid import Label
from ..core.params import MAX_AREA, Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class KeepLargestParams(Params):
    keep: int = param(1, ge=1, le=MAX_AREA, typical=(1, 10))
    """How many parts stay."""
    tile: Label | None = param(None, tiles=True)
    """Impassable tile to fill the others with; by default the most common one of the map."""
    directions: Directions = param(4)
    """Whether parts hang together by 4 directions, or diagonally as well by 8."""


@shaper(KeepLargestParams)
def keep_largest(map: TileMap, p: KeepLargestParams, site: Site, rng: Rng) -> TileMap:
    survey = Survey(map)
    tile = site.tile(p.tile) if p.tile is not None else survey.most_common_tile(passable=False)
    if tile is not None and map.tileset.passable[tile]:
        raise InvalidRecipe(f"one that cannot be walked on, {map.tileset[tile].name!r} can", at="tile")
    parts = regions_of(survey.passable, p.directions)
    small = parts.mask(parts.rank()[p.keep :])
    if not small.any():
        return map
    if (small & site.locked).any():
        text = "locked cells in smaller parts cannot be filled; join them with connect instead"
        raise GaveUp(text, cells=np.argwhere(small & site.locked).tolist())
    assert tile is not None  # parts are apart because something impassable lies between them
    return map.replace(cells=np.where(small, tile, map.cells))
