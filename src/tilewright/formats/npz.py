"""NPZ: a NumPy archive with `cells`, all `layers` in one array, and all other data as JSON in bytes.

Programs need only `np.load("map.npz")["cells"]`. An archive that contains only `cells` can also be read, with the given
tileset or one of numbered tiles. Equal maps give equal files.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile
from ..core.params import Params
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._archive import decode_archive, encode_archive
from ._data import StoredMap, check_sides, describe_map, make_numbered_tileset
from ._models import holds_network

KINDS = {"cells": "biu", "layers": "f", "rest": "u"}
"""Names of the allowed arrays, and the allowed kinds of their dtypes."""


def read(source: Source, options: Params) -> list[LoadedMap]:
    if holds_network(source.content):
        raise BadFile("a network of `tilewright learn diffusion`, not a map", at=source.name)
    arrays = decode_archive(source.content, KINDS, source.name)
    if "cells" not in arrays:
        raise BadFile("must contain an array named 'cells'", at=source.name)
    cells = arrays["cells"]
    check_sides(cells.shape)
    if "rest" not in arrays:
        tileset = source.tileset or make_numbered_tileset(int(cells.max(initial=0)), source.content)
        return [LoadedMap(TileMap(cells, tileset))]
    try:
        data = StoredMap.validate(parse_json(arrays["rest"].tobytes().decode()))
    except UnicodeDecodeError:
        raise BadFile("not UTF-8 text", at=(source.name, "rest"), place=f"{source.name}: rest") from None
    names = data.layers if isinstance(data.layers, list) else []
    layers = arrays.get("layers", np.empty((0, *data.shape)))
    if cells.shape != data.shape or layers.shape != (len(names), *data.shape):
        raise BadFile(f"the arrays must have the given shape {list(data.shape)}", at=source.name)
    if not all(isinstance(name, str) for name in names):
        raise BadFile("must be names", at=(source.name, "layers"), place=f"{source.name}: layers")
    return [data.build_map(cells, dict(zip(names, layers, strict=True)))]


@file_format(read=read, use="arrays")
def npz(map: TileMap, options: Params, path: Path) -> Mapping[str, bytes]:
    arrays: dict[str, NDArray[Any]] = {"cells": map.cells}
    if map.layers:
        arrays["layers"] = np.stack(list(map.layers.values()))
    text = dumps({**describe_map(map), "layers": list(map.layers)})
    arrays["rest"] = np.frombuffer(text.encode(), dtype=np.uint8)
    return {path.name: encode_archive(arrays)}
