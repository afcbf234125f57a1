"""The page of a map: JavaScript modules that the studio and exported pages share, and their data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.tileset import Tileset

MODULES = Path(__file__).parent / "modules"
"""Folder of the JavaScript modules. The studio serves it; exported pages contain the modules."""
PLAY_STYLE = Path(__file__).parent / "play.css"


def encode_tiles(tileset: Tileset) -> list[dict[str, Any]]:
    """Return the tiles as plain data: all that drawing and games need."""
    return [
        {
            "name": tile.name,
            "glyph": tile.glyph,
            "color": tile.color,
            "passable": tile.passable,
            "opaque": bool(blocks_sight),
            "costs": dict(tile.costs),
        }
        for tile, blocks_sight in zip(tileset, tileset.blocks_sight, strict=True)
    ]
