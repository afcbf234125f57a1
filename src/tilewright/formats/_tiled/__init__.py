"""Maps as Tiled 1.10 documents, which TMX and TMJ encode as XML and JSON.

`writing` builds a document from a map; `elements` converts documents to XML and back; `document` validates the data
that was read, `cells` and `tiles` decode its layers and tilesets, and `reading` builds the map.

Written maps are orthogonal, with the tileset inside the map and its picture beside it. Every tile is described by
custom properties (`tile_id`, `name`, `glyph`, `color`, `passable`, ...; its kind is Tiled's class), so that engines can
use them and reading returns the same tileset. A map with levels has a tile layer for each level; the first is visible.
Markers are points at the centers of their cells and rooms are rectangles, in object layers of these names. Properties
of the map: `tilewright` (provenance, JSON), `links` (pairs of room indices, JSON), `number.NAME`, and `layer.NAME` (a
float layer, packed as in recipes; omitted for maps over 65,536 cells).

A tileset with its own sheet keeps it: a tile's local id is its `sprite`. Tiles without a sprite use a second, drawn
picture, and tiles that share a sprite use a second tileset on the same picture, so that every tile has its own gid.
"""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import AfterValidator

from ...core.errors import TooLarge
from ...core.params import Params, param

Document = dict[str, Any]
"""A map or a part of it, structured as Tiled's JSON. During writing, the `data` of a layer is an array of gids, (row,
column), and a tile may have a `picture`: the bytes of a PNG to embed in the file.
"""


MAX_BYTES = 1 << 27
"""Maximum size of a document; in memory it takes several times this size."""


def check_file_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        size = f"{len(content) / 2**20:,.0f} MB"
        raise TooLarge(f"a Tiled file must have at most {MAX_BYTES >> 20} MB, got {size}; use npz or png")


def is_relative(path: str) -> bool:
    """Return whether a path is relative on every system."""
    windows = PureWindowsPath(path)
    return bool(path) and "://" not in path and not (windows.drive or windows.root or PurePosixPath(path).is_absolute())


def _read_path(path: str) -> str:
    if path and not is_relative(path):
        raise ValueError(f"must be relative to the map's file, got {path!r}")
    return path.replace("\\", "/")


class TiledParams(Params):
    tile_size: int = param(16, ge=1, le=256)
    """Writing: width and height of a drawn sprite in pixels; a tileset with its own picture has its own size."""
    image_path: Annotated[str, AfterValidator(_read_path)] = param("")
    """Writing: path of the tileset's own picture relative to the map, if it is not where it was found."""
    layer: str = param("", reading=True)
    """Reading: tile layer to read, by name or by number from 1; by default the visible layers, the topmost tile in each
    cell."""
