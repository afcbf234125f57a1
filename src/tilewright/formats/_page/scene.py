"""The data of a map for the JavaScript modules: tiles, markers, icons, sprites and the game of the map."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...core.ports import find_game
from ...core.roles import role_of_name
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from .._artwork import Artwork, has_sprites, own_sheet
from .._composition import CellStacks, draw_stacks, find_flat_colors
from .._data import pack_array
from .._icons import MORE, Icon, draw_icon, find_icon
from .._sheet import MAX_COLUMNS, arrange_sprites, encode_png
from .._textures import SIDE, is_plain

MAX_TILES_WITH_SPRITES = 1024
"""Maximum number of tiles of a tileset that is drawn with sprites. Larger tilesets usually come from pictures, with one
tile per color, and are drawn as colors."""
MAX_PICTURES = 4096
"""Maximum number of different cells of a map with sprites."""
MAX_SHEET_PIXELS = 1 << 22
"""Maximum number of pixels of all sprites. Larger sprites are scaled down."""
MAX_SPRITE_SIDE = 64
"""Maximum edge length of a sprite from a tileset's own picture, in pixels. Larger sprites are scaled down."""

BEST_MEASURES = {"sokoban": "pushes", "platformer": "moves_needed", "runner": "moves_needed"}
"""Measures of the best playthrough that games show, by name of the game."""

Scene = dict[str, Any]
"""Plain data, ready for JSON."""


def encode_scene(map: TileMap, *, sprites: bool, measures: Mapping[str, float]) -> Scene:
    """Return what a page shows of a map, without its cells. `measures` are those that are known of the map."""
    *depth, height, width = map.shape
    return {
        "width": width,
        "height": height,
        "depth": depth[0] if depth else 1,
        "bits": 8 * map.cells.dtype.itemsize,
        "tiles": encode_tiles(map.tileset),
        "markers": [[marker.name, marker.x, marker.y, marker.level] for marker in map.markers],
        "icons": encode_icons([marker.name for marker in map.markers]) if map.markers else None,
        "game": encode_game(map, measures),
        **(_encode_sprites(map) if sprites else {"sheet": None, "looks": None}),
    }


def is_drawn_in_sprites(tileset: Tileset) -> bool:
    """Return whether maps of a tileset are drawn with sprites: it has some, and not too many tiles."""
    return len(tileset) <= MAX_TILES_WITH_SPRITES and has_sprites(tileset)


def encode_tiles(tileset: Tileset) -> list[Scene]:
    """Return the tiles as plain data: all that drawing and games need.

    A tile is `plain` if its picture is only its color. Games draw figures over such tiles.
    """
    has_sheet = own_sheet(tileset) is not None
    covered = {tile for skin in tileset.skins for tile in tileset.find_tiles(skin.tile)}
    return [
        {
            "name": tile.name,
            "glyph": tile.glyph,
            "color": color,
            "passable": tile.passable,
            "opaque": bool(blocks_sight),
            "costs": dict(tile.costs),
            "role": tile.game_role,
            "plain": not has_sheet and number not in covered and is_plain(tile.kind),
        }
        for number, (tile, color, blocks_sight) in enumerate(
            zip(tileset, find_flat_colors(tileset), tileset.blocks_sight, strict=True)
        )
    ]


def encode_game(map: TileMap, measures: Mapping[str, float]) -> Scene | None:
    """Return the game of a map with its params, the roles of markers by name, and the fewest pushes or ticks if
    these are among the measures; None if no game suits the map."""
    found = find_game.get()(map)
    if found is None:
        return None
    name, params = found
    roles = {marker.name: role for marker in map.markers if (role := role_of_name(marker.name))}
    return {"name": name, "params": params, "markers": roles, "fewest": measures.get(BEST_MEASURES.get(name, ""))}


def encode_icons(names: Sequence[str]) -> Scene:
    """Return the icons of markers by name: a row of pictures, their colors, and the picture of each marker.

    The first picture represents the markers of a cell that has too many.
    """
    found = [find_icon(name) for name in names]
    numbers = {icon: number for number, icon in enumerate(dict.fromkeys([MORE, *found]))}
    url, colors = _draw_icons(tuple(numbers))
    return {"url": url, "side": SIDE, "colors": colors, "numbers": [numbers[icon] for icon in found]}


def encode_page(pictures: NDArray[np.uint8], first: int, *, quick: bool = False) -> Scene:
    """Return a page of a sprite sheet: an array (picture, row, column, 3) as one picture, from number `first` on.

    `quick` is that of `encode_png`.
    """
    url = encode_png_url(encode_png(arrange_sprites(pictures), quick=quick))
    return {"url": url, "columns": min(MAX_COLUMNS, len(pictures)), "first": first, "count": len(pictures)}


def encode_png_url(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


@cached_by_size
def _draw_icons(icons: tuple[Icon, ...]) -> tuple[str, list[str]]:
    """Return a row of icons as a data URL, and their colors."""
    row = np.concatenate([draw_icon(icon, SIDE) for icon in icons], axis=1)
    return encode_png_url(encode_png(row, quick=True)), [f"#{icon.color}" for icon in icons]


def _encode_sprites(map: TileMap) -> Scene:
    """Return the sheet of the cells' pictures and the picture of each cell; None for too many different cells."""
    nothing = {"sheet": None, "looks": None}
    if not is_drawn_in_sprites(map.tileset):
        return nothing
    cells = CellStacks.of(map)
    count = len(cells.stacks)
    if count > MAX_PICTURES:
        return nothing
    side = min(max(cells.artwork.native_size), MAX_SPRITE_SIDE, isqrt(MAX_SHEET_PIXELS // count))
    pictures = draw_stacks(Artwork.of(map.tileset), cells.stacks, side, side)
    sheet = {"digest": "", "side": side, "pages": [encode_page(pictures, 0)]}
    return {"sheet": sheet, "looks": pack_array(cells.numbers.astype(np.uint16))}
