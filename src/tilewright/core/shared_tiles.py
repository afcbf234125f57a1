"""The common tileset of several maps, in which an id is the same tile in every map.

The tiles of the maps of one recipe may differ, because the tiles of a nested recipe are added where they are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import UnknownName
from .recipe import Recipe
from .tilemap import TileMap
from .tileset import Tileset


def collect_tiles(recipe: Recipe) -> Tileset:
    """Return the tiles that the maps of a recipe can have: its own, then those of its nested recipes."""
    found = recipe.tileset
    for tileset in _iter_inner_tilesets(recipe):
        found = found.with_tiles(tileset)
    return found


def _iter_inner_tilesets(recipe: Recipe) -> Iterator[Tileset]:
    for inner in recipe.inner:
        yield inner.tileset
        yield from _iter_inner_tilesets(inner)


def convert_cells(map: TileMap, tileset: Tileset, hint: str = "") -> NDArray[Any]:
    """Convert a map's cells to ids of another tileset, by tile name. The hint is added to errors."""
    own = map.tileset.names
    if own == tileset.names[: len(own)]:
        return map.cells.astype(tileset.dtype, copy=False)
    ids = np.zeros(len(own), dtype=tileset.dtype)
    for number in np.unique(map.cells).tolist():
        if own[number] not in tileset.by_name:
            raise UnknownName("tile", own[number], tileset.names, hint)
        ids[number] = tileset.by_name[own[number]]
    return ids[map.cells]
