"""Smooth: let every cell take the tile that most cells around it hold.

The nine cells of a 3x3 block vote, beyond the edge nobody does; where two tiles are equal, a cell keeps its own if it
is one of them, else it takes the first of the tileset. Specks vanish and edges are rounded. Parts may come apart or
close: `connect` joins them again. Decorative: it gives way at locked cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.params import Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap


class SmoothParams(Params):
    steps: int = param(1, ge=1, le=100, typical=(1, 6))
    """How often all cells vote."""


@shaper(SmoothParams)
def smooth(map: TileMap, p: SmoothParams, site: Site, rng: Rng) -> Steps:
    cells, free = map.cells.copy(), ~site.locked
    for step in range(p.steps):
        np.copyto(cells, _vote(cells), where=free)
        yield Frame(cells, f"step {step + 1}", (step + 1) / p.steps)
    return map.replace(cells=cells)


def _vote(cells: NDArray[np.integer]) -> NDArray[np.integer]:
    """The tile with the most votes for every cell."""
    elected = cells.copy()
    most = np.zeros(cells.shape, dtype=np.uint8)
    own = np.zeros(cells.shape, dtype=np.uint8)
    for tile in np.unique(cells).tolist():
        votes = _sum_blocks((cells == tile).astype(np.uint8))
        better = votes > most
        np.copyto(elected, tile, where=better, casting="unsafe")
        np.copyto(most, votes, where=better)
        np.copyto(own, votes, where=cells == tile)
    np.copyto(elected, cells, where=own == most)
    return elected


def _sum_blocks(votes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Votes added up over blocks of 3x3, on every level."""
    for axis in (-2, -1):
        lines = np.moveaxis(votes, axis, 0)
        total = lines.copy()
        total[1:] += lines[:-1]
        total[:-1] += lines[1:]
        votes = np.moveaxis(total, 0, axis)
    return votes
