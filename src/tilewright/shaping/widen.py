"""Widen: make passages wider by digging away the cells beside them.

Every impassable cell within `by` orthogonal steps of a passable one takes the tile of the passable cell from which it
is reached. Locked cells keep their tiles, and the steps lead around them.
"""

from __future__ import annotations

import numpy as np

from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap


class WidenParams(Params):
    by: int = param(1, ge=1, le=64, typical=(1, 5))
    """Number of cells by which passages grow on every side."""
    border: bool = param(True)
    """Whether to keep the outermost ring of the map closed."""


@shaper(WidenParams)
def widen(map: TileMap, p: WidenParams, site: Site, rng: Rng) -> Steps:
    cells, open_ = map.cells.copy(), Survey(map).passable.copy()
    free = ~site.locked
    if p.border:
        free[..., [0, -1], :] = False
        free[..., :, [0, -1]] = False
    for step in range(p.by):
        before, tiles = open_.copy(), cells.copy()
        for axis, ahead in ((-1, True), (-1, False), (-2, True), (-2, False)):
            # From the left, the right, above and below: the tile of the first passable neighbor is taken.
            source, target = (np.s_[:-1], np.s_[1:]) if ahead else (np.s_[1:], np.s_[:-1])
            was, now = np.moveaxis(before, axis, 0)[source], np.moveaxis(open_, axis, 0)[target]
            grown = was & ~now & np.moveaxis(free, axis, 0)[target]
            np.copyto(np.moveaxis(cells, axis, 0)[target], np.moveaxis(tiles, axis, 0)[source], where=grown)
            now |= grown
        yield Frame(cells, f"step {step + 1}", (step + 1) / p.by)
    return map.replace(cells=cells)
