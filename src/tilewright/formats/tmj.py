"""Tiled maps in JSON, for Phaser and other web engines; the Tiled editor reads them too.

Same as tmx, but the tileset's picture is always a file beside the map.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._tiled import TiledParams
from ._tiled.document import from_json
from ._tiled.reading import read_document
from ._tiled.writing import build_document


def read(source: Source, options: TiledParams) -> list[LoadedMap]:
    return read_document(from_json(source.content), source, options)


@file_format(TiledParams, read=read, media_type="application/json", use="game engines", engines=("Phaser", "Tiled"))
def tmj(map: TileMap, options: TiledParams, path: Path) -> Mapping[str, bytes]:
    written, pictures = build_document(map, options, path, embedded=False)
    text = json.dumps(written, separators=(",", ":"), default=lambda gids: gids.reshape(-1).tolist())
    return {path.name: f"{text}\n".encode(), **pictures}
