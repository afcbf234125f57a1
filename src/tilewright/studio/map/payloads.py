"""Payloads for the canvas in the browser: maps, frames and overlays as plain data.

Arrays are compressed with zlib and encoded with base64. Tiles and sprite sheets, which many maps share, have a digest,
so that they are sent to a browser only once. Sprites that depend on neighbors are expensive and are sent only to a
browser that shows them.
"""

from __future__ import annotations

import base64
import io
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count
from math import isfinite, isqrt, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...core.landmarks import write_room
from ...core.recipe import Recipe
from ...core.site import Frame
from ...core.tilemap import Marker, TileMap
from ...core.tileset import Tileset
from ...formats._artwork import Artwork
from ...formats._composition import CellStacks, Stacks, draw_stacks, tile_stacks
from ...formats._page.scene import (
    MAX_SPRITE_SIDE,
    encode_game,
    encode_icons,
    encode_page,
    encode_tiles,
    is_drawn_in_sprites,
)
from ...formats._textures import SIDE
from ...overlays.overlay import Overlay

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
        **(encode_tile_sprites(map.tileset) if lacks_sprites else encode_sprites(map, recipe)),
    }


def encode_sprites(map: TileMap, recipe: Recipe | None = None) -> Payload:
    """Return the sprites of a map: the sheet, and the picture of each cell in it."""
    sheet, looks = sheet_cache.find_sheet(map, recipe)
    return {
        "sheet": None if sheet is None else sheet.to_data(),
        "looks": None if looks is None else encode_array(looks),
    }


def encode_tile_sprites(tileset: Tileset) -> Payload:
    """Return a sprite per tile; none if maps are drawn in colors."""
    is_drawn = is_drawn_in_sprites(tileset)
    return {"sheet": sheet_cache.extend(tileset).to_data(only_tiles=True) if is_drawn else None, "looks": None}


def encode_picture(picture: Image.Image) -> str:
    """Return a Pillow picture as a data URL. Encoding is fast rather than small: each picture is sent once."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return data_url(file.getvalue())


def encode_frame(frame: Frame) -> Payload:
    """Return the payload of a frame."""
    shape = frame.colors.shape[:-1] if frame.cells is None else frame.cells.shape
    no_cells: Payload = {"tileset": None, "tiles": []}
    return {
        **_encode_size(shape),
        **(no_cells if frame.cells is None else _encode_cells(frame.cells, frame.tileset)),
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


MAX_PICTURES = 8192
"""Number of pictures in a sheet above which only the stacks of the current map are kept."""
MAX_MAP_PICTURES = 16_384
"""Maximum number of different stacks of a map with sprites. Browsers limit the size of pictures."""
MAX_SHEETS = 32
"""Maximum number of cached sheets. The least recently used sheet is dropped."""
MAX_LOOK_CELLS = 1 << 14
"""Maximum number of cells of a frame whose sprites depend on neighbors."""
_numbers = count(1)
"""Numbers of the sheets of this process."""


@dataclass(frozen=True, eq=False)
class SpriteSheet:
    """Pictures of a tileset: one per tile, followed by the stacks of sprites that its maps have used so far."""

    tileset: Tileset
    side: int
    number: int
    """Number of the sheet. A sheet that has grown keeps its number."""
    pages: tuple[dict[str, Any], ...]
    """Payloads of the pictures, from `encode_page`. The first page has the pictures of the tiles by id, without
    neighbors."""
    positions: Mapping[bytes, int]
    """Index of the picture of each stack, by the bytes of the stack."""

    @classmethod
    def from_tileset(cls, tileset: Tileset) -> SpriteSheet:
        side = max(Artwork.of(tileset).native_size)
        side = min(side, MAX_SPRITE_SIDE, isqrt(MAX_PICTURES * SIDE * SIDE // len(tileset)))
        stacks = tile_stacks(tileset)
        page = encode_page(draw_stacks(Artwork.of(tileset), stacks, side, side), 0, quick=True)
        positions = {stack.tobytes(): number for number, stack in reversed(list(enumerate(stacks)))}
        return cls(tileset, side, next(_numbers), (page,), positions)

    def with_stacks(self, wanted: Stacks) -> SpriteSheet:
        """Return the sheet with another page for those of the given stacks that it lacks.

        If the sheet would have too many pictures, return another sheet of the tiles and the given stacks.
        """
        new = np.array([stack for stack in wanted if stack.tobytes() not in self.positions], dtype=np.int32)
        if not len(new):
            return self
        if self.count + len(new) > MAX_PICTURES and len(self.pages) > 1:
            return self.from_tileset(self.tileset).with_stacks(wanted)
        page = encode_page(draw_stacks(Artwork.of(self.tileset), new, self.side, self.side), self.count, quick=True)
        positions = {stack.tobytes(): number for number, stack in enumerate(new, self.count)}
        return replace(self, pages=(*self.pages, page), positions={**self.positions, **positions})

    @property
    def count(self) -> int:
        """Number of pictures."""
        last = self.pages[-1]
        return int(last["first"] + last["count"])

    def to_data(self, *, only_tiles: bool = False) -> dict[str, Any]:
        """Return the payload of the sheet, or of its page of tiles."""
        pages = self.pages[:1] if only_tiles else self.pages
        return {"digest": f"{self.tileset.look_digest} {self.number}", "side": self.side, "pages": [*pages]}

    def find_positions(self, cells: CellStacks) -> NDArray[np.uint16]:
        """Return the index of the picture of each cell in the sheet, which must contain all the stacks."""
        positions = np.array([self.positions[stack.tobytes()] for stack in cells.stacks], dtype=np.uint16)
        return positions[cells.numbers]


def depends_on_neighbors(tileset: Tileset) -> bool:
    """Return whether the sprites of cells depend on their neighbors or the seed, not on the tile alone."""
    return is_drawn_in_sprites(tileset) and len(Artwork.of(tileset)) > len(tileset)


class SheetCache:
    """Sprite sheets by tileset."""

    def __init__(self) -> None:
        self._sheets: OrderedDict[str, SpriteSheet] = OrderedDict()
        self._lock = threading.Lock()

    def find_sheet(
        self, map: TileMap, recipe: Recipe | None = None
    ) -> tuple[SpriteSheet | None, NDArray[np.uint16] | None]:
        """Return the sheet for a map and the sheet index of each cell, or None if the indices are the tile ids.

        The cells of maps with more than MAX_MAP_PICTURES different stacks have a sprite per tile.
        """
        if not is_drawn_in_sprites(map.tileset):
            return None, None
        stacks = CellStacks.of(map, recipe) if depends_on_neighbors(map.tileset) else None
        if stacks is None or len(stacks.stacks) > MAX_MAP_PICTURES:
            return self.extend(map.tileset), None
        sheet = self.extend(map.tileset, stacks.stacks)
        return sheet, sheet.find_positions(stacks)

    def find_frame_sheets(
        self, frames: Sequence[Frame], recipe: Recipe | None
    ) -> Iterator[tuple[int, SpriteSheet, NDArray[np.uint16]]]:
        """Yield the numbers of frames whose sprites depend on neighbors, their sheets and the sheet index of each cell.

        Frames of too many cells are left out, and frames of tilesets with too many tiles or different stacks.
        """
        drawn: dict[str, list[tuple[int, CellStacks]]] = {}
        for number, frame in enumerate(frames):
            if frame.cells is None or frame.colors is not None or frame.cells.size > MAX_LOOK_CELLS:
                continue
            if is_drawn_in_sprites(frame.tileset) and frame.tileset.skins:
                drawn.setdefault(frame.tileset.look_digest, []).append((number, CellStacks.of(frame, recipe)))
        for group in drawn.values():
            stacks = np.unique(np.concatenate([cells.stacks for _, cells in group]), axis=0)
            tileset = group[0][1].artwork.tileset
            if len(stacks) + len(tileset) > MAX_PICTURES:
                continue
            sheet = self.extend(tileset, stacks)
            for number, cells in group:
                yield number, sheet, sheet.find_positions(cells)

    def extend(self, tileset: Tileset, stacks: Stacks | None = None) -> SpriteSheet:
        """Return the sheet of a tileset, extended by stacks."""
        key = tileset.look_digest
        with self._lock:
            sheet = self._sheets.pop(key, None) or SpriteSheet.from_tileset(tileset)
            if stacks is not None:
                sheet = sheet.with_stacks(stacks)
            self._sheets[key] = sheet
            while len(self._sheets) > MAX_SHEETS:
                self._sheets.popitem(last=False)
        return sheet


sheet_cache = SheetCache()
"""Cache of this process, shared by all sessions."""
