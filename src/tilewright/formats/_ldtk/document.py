"""Models that validate the parts of LDtk projects. Unknown keys are ignored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from ...core.errors import TooLarge
from .._documents import Coordinate, Count, Record, check_megabytes, parse_document
from . import unescape

MAX_BYTES = 1 << 28
"""Maximum size of a project; in memory it takes several times this size."""
MAX_CONTAINERS = 9 << 20
"""Maximum number of lists and objects in a project."""
CONTAINERS_PER_TILE = 4
"""Number of lists and objects of a tile of a layer."""
MAX_OBJECTS = 1 << 20
"""Maximum number of objects besides tiles, which take more memory."""
TILE_KEYS = ("px", "t", "d")

Text = Annotated[str, BeforeValidator(lambda text: "" if text is None else text)]
"""A string, which may also be null."""


class LdtkTile(tuple[int, int, int]):
    """A tile of a layer: x and y in pixels, and its number in the tileset."""

    __slots__ = ()


class _Record(Record):
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

    @property
    def all_levels(self) -> list[LdtkLevel]:
        """Levels of the project and of all its worlds."""
        return [*self.levels, *(level for world in self.worlds for level in world.levels)]


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
    limits, convert = (MAX_CONTAINERS, MAX_BYTES), _Shortener().shorten
    return parse_document(content, "an LDtk project", limits, weight=CONTAINERS_PER_TILE, convert=convert)


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
