"""Models that validate the parts of LDtk projects. Unknown keys are ignored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, ConfigDict, Field

from ...core.errors import InvalidRecipe, TooLarge, pluralize, short_repr
from ...core.stored import check_objects
from ...core.tilemap import Marker, Room
from .._data import check_sides
from .._documents import Coordinate, Count, DocumentPart, check_megabytes, parse_document, parse_inner_json
from . import MARKER_TAG, unescape

MAX_BYTES = 1 << 28
"""Maximum size of a project; in memory it takes several times this size."""
LIMITS = (9 << 20, MAX_BYTES)
"""Maximum number of lists and objects in a project, and of values."""
CONTAINERS_PER_OBJECT = 8
"""Number of lists and objects that count as one, because most are the four of a tile, which becomes an `LdtkTile`."""
MAX_OBJECTS = 1 << 20
"""Maximum number of objects besides tiles, which take more memory."""
TILE_KEYS = ("px", "t", "d")
Numbers = NDArray[np.int64]
"""IntGrid values or tile numbers of a level, (row, column); -1 where there is none."""

Text = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]
"""A string, which may also be null."""


class LdtkTile(tuple[int, int, int]):
    """A tile of a layer: x and y in pixels, and its number in the tileset."""

    __slots__ = ()


class _Record(DocumentPart):
    # Problems name the fields as they are called here, because aliases such as __grid are not known as fields.
    model_config = ConfigDict(loc_by_alias=False)


class LdtkFieldDef(_Record):
    identifier: str = ""
    uid: Coordinate = 0
    doc: Text = ""


class LdtkEntityDef(_Record):
    identifier: str = ""
    uid: Coordinate = 0
    doc: Text = ""
    tags: tuple[str, ...] = ()
    field_definitions: Annotated[tuple[LdtkFieldDef, ...], Field(alias="fieldDefs")] = ()


class LdtkValue(_Record):
    value: Annotated[int, Field(ge=1, lt=1 << 31)]
    identifier: Text = ""
    color: str = ""


class LdtkLayerDef(_Record):
    identifier: str = ""
    type: str = ""
    uid: Coordinate = 0
    values: Annotated[tuple[LdtkValue, ...], Field(alias="intGridValues")] = ()


class LdtkTileData(_Record):
    tile: Annotated[Count, Field(alias="tileId")]
    data: str = ""

    def read_object(self) -> Mapping[str, Any]:
        """Return the object that is stored as JSON; an empty one if there is none."""
        found = parse_inner_json(unescape(self.data), LIMITS)
        return found if isinstance(found, dict) else {}


class LdtkTilesetDef(_Record):
    identifier: str = ""
    uid: Coordinate = 0
    path: Annotated[Text, Field(alias="relPath")] = ""
    columns: Annotated[Count, Field(alias="__cWid")] = 0
    size: Annotated[Count, Field(alias="tileGridSize")] = 0
    spacing: Count = 0
    padding: Count = 0
    custom_data: Annotated[tuple[LdtkTileData, ...], Field(alias="customData")] = ()


class LdtkDefinitions(_Record):
    layers: tuple[LdtkLayerDef, ...] = ()
    entities: tuple[LdtkEntityDef, ...] = ()
    tilesets: tuple[LdtkTilesetDef, ...] = ()


class LdtkField(_Record):
    identifier: Annotated[str, Field(alias="__identifier")] = ""
    type: Annotated[str, Field(alias="__type")] = ""
    value: Annotated[Any, Field(alias="__value")] = None
    definition: Annotated[Coordinate, Field(alias="defUid")] = 0

    def read_value(self) -> bool | int | float | str | None:
        """Return a plain value; None for any other value, and if the field is not set."""
        if isinstance(self.value, str):
            return unescape(self.value)
        if not isinstance(self.value, (bool, int, float)):
            return None
        is_number = self.type == "Float" and not isinstance(self.value, bool) and abs(self.value) < 1e300
        return float(self.value) if is_number else self.value


class LdtkEntity(_Record):
    identifier: Annotated[str, Field(alias="__identifier")] = ""
    cell: Annotated[tuple[Coordinate, Coordinate] | None, Field(alias="__grid")] = None
    place: Annotated[tuple[float, float], Field(alias="px")] = (0, 0)
    width: float = 0
    height: float = 0
    definition: Annotated[Coordinate, Field(alias="defUid")] = 0
    fields: Annotated[tuple[LdtkField, ...], Field(alias="fieldInstances")] = ()

    def find_value(self, name: str) -> bool | int | float | str | None:
        """Return the value of a field; None if there is none."""
        return next((field.read_value() for field in self.fields if field.identifier == name), None)

    def read_room(self, size: int) -> Room:
        """Return the room of an entity, given the size of a cell in pixels."""
        x, y, width, height = (round(side / size) for side in (*self.place, self.width, self.height))
        name = self.find_value("name")
        return Room(x, y, width, height, name if isinstance(name, str) else "")

    def read_room_number(self, position: int) -> int:
        """Return the number of a room in links; a room that was added in the editor has a negative one."""
        number = self.find_value("room")
        return number if type(number) is int and number >= 0 else -1 - position

    def read_marker(self, size: int, definition: LdtkEntityDef | None) -> Marker:
        """Return the marker of an entity, given the size of a cell in pixels.

        Tilewright writes the names of markers and properties as the documentation of entities and fields.
        """
        column, row = self.cell or (int(self.place[0] // size), int(self.place[1] // size))
        own = definition if definition and MARKER_TAG in definition.tags else None
        docs = {field.uid: unescape(field.doc) for field in own.field_definitions} if own else {}
        values = [
            (docs.get(one.definition) or one.identifier, one.read_value()) for one in self.fields if one.identifier
        ]
        properties = {name: value for name, value in values if value is not None}
        return Marker(unescape(own.doc) if own and own.doc else self.identifier, column, row, properties=properties)


class LdtkLayer(_Record):
    identifier: Annotated[str, Field(alias="__identifier")] = ""
    type: Annotated[str, Field(alias="__type")] = ""
    width: Annotated[Count, Field(alias="__cWid")] = 0
    height: Annotated[Count, Field(alias="__cHei")] = 0
    size: Annotated[int, Field(alias="__gridSize", ge=1, lt=1 << 16)] = 16
    offset_x: Annotated[float, Field(alias="__pxTotalOffsetX")] = 0
    offset_y: Annotated[float, Field(alias="__pxTotalOffsetY")] = 0
    definition: Annotated[Coordinate, Field(alias="layerDefUid")] = 0
    tileset: Annotated[Coordinate | None, Field(alias="__tilesetDefUid")] = None
    values: Annotated[Any, Field(alias="intGridCsv")] = None
    tiles: Annotated[Any, Field(alias="gridTiles")] = None
    auto_tiles: Annotated[Any, Field(alias="autoLayerTiles")] = None
    entities: Annotated[tuple[LdtkEntity, ...], Field(alias="entityInstances")] = ()

    def read_values(self) -> Numbers:
        """Return the values of an IntGrid layer less one."""
        shape = (self.height, self.width)
        self.check_shape()
        values = self.values
        if not isinstance(values, list) or len(values) != math.prod(shape):
            size = pluralize(len(values), "value") if isinstance(values, list) else short_repr(values)
            text = f"has {size}, its size of {self.width}x{self.height} needs {math.prod(shape):,}"
            raise InvalidRecipe(text, at=(self.identifier, "intGridCsv"))
        if not set(map(type, values)) <= {int}:
            raise InvalidRecipe("must be integers", at=(self.identifier, "intGridCsv"), rule="type")
        if min(values) < 0 or max(values) >= 1 << 31:
            wrong = min(values) if min(values) < 0 else max(values)
            raise InvalidRecipe("must be 0 or more, and below 2^31", at=(self.identifier, "intGridCsv"), got=wrong)
        return np.array(values, dtype=np.int64).reshape(shape) - 1

    def check_shape(self) -> None:
        """Raise an error for a layer without cells, or with too long sides."""
        if not self.height * self.width:
            raise InvalidRecipe("a map must have at least one cell", at=self.identifier, rule="minimum")
        check_sides((self.height, self.width))

    def iter_tiles(self) -> Iterator[list[Any]]:
        """Yield the lists of tiles, the lowest first."""
        for tiles in (self.auto_tiles, self.tiles):
            if isinstance(tiles, list):
                yield tiles


def flatten_tiles(layers: list[LdtkLayer]) -> Numbers:
    """Return the number of the uppermost tile of each cell. Layers are listed from the top."""
    first = layers[0]
    first.check_shape()
    count = sum(len(tiles) for layer in layers for tiles in layer.iter_tiles())
    if first.height * first.width > 1 << 16 and first.height * first.width > 1000 * count:
        raise TooLarge(f"has {first.width:,}x{first.height:,} cells, but only {pluralize(count, 'tile')}")
    numbers = np.full((first.height, first.width), -1, dtype=np.int64)
    for layer in reversed(layers):
        if (layer.size, layer.width, layer.height) != (first.size, first.width, first.height):
            continue  # Layers with another grid, such as those shifted by half a cell, have no tile for each cell.
        for tiles in layer.iter_tiles():
            if not tiles:
                continue
            if not all(isinstance(tile, LdtkTile) for tile in tiles):
                raise InvalidRecipe("must be tiles", at=layer.identifier, rule="type")
            x, y, number = np.array(tiles, dtype=np.int64).T
            row, column = y // layer.size, x // layer.size
            inside = (row >= 0) & (row < first.height) & (column >= 0) & (column < first.width) & (number >= 0)
            numbers[row[inside], column[inside]] = number[inside]
    return numbers


class LdtkLevel(_Record):
    identifier: str = ""
    iid: str = ""
    width: Annotated[Count, Field(alias="pxWid")] = 0
    height: Annotated[Count, Field(alias="pxHei")] = 0
    file: Annotated[Text, Field(alias="externalRelPath")] = ""
    fields: Annotated[tuple[LdtkField, ...], Field(alias="fieldInstances")] = ()
    layers: Annotated[tuple[LdtkLayer, ...] | None, Field(alias="layerInstances")] = None


class LdtkWorld(_Record):
    levels: tuple[LdtkLevel, ...] = ()


class LdtkProject(_Record):
    version: Annotated[str, Field(alias="jsonVersion")] = ""
    defs: LdtkDefinitions
    levels: tuple[LdtkLevel, ...] = ()
    worlds: tuple[LdtkWorld, ...] = ()


class LdtkLabel(_Record):
    """Data of the level field `tilewright`: what LDtk has no place for."""

    shape: tuple[Count, ...] = ()
    tileset: Any = None
    links: tuple[tuple[Coordinate, Coordinate], ...] = ()
    numbers: Any = None
    layers: Any = None
    provenance: Any = None
    floor: Count = 0
    floor_of: str = ""
    """Identifier of the level with the first floor; empty for a first floor."""


def parse(content: bytes) -> Any:
    """Parse the JSON of a project or of an external level. Tiles are kept as `LdtkTile`, which saves memory."""
    check_megabytes(content, MAX_BYTES, "an LDtk file", "npz")
    shortener = _Shortener()
    found = parse_document(content, "an LDtk project", LIMITS, weight=CONTAINERS_PER_OBJECT, convert=shortener.shorten)
    check_objects(shortener.count, MAX_OBJECTS, "objects besides tiles")
    return found


class _Shortener:
    """Converts the tiles of layers as they are parsed, and counts all other objects."""

    def __init__(self) -> None:
        self.count = 0

    def shorten(self, found: dict[str, Any]) -> Any:
        """Return the tile of a layer as an LdtkTile, and any other object unchanged."""
        if "px" not in found or any(key not in found for key in TILE_KEYS):
            self.count += 1
            if self.count > MAX_OBJECTS:
                raise TooLarge(f"an LDtk file must have at most {MAX_OBJECTS:,} objects besides tiles")
            return found
        place, number = found["px"], found["t"]
        if not isinstance(place, list) or len(place) != 2 or not _are_integers((*place, number)):
            raise ValueError(f"a tile has the place {str(place)[:40]} and the number {str(number)[:20]}")
        return LdtkTile((place[0], place[1], number))


def _are_integers(values: Iterable[Any]) -> bool:
    return all(type(value) is int and abs(value) < 1 << 31 for value in values)
