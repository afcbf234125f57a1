"""Autotile: choose the pieces of rivers, roads, pipes, beaches and bridges that fit their neighbors.

The tileset defines what the open sides of a piece may meet. Without such rules the map is not changed. By default only
the kind of each cell counts: neighbors whose kinds join are connected, and a kind that cannot fork continues straight.
With `keep: pieces`, pieces that fit are kept, and two pieces are connected only where at least one of them already is.
Use it for maps that were drawn, rotated or edited.

A piece with an open side that meets nothing is resolved in this order, where the tileset allows it: it passes under a
bridge, ends at the sea or a building, leaves the map, or ends in open land. A river that ends nowhere is extended over
open land to the nearest water or map edge, if the extension is not much longer than the river's last stretch; otherwise
the stretch is removed. A piece that fits nowhere is replaced by the surrounding land or water. Afterwards only locked
pieces can be misfits, and a second run changes nothing. No random numbers are used. Locked cells keep their tiles, and
their neighbors adapt to them. Each level of a 3D map is processed separately.
"""

from __future__ import annotations

from typing import Literal

from ..autotile.fitting import fit_in_rounds, fit_pieces
from ..core.entries import shaper
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap


class AutotileParams(Params):
    keep: Literal["kinds", "pieces"] = param("kinds")
    """Whether to keep only the kinds and choose all pieces, or to keep the pieces that fit."""


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
