"""Maps, frames and overlays as the plain data that the canvas in the browser gets.

Arrays travel as text: zlib over their bytes, then base64. What many maps share, the tiles and the sheet of their
sprites, is named by a digest, so that a browser needs to get it only once.
"""

from __future__ import annotations

import base64
import io
import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite, isqrt, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats._picture import sprites_of, variants_of
from ..formats._sheet import MAX_COLUMNS, arrange_sprites, encode_png
from ..formats._textures import SIDE
from ..overlays.overlay import Overlay

Payload = dict[str, Any]
"""Plain data, ready for JSON."""

MAX_TILES_WITH_SPRITES = 1024
"""Tilesets with more tiles are shown in colours: such come from pictures, a tile for every colour."""
MAX_PICTURES = 4096
"""Pictures in a sheet; when the variants grow past it, they are collected anew."""
MAX_SPRITE_SIDE = 64
"""Pixels along a sprite of a tileset's own picture; larger ones are shrunk."""
MAX_SHEETS = 32
"""Sheets that are kept, the latest used ones."""
ENCODING_OVERHEAD = 200
"""Characters that packing may add, however small an array is."""
MAX_TIMELINE_CELLS = 1 << 26
"""Cells of all frames of a timeline together; films of large maps have fewer frames."""


def encode_map(
    map: TileMap,
    *,
    locked: NDArray[np.bool_] | None = None,
    painted: int = 0,
    sprites: bool = True,
    note: str = "",
) -> Payload:
    """A map as the canvas shows it; `painted` tells how many cells were painted since it was made."""
    sheet, looks = sheet_cache.find_sheet(map) if sprites else (None, None)
    return {
        **_encode_size(map.shape),
        **_encode_cells(map.cells, map.tileset),
        "key": _digest_map(map),
        "rooms": [[room.x, room.y, room.width, room.height] for room in map.rooms],
        "links": [list(link) for link in map.links],
        "markers": [[marker.name, marker.x, marker.y, marker.level] for marker in map.markers],
        "locked": None if locked is None or not locked.any() else encode_array(locked.astype(np.uint8)),
        "painted": painted,
        "note": note,
        "sheet": None if sheet is None else sheet.data,
        "looks": None if looks is None else encode_array(looks),
    }


def encode_picture(picture: Image.Image) -> str:
    """Return a Pillow picture as a data: address."""
    file = io.BytesIO()
    picture.save(file, "PNG")
    return data_url(file.getvalue())


def encode_frame(frame: Frame) -> Payload:
    """A moment of the work, as `frame.shown()` gives it, or the last one with the map."""
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


def encode_timeline(frames: Sequence[Frame]) -> Payload:
    """The work on a map for the timeline; the first and the last frame are always there."""
    largest = max((prod(np.shape(frame.colors if frame.cells is None else frame.cells)) for frame in frames), default=1)
    most = max(2, MAX_TIMELINE_CELLS // largest)
    if len(frames) > most:
        frames = [frames[round(place)] for place in np.linspace(0, len(frames) - 1, most)]
    scenes = [encode_frame(frame) for frame in frames]
    tilesets = {scene["tileset"]: scene["tiles"] for scene in scenes if scene["tileset"]}
    return {"frames": [{**scene, "tiles": None} for scene in scenes], "tilesets": tilesets}


def encode_overlay(overlay: Overlay) -> Payload:
    """What is drawn over a map."""
    return {
        **_encode_size(overlay.tint.shape[:-1]),
        "tint": encode_array(overlay.tint),
        "lines": [[list(start), list(end)] for start, end in overlay.lines],
        "legend": overlay.legend,
    }


def encode_array(array: NDArray[Any]) -> str:
    """An array's bytes as text, little end first."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(plain.tobytes(), 1)).decode()


def data_url(content: bytes, kind: str = "image/png") -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def decode_cells(encoded: object, size: int) -> list[int] | None:
    """The flat places that a browser means on a map of this many cells: a bit for each, packed like all arrays.

    None for whatever else it may have sent.
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
    tiles = [
        {"name": tile.name, "glyph": tile.glyph, "color": tile.color, "passable": tile.passable} for tile in tileset
    ]
    whole = cells.astype(tileset.dtype, copy=False)
    return {"cells": encode_array(whole), "bits": 8 * whole.itemsize, "tileset": tileset.digest, "tiles": tiles}


def _digest_map(map: TileMap) -> str:
    """Names what is seen: other cells or tiles, another key."""
    digest = blake2b(map.cells.tobytes(), digest_size=8)
    digest.update(f"{map.shape}{map.tileset.digest}".encode())
    return digest.hexdigest()


# -- sheets ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SpriteSheet:
    """The pictures of a tileset: every tile's own, then the variants that its maps have needed so far."""

    tileset: Tileset
    side: int
    variants: NDArray[np.int64]
    """(picture,) what each shows, as `variants_of` tells it; a tile's own stands at its id."""
    pixels: NDArray[np.uint8]
    """(picture, row, column, 3)"""
    data: Payload
    """What the browser gets."""

    @classmethod
    def from_tileset(cls, tileset: Tileset) -> SpriteSheet:
        own = tileset.sheet
        side = max(own.tile_width, own.tile_height) if own is not None and own.picture else SIDE
        side = min(side, MAX_SPRITE_SIDE, isqrt(MAX_PICTURES * SIDE * SIDE // len(tileset)))
        variants = np.arange(len(tileset), dtype=np.int64)
        return cls._build(tileset, side, variants, sprites_of(tileset, variants, (side, side)))

    def with_variants(self, wanted: NDArray[np.int64]) -> SpriteSheet:
        """With pictures of these variants, each once, too."""
        new = np.setdiff1d(wanted, self.variants)
        if not len(new):
            return self
        old = len(self.variants) if len(self.variants) + len(new) <= MAX_PICTURES else len(self.tileset)
        new = new if old == len(self.variants) else np.setdiff1d(wanted, self.variants[:old])
        pixels = sprites_of(self.tileset, new, (self.side, self.side))
        variants = np.concatenate([self.variants[:old], new])
        return self._build(self.tileset, self.side, variants, np.concatenate([self.pixels[:old], pixels]))

    @classmethod
    def _build(cls, tileset: Tileset, side: int, variants: NDArray[np.int64], pixels: NDArray[np.uint8]) -> SpriteSheet:
        picture = encode_png(arrange_sprites(pixels), quick=True)
        data = {
            "digest": blake2b(picture, digest_size=8).hexdigest(),
            "url": data_url(picture),
            "side": side,
            "columns": min(MAX_COLUMNS, len(pixels)),
            "count": len(pixels),
        }
        return cls(tileset, side, variants, pixels, data)

    def find_positions(self, variants: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Where in the sheet each of these variants is, all of which it holds."""
        order = np.argsort(self.variants)
        found: NDArray[np.uint16] = order[np.searchsorted(self.variants, variants, sorter=order)].astype(np.uint16)
        return found


class SheetCache:
    """Sheets by tileset. They grow with the variants that maps use, so that soon none has to be drawn any more."""

    def __init__(self) -> None:
        self._sheets: OrderedDict[str, SpriteSheet] = OrderedDict()
        self._lock = threading.Lock()

    def find_sheet(self, map: TileMap) -> tuple[SpriteSheet | None, NDArray[np.uint16] | None]:
        """The sheet for a map, and for each cell its place there; None where that is its tile's id.

        No sheet for tilesets of very many tiles.
        """
        if len(map.tileset) > MAX_TILES_WITH_SPRITES:
            return None, None
        variants = variants_of(map)
        varied = int(variants.max()) >= len(map.tileset)
        own = map.tileset.sheet
        key = map.tileset.digest + (blake2b(own.picture, digest_size=8).hexdigest() if own and own.picture else "")
        with self._lock:
            sheet = self._sheets.pop(key, None) or SpriteSheet.from_tileset(map.tileset)
            if varied:
                sheet = sheet.with_variants(np.unique(variants))
            self._sheets[key] = sheet
            while len(self._sheets) > MAX_SHEETS:
                self._sheets.popitem(last=False)
        return sheet, sheet.find_positions(variants) if varied else None


sheet_cache = SheetCache()
"""Those of this process; what a tile looks like is no secret between people."""
