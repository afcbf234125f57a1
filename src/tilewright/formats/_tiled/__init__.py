"""Maps as Tiled 1.10 documents: what TMX and TMJ share, each of them being one spelling of it.

`writing` makes a document of a map; `elements` turns documents into XML and back; `document` checks what was read,
`cells` and `tiles` understand its layers and tilesets, and `reading` puts the map together.

What is written: orthogonal, the tileset inside the map, its picture beside it. Every tile says in custom properties
what it is (`tile_id`, `name`, `glyph`, `color`, `passable`, ...; its kind is Tiled's class), so that engines can ask
and reading gives back the same tileset. A map with levels has a tile layer for each, of which the first is visible.
Markers are points at the centres of their cells and rooms are rectangles, in object layers of these names. Properties
of the map: `tilewright` (how it was made, JSON), `links` (pairs of room numbers, JSON), `number.NAME`, and
`layer.NAME` (a float layer, packed as in recipes; left out of maps over 65,536 cells).

A tileset with a sheet of its own keeps it: a tile's local id is its `sprite`. Tiles without a sprite come from a
second, drawn picture, and tiles that share one from a second tileset on the same picture: every tile has its own gid.
"""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import AfterValidator

from ...core.errors import TooLarge
from ...core.params import Params, param

Document = dict[str, Any]
"""A map or a part of it as Tiled's JSON has it. While it is written, a layer's `data` is an array of gids, (row,
column), and a tile may hold `picture`: the bytes of a PNG that is to stand inside the file."""


MAX_BYTES = 1 << 27
"""Larger documents are not read: what stands in memory is a multiple of the file."""


def check_file_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        size = f"{len(content) / 2**20:,.0f} MB"
        raise TooLarge(f"{size} are more than the {MAX_BYTES >> 20} MB that are read of a Tiled file; use npz or png")


def is_relative(path: str) -> bool:
    """Whether a path starts from the file that holds it, on every system."""
    windows = PureWindowsPath(path)
    return bool(path) and "://" not in path and not (windows.drive or windows.root or PurePosixPath(path).is_absolute())


def _read_path(path: str) -> str:
    if path and not is_relative(path):
        raise ValueError(f"must be relative to the map's file, got {path!r}")
    return path.replace("\\", "/")


class TiledParams(Params):
    tile_size: int = param(16, ge=1, le=256)
    """Writing: pixels along a drawn sprite; a tileset with its own picture brings its size along."""
    image_path: Annotated[str, AfterValidator(_read_path)] = param("")
    """Writing: where the tileset's own picture lies, relative to the map, if not where it was found."""
    layer: str = param("", reading=True)
    """Reading: the tile layer to read, by name or by number from 1; without it the first visible one."""
