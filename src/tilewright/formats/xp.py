"""REXPaint (.xp): characters with colors, for REXPaint, libtcod and python-tcod, and many roguelikes.

The first layer contains the tiles: the glyph in the color of the tile, on a dark background of the same color. The
levels of a 3D map are further layers. If the map has markers, the last layer contains the first letter of each, and is
transparent elsewhere. REXPaint opens up to nine layers.

REXPaint has the 256 characters of code page 437. A glyph that is not one of them is an error that names the glyph,
unless `fallback` gives a character to write instead.

The file stores the tileset, the markers and the provenance in a field of its gzip header, which other programs skip, if
they need at most 64 KB. Reading returns the same map. Programs that save the file again drop the field. Such files,
like those of other programs, are read as one map: upper layers cover lower ones, except where they are transparent.
Characters become the tiles with these glyphs of a given tileset, or a tile per character in its most common color.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator

from ..core.errors import BadFile, InvalidRecipe, UnknownName, check_limit, pluralize, short_repr
from ..core.glyph_tiles import is_passable_glyph
from ..core.grid import MAX_INLINE_CELLS
from ..core.params import Params, param
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import LoadedMap, Source, file_format
from ._colors import join_channels
from ._data import MAX_LABEL, StoredMap, check_expansion, check_sides, describe_map, pack_array

FIRST_GLYPHS = "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
"""Characters 1 to 31 of code page 437, which Python's codec maps to control characters."""
GLYPHS = " " + FIRST_GLYPHS + bytes(range(32, 127)).decode("ascii") + "⌂" + bytes(range(128, 255)).decode("cp437") + " "
"""Characters by code. 0 and 255 look like a space."""
CODES = {glyph: code for code, glyph in reversed(list(enumerate(GLYPHS)))} | {" ": 32}
CELL = np.dtype([("code", "<i4"), ("color", "u1", 3), ("background", "u1", 3)])
"""A cell of a layer; layers are stored column by column."""
HEAD = struct.Struct("<4i")
"""Version, number of layers, and width and height of the first layer."""
VERSION = -1
MAX_LAYERS = 9
MAX_FILE_CELLS = 1 << 23
"""Maximum number of cells of all layers together."""
MAX_CHARACTERS = 1 << 16
"""Number of codes of characters that are read; fonts of other programs may have more than 256."""
CLEAR = (255, 0, 255)
"""Background of transparent cells."""
MARKER_COLOR = (255, 255, 0)
UNKNOWN_LETTER = "?"
"""Character of a marker whose name begins with a character outside code page 437."""
GZIP = b"\x1f\x8b\x08"
HAS_FIELDS = 4
"""Flag of a gzip header with extra fields."""
FIELD = b"TW"
MAX_FIELD = 65_531
"""Maximum size of the extra field: 64 KB with its own header."""

Cells = NDArray[np.void]
"""(level, row, column) of `CELL`."""


def _read_fallback(value: str) -> str:
    if value not in CODES:
        raise ValueError(f"must be one character of code page 437, got {short_repr(value)}")
    return value


class XpParams(Params):
    """Options of REXPaint files."""

    fallback: Annotated[str, AfterValidator(_read_fallback)] | None = param(None)
    """Writing: character instead of glyphs outside code page 437; by default such glyphs are an error."""
    layer: int | None = param(None, ge=1, le=MAX_LAYERS)
    """Reading: layer to read, from 1 at the bottom; by default all, the upper ones over the lower ones."""


# -- writing ----------------------------------------------------------------------------------------------------


def _build_looks(tileset: Tileset, used: list[int], fallback: str | None) -> Cells:
    """Return the cell (tile,) of each used tile."""
    unknown = [tileset[number] for number in used if tileset[number].glyph not in CODES]
    if unknown and fallback is None:
        listed = ", ".join(f"{tile.glyph!r} ({tile.name})" for tile in unknown[:8])
        more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
        raise InvalidRecipe(
            f"xp files have the characters of code page 437 only, without {listed}{more}; set fallback to the "
            "character to write instead, such as ?",
            at="fallback",
            rule="missing",
        )
    looks = np.zeros(len(tileset), dtype=CELL)
    looks["color"] = tileset.colors
    looks["background"] = tileset.colors // 4
    for number in used:
        looks["code"][number] = CODES.get(tileset[number].glyph, CODES[fallback or UNKNOWN_LETTER])
    return looks


def _draw_markers(map: TileMap) -> Cells:
    """Return the layer (row, column) of markers."""
    layer = np.zeros((map.height, map.width), dtype=CELL)
    layer["code"], layer["background"] = 32, CLEAR
    for marker in map.markers:
        cell = layer[marker.y, marker.x]
        cell["code"] = CODES.get(marker.name[:1].upper(), CODES[UNKNOWN_LETTER])
        cell["color"], cell["background"] = MARKER_COLOR, 0
    return layer


def _encode_field(map: TileMap, looks: Cells) -> bytes:
    """Return the compressed label, without layers if it is too large with them, or nothing if it is still too large."""
    used = np.unique(map.cells).tolist()
    data = describe_map(map)
    if len(_find_kinds(looks[used])[0]) < len(used) or any(map.tileset[number].glyph not in CODES for number in used):
        data["cells"] = pack_array(map.cells)
    labels = [data]
    if map.layers and map.cells.size <= MAX_INLINE_CELLS:
        labels.insert(0, {**data, "layers": {name: pack_array(layer) for name, layer in map.layers.items()}})
    for label in labels:
        packed = zlib.compress(json.dumps(label).encode("ascii"), 9)
        if len(packed) <= MAX_FIELD:
            return packed
    return b""


def _compress(content: bytes, field: bytes) -> bytes:
    """Return a gzip file with an extra field, and without a date, so that equal maps give equal files."""
    extra = FIELD + struct.pack("<H", len(field)) + field if field else b""
    fields = struct.pack("<H", len(extra)) + extra if extra else b""
    head = GZIP + struct.pack("<BIBB", HAS_FIELDS if extra else 0, 0, 2, 255)
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(content) + packer.flush()
    return head + fields + body + struct.pack("<2I", zlib.crc32(content), len(content))


# -- reading ----------------------------------------------------------------------------------------------------


def read(source: Source, options: XpParams) -> list[LoadedMap]:
    layers = _read_layers(source)
    field = _read_field(source.content)
    if field and options.layer is None:
        return [_map_from_label(layers, field, source)]
    if options.layer is not None:
        if options.layer > len(layers):
            raise BadFile(f"has {pluralize(len(layers), 'layer')}, got layer {options.layer}", at=source.name)
        shown = layers[options.layer - 1]
    else:
        shown = _flatten(layers)
    return [LoadedMap(_map_from_glyphs(shown, source.tileset))]


def peek_shape(content: bytes, name: str) -> tuple[int, int, int]:
    """Return the number of layers, rows and columns that the header of a file declares."""
    head = _unpack(zlib.decompressobj(16 + zlib.MAX_WBITS), content, HEAD.size, name)
    if len(head) < HEAD.size:
        raise BadFile("ends inside its header", at=name)
    version, count, width, height = HEAD.unpack(head)
    if version >= 0 or not 1 <= count <= MAX_LAYERS or width < 1 or height < 1:
        text = f"version {version}, {count} layers, {width}x{height} cells"
        raise BadFile(f"not a REXPaint file of 1 to {MAX_LAYERS} layers, or broken ({text})", at=name)
    return count, height, width


def _read_layers(source: Source) -> Cells:
    """Return the layers (layer, row, column) of a file. Sizes are checked before memory is allocated."""
    count, height, width = peek_shape(source.content, source.name)
    check_sides((count, height, width))
    check_limit("cells", count * width * height, MAX_FILE_CELLS)
    size = 8 + width * height * CELL.itemsize
    check_expansion(count * size, source.content, "bytes when unpacked")
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    data = _unpack(unpacker, source.content, 8 + count * size + 1, source.name)
    if len(data) != 8 + count * size or not unpacker.eof:
        text = f"does not contain exactly {pluralize(count, 'layer')} of {width}x{height} cells; truncated or broken"
        raise BadFile(text, at=source.name)
    blocks = np.frombuffer(data, dtype=np.uint8)[8:].reshape(count, size)
    if (blocks[:, :8] != blocks[0, :8]).any():
        raise BadFile("all layers must have the same size", at=source.name)
    cells: Cells = np.ascontiguousarray(blocks[:, 8:]).view(CELL).reshape(count, width, height)
    return cells.transpose(0, 2, 1)


def _unpack(unpacker: zlib._Decompress, content: bytes, limit: int, name: str) -> bytes:
    """Return at most `limit` bytes of a packed file."""
    try:
        return unpacker.decompress(content, limit)
    except zlib.error as error:
        raise BadFile(f"not a REXPaint file, which is packed with gzip ({error})", at=name) from None


def _read_field(content: bytes) -> bytes:
    """Return the compressed label in the header of a gzip file; empty if there is none."""
    if len(content) < 12 or not content[3] & HAS_FIELDS:
        return b""
    (size,) = struct.unpack_from("<H", content, 10)
    fields = content[12 : 12 + size]
    while len(fields) >= 4:
        (length,) = struct.unpack_from("<H", fields, 2)
        if fields[:2] == FIELD:
            return fields[4 : 4 + length]
        fields = fields[4 + length :]
    return b""


def _map_from_label(layers: Cells, field: bytes, source: Source) -> LoadedMap:
    """Return the map of the label, with the cells that the layers show."""
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(field, MAX_LABEL + 1).decode("ascii")
    except (zlib.error, UnicodeDecodeError):
        raise InvalidRecipe("its label is broken") from None
    if len(text) > MAX_LABEL or not unpacker.eof:
        raise InvalidRecipe("its label is too long, or truncated")
    data = StoredMap.validate(parse_json(text))
    levels = data.shape[0] if len(data.shape) == 3 else 1
    expected = (levels + bool(data.markers), *data.shape[-2:])
    if layers.shape != expected:
        raise InvalidRecipe(f"the layers do not match the shape {list(data.shape)} of its label")
    tileset = data.tileset
    given = data.read_cells() if data.cells is not None else np.zeros(data.shape, dtype=tileset.dtype)
    shown = layers[:levels].reshape(data.shape)
    looks = {(CODES.get(tile.glyph), tile.rgb): number for number, tile in reversed(list(enumerate(tileset)))}
    kinds, cells = _find_kinds(shown)
    ids = np.zeros(len(kinds), dtype=tileset.dtype)
    if data.cells is None:
        for number, kind in enumerate(kinds):
            code, color = int(kind["code"]), tuple(kind["color"].tolist())
            if (code, color) not in looks:
                red, green, blue = color
                text = f"the character {_glyph_of(code)!r} in #{red:02x}{green:02x}{blue:02x} is not that of a tile"
                raise InvalidRecipe(f"{text} (tileset {tileset.name!r})")
            ids[number] = looks[code, color]
        given = ids[cells]
    return data.build_map(given, data.read_layers())


def _find_kinds(cells: Cells) -> tuple[Cells, NDArray[np.int64]]:
    """Return the different characters with their color, and the index of each cell among them."""
    packed = cells["code"].astype(np.int64) << 24 | join_channels(cells["color"])
    _, first, index = np.unique(packed, return_index=True, return_inverse=True)
    return cells.reshape(-1)[first], index.reshape(cells.shape)


def _flatten(layers: Cells) -> Cells:
    """Return one layer (row, column): the topmost cell that is not transparent."""
    shown = np.zeros(layers.shape[1:], dtype=CELL)
    shown["code"] = 32
    for layer in layers:
        opaque = (layer["background"] != CLEAR).any(axis=-1)
        shown[opaque] = layer[opaque]
    return shown


def _map_from_glyphs(shown: Cells, tileset: Tileset | None) -> TileMap:
    """Return the map of a layer (row, column): a tile per character, of the given tileset or a new one."""
    codes = shown["code"].copy()
    codes[(codes == 0) | (codes == 255)] = 32
    if codes.min() < 0 or codes.max() >= MAX_CHARACTERS:
        raise InvalidRecipe(f"codes of characters must be 0 to {MAX_CHARACTERS - 1:,}", rule="range")
    counts = np.bincount(codes.reshape(-1), minlength=MAX_CHARACTERS)
    used, index = np.flatnonzero(counts), (np.cumsum(counts > 0) - 1)[codes]
    glyphs = [_glyph_of(code) for code in used.tolist()]
    if tileset is None:
        colors = np.where(codes == 32, join_channels(shown["background"]), join_channels(shown["color"]))
        return TileMap(index, _make_tileset(glyphs, _find_common_colors(index, colors)))
    unknown = [glyph for glyph in glyphs if glyph not in tileset.by_glyph]
    if unknown:
        hint = f"tileset {tileset.name!r}; markers may be on a layer of their own, so read one layer"
        raise UnknownName("glyph", unknown[0], tileset.by_glyph, hint)
    return TileMap(np.array([tileset.by_glyph[glyph] for glyph in glyphs], dtype=tileset.dtype)[index], tileset)


def _glyph_of(code: int) -> str:
    """Return the character of a code; a name for a code of a larger font."""
    return GLYPHS[code] if 0 <= code < len(GLYPHS) else f"glyph {code}"


def _find_common_colors(index: NDArray[np.int64], colors: NDArray[np.int64]) -> list[str]:
    """Return the most common color of each character; the lowest of those that are equally common."""
    pairs, counts = np.unique(index << 24 | colors, return_counts=True)
    order = np.lexsort((-pairs, counts, pairs >> 24))
    last = np.append(np.flatnonzero(np.diff(pairs[order] >> 24)), len(order) - 1)
    return [f"#{pair & 0xFFFFFF:06x}" for pair in pairs[order[last]].tolist()]


def _make_tileset(glyphs: list[str], colors: list[str]) -> Tileset:
    """Make a tileset with a tile per character, as passable as its glyph usually is."""
    names = Tileset.from_labels(glyphs, "rexpaint")
    tiles: list[dict[str, Any]] = [
        {"name": tile.name, "glyph": tile.glyph, "color": color, "passable": is_passable_glyph(tile.glyph)}
        for tile, color in zip(names, colors, strict=True)
    ]
    return Tileset.validate({"name": "rexpaint", "tiles": tiles})


@file_format(XpParams, read=read, use="roguelikes", engines=("REXPaint", "libtcod", "python-tcod"))
def xp(map: TileMap, options: XpParams, path: Path) -> Mapping[str, bytes]:
    levels = map.cells.reshape(-1, map.height, map.width)
    count = len(levels) + bool(map.markers)
    if count > MAX_LAYERS:
        raise InvalidRecipe(
            f"REXPaint has {MAX_LAYERS} layers, one of them for markers, got {pluralize(len(levels), 'level')}; "
            "write fewer levels",
            place="xp",
        )
    check_limit("cells", count * levels[0].size, MAX_FILE_CELLS, of="xp files")
    looks = _build_looks(map.tileset, np.unique(map.cells).tolist(), options.fallback)
    layers = [looks[level] for level in levels]
    if map.markers:
        layers.append(_draw_markers(map))
    head = struct.pack("<2i", VERSION, count)
    size = struct.pack("<2i", map.width, map.height)
    content = head + b"".join(size + layer.T.tobytes() for layer in layers)
    return {path.name: _compress(content, _encode_field(map, looks))}
