"""Maps as plain data and back, shared by json, npz and the labels in pictures.

All data from files is validated before a map is built, and sizes are checked before memory is allocated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from math import isfinite, prod
from typing import Annotated, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from pydantic import Field, model_validator

from ..core.errors import InvalidRecipe, TooLarge, check_limit, short_repr
from ..core.grid import MAX_CELLS, MAX_INLINE_CELLS, pack, unpack
from ..core.params import MAX_SIDE, Params, param
from ..core.provenance import build_provenance
from ..core.tilemap import Marker, Room, TileMap, format_size
from ..core.tileset import MAX_TILES, Tileset
from ..core.tilesets import tilesets
from . import LoadedMap

MAX_LISTED_CELLS = 1 << 20
"""Maximum number of cells of a map written as lists."""
MAX_SMALL_CELLS = 1 << 24
MAX_EXPANSION = 1100
"""A file of any size may have MAX_SMALL_CELLS cells; more cells need a byte for each MAX_EXPANSION of them. One byte of
compressed data unpacks to at most 1,032 bytes, so only files of false sizes, and data that is compressed twice, exceed
this."""
MAX_SMALL_TILES = 1 << 12
"""Ids without a tileset must be below this number plus the size of the file in bytes. A tile takes a hundred times as
many bytes in files as its id."""
MAX_LABEL = 1 << 25
"""Maximum number of characters of a label."""

Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Number = Annotated[float, Field(allow_inf_nan=True)]


class StoredMap(Params):
    """The data of a map as stored in files."""

    shape: tuple[Side, ...] = param(min_length=2, max_length=3)
    """(row, column) or (level, row, column)."""
    tileset: Tileset = param()
    """All tiles of the map; cells are indices into them."""
    rooms: tuple[Room, ...] = param(())
    """Rectangular rooms."""
    links: tuple[tuple[int, int], ...] = param(())
    """Pairs of linked rooms, as indices into the list of rooms."""
    markers: tuple[Marker, ...] = param(())
    """Named cells."""
    numbers: dict[str, Number] = param({})
    """Numbers reported by the technique; "nan" and "inf" are strings, because JSON has no such numbers."""
    layers: Any = param(None)
    """Float layers by name: nested lists, or packed; npz stores them as arrays and only their names here."""
    cells: Any = param(None)
    """Tile ids: nested lists, or packed; missing if the file stores them elsewhere."""
    canvas: tuple[Side, Side] | None = param(None)
    """Rows and columns of the picture in cells; more than the map's if levels or other frames need them."""
    loose: bool = param(False)
    """Whether the picture does not identify the cells (sprites, too few colors), so that the stored cells count."""
    pixels: int | None = param(None)
    """Checksum of the pixels of a loose picture, without which edits would be lost silently."""
    icons: bool = param(False)
    """Whether icons of markers hide the tiles of their cells."""
    layer: str | None = param(None)
    """Layer that the picture shows as heights, if it does not show tiles."""
    range: tuple[float, float] | None = param(None)
    """Values of black and white in a picture of heights."""
    provenance: Any = param(None)
    """How the map was generated."""

    @model_validator(mode="after")
    def _fits_into_memory(self) -> StoredMap:
        check_limit("cells", prod(self.shape), MAX_CELLS, at="shape")
        return self

    @classmethod
    def read(cls, label: Mapping[str, Any], content: bytes) -> StoredMap:
        """Return the data of a map in a file. Raise TooLarge for more cells than a file of this size can hold."""
        data = cls.validate(label)
        check_expansion(prod(data.shape), content)
        return data

    def to_map(self) -> LoadedMap:
        """Return the map with the stored cells and layers, and its provenance."""
        return self.build_map(self.read_cells(), self.read_layers())

    def build_map(self, cells: NDArray[Any], layers: Mapping[str, NDArray[Any]]) -> LoadedMap:
        """Return the map with these cells and layers, and its provenance."""
        map = TileMap(
            cells,
            tilesets.complete(self.tileset),
            rooms=self.rooms,
            links=self.links,
            markers=self.markers,
            layers=layers,
            numbers=self.numbers,
        )
        return LoadedMap(map, self.provenance if isinstance(self.provenance, Mapping) else {})

    def read_cells(self) -> NDArray[Any]:
        """Return the stored cells. Raise an error unless all cells are tile ids."""
        return TileMap(decode_array(self.cells, self.shape, self.tileset.dtype, "cells"), self.tileset).cells

    def read_layers(self) -> dict[str, NDArray[Any]]:
        if not isinstance(self.layers or {}, Mapping):
            raise InvalidRecipe("must be layers by name", at="layers", got=self.layers)
        layers = self.layers or {}
        return {name: decode_array(layer, self.shape, np.float64, f"layers.{name}") for name, layer in layers.items()}


def check_expansion(count: int, content: bytes, noun: str = "cells", *, per_byte: int = 1) -> None:
    """Raise TooLarge if a file declares more cells, bytes or pixels than a file of its size contains.

    `per_byte` is the number of cells that one byte of unpacked data holds.
    """
    most = max(MAX_SMALL_CELLS, MAX_EXPANSION * per_byte * len(content))
    check_limit(noun, count, most, of=f"a file of {len(content):,} bytes")


def check_sides(shape: Sequence[int]) -> None:
    """Raise TooLarge if a map is too long along an axis, or has too many cells."""
    if max(shape, default=0) > MAX_SIDE:
        raise TooLarge(f"a map must have at most {MAX_SIDE:,} cells per side, got {format_size(shape)}")
    check_limit("cells", prod(shape), MAX_CELLS, of="a map")


def describe_map(map: TileMap) -> dict[str, Any]:
    """Return all data of a map except its cells and layers. Empty values are omitted."""
    markers = [asdict(marker) for marker in map.markers]
    for marker in markers:
        if map.cells.ndim == 2:
            del marker["level"]
        if not marker["properties"]:
            del marker["properties"]
    rooms = [asdict(room) for room in map.rooms]
    for room in rooms:
        if not room["name"]:
            del room["name"]
    optional = {
        "rooms": rooms,
        "links": [list(link) for link in map.links],
        "markers": markers,
        "numbers": {name: value if isfinite(value) else str(value) for name, value in map.numbers.items()},
    }
    return {
        "provenance": build_provenance(map),
        "shape": list(map.shape),
        "tileset": map.tileset.to_data(),
        **{name: value for name, value in optional.items() if value},
    }


def pack_array(array: NDArray[Any]) -> str:
    """Return the little-endian bytes of an array as a packed string."""
    return pack(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())


def encode_label(map: TileMap, data: dict[str, Any], noun: str) -> str:
    """Return the label of a picture or model as JSON in ASCII. Layers are included for maps of up to 65,536 cells."""
    if map.layers and map.cells.size <= MAX_INLINE_CELLS:
        data = {**data, "layers": {name: pack_array(layer) for name, layer in map.layers.items()}}
    text = json.dumps(data)
    check_limit("characters", len(text), MAX_LABEL, of=f"the {noun}'s label", advice="use npz, or crop it")
    return text


def escape_json(text: str) -> str:
    """Return JSON without characters that HTML gives a meaning."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def encode_array(array: NDArray[Any], compact: bool | None = None) -> str | list[Any]:
    """Return an array as nested lists or as a packed string. By default, the size decides.

    NaN, infinity and arrays too large for the reader are always packed.
    """
    large = array.size > (MAX_INLINE_CELLS if compact is None else MAX_LISTED_CELLS)
    if compact or large or (array.dtype.kind == "f" and not np.isfinite(array).all()):
        return pack_array(array)
    return array.tolist()  # type: ignore[no-any-return]


def decode_array(value: Any, shape: tuple[int, ...], kind: DTypeLike, place: str) -> NDArray[Any]:
    """Return the array that `encode_array` or `pack_array` encoded.

    Raise InvalidRecipe if it does not have this shape.
    """
    dtype = np.dtype(kind).newbyteorder("<")
    if isinstance(value, str):
        raw = unpack(value, prod(shape) * dtype.itemsize)
        if len(raw) != prod(shape) * dtype.itemsize:
            raise InvalidRecipe(f"{len(raw)} bytes do not fill an array of shape {list(shape)}", at=place, rule="type")
        return np.frombuffer(raw, dtype=dtype).reshape(shape)
    is_integer = dtype.kind == "u"
    flat = _flatten(value, shape, place)
    if not set(map(type, flat)) <= ({int} if is_integer else {int, float}):
        wrong = next(one for one in flat if type(one) is not int and (is_integer or type(one) is not float))
        raise InvalidRecipe(f"must be {'integers' if is_integer else 'numbers'}", at=place, got=wrong)
    try:
        return np.array(flat, dtype=np.int64 if is_integer else dtype).reshape(shape)
    except OverflowError:
        raise InvalidRecipe("contains a number out of range", at=place) from None


def _flatten(value: Any, shape: tuple[int, ...], place: str) -> list[Any]:
    """Return the values of nested lists. Raise InvalidRecipe if the lists do not have exactly this shape."""
    lists = [value]
    for side in shape:
        for number, one in enumerate(lists, 1):
            if not isinstance(one, list) or len(one) != side:
                size = f"{len(one)} values" if isinstance(one, list) else short_repr(one)
                raise InvalidRecipe(f"list {number} of {len(lists)} must have {side} values, got {size}", at=place)
        lists = list(chain.from_iterable(lists))
    return lists


def make_numbered_tileset(highest: int, content: bytes) -> Tileset:
    """Return a tileset for the bare ids in a file: `tile0` and so on, up to the highest id."""
    if highest >= MAX_TILES:
        raise TooLarge(f"a tileset must have at most {MAX_TILES:,} tiles, got the id {highest:,}")
    most = MAX_SMALL_TILES + len(content)
    if highest >= most:
        text = f"a file of {len(content):,} bytes without a tileset must have ids below {most:,}, got {highest:,}"
        raise TooLarge(f"{text}; name its tileset")
    return Tileset.from_labels((f"tile{number}" for number in range(highest + 1)), "numbered")
