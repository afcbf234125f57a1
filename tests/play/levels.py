"""Small levels for the tests of games."""

from __future__ import annotations

import tilewright as tw
from tilewright.core.tileset import Tileset

TILES = Tileset.validate(
    {
        "name": "games",
        "tiles": [
            {"name": "floor", "glyph": "."},
            {"name": "wall", "glyph": "#", "passable": False},
            {"name": "player", "glyph": "@"},
            {"name": "exit", "glyph": "E"},
            {"name": "crate", "glyph": "$"},
            {"name": "target", "glyph": "o"},
            {"name": "full target", "glyph": "*", "role": "crate_on_target"},
            {"name": "standing target", "glyph": "+", "role": "player_on_target"},
            {"name": "ladder", "glyph": "H"},
            {"name": "rope", "glyph": "-"},
            {"name": "brick", "glyph": "b", "passable": False},
            {"name": "gold", "glyph": "g"},
            {"name": "coin", "glyph": "c"},
            {"name": "spike", "glyph": "^"},
            {"name": "platform", "glyph": "="},
            {"name": "spring", "glyph": "s"},
            {"name": "enemy", "glyph": "e"},
            {"name": "boss", "glyph": "B"},
            {"name": "potion", "glyph": "p"},
            {"name": "treasure", "glyph": "t"},
            {"name": "key", "glyph": "k"},
            {"name": "gate", "glyph": "d", "role": "door"},
        ],
    }
)
"""A tile for each role."""


def level(*rows: str) -> tw.TileMap:
    """Return a map from rows of glyphs of `TILES`."""
    return tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in rows], TILES)
