"""Several maps of one tileset, which is a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ...core.tilemap import TileMap
from . import TiledParams
from .elements import tileset_to_xml, to_xml
from .writing import build_document

SHARED = "tiles"
"""Name of the tileset's files, without extension."""


def write_levels(maps: Mapping[str, TileMap], options: TiledParams) -> tuple[dict[str, bytes], tuple[int, int]]:
    """Return the files of TMX maps that share their tilesets and pictures, and the size of a cell.

    Parameters
    ----------
    maps : mapping of str to TileMap
        Maps by the name of their file without extension. All have the same tileset.
    options : TiledParams
        Options of the maps.

    Returns
    -------
    dict of str to bytes
        Contents by file name, all in one folder: the maps in order, the tilesets (.tsx) and their pictures.
    (int, int)
        Width and height of a cell in pixels.
    """
    levels: dict[str, bytes] = {}
    shared: dict[str, bytes] = {}
    size = (0, 0)
    for name, map in maps.items():
        # The path is a bare name, so that the user's own picture is copied and the folder is complete.
        document, pictures = build_document(map, options, Path(f"{SHARED}.tmx"), embedded=False)
        renamed = {
            picture: number_name(number) + PurePosixPath(picture).suffix.lower()
            for number, picture in enumerate(pictures)
        }
        references = []
        for number, part in enumerate(document["tilesets"]):
            source = f"{number_name(number)}.tsx"
            references.append({"firstgid": part["firstgid"], "source": source})
            if not levels:
                shared[source] = tileset_to_xml({**part, "image": renamed.get(part["image"], part["image"])})
        shared |= {renamed[picture]: content for picture, content in pictures.items()}
        levels[f"{name}.tmx"] = to_xml({**document, "tilesets": references})
        size = (document["tilewidth"], document["tileheight"])
    return {**levels, **shared}, size


def number_name(number: int) -> str:
    return SHARED if not number else f"{SHARED}-{number + 1}"
