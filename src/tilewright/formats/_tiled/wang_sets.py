"""Wang sets (Tiled's terrains) from skins, so that Tiled's terrain brush chooses the sprites that Tilewright chooses.

The first color of a set is the tile of the skin and the second is everything else. Tiled's order of the eight
directions is that of the masks, clockwise from the north.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.skins import ALL_BITS, CORNER_BITS, DIRECTIONS, EDGE_BITS, LAYOUTS
from .._artwork import Artwork
from . import Document
from .elements import wang_sets_to_xml

TYPES = {ALL_BITS: "mixed", CORNER_BITS: "corner", EDGE_BITS: "edge"}
SAME, OTHER = 1, 2
"""Colors of a set, which Tiled numbers from 1. 0 means that the direction does not matter."""


class WangSets(tuple[Document, ...]):
    """The Wang sets of a document's tileset, and as XML, which is cached for all maps of the tileset."""

    @cached_property
    def xml(self) -> str:
        return wang_sets_to_xml(self)


def build_wang_sets(
    artwork: Artwork, locals: Mapping[int, int], is_below: NDArray[np.bool_], *, copy: bool
) -> WangSets:
    """Return a set for every tile of every skin with sprites in a document's tileset.

    Parameters
    ----------
    artwork
        Sprites of the tileset.
    locals
        Sprites by local id.
    is_below
        Array (sprite,) of whether a sprite is also in a tileset without collision shapes.
    copy
        Whether this is such a tileset. It has the sets of sprites between cells, the other one all others.
    """
    tileset = artwork.tileset
    found: dict[tuple[int, int], dict[int, int]] = {}
    for local, number in sorted(locals.items()):
        sprite = artwork.sprites[number]
        if sprite.skin is not None:
            skin, tile = tileset.skins[sprite.skin], tileset[sprite.tile]
            layout = LAYOUTS[skin.layout]
            # A brush cannot paint pieces of rivers and roads, nor what depends only on other tiles.
            if skin.toward or tile.joins:
                continue
            if layout.bits in TYPES and copy == (layout.is_dual and bool(is_below[number])):
                found.setdefault((sprite.skin, sprite.tile), {})[local] = sprite.mask
    local_ids = {sprite: local for local, sprite in locals.items()}
    return WangSets(
        _make_wang_set(artwork, skin, tile, masks, local_ids) for (skin, tile), masks in sorted(found.items())
    )


def _make_wang_set(
    artwork: Artwork, skin: int, tile: int, masks: Mapping[int, int], local_ids: Mapping[int, int]
) -> Document:
    tileset = artwork.tileset
    layout = LAYOUTS[tileset.skins[skin].layout]
    full = next((local for local, mask in masks.items() if mask == layout.bits), -1)
    # The sprite without neighbors looks to Tiled like any cell of the other color, which it would replace.
    wang_tiles: list[Document] = [
        {"tileid": local, "wangid": _make_wang_id(mask, layout.bits)} for local, mask in masks.items() if mask
    ]
    other = None if layout.is_dual else _find_other(artwork, skin, local_ids)
    if other is not None:
        wang_tiles.append({"tileid": local_ids[other], "wangid": _make_wang_id(0, layout.bits)})
    colors = [
        _make_color(tileset[tile].name, tileset[tile].color, full),
        _make_color("other", "#000000", -1)
        if other is None
        else _make_color("other", tileset[other].color, local_ids[other]),
    ]
    wang_tiles.sort(key=lambda one: one["tileid"])
    return {
        "name": tileset[tile].name,
        "type": TYPES[layout.bits],
        "tile": full,
        "colors": colors,
        "wangtiles": wang_tiles,
    }


def _find_other(artwork: Artwork, skin: int, local_ids: Mapping[int, int]) -> int | None:
    """Return the sprite of the first tile without a skin beside which the skin ends, in the same plane."""
    for plane in artwork.planes:
        for table in plane.tables:
            if table.skin is artwork.tileset.skins[skin]:
                free = np.flatnonzero(plane.singles & (table.bits == 0)).tolist()
                return next((tile for tile in free if tile in local_ids), None)
    return None


def _make_wang_id(mask: int, bits: int) -> list[int]:
    return [(SAME if mask >> n & 1 else OTHER) if bits >> n & 1 else 0 for n in range(len(DIRECTIONS))]


def _make_color(name: str, color: str, local: int) -> Document:
    return {"name": name, "color": color, "tile": local, "probability": 1}
