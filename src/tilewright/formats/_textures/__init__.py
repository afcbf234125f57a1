"""Textures: 16x16 pixels for a tile, drawn by its kind, its colour and the sides where it joins others."""

from __future__ import annotations

from . import buildings, coasts, countryside, surfaces, things
from .coasts import SHORE_KINDS, surroundings
from .strokes import SIDE, Look, Texture

__all__ = ["SHORE_KINDS", "SIDE", "TEXTURES", "Look", "Texture", "bevelled", "surroundings"]

bevelled = surfaces.bevelled

TEXTURES: dict[str, Texture] = {
    texture.__name__: texture
    for texture in (
        *(surfaces.ground, surfaces.rock, surfaces.water, surfaces.grass, surfaces.ore, surfaces.void),
        *(surfaces.brick, surfaces.stone, surfaces.planks, surfaces.tree, surfaces.snow, surfaces.stairs),
        *(things.roof, things.awning, things.pillar, things.chest, things.token, things.gate, things.key),
        *(things.rail, things.cart, things.peak, things.reed, things.flower, things.mushroom, things.lily),
        *(things.snag, things.coin, things.ladder, things.board, things.pad, things.wire, things.pin),
        *(countryside.plain, countryside.wood, countryside.mountain, countryside.road, countryside.pipe),
        *(coasts.sea, coasts.reef, coasts.shoal, coasts.river, coasts.bridge),
        *(buildings.teleport, buildings.unknown),
    )
}
TEXTURES |= {
    "pipe seam": countryside.seam,
    "pipe rubble": countryside.rubble,
    "city": buildings.city,
    "base": buildings.base,
    "airport": buildings.airport,
    "port": buildings.port,
    "headquarters": buildings.headquarters,
    "com tower": buildings.com_tower,
    "lab": buildings.lab,
    "silo": buildings.silo,
    "empty silo": buildings.empty_silo,
}
"""Textures by the kind of tile that they are for; any other kind is bevelled."""
