"""Maps as the JavaScript modules of pages see them."""

from __future__ import annotations

from typing import Any

from tilewright.core.tilemap import TileMap
from tilewright.formats._page.scene import encode_game, encode_tiles


def describe(map: TileMap) -> dict[str, Any]:
    """Return a map as games see it."""
    *depth, height, width = map.shape
    return {
        "width": width,
        "height": height,
        "depth": depth[0] if depth else 1,
        "cells": map.cells.ravel().tolist(),
        "tiles": encode_tiles(map.tileset),
        "markers": [[marker.name, marker.x, marker.y, marker.level] for marker in map.markers],
        "game": encode_game(map, map.numbers),
    }
