"""Payloads for the canvas in the browser: maps, frames and overlays as plain data.

Arrays are compressed with zlib and encoded with base64. Tiles and sprite sheets, which many maps share, have a digest,
so that they are sent to a browser only once. Sprites that depend on neighbors are expensive and are sent only to a
browser that shows them.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Sequence
from hashlib import blake2b
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...core.landmarks import write_room
from ...core.recipe import Recipe
from ...core.site import Frame
from ...core.tilemap import Marker, TileMap
from ...core.tileset import Tileset
from ...formats._page.scene import encode_game, encode_icons, encode_tiles
from ...overlays.overlay import Overlay
from .sprite_sheets import depends_on_neighbors, sheet_cache

Payload = dict[str, Any]
"""Plain data, ready for JSON."""

ENCODING_OVERHEAD = 200
"""Maximum characters that the encoding adds to an array of any size."""
MAX_TIMELINE_CELLS = 1 << 26
"""Maximum number of cells in all frames of a timeline. Timelines of large maps have fewer frames."""


def encode_map(
    map: TileMap,
    *,
    recipe: Recipe | None = None,
    locked: NDArray[np.bool_] | None = None,
    painted: int = 0,
    sprites: bool = True,
    note: str = "",
) -> Payload:
    """Return the payload of a map.

    Parameters
    ----------
    map : TileMap
        Map to show.
    recipe : Recipe, optional
        Recipe whose seed chooses variants of sprites; by default that of the map, which painted maps do not have.
    locked : ndarray of bool, optional
        Mask of the locked cells, with the map's shape.
    painted : int, default 0
        Number of cells painted since the map was made.
    sprites : bool, default True
        Whether to include sprites that depend on neighbors. Without them, the payload has a sprite per tile, and the
        browser draws colors until it has those of `encode_sprites`.
    note : str, default ""
        Text shown with the map.

    Returns
    -------
    dict
    """
    lacks_sprites = not sprites and depends_on_neighbors(map.tileset)
    return {
        **_encode_size(map.shape),
        **_encode_cells(map.cells, map.tileset),
        "key": _digest_map(map),
        "rooms": [write_room(room) for room in map.rooms],
        "links": [list(link) for link in map.links],
        "markers": [_encode_marker(marker) for marker in map.markers],
        "icons": encode_icons([marker.name for marker in map.markers]) if map.markers else None,
        "game": encode_game(map, map.numbers),
        "locked": None if locked is None or not locked.any() else encode_array(locked.astype(np.uint8)),
        "painted": painted,
        "note": note,
        "lacks_sprites": lacks_sprites,
        **(_encode_tile_sprites(map.tileset) if lacks_sprites else encode_sprites(map, recipe)),
    }


def encode_sprites(map: TileMap, recipe: Recipe | None = None) -> Payload:
    """Return the sprites of a map: the sheet, and the picture of each cell in it."""
    sheet, looks = sheet_cache.find_sheet(map, recipe)
    return {
        "sheet": None if sheet is None else sheet.to_data(),
        "looks": None if looks is None else encode_array(looks),
    }


def _encode_tile_sprites(tileset: Tileset) -> Payload:
    sheet = sheet_cache.find_tile_sheet(tileset)
    return {"sheet": None if sheet is None else sheet.to_data(only_tiles=True), "looks": None}


def encode_picture(picture: Image.Image) -> str:
    """Return a Pillow picture as a data URL. Encoding is fast rather than small: each picture is sent once."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return data_url(file.getvalue())


def encode_frame(frame: Frame) -> Payload:
    """Return the payload of a frame."""
    shape = frame.colors.shape[:-1] if frame.cells is None else frame.cells.shape
    celled: Payload = (
        {"tileset": None, "tiles": []} if frame.cells is None else _encode_cells(frame.cells, frame.tileset)
    )
    return {
        **_encode_size(shape),
        **celled,
        "colors": None if frame.colors is None else encode_array(frame.colors),
        "lines": [[list(start), list(end)] for start, end in frame.lines],
        "note": frame.note,
        "stage": frame.stage,
        "done": frame.progress,
        "numbers": {name: value for name, value in (frame.numbers or {}).items() if isfinite(value)},
    }


def encode_timeline(frames: Sequence[Frame], recipe: Recipe | None = None) -> Payload:
    """Return the payload of a timeline: evenly spaced frames, including the first and the last.

    Frames of up to MAX_LOOK_CELLS cells show the same sprites as the finished map, whose recipe chooses variants.
    Larger ones show a sprite per tile: their cells are usually too small for sprites, and choosing them takes seconds.
    """
    largest = max((prod(np.shape(frame.colors if frame.cells is None else frame.cells)) for frame in frames), default=1)
    max_frames = max(2, MAX_TIMELINE_CELLS // largest)
    if len(frames) > max_frames:
        frames = [frames[round(index)] for index in np.linspace(0, len(frames) - 1, max_frames)]
    encoded = [encode_frame(frame) for frame in frames]
    tilesets = {frame["tileset"]: frame["tiles"] for frame in encoded if frame["tileset"]}
    sheets: dict[str, Payload] = {}
    # The last frame is the map itself.
    for number, sheet, looks in sheet_cache.find_frame_sheets(frames[:-1], recipe):
        data = sheet.to_data()
        sheets[data["digest"]] = data
        encoded[number] |= {"sheet": data["digest"], "looks": encode_array(looks)}
    return {"frames": [{**frame, "tiles": None} for frame in encoded], "tilesets": tilesets, "sheets": sheets}


def encode_overlay(overlay: Overlay) -> Payload:
    """Return the payload of an overlay."""
    return {
        **_encode_size(overlay.tint.shape[:-1]),
        "tint": encode_array(overlay.tint),
        "lines": [[list(start), list(end)] for start, end in overlay.lines],
        "legend": overlay.legend,
    }


def encode_array(array: NDArray[Any]) -> str:
    """Return the compressed, base64-encoded bytes of an array, in little-endian byte order."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(plain.tobytes(), 1)).decode()


def data_url(content: bytes, kind: str = "image/png") -> str:
    """Return the content of a file as a data URL."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def decode_cells(encoded: object, size: int) -> list[int] | None:
    """Return the flat indices of cells that a browser sent for a map of `size` cells.

    The data has one bit per cell, encoded like all arrays. Return None if the data is invalid.
    """
    if not isinstance(encoded, str) or len(encoded) > size + ENCODING_OVERHEAD:
        return None
    length = -(-size // 8)
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(base64.b64decode(encoded, validate=True), length + 1)
    except (ValueError, zlib.error):
        return None
    if len(plain) != length or not unpacker.eof:
        return None
    bits = np.unpackbits(np.frombuffer(plain, dtype=np.uint8), count=size, bitorder="little")
    places: list[int] = np.flatnonzero(bits).tolist()
    return places


def _encode_size(shape: tuple[int, ...]) -> Payload:
    return {"width": shape[-1], "height": shape[-2], "depth": shape[0] if len(shape) == 3 else 1}


def _encode_cells(cells: NDArray[Any], tileset: Tileset) -> Payload:
    ids = cells.astype(tileset.dtype, copy=False)
    return {
        "cells": encode_array(ids),
        "bits": 8 * ids.itemsize,
        # With sprites, whose colors own tiles have, and with roles, which are not part of the plain digest.
        "tileset": tileset.look_digest,
        "tiles": encode_tiles(tileset),
    }


def _encode_marker(marker: Marker) -> list[Any]:
    """Return name, x, y and level of a marker, followed by its properties if it has any."""
    place = [marker.name, marker.x, marker.y, marker.level]
    return [*place, dict(marker.properties)] if marker.properties else place


def _digest_map(map: TileMap) -> str:
    """Return a digest of a map's shape, cells and tileset."""
    digest = blake2b(map.cells.tobytes(), digest_size=8)
    digest.update(f"{map.shape}{map.tileset.digest}".encode())
    return digest.hexdigest()
