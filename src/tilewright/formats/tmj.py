"""Tiled's maps in JSON, for Phaser and other engines of the web; the Tiled editor reads it too.

The same as tmx, but for the tileset's picture, which the format can only point at: it always stands beside the map.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.tilemap import TileMap
from . import Format, LoadedMap, Source
from ._tiled import TiledParams
from ._tiled.document import from_json
from ._tiled.reading import read_document
from ._tiled.writing import build_document


def write(map: TileMap, options: TiledParams, path: Path) -> Mapping[str, bytes]:
    written, pictures = build_document(map, options, path, embedded=False)
    return {path.name: json.dumps(written, separators=(",", ":"), default=_flatten_gids).encode() + b"\n", **pictures}


def _flatten_gids(gids: Any) -> list[int]:
    """The cells of a layer, row after row."""
    assert isinstance(gids, np.ndarray)
    return [int(gid) for gid in gids.reshape(-1).tolist()]


def read(source: Source, options: TiledParams) -> list[LoadedMap]:
    return read_document(from_json(source.content), source, options)


tmj = Format(name="tmj", params=TiledParams, extensions=(".tmj",), write=write, read=read, doc=__doc__)
