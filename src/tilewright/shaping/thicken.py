"""Thicken: add walls while all floor stays connected.

Passable cells are filled in random order, until only the given fraction of the map is passable. A cell is filled only
if its passable neighbors stay connected without it, so that no region is divided or disappears. Locked cells and
markers, and the paths to them, are kept: a start and an exit stay connected.

Limits: a loop is opened only if it is within some 4,000 cells. With a small `floor_share`, what remains are winding
paths without loops, and the fraction may not be reached if markers are far apart.
"""

from __future__ import annotations

import numpy as np

from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.grid import Label
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ._filling import fill_cells


class ThickenParams(Params):
    floor_share: float = param(0.4, ge=0, le=1)
    """Fraction of the map's cells that stay passable."""
    tile: Label | None = param(None, tiles=True)
    """Impassable tile to fill with; by default the most common impassable tile of the map."""


@shaper(ThickenParams, dimensions=(2,))
def thicken(map: TileMap, p: ThickenParams, site: Site, rng: Rng) -> Steps:
    survey = Survey(map)
    tile = survey.choose_fill_tile(None if p.tile is None else site.tile(p.tile))
    is_spared = site.locked.copy()
    for marker in map.markers:
        is_spared[marker.y, marker.x] = True
    goal = round(p.floor_share * map.cells.size)
    cells = map.cells
    for is_open, done in fill_cells(survey.passable, is_spared, goal, rng):
        cells = np.where(survey.passable & ~is_open, tile, map.cells)
        yield Frame(cells, "adding walls", done)
    return map.replace(cells=cells)
