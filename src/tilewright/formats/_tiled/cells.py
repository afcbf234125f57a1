"""Cells of layers, and the tiles that they show.

Cells are stored as lists, CSV or base64, complete or in chunks. At most the declared size is decoded. Usually the
topmost sprite in a cell shows its tile. In Tilewright's files whose sprites do not show the tiles of all cells, because
some are between cells, a transparent layer holds the tile of every cell. If the drawing was edited, the cells in which
a layer shows something else than these tiles are read from the drawing.
"""

from __future__ import annotations

import base64
import sys
import warnings
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, check_limit, pluralize, short_repr
from ...core.grid import MAX_CELLS
from ...core.skins import CORNER_BITS, OFFSETS
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from .._artwork import Artwork
from .._layers import sprite_layers
from . import CELLS, digest_gids
from .document import MAX_GIDS, TiledChunk, TiledLayer, TiledMap
from .tiles import TileTable

MAX_SPAN_RATIO = 1000
"""Maximum area of an infinite map, as a multiple of the cells in its chunks."""
FLIP_BITS = np.uint32(0xF0000000)
"""Bits of a gid that flip and rotate its tile."""

Gids = NDArray[np.uint32]
Place = tuple[int, int]
"""Row and column."""


@dataclass(frozen=True, eq=False)
class LevelGids:
    """The gids of a level, without flip bits."""

    flat: Gids
    """Array (row, column) of the gids of the last layer that has a tile, or of the layer of cells if there is one."""
    lowest: Gids
    """Array (row, column) of the gids of the first of these layers that has a tile."""
    place: Place
    """Row and column of the first cell in the document."""
    drawing: tuple[tuple[str, Gids, bool], ...] = ()
    """Name and gids of each edited layer, and whether its sprites are between cells; the lowest first."""

    @property
    def things(self) -> set[int]:
        """Gids that are above another gid wherever they are."""
        if self.lowest is self.flat:
            return set()
        return {*np.unique(self.flat).tolist()} - {*np.unique(self.lowest).tolist()}

    @property
    def used(self) -> list[Gids]:
        """Arrays (row, column) with all gids that occur; 0 only if a cell has no tile."""
        drawn = [np.unique(gids[gids != 0])[None] for _, gids, _ in self.drawing]
        return [self.flat, *(gids for gids in drawn if gids.size)]


def flatten_layers(layers: Sequence[TiledLayer], document: TiledMap) -> LevelGids:
    """Return the gids of layers. The cells of several layers of a finite map are those of the map."""
    if document.infinite:  # Its layers without chunks are empty.
        layers = [layer for layer in layers if layer.chunks]
        if not layers:
            raise InvalidRecipe("contains no tile")
    boxes = [_find_box(layer, document) for layer in layers]
    total = sum(height * width for _, _, height, width in boxes)
    check_limit("cells", total, MAX_CELLS)
    if len(layers) > 1 and not any(layer.chunks for layer in layers):
        boxes = [(0, 0, document.height, document.width)]
    top, left = min(box[0] for box in boxes), min(box[1] for box in boxes)
    height = max(box[0] + box[2] for box in boxes) - top
    width = max(box[1] + box[3] for box in boxes) - left
    if height * width > min(MAX_CELLS, max(total, 1) * MAX_SPAN_RATIO):
        raise TooLarge(f"its layers have {pluralize(total, 'cell')} but span {width:,}x{height:,}")
    if not height * width:
        raise InvalidRecipe(f"a map must have at least one cell, got {width}x{height}", rule="minimum")
    flat = np.zeros((height, width), dtype=np.uint32)
    lowest = flat if len(layers) == 1 else flat.copy()
    for layer in layers:
        for chunk in layer.chunks or [_make_chunk(layer, document)]:
            at = f", chunk at {chunk.x}, {chunk.y}" if layer.chunks else ""
            gids = _read_gids(chunk.data, layer, chunk.width, chunk.height, f"layer {layer.name!r}{at}")
            inside = np.s_[chunk.y - top : chunk.y - top + chunk.height, chunk.x - left : chunk.x - left + chunk.width]
            gids = gids[: flat[inside].shape[0], : flat[inside].shape[1]]
            np.copyto(flat[inside], gids, where=gids != 0)
            if lowest is not flat:
                np.copyto(lowest[inside], gids, where=lowest[inside] == 0)
    return LevelGids(flat, lowest, (top, left))


def _make_chunk(layer: TiledLayer, document: TiledMap) -> TiledChunk:
    """Return the cells of a layer without chunks."""
    width, height = layer.width or document.width, layer.height or document.height
    return TiledChunk(x=0, y=0, width=width, height=height, data=layer.data)


def _find_box(layer: TiledLayer, document: TiledMap) -> tuple[int, int, int, int]:
    """Return top, left, height and width of a layer."""
    if not layer.chunks:
        return 0, 0, layer.height or document.height, layer.width or document.width
    left, top = min(chunk.x for chunk in layer.chunks), min(chunk.y for chunk in layer.chunks)
    width = max(chunk.x + chunk.width for chunk in layer.chunks) - left
    height = max(chunk.y + chunk.height for chunk in layer.chunks) - top
    cell_count = sum(chunk.width * chunk.height for chunk in layer.chunks)
    if width * height > min(MAX_CELLS, cell_count * MAX_SPAN_RATIO):
        size = f"its chunks have {pluralize(cell_count, 'cell')} but span {width:,}x{height:,}"
        raise TooLarge(size, at=f"layer {layer.name!r}")
    return top, left, height, width


def _read_gids(data: Any, layer: TiledLayer, width: int, height: int, place: str) -> Gids:
    count = width * height
    if not count:
        raise InvalidRecipe(f"a map must have at least one cell, got {width}x{height}", at=place, rule="minimum")
    check_limit("cells", count, MAX_CELLS, at=place)
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
    decompress = {"": _keep, "zlib": _decompress_zlib, "gzip": _decompress_zlib, "zstd": _decompress_zstd}
    if layer.compression not in decompress:
        raise InvalidRecipe(
            f"must be compressed with zlib, gzip, zstd or nothing, got {short_repr(layer.compression)}: "
            "choose one as the map's tile layer format in Tiled"
        )
    try:
        compressed = base64.b64decode("".join(text.split()), validate=True)
        raw, is_complete = decompress[layer.compression](compressed, 4 * count + 1)
    except InvalidRecipe:
        raise
    except ValueError as error:
        raise InvalidRecipe(f"its cells cannot be decompressed ({error})") from None
    if not is_complete and len(raw) <= 4 * count:
        raise InvalidRecipe("its compressed cells are truncated")
    if len(raw) != 4 * count:
        more = "more than " if len(raw) > 4 * count else ""
        raise InvalidRecipe(f"decompresses to {more}{min(len(raw), 4 * count):,} bytes, its size needs {4 * count:,}")
    return np.frombuffer(raw, dtype="<u4")


def _keep(raw: bytes, limit: int) -> tuple[bytes, bool]:
    return raw, True


def _decompress_zlib(raw: bytes, limit: int) -> tuple[bytes, bool]:
    """Return at most `limit` bytes of the content, and whether that is all. Raise ValueError if it is damaged."""
    stream = zlib.decompressobj(wbits=47)  # accepts zlib and gzip
    try:
        return stream.decompress(raw, limit), stream.eof
    except zlib.error as error:
        raise ValueError(error) from None


def _decompress_zstd(raw: bytes, limit: int) -> tuple[bytes, bool]:
    """Do the same for zstd, which Python has since 3.14."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise InvalidRecipe(
            "is compressed with zstd, which needs Python 3.14 or the package backports.zstd "
            "(pip install tilewright[zstd]); or choose zlib as the map's tile layer format in Tiled",
            rule="missing",
        ) from None
    stream = zstd.ZstdDecompressor()
    try:
        return stream.decompress(raw, limit), stream.eof
    except zstd.ZstdError as error:
        raise ValueError(error) from None


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


ABSENT, UNKNOWN = -1, -2
"""Numbers in arrays of tiles: no sprite, and no information."""
Tiles = NDArray[np.int32]


def read_level(layers: Sequence[TiledLayer], document: TiledMap) -> LevelGids:
    """Return the gids of a level."""
    truth = next((layer for layer in layers if layer.properties.get("tilewright") == CELLS), None)
    if truth is None or len(layers) == 1:
        return flatten_layers(layers, document)
    level = flatten_layers([truth], document)
    others = [layer for layer in layers if layer is not truth]
    gids = [flatten_layers([layer], document).flat for layer in others]
    if truth.properties.get("drawing") == digest_gids(gids):
        return level
    is_between = [layer.offsetx % document.tilewidth != 0 for layer in others]
    names = [layer.name for layer in others]
    return replace(level, drawing=tuple(zip(names, gids, is_between, strict=True)))


def decode_levels(
    levels: Sequence[LevelGids], tileset: Tileset, table: TileTable
) -> tuple[Tileset, NDArray[np.uint16]]:
    """Return the tiles of all cells, an array (level, row, column), and the tileset, with `empty` if it is needed."""
    cells = [_decode_level(level, tileset, table) for level in levels]
    if any((level == ABSENT).any() for level in cells):
        tileset = tileset.with_tiles(["empty"])
        cells = [np.where(level == ABSENT, tileset.id("empty"), level) for level in cells]
    return tileset, np.stack(cells).astype(np.uint16)


def _decode_level(level: LevelGids, tileset: Tileset, table: TileTable) -> Tiles:
    # Row by row, because the gids of a large map take much memory.
    cells = np.stack([table.tiles[row] for row in level.flat]).astype(np.int32)
    if not level.drawing:
        return cells
    artwork = Artwork.of(tileset)
    of_sprite = np.array([(sprite.tile, sprite.mask) for sprite in artwork.sprites] + [(ABSENT, 0)], dtype=np.int32)
    expected = {layer.name: layer.sprites for layer in sprite_layers(TileMap(cells, tileset), keep_hidden=True)}
    changed, topmost = np.zeros(cells.shape, dtype=np.bool_), np.full(cells.shape, ABSENT, dtype=np.int32)
    for name, gids, is_between in level.drawing:
        tiles = np.where(gids == 0, ABSENT, table.tiles[gids].astype(np.int32))
        shown = _find_shown(tiles, np.maximum(table.masks[gids], 0), is_between, cells.shape)
        sprites = expected.get(name)
        wanted = np.full(cells.shape, ABSENT, dtype=np.int32)
        if sprites is not None:
            sprites = sprites[: gids.shape[0], : gids.shape[1]]
            wanted = _find_shown(of_sprite[sprites, 0], of_sprite[sprites, 1], is_between, cells.shape)
        changed |= shown != wanted
        topmost = np.where(shown >= 0, shown, topmost)
    return np.where(changed, topmost, cells)


def _find_shown(tiles: Tiles, masks: NDArray[np.integer], is_between: bool, shape: tuple[int, ...]) -> Tiles:
    """Return the tile that a layer shows in each cell, given the tiles and masks of its sprites.

    A tile of sprites between cells is shown where all four sprites around a cell have it.
    """
    rows, columns = shape
    shown = np.full(shape, UNKNOWN, dtype=np.int32)
    if not is_between:
        part = tiles[:rows, :columns]
        shown[: part.shape[0], : part.shape[1]] = part
        return shown
    for number, (down, right) in enumerate(OFFSETS):
        if CORNER_BITS >> number & 1:
            # The cell in this direction from a corner; the sprite of the corner is in the opposite direction.
            row, column = (1 - down) // 2, (1 - right) // 2
            here = np.where(masks >> number & 1, tiles, ABSENT)[row:, column:][:rows, :columns]
            part = shown[: here.shape[0], : here.shape[1]]
            part[:] = np.where((part == UNKNOWN) | (part == here), here, ABSENT)
    return shown
