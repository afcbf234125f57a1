"""Doors: put doors where passages meet rooms.

A door is in a passage one cell wide, between two walls, beside a room of the map. In maps without rooms it is beside an
open area, which consists of 2x2 blocks of passable cells. The cells before and behind it stay passable, and no two
doors touch, not even at a corner; of two that would, one is chosen at random. Locked cells keep their tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..analysis.doorways import Rooms, doorways
from ..core.entries import shaper
from ..core.errors import InvalidRecipe
from ..core.grid import Label
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class DoorsParams(Params):
    renamed: ClassVar[Mapping[str, str]] = {"least": "min_cells"}
    share: float = param(1.0, ge=0, le=1)
    """Fraction of the doorways that get a door."""
    of: Rooms | None = param(None)
    """What doors lead to: rooms, or open areas (openings); by default the map's rooms, if it has any."""
    min_cells: int = param(6, ge=1, le=MAX_AREA, typical=(1, 50))
    """Minimum number of passable cells of a room with doors."""
    tile: Label | None = param(None, tiles=True)
    """Passable tile of the doors; by default the tile named door."""


@shaper(DoorsParams, dimensions=(2,), example="caves --tileset dungeon --shape doors,share=0.5")
def doors(map: TileMap, p: DoorsParams, site: Site, rng: Rng) -> TileMap:
    tile = site.tile(p.tile) if p.tile is not None else map.tileset.by_name.get("door")
    if tile is None:
        raise InvalidRecipe(f"tileset {map.tileset.name!r} has no tile named door; give one of its tiles", at="tile")
    if not map.tileset.passable[tile]:
        raise InvalidRecipe(f"must be passable, {map.tileset[tile].name!r} is not", at="tile")
    fitting = doorways(map, of=p.of, min_cells=p.min_cells) & ~site.locked & (rng.cells(*site.window) < p.share)
    return map.replace(cells=np.where(_choose_apart(fitting, map.cells == tile, rng, site), tile, map.cells))


def _choose_apart(fitting: NDArray[np.bool_], taken: NDArray[np.bool_], rng: Rng, site: Site) -> NDArray[np.bool_]:
    """Choose fitting cells in random order, none of which touches a taken cell or another chosen one."""
    near = np.pad(taken, 1)
    chosen = np.zeros_like(fitting)
    cells = np.argwhere(fitting)
    order = np.argsort(rng.child("order").cells(*site.window)[fitting], kind="stable")
    for row, column in cells[order].tolist():
        if not near[row : row + 3, column : column + 3].any():
            near[row + 1, column + 1] = chosen[row, column] = True
    return chosen
