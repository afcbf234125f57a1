"""Maps as Tiled 1.10 documents, which TMX and TMJ encode as XML and JSON.

`writing` builds a document from a map, with tilesets of `sprites`; `elements` converts documents to XML and back;
`document` validates the data that was read, `cells` and `tiles` decode its layers and tilesets, and `reading` builds
the map.

Written maps are orthogonal, with the tileset inside the map and its picture beside it. The tile layers are those of
`sprite_layers`: `ground`, further layers of ground, and `things`. Every sprite is described by custom properties of
its tile (`tile_id`, `name`, `passable`, `blocks_sight`; the first sprite of a tile also has `glyph`, `color`, ...; its
kind is Tiled's class), so that engines can use them and reading returns the same tileset. In a map with levels, each
level is a layer, or a group if it has several; the first is visible. If sprites do not show the tiles of all cells, a
transparent layer `cells` holds them.

Markers are points at the centers of their cells, with their name as Tiled's class and their properties as custom
properties; rooms are rectangles. They are in object layers of these names. Properties of the map: `tilewright`
(provenance, JSON), `links` (pairs of room indices, JSON), `number_NAME`, and `layer_NAME` (a float layer, packed as in
recipes; omitted for maps over 65,536 cells). Files of 0.1 have dots in these names, which Godot refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator

from ...core.params import Params, param
from .._documents import check_megabytes
from .._files import read_path

Document = dict[str, Any]
"""A map or a part of it, structured as Tiled's JSON. During writing, the `data` of a layer is an array of gids, (row,
column), and a tile may have a `picture`: the bytes of a PNG to embed in the file.
"""


LEVEL_OF_MARKER = "map_level"
"""Property of a marker in a map with levels. Files of 0.1 use `level`, which is now free for the marker's own data."""
NUMBER_OF_ROOM = "room"
"""Property with the number of a room that has a name. The names of all other rooms contain their numbers."""
CELLS, SPRITES = "cells", "sprites"
"""Values of the property `tilewright` of layers: the tile of every cell, or its sprites."""
MAX_BYTES = 1 << 27
"""Maximum size of a document; in memory it takes several times this size."""


def digest_gids(layers: Sequence[NDArray[np.uint32]]) -> str:
    """Return a digest of the gids of layers, by which a reader finds out whether they were edited."""
    digest = blake2b(digest_size=8)
    for gids in layers:
        digest.update(np.ascontiguousarray(gids, dtype="<u4").data)
    return digest.hexdigest()


def check_file_size(content: bytes) -> None:
    check_megabytes(content, MAX_BYTES, "a Tiled file", "npz or png")


class TiledParams(Params):
    tile_size: int = param(16, ge=1, le=256)
    """Writing: width and height of a drawn sprite in pixels; a tileset with its own picture has its own size."""
    image_path: Annotated[str, AfterValidator(read_path)] = param("")
    """Writing: path of the tileset's own picture relative to the map, if it is not where it was found."""
    collisions: bool = param(True)
    """Writing: whether impassable tiles get collision shapes, which importers turn into colliders."""
    layer: str = param("", reading=True)
    """Reading: tile layer to read, by name or by number from 1; by default the visible layers, the topmost tile in each
    cell."""
