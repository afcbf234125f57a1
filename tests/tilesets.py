"""Tilesets for tests, written as text."""

from __future__ import annotations

import re
from typing import Any

from tilewright.core.tileset import Tileset

WORDS = {"solid": {"passable": False}, "opaque": {"blocks_sight": True}, "clear": {"blocks_sight": False}}


def parse_tiles(text: str) -> list[dict[str, Any]]:
    """Return tiles from a string such as `floor .; iron door + #808080 opaque kind=door foot=2`.

    A tile has a name, a glyph, a color, words, and values: its kind, what it is over, its weight and costs by unit. The
    glyph _ is a space.
    """
    tiles = []
    for part in text.split(";"):
        name, *words = part.split()
        tile: dict[str, Any] = {"name": name}
        for word in words:
            key, equals, value = word.partition("=")
            if word in WORDS:
                tile |= WORDS[word]
            elif equals and key in ("kind", "over"):
                tile[key] = value
            elif equals:
                tile |= (
                    {"weight": float(value)} if key == "weight" else {"costs": {**tile.get("costs", {}), key: value}}
                )
            elif re.fullmatch("#[0-9a-f]{6}", word):
                tile["color"] = word
            elif len(word) == 1:
                tile["glyph"] = word.replace("_", " ")
            else:
                tile["name"] += f" {word}"
        tiles.append(tile)
    return tiles


def make_tileset(text: str, name: str = "test") -> Tileset:
    return Tileset.validate({"name": name, "tiles": parse_tiles(text)})


TWO = make_tileset(".; # solid")
"""A passable and an impassable tile."""
