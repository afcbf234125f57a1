"""Textures of tiles, 16x16 pixels each.

A texture depends on the tile's kind and color, the sides where it joins, and the neighbors that count as the same.
"""

from __future__ import annotations

from . import buildings, coasts, countryside, surfaces, things
from .strokes import SIDE, Look, Texture

__all__ = ["SIDE", "TEXTURES", "Look", "Texture", "bevel"]

bevel = surfaces.bevel

TEXTURES: dict[str, Texture] = {
    texture.__name__: texture
    for texture in (
        *(surfaces.ground, surfaces.rock, surfaces.water, surfaces.grass, surfaces.ore, surfaces.void),
        *(surfaces.brick, surfaces.stone, surfaces.planks, surfaces.tree, surfaces.snow, surfaces.stairs),
        *(things.roof, things.awning, things.chest, things.gate, things.rail, things.cart, things.peak),
        *(things.reed, things.flower, things.lily, things.board, things.wire, things.pin),
        *(countryside.plain, countryside.wood, countryside.mountain, countryside.road, countryside.pipe),
        *(coasts.sea, coasts.reef, coasts.shoal, coasts.river, coasts.bridge),
        *(buildings.port, buildings.teleport, buildings.unknown),
    )
}
TEXTURES |= {"river bank": coasts.river_bank}
TEXTURES |= {"pipe seam": countryside.seam, "pipe rubble": countryside.rubble, **things.DRAWINGS, **buildings.DRAWINGS}
"""Textures by kind of tile. Kinds that are not listed use `bevel`."""
