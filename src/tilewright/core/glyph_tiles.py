"""What the glyphs of text maps usually mean: the name, color and passability of their tiles.

The looks are those of the tileset `palette`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from .. import data
from .appearance import FREE_GLYPH, QUESTION_MARK
from .tileset import Tile, Tileset

GLYPHS = tomllib.loads(data.read_text("tables", "glyphs"))
GLYPH_TILES = {glyph: name for name, glyphs in GLYPHS.items() for glyph in glyphs}
"""Tile of the tileset `palette` by glyph. Other glyphs, such as letters, are passable."""
SPACE, DOT = " ", "."
DIGIT_COLORS = tuple(f"#{level:02x}{level:02x}{min(255, level + 12):02x}" for level in range(52, 242, 20))
"""Shades of the digits 0 to 9, from dark to bright."""


def is_passable_glyph(glyph: str) -> bool:
    """Return whether a tile with this glyph is usually passable.

    >>> [is_passable_glyph(glyph) for glyph in "#.~Tg"]
    [False, True, False, False, True]
    """
    return glyph not in GLYPH_TILES or _find_tile(GLYPH_TILES[glyph]).passable


def make_glyph_tileset(labels: Iterable[str], name: str) -> Tileset:
    """Return a tileset for the glyphs of a text map, with the usual colors, kinds and passability.

    The glyphs are the names of the tiles; `name_tiles` replaces them. Of several glyphs with the same meaning, the
    first has the usual color. A space is rock if the map has dots, else floor.

    >>> [(tile.name, tile.color, tile.passable) for tile in make_glyph_tileset("#.", "text")]
    [('#', '#514c59', False), ('.', '#c5b89f', True)]
    """
    labels = list(labels)
    tiles: list[dict[str, Any]] = []
    used: set[str] = set()
    for label in labels:
        tile = {"name": QUESTION_MARK, "glyph": FREE_GLYPH} if label in (FREE_GLYPH, QUESTION_MARK) else {"name": label}
        if len(label) == 1:
            tile["glyph"] = label
        meaning = _find_meaning(label, labels)
        if meaning:
            usual = _find_tile(meaning)
            look = {"kind": usual.kind, "passable": usual.passable}
            tiles.append({**tile, **look} if meaning in used else {**tile, **look, "color": usual.color})
            used.add(meaning)
        elif len(label) == 1 and label in "0123456789":
            tiles.append({**tile, "color": DIGIT_COLORS[int(label)]})
        else:
            tiles.append(tile)
    return Tileset.validate({"name": name, "tiles": tiles})


def name_tiles(tileset: Tileset) -> Tileset:
    """Return a tileset in which tiles named by their glyph have the usual name of that glyph, if it is free.

    >>> name_tiles(make_glyph_tileset("#.Xg", "text")).names
    ('wall', 'floor', 'wall X', 'g')
    """
    taken = set(tileset.names)
    tiles = []
    for tile in tileset:
        meaning = _find_meaning(tile.glyph, tileset.names) if tile.name == tile.glyph else ""
        name = next((name for name in (meaning, f"{meaning} {tile.glyph}") if meaning and name not in taken), tile.name)
        taken.add(name)
        tiles.append(tile.model_copy(update={"name": name}))
    return tileset.model_copy(update={"tiles": tuple(tiles)})


def _find_meaning(glyph: str, labels: Iterable[str]) -> str:
    """Return the name of the tile that a glyph usually is; empty if it is unknown."""
    if glyph == SPACE:
        return "void" if DOT in labels else "floor"
    return GLYPH_TILES.get(glyph, "")


def _find_tile(name: str) -> Tile:
    palette = Tileset.of("palette")
    return palette[palette.by_name[name]]
