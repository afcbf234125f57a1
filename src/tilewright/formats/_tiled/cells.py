"""Cells of a layer, stored as lists, CSV or base64, complete or in chunks. At most the declared size is decoded."""

from __future__ import annotations

import base64
import binascii
import warnings
import zlib
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, pluralize, short_repr
from ...core.grid import MAX_CELLS
from .document import MAX_GIDS, TiledLayer, TiledMap

MAX_SPAN_RATIO = 1000
"""Maximum area of an infinite map, as a multiple of the cells in its chunks."""
FLIP_BITS = np.uint32(0xF0000000)
"""Bits of a gid that flip and rotate its tile."""

Gids = NDArray[np.uint32]


def read_layer_gids(layer: TiledLayer, document: TiledMap) -> Gids:
    """Return the gids of a layer as an array (row, column), without flip bits."""
    place = f"layer {layer.name!r}"
    if not layer.chunks:
        return _read_gids(layer.data, layer, layer.width or document.width, layer.height or document.height, place)
    left, top = min(chunk.x for chunk in layer.chunks), min(chunk.y for chunk in layer.chunks)
    width = max(chunk.x + chunk.width for chunk in layer.chunks) - left
    height = max(chunk.y + chunk.height for chunk in layer.chunks) - top
    cell_count = sum(chunk.width * chunk.height for chunk in layer.chunks)
    if width * height > min(MAX_CELLS, cell_count * MAX_SPAN_RATIO):
        raise TooLarge(f"its chunks have {pluralize(cell_count, 'cell')} but span {width:,}x{height:,}", at=place)
    gids = np.zeros((height, width), dtype=np.uint32)
    for chunk in layer.chunks:
        row, column = chunk.y - top, chunk.x - left
        part = _read_gids(chunk.data, layer, chunk.width, chunk.height, f"{place}, chunk at {chunk.x}, {chunk.y}")
        gids[row : row + chunk.height, column : column + chunk.width] = part
    return gids


def _read_gids(data: Any, layer: TiledLayer, width: int, height: int, place: str) -> Gids:
    count = width * height
    if not count:
        raise InvalidRecipe(f"a map must have at least one cell, got {width}x{height}", at=place, rule="minimum")
    if count > MAX_CELLS:
        raise TooLarge(f"must have at most {MAX_CELLS:,} cells, got {count:,}", at=place)
    try:
        if isinstance(data, str):
            numbers = _decode_base64(data, layer, count) if layer.encoding == "base64" else _parse_csv(data, count)
        elif isinstance(data, (list, tuple)) and len(data) == count:
            numbers = np.frombuffer(array("I", map(int, data)), dtype=np.uintc)
        else:
            size = pluralize(len(data), "cell") if isinstance(data, (list, tuple)) else short_repr(data)
            raise InvalidRecipe(f"has {size}, its size of {width}x{height} needs {count:,}")
    except InvalidRecipe as error:
        raise error.within(place) from None
    except (TypeError, ValueError, OverflowError):
        raise InvalidRecipe("must contain only gids (integers below 2^32)", at=place) from None
    return (numbers.astype(np.uint32) & ~FLIP_BITS).reshape(height, width)


def _parse_csv(text: str, count: int) -> NDArray[np.int64]:
    """Parse comma-separated integers."""
    actual = text.count(",") + 1
    if actual != count:
        raise InvalidRecipe(f"has {pluralize(actual, 'cell')}, its size needs {count:,}")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy 1.26 warns where NumPy 2 raises an error.
        try:
            numbers = np.fromstring(text, dtype=np.int64, sep=",")
        except DeprecationWarning:
            raise ValueError from None
    if len(numbers) != count or int(numbers.min()) < 0 or int(numbers.max()) >= 1 << 32:
        raise ValueError
    return numbers


def _decode_base64(text: str, layer: TiledLayer, count: int) -> Gids:
    """Decode little-endian integers in base64, which may be compressed. At most the declared size is decompressed."""
    if layer.compression not in ("", "zlib", "gzip"):
        raise InvalidRecipe(
            f"must be compressed with zlib, gzip or nothing, got {short_repr(layer.compression)}: "
            "choose one as the map's tile layer format in Tiled"
        )
    try:
        raw = base64.b64decode("".join(text.split()), validate=True)
        if layer.compression:
            stream = zlib.decompressobj(wbits=47)  # accepts zlib and gzip
            raw = stream.decompress(raw, 4 * count + 1)
            if not stream.eof and len(raw) <= 4 * count:
                raise InvalidRecipe("its compressed cells are truncated")
    except (binascii.Error, ValueError, zlib.error) as error:
        if isinstance(error, InvalidRecipe):
            raise
        raise InvalidRecipe(f"its cells cannot be decompressed ({error})") from None
    if len(raw) != 4 * count:
        more = "more than " if len(raw) > 4 * count else ""
        raise InvalidRecipe(f"decompresses to {more}{min(len(raw), 4 * count):,} bytes, its size needs {4 * count:,}")
    return np.frombuffer(raw, dtype="<u4")


def find_used_gids(layers: list[Gids]) -> list[int]:
    """Return the gids that occur, sorted."""
    largest = max(int(gids.max()) for gids in layers)
    if largest >= MAX_GIDS:
        raise InvalidRecipe(f"gid {largest} belongs to no tileset")
    seen = np.zeros(largest + 1, dtype=np.bool_)
    for gids in layers:
        for row in gids:
            seen[row] = True
    return [int(gid) for gid in np.flatnonzero(seen)]
