"""Tiled maps in XML, for the Tiled editor and most engines.

The ground and the things on it are layers of their own. Skins become Wang sets (Tiled's terrains), impassable tiles
have collision shapes, and markers are points whose class is their name.

The tileset is inside the map's file. Its picture is written beside it (`level-tiles.png` for `level.tmx`) or, with
`tileset_image=embedded`, into it, one sprite per tile, which few programs besides Tiled show. A tileset's own picture
is referenced at its location, or elsewhere with `image_path`; it is copied if its location is unknown. An embedded
picture is not read back.

A map that was edited in Tiled is read with its edits. The visible tile layers of other programs' maps are read as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ..core.params import param
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._tiled import TiledParams
from ._tiled.elements import from_xml, to_xml
from ._tiled.reading import read_document
from ._tiled.writing import build_document


class TmxParams(TiledParams):
    tileset_image: Literal["beside", "embedded"] = param("beside")
    """Writing: whether the tileset's picture is a file beside the map or inside it."""


def read(source: Source, options: TmxParams) -> list[LoadedMap]:
    return read_document(from_xml(source.content), source, options)


@file_format(
    TmxParams,
    read=read,
    media_type="application/xml",
    use="game engines",
    engines=("Tiled", "Godot 4 (YATI)", "Unity (SuperTiled2Unity)", "libGDX", "pygame (pytmx)"),
)
def tmx(map: TileMap, options: TmxParams, path: Path) -> Mapping[str, bytes]:
    written, pictures = build_document(map, options, path, embedded=options.tileset_image == "embedded")
    return {path.name: to_xml(written), **pictures}
