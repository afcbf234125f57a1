"""Prune dead ends: fill passages that lead nowhere, starting at their ends.

A dead end is a passable cell with one passable neighbor, diagonals not counted. It is filled, then the cell before it
if that is now a dead end, and so on. Rooms, loops and the paths between them remain. A maze without loops shrinks to a
single cell. Locked cells and markers, and the paths to them, are kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import neighbor_offsets
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.grid import Label
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..kernels.filling import OPEN, SPARED, fill_ends

FRAMES = 50
"""Approximate number of frames that show shrinking passages."""


class PruneDeadEndsParams(Params):
    length: int | None = param(None, ge=1, le=MAX_AREA, typical=(1, 50))
    """Maximum number of cells to fill from each dead end; by default unlimited."""
    share: float = param(1.0, ge=0, le=1)
    """Fraction of the dead ends to fill."""
    tile: Label | None = param(None, tiles=True)
    """Impassable tile to fill with; by default the most common impassable tile of the map."""


@shaper(PruneDeadEndsParams)
def prune_dead_ends(map: TileMap, p: PruneDeadEndsParams, site: Site, rng: Rng) -> Steps:
    survey = Survey(map)
    tile = survey.choose_fill_tile(None if p.tile is None else site.tile(p.tile))
    spared = site.locked
    for marker in map.markers:
        spared[(marker.level, marker.y, marker.x)[-spared.ndim :]] = True
    marks = np.pad(np.where(survey.passable, np.where(spared, SPARED, OPEN), 0).astype(np.uint8), 1)
    inner = (slice(1, -1),) * map.cells.ndim
    shifts = neighbor_offsets(map.cells.ndim, 4) @ np.array(marks.strides, dtype=np.int64)
    dead_ends = survey.passable & ~spared & (survey.neighbor_counts == 1) & (rng.cells(*site.window) < p.share)
    ends = np.flatnonzero(np.pad(dead_ends, 1))
    queue = np.empty(marks.size, dtype=np.int64)
    queue[: ends.size] = ends

    def draw_cells() -> NDArray[np.int64]:
        return np.where(survey.passable & (marks[inner] == 0), tile, map.cells)

    count, length, flat = ends.size, 0, marks.reshape(-1)
    longest = p.length if p.length is not None else map.cells.size
    while count and length < longest:
        count = fill_ends(flat, shifts, queue, count)
        length += 1
        if length % max(1, min(longest, max(map.shape)) // FRAMES) == 0:
            yield Frame(draw_cells, f"{length} cells", None)
    return map.replace(cells=draw_cells())
