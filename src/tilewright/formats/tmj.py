"""Tiled maps in JSON, for Phaser and other web engines; the Tiled editor reads them too.

Same as tmx, but the tileset's picture is always a file beside the map.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.tilemap import TileMap
from . import LoadedMap, Source, make_format
from ._tiled import TiledParams
from ._tiled.document import from_json
from ._tiled.reading import read_document
from ._tiled.writing import build_document


def write(map: TileMap, options: TiledParams, path: Path) -> Mapping[str, bytes]:
    written, pictures = build_document(map, options, path, embedded=False)
    return {path.name: json.dumps(written, separators=(",", ":"), default=_flatten_gids).encode() + b"\n", **pictures}


def _flatten_gids(gids: Any) -> Any:
    """Return the cells of a layer, row by row."""
    assert isinstance(gids, np.ndarray)
    return gids.reshape(-1).tolist()


def read(source: Source, options: TiledParams) -> list[LoadedMap]:
    return read_document(from_json(source.content), source, options)


tmj = make_format(write, read, TiledParams, use="game engines", engines=("Phaser", "Tiled"))
