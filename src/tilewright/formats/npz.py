"""NPZ: numpy's archive. `cells`, all `layers` in one array, and the rest as JSON in bytes.

`np.load("map.npz")["cells"]` is all that a program needs. An archive that holds nothing but `cells` is read too, with
the given tileset or one of numbered tiles. Equal maps make equal files.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from json import dumps
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TooLarge
from ..core.params import Params
from ..core.tilemap import TileMap
from . import Format, Found, Source
from ._data import MapData, described, numbered_tileset, parse

MOST_BYTES = 1 << 29
"""Of all arrays together."""
KINDS = {"cells": "biu", "layers": "f", "rest": "u"}
"""The arrays there may be, and what kinds of numbers they hold."""
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class NpzParams(Params):
    """NPZ has no options."""


def write(map: TileMap, options: NpzParams, path: Path) -> Mapping[str, bytes]:
    arrays: dict[str, NDArray[Any]] = {"cells": map.cells}
    if map.layers:
        arrays["layers"] = np.stack(list(map.layers.values()))
    text = dumps({**described(map), "layers": list(map.layers)})
    arrays["rest"] = np.frombuffer(text.encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for array_name, array in arrays.items():
            # A bare ZipInfo has a fixed date; the system is fixed too, so that machines agree.
            entry = zipfile.ZipInfo(f"{array_name}.npy")
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            with archive.open(entry, "w", force_zip64=True) as file:
                npy.write_array(file, array.astype(array.dtype.newbyteorder("<"), copy=False), allow_pickle=False)
    return {path.name: buffer.getvalue()}


def read(source: Source, options: NpzParams) -> list[Found]:
    try:
        arrays = _arrays(source.content)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, InvalidRecipe | TooLarge):
            raise
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadFile(f"{source.name}: not an archive of arrays ({reason})") from None
    if "cells" not in arrays:
        raise BadFile(f"{source.name}: holds no array called 'cells'")
    cells = arrays["cells"]
    if "rest" not in arrays:
        highest = int(cells.max(initial=0))
        return [Found(TileMap(cells, source.tileset or numbered_tileset(highest)))]
    try:
        data = MapData.checked(parse(arrays["rest"].tobytes().decode()))
    except UnicodeDecodeError:
        raise BadFile(f"{source.name}: rest: not text in UTF-8") from None
    names = data.layers if isinstance(data.layers, list) else []
    layers = arrays.get("layers", np.empty((0, *data.shape)))
    if cells.shape != data.shape or layers.shape != (len(names), *data.shape):
        raise BadFile(f"{source.name}: the arrays do not have the shape that is told, {list(data.shape)}")
    if not all(isinstance(name, str) for name in names):
        raise BadFile(f"{source.name}: layers: must be names")
    return [data.found(cells, dict(zip(names, layers, strict=True)))]


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an archive; sizes, names and kinds are looked at before anything is unpacked."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        strange = sorted(set(entries) - set(KINDS))
        if strange or len(entries) < len(archive.infolist()):
            raise InvalidRecipe(f"the arrays are {', '.join(KINDS)}, each once; got {strange or 'one twice'}")
        claimed = sum(entry.file_size for entry in entries.values())
        if claimed > MOST_BYTES:
            raise TooLarge(f"{claimed:,} bytes unpacked are more than the {MOST_BYTES:,} that are read")
        arrays = {}
        for name, entry in entries.items():
            with archive.open(entry) as file:
                arrays[name] = _array(file, name, entry.file_size)
        return arrays


def _array(file: IO[bytes], name: str, size: int) -> NDArray[Any]:
    """One array; what its header claims must be what the archive holds."""
    version = npy.read_magic(file)
    if version not in HEADERS:
        raise InvalidRecipe(f"{name}: unknown version {version} of the array format")
    shape, fortran_order, dtype = HEADERS[version](file)
    if dtype.kind not in KINDS[name] or dtype.hasobject:
        raise InvalidRecipe(f"{name}: cannot hold {dtype}")
    # A negative side would make the product look right.
    if any(side < 0 for side in shape) or file.tell() + prod(shape) * dtype.itemsize != size:
        raise InvalidRecipe(f"{name}: claims the shape {list(shape)}, which its {size:,} bytes do not fill")
    raw = file.read(prod(shape) * dtype.itemsize)
    return np.frombuffer(raw, dtype=dtype).reshape(shape, order="F" if fortran_order else "C")


npz = Format(name="npz", params=NpzParams, extensions=(".npz",), write=write, read=read, doc=__doc__)
