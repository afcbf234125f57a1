"""Autotile: choose for every river, road, pipe, beach and bridge the piece that fits its neighbours.

What the open sides of a piece may meet is written in the tileset; one without such rules leaves the map as it is. By
default only the kind of each cell counts: neighbours whose kinds join go on to each other, and a kind that cannot fork
goes straight on. With `keep: pieces`, what fits stays exactly as it is, and two pieces go on to each other only where
one of them does already: for maps that were drawn, turned or patched.

A piece with a side left over goes, in this order, under a bridge, to the sea or a building, out of the map, or ends in
the fields, where the tileset allows it. A river that would end nowhere is drawn on over open land to the nearest water
or the edge of the map, if that is not much longer than its last stretch; else that is taken back. A piece that fits
nowhere gives way to the land or water around it. Afterwards no piece is a misfit but for locked ones, and doing it
again changes nothing. It draws nothing by chance. Decorative: it gives way at locked cells, and what stands beside them
adapts. The levels of a 3D map are fitted each by itself.
"""

from __future__ import annotations

from typing import Literal

from ..autotile.fitting import fit_in_rounds, fit_pieces
from ..core.params import Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap


class AutotileParams(Params):
    keep: Literal["kinds", "pieces"] = param("kinds")
    """Take over the kinds alone and choose all pieces anew, or keep the pieces that fit."""


@shaper(AutotileParams, example="markov --shape autotile,keep=pieces")
def autotile(map: TileMap, p: AutotileParams, site: Site, rng: Rng) -> Steps:
    keep, frozen = p.keep == "pieces", site.locked
    if map.cells.ndim == 2:
        flat = yield from fit_in_rounds(map.cells, map.tileset, frozen, keep=keep)
        return map.replace(cells=flat)
    cells = map.cells.copy()
    for number, level in enumerate(cells):
        level[:] = fit_pieces(level, map.tileset, frozen[number], keep=keep)
        yield Frame(cells, f"level {number}", (number + 1) / len(cells))
    return map.replace(cells=cells)
