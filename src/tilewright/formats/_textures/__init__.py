"""Textures of tiles, 16x16 pixels each.

A texture depends on the tile's kind and color, the sides where it joins, and the neighbors that count as the same.
"""

from __future__ import annotations

from . import buildings, coasts, countryside, doors, landscape, relief, surfaces, things
from .strokes import SIDE, Look, Texture

__all__ = ["SIDE", "SKIN_TEXTURES", "TEXTURES", "Look", "Texture", "find_texture", "is_plain"]

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
TEXTURES |= {"pipe seam": countryside.seam, "pipe rubble": countryside.rubble, **things.DRAWINGS, **buildings.DRAWINGS}
"""Textures by kind of tile. Kinds that are not listed use `bevel`."""

SKIN_TEXTURES: dict[str, Texture] = {
    texture.__name__.replace("_", " "): texture
    for texture in (
        *(relief.crag, relief.masonry, relief.shadow, relief.pool, relief.chasm, relief.patch, relief.vein),
        *(relief.earth, relief.lawn, relief.cloud),
        *(landscape.coast, landscape.depths, landscape.turf, landscape.canopy),
        *(landscape.upland, landscape.massif, landscape.mountain_range, landscape.snowfield),
        *(coasts.river_bank, coasts.shoal_bay, doors.door, doors.locked_door),
    )
}
"""Further textures for the key `texture` of skins. Most of them join, and are transparent where the terrain ends."""


def find_texture(kind: str, skin_texture: str = "") -> Texture:
    """Return the texture of a kind of tile, or of a skin that names one."""
    own = SKIN_TEXTURES.get(skin_texture)
    return own if own is not None else TEXTURES.get(skin_texture or kind, surfaces.bevel)


def is_plain(kind: str) -> bool:
    """Return whether tiles of a kind have no texture of their own."""
    return kind not in TEXTURES
