"""Tiled: one map (.tmx) per level, one tileset (.tsx) and picture, and a world (.world) with all levels.

Open `levels.world` in Tiled (*World*, *Load World*) to see and edit all levels side by side. The levels share the
tileset in `tiles.tsx`, so a change of the tileset changes all of them. A tileset's own picture is copied.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from ..core.params import param
from ..formats._tiled import Document, TiledParams
from ..formats._tiled.elements import tileset_to_xml, to_xml
from ..formats._tiled.writing import build_document
from . import Level, Project, arrange_levels, engine

WORLD = "levels.world"
SHARED = "tiles"
"""Name of the files of the shared tilesets, without number and extension."""


class TiledProjectParams(TiledParams):
    layer: ClassVar[str] = ""  # type: ignore[misc]  # an option of reading
    gap: int = param(2, ge=0, le=1000)
    """Number of cells between two levels in the world."""


@engine(TiledProjectParams, program="Tiled", format="tmx")
def tiled(levels: Sequence[Level], options: TiledProjectParams, folder: Path) -> Project:
    files: dict[str, bytes] = {}
    shared: dict[str, bytes] = {}
    documents: list[Document] = []
    for level in levels:
        # The path is a bare name, so that the user's own picture is copied and the folder is complete.
        document, pictures = build_document(level.map, options, Path(f"{SHARED}.tmx"), embedded=False)
        names = {
            picture: _name(number, PurePosixPath(picture).suffix.lower()) for number, picture in enumerate(pictures)
        }
        sources = [_name(number, ".tsx") for number in range(len(document["tilesets"]))]
        for source, part in zip(sources, document["tilesets"], strict=True) if not documents else ():
            shared[source] = tileset_to_xml({**part, "image": names.get(part["image"], part["image"])})
        shared |= {names[picture]: content for picture, content in pictures.items()}
        pairs = zip(sources, document["tilesets"], strict=True)
        references = [{"firstgid": part["firstgid"], "source": source} for source, part in pairs]
        files[f"{level.name}.tmx"] = to_xml({**document, "tilesets": references})
        documents.append(document)
    places = arrange_levels([(document["width"], document["height"]) for document in documents], options.gap)
    maps = [_describe_level(*level) for level in zip(files, documents, places, strict=True)]
    world = json.dumps({"maps": maps, "onlyShowAdjacentMaps": False, "type": "world"}, indent=2) + "\n"
    return Project({WORLD: world.encode(), **files, **shared})


def _name(number: int, ending: str) -> str:
    return f"{SHARED}-{number + 1}{ending}" if number else f"{SHARED}{ending}"


def _describe_level(name: str, document: Document, place: tuple[int, int]) -> dict[str, Any]:
    """Return a level of the world, with its place in pixels. The given place is in cells."""
    width, height = document["tilewidth"], document["tileheight"]
    size = {"width": document["width"] * width, "height": document["height"] * height}
    return {"fileName": name, "x": place[0] * width, "y": place[1] * height, **size}
