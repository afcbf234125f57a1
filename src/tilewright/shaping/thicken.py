"""Thicken: add walls while all floor stays connected.

Passable cells are filled in random order, until only the given fraction of the map is passable. A cell is filled only
if its passable neighbors stay connected without it, so that no region is divided or disappears. Locked cells and
markers, and the paths to them, are kept: a start and an exit stay connected.

Limits: a loop is opened only if it is within some 4,000 cells. With a small `floor_share`, what remains are winding
paths without loops, and the fraction may not be reached if markers are far apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.grid import Label
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..kernels.filling import MAX_DETOUR, OPEN, SPARED, thicken_cells

BLOCK = 4096
"""Number of cells to check between two frames."""


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
    for is_open, done in _fill_cells(survey.passable, is_spared, goal, rng):
        cells = np.where(survey.passable & ~is_open, tile, map.cells)
        yield Frame(cells, "adding walls", done)
    return map.replace(cells=cells)


def _fill_cells(
    is_open: NDArray[np.bool_], is_spared: NDArray[np.bool_], goal: int, rng: Rng
) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """Fill open cells until `goal` are left, or no more can be filled; yield the open cells and the progress."""
    marks = np.pad(np.where(is_open, np.where(is_spared, SPARED, OPEN), 0).astype(np.uint8), 1)
    flat = marks.reshape(-1)
    seen = np.zeros(flat.size, dtype=np.int32)
    queue = np.empty(MAX_DETOUR + 4, dtype=np.int64)
    excess = total = int(np.count_nonzero(is_open)) - goal
    filled = 1
    while excess > 0 and filled:
        # What a pass leaves because it is on the only path to a dead end can be filled after the dead end.
        cells = np.flatnonzero(flat == OPEN)
        order = cells[np.argsort(rng.randoms(len(cells)), kind="stable")]
        seen[:] = 0
        filled = 0
        for start in range(0, len(order), BLOCK):
            stop = min(start + BLOCK, len(order))
            filled += thicken_cells(flat, marks.shape[1], order, start, stop, seen, queue, excess - filled)
            yield marks[1:-1, 1:-1] > 0, min(1.0, 1 - (excess - filled) / total)
            if filled == excess:
                break
        excess -= filled
