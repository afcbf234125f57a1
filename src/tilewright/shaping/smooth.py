"""Smooth: replace every tile by the most common one of its 3x3 block.

Cells beyond the edge do not count. In a tie, a cell keeps its tile if that is one of the most common, otherwise it
takes the first of these in the tileset. Isolated cells disappear and edges are rounded. Regions may separate: `connect`
joins them again. Locked cells keep their tiles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.entries import shaper
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap


class SmoothParams(Params):
    steps: int = param(1, ge=1, le=100, typical=(1, 6))
    """Number of iterations."""


@shaper(SmoothParams)
def smooth(map: TileMap, p: SmoothParams, site: Site, rng: Rng) -> Steps:
    cells, free = map.cells.copy(), ~site.locked
    for step in range(p.steps):
        np.copyto(cells, _most_common_tiles(cells), where=free)
        yield Frame(cells, f"step {step + 1}", (step + 1) / p.steps)
    return map.replace(cells=cells)


def _most_common_tiles(cells: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return the most common tile of the 3x3 block around every cell."""
    winner = cells.copy()
    most = np.zeros(cells.shape, dtype=np.uint8)
    own = np.zeros(cells.shape, dtype=np.uint8)
    for tile in np.unique(cells).tolist():
        votes = _sum_blocks((cells == tile).astype(np.uint8))
        better = votes > most
        np.copyto(winner, tile, where=better, casting="unsafe")
        np.copyto(most, votes, where=better)
        np.copyto(own, votes, where=cells == tile)
    np.copyto(winner, cells, where=own == most)
    return winner


def _sum_blocks(votes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the sum of each 3x3 block, per level."""
    for axis in (-2, -1):
        lines = np.moveaxis(votes, axis, 0)
        total = lines.copy()
        total[1:] += lines[:-1]
        total[:-1] += lines[1:]
        votes = np.moveaxis(total, 0, axis)
    return votes
