"""The parts of a project as plain data, with the picture of its tileset, and markers and rooms as entities.

`data/templates/ldtk.json` has all the keys that LDtk's schema requires. The picture is the user's own sheet if it has
all sprites, or else one with all sprites.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from ... import data
from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe
from ...core.tilemap import Marker, MarkerValue, TileMap
from ...core.tileset import Tileset
from .._artwork import Artwork
from .._sheet import arrange_sprites, encode_png, find_relative_path, picture_size
from . import ENTITIES_LAYER, LABEL_FIELD, MARKER_TAG, ROOM_TAG, LdtkParams, choose_identifier, escape, make_identifier

Data = dict[str, Any]
NAMESPACE = UUID("7f4a3f0e-5a0c-5d7e-9f6e-1c8d4b7a2e51")
FIELD_KINDS: dict[type, tuple[str, str, str]] = {
    bool: ("Bool", "F_Bool", "V_Bool"),
    int: ("Int", "F_Int", "V_Int"),
    float: ("Float", "F_Float", "V_Float"),
    str: ("String", "F_String", "V_String"),
}
"""Type, internal type and type of the stored value of a field, by the Python type of its values."""


def make_iid(*parts: object) -> str:
    """Return an identifier for a part of a project. The same path always has the same identifier."""
    return str(uuid5(NAMESPACE, "/".join(map(str, parts)).encode("utf-8", "backslashreplace").decode()))


@cache
def load_templates() -> Mapping[str, Data]:
    """Return the parts of a project with the values that all projects have, and null for all other values."""
    templates: dict[str, Data] = json.loads(data.read_text("templates", "ldtk.json"))
    return templates


def make_layer(kind: str, identifier: str, uid: int, size: int, **changes: object) -> Data:
    """Return the definition of a layer with cells of this size in pixels."""
    own = {"__type": kind, "identifier": identifier, "type": kind, "uid": uid, "gridSize": size}
    return load_templates()["layer"] | own | changes


def make_value(value: int, identifier: str, color: str, tile: Data | None, group: int) -> Data:
    """Return the definition of an IntGrid value."""
    return {"value": value, "identifier": identifier, "color": color.upper(), "tile": tile, "groupUid": group}


def make_rule(uid: int, pattern: Sequence[int], tiles: Sequence[int], outside: int | None) -> Data:
    """Return a rule: a square pattern, the tiles to choose from, and the value of cells outside the level."""
    return load_templates()["rule"] | {
        "uid": uid,
        "size": 1 if len(pattern) == 1 else 3,
        "tileRectsIds": [[tile] for tile in tiles],
        "pattern": [*pattern],
        "outOfBoundsValue": outside,
    }


def make_rule_group(uid: int, name: str, rules: Sequence[Data]) -> Data:
    return load_templates()["rule_group"] | {"uid": uid, "name": name, "rules": [*rules]}


def make_field(uid: int, identifier: str, doc: str, kind: type, **changes: object) -> Data:
    """Return the definition of a field of entities or levels."""
    shown, internal, _ = FIELD_KINDS[kind]
    own = {"identifier": identifier, "doc": escape(doc) or None, "__type": shown, "uid": uid, "type": internal}
    return load_templates()["field"] | own | changes


def make_label_field(uid: int) -> Data:
    """Return the definition of the level field with the data that LDtk has no place for. Levels do not show it."""
    hidden = {"type": "F_Text", "editorDisplayMode": "Hidden", "editorShowInWorld": False}
    return make_field(uid, LABEL_FIELD, "Data of Tilewright: recipe, seed, tileset, links. Do not edit.", str, **hidden)


def make_field_value(field: Mapping[str, Any], value: bool | int | float | str | None) -> Data:
    """Return the value of a field in a level or an entity."""
    stored = escape(value) if isinstance(value, str) else value
    kind = {shown: wrapper for shown, _, wrapper in FIELD_KINDS.values()}[field["__type"]]
    return {
        "__identifier": field["identifier"],
        "__type": field["__type"],
        "__value": stored,
        "__tile": None,
        "defUid": field["uid"],
        "realEditorValues": [] if stored is None else [{"id": kind, "params": [stored]}],
    }


def make_entity(
    uid: int, identifier: str, doc: str, tag: str, size: int, color: str, fields: Sequence[Data], *, is_area: bool
) -> Data:
    """Return the definition of an entity. The size of areas can be changed; they are shown as frames."""
    return load_templates()["entity"] | {
        "identifier": identifier,
        "uid": uid,
        "tags": [tag],
        "doc": escape(doc) or None,
        "width": size,
        "height": size,
        "resizableX": is_area,
        "resizableY": is_area,
        "fillOpacity": 0.08 if is_area else 1,
        "hollow": is_area,
        "color": color,
        "renderMode": "Rectangle" if is_area else "Ellipse",
        "showName": not is_area,
        "fieldDefs": [*fields],
    }


def make_tileset(
    uid: int, identifier: str, path: str, size: tuple[int, int], grid: tuple[int, int, int], about: Mapping[int, Data]
) -> Data:
    """Return the definition of a tileset.

    `size` is the picture's width and height in pixels, `grid` the size of a tile, the spacing and the padding, and
    `about` the custom data by tile.
    """
    tile, spacing, padding = grid
    columns, rows = (count_tiles(side, grid) for side in size)
    own_data = [{"tileId": number, "data": escape(json.dumps(values))} for number, values in sorted(about.items())]
    return load_templates()["tileset"] | {
        "__cWid": columns,
        "__cHei": rows,
        "identifier": identifier,
        "uid": uid,
        "relPath": path,
        "pxWid": size[0],
        "pxHei": size[1],
        "tileGridSize": tile,
        "spacing": spacing,
        "padding": padding,
        "customData": own_data,
    }


def count_tiles(side: int, grid: tuple[int, int, int]) -> int:
    """Return how many tiles LDtk counts along a side of a picture; it takes the padding from both ends."""
    tile, spacing, padding = grid
    return max(0, -(-(side - 2 * padding) // (tile + spacing)))


def describe_tile(tileset: Tileset, number: int) -> Data:
    """Return the custom data of the sprites of a tile, for engines."""
    tile = tileset[number]
    about: Data = {"tile": number, "name": tile.name, "passable": tile.passable, "blocks_sight": tile.is_opaque}
    return about | {key: value for key, value in (("kind", tile.kind), ("costs", dict(tile.costs))) if value}


def make_project(
    name: str, uids: Iterator[int], size: int, minify: bool, definitions: Data, levels: Sequence[Data]
) -> Data:
    """Return a project. Its levels have cells of this size in pixels."""
    return load_templates()["project"] | {
        "iid": make_iid(name),
        "nextUid": next(uids),
        "defaultLevelWidth": levels[0]["pxWid"],
        "defaultLevelHeight": levels[0]["pxHei"],
        "defaultGridSize": size,
        "defaultEntityWidth": size,
        "defaultEntityHeight": size,
        "minifyJson": minify,
        "defs": definitions,
        "levels": [*levels],
        "dummyWorldIid": make_iid(name, "world"),
    }


@dataclass(frozen=True, eq=False)
class TilePicture:
    """The picture of all sprites of a tileset."""

    definition: Data
    """Definition of the tileset in the project."""
    pictures: dict[str, bytes]
    """Pictures to write beside the project, by file name."""
    numbers: NDArray[np.int64]
    """Array (sprite,) of the tile of each sprite in the picture."""

    @classmethod
    def of(cls, tileset: Tileset, options: LdtkParams, path: Path, uid: int) -> TilePicture:
        """Return the picture of a tileset. Raise InvalidRecipe if its tiles are not square."""
        sheet = tileset.sheet
        if sheet is not None and sheet.tile_width != sheet.tile_height:
            size = f"{sheet.tile_width}x{sheet.tile_height}"
            raise InvalidRecipe(
                f"LDtk needs square tiles, those of tileset {tileset.name!r} have {size} pixels; use tmx"
            )
        artwork = Artwork.of(tileset)
        picture = _use_own_sheet(artwork, options, path) or _draw_sheet(artwork, options, path)
        data: dict[int, Data] = {}
        for number, sprite in zip(picture.numbers.tolist(), artwork.sprites, strict=True):
            data.setdefault(number, describe_tile(tileset, sprite.tile))
        identifier = make_identifier(tileset.name)
        definition = make_tileset(uid, identifier, picture.path, picture.size, picture.grid, data)
        return cls(definition, picture.files, picture.numbers)

    @property
    def size(self) -> int:
        """Width and height of a tile in pixels."""
        return int(self.definition["tileGridSize"])

    def find_source(self, number: int) -> tuple[int, int]:
        """Return the left and upper edges of a tile in the picture."""
        row, column = divmod(number, self.definition["__cWid"])
        step = self.size + self.definition["spacing"]
        return self.definition["padding"] + column * step, self.definition["padding"] + row * step

    def make_rectangle(self, sprite: int) -> Data:
        x, y = self.find_source(int(self.numbers[sprite]))
        return {"tilesetUid": self.definition["uid"], "x": x, "y": y, "w": self.size, "h": self.size}


@dataclass(frozen=True, eq=False)
class _SheetLayout:
    """A picture with all sprites of an artwork."""

    path: str
    """Path relative to the project."""
    files: dict[str, bytes]
    """Files to write, by name."""
    size: tuple[int, int]
    """Width and height in pixels."""
    grid: tuple[int, int, int]
    """Size of a tile, spacing and padding in pixels."""
    numbers: NDArray[np.int64]
    """Array (sprite,) of positions in the picture."""


def _draw_sheet(artwork: Artwork, options: LdtkParams, path: Path) -> _SheetLayout:
    """Draw a picture with all sprites in their order."""
    sheet = artwork.tileset.sheet
    side = sheet.tile_width if sheet else options.tile_size
    content, size = _encode_sheet(artwork, side)
    name = f"{path.stem}-tiles.png"
    return _SheetLayout(name, {name: content}, size, (side, 0, 0), np.arange(len(artwork)))


@cached_by_size
def _encode_sheet(artwork: Artwork, side: int) -> tuple[bytes, tuple[int, int]]:
    """Return all sprites as a PNG file, and its width and height in pixels."""
    pixels = arrange_sprites(artwork.draw(range(len(artwork)), side, side))
    return encode_png(pixels), (pixels.shape[1], pixels.shape[0])


def _use_own_sheet(artwork: Artwork, options: LdtkParams, path: Path) -> _SheetLayout | None:
    """Return the user's own picture, if it has all sprites and LDtk counts as many columns as Tilewright."""
    sheet = artwork.sheet
    positions = [sprite.position for sprite in artwork.sprites]
    if sheet is None or None in positions:
        return None
    size = picture_size(sheet)
    grid = (sheet.tile_width, sheet.spacing, sheet.margin)
    if size is None or count_tiles(size[0], grid) != sheet.columns:
        return None
    place = options.image_path or find_relative_path(sheet, path)
    image = place or PurePosixPath(sheet.image.replace("\\", "/")).name
    return _SheetLayout(image, {} if place else {image: sheet.picture}, size, grid, np.array(positions, dtype=np.int64))


ROOM_COLOR = "#8B9BB4"
MARKER_COLORS = ("#BE4A2F", "#3E8948", "#0099DB", "#FEAE34", "#B55088", "#68386C", "#C0CBDC", "#63C74D")


class EntityWriter:
    """Definitions of the entities of maps and of the level field, and the entities.

    Each name of a marker is an entity of its own, which has a field for each property of these markers. The
    documentation of entities and fields holds the names as they were before they became identifiers.
    """

    def __init__(self, maps: Sequence[TileMap], size: int, uids: Iterator[int]) -> None:
        self.size = size
        self.layer = make_layer("Entities", ENTITIES_LAYER, next(uids), size)
        taken: set[str] = set()
        number = make_field(next(uids), "room", "Number of the room in links.", int, editorShowInWorld=False)
        room = choose_identifier("Room", taken)
        fields = [number]
        if any(one.name for map in maps for one in map.rooms):
            fields.append(make_field(next(uids), "name", "Name of the room.", str))
        self.room = make_entity(next(uids), room, "Room", ROOM_TAG, size, ROOM_COLOR, fields, is_area=True)
        self.markers: dict[str, Data] = {}
        self.fields: dict[tuple[str, str, type], Data] = {}
        """Definitions of fields by name of the marker, name of the property and type."""
        names = sorted({marker.name for map in maps for marker in map.markers})
        for position, name in enumerate(names):
            keys = sorted(
                {
                    (key, type(value).__name__, type(value))
                    for map in maps
                    for marker in map.markers
                    if marker.name == name
                    for key, value in marker.properties.items()
                }
            )
            used: set[str] = set()
            for key, _, kind in keys:
                self.fields[name, key, kind] = make_field(next(uids), choose_identifier(key, used), key, kind)
            fields = [self.fields[name, key, kind] for key, _, kind in keys]
            color = MARKER_COLORS[position % len(MARKER_COLORS)]
            identifier = choose_identifier(name, taken)
            self.markers[name] = make_entity(
                next(uids), identifier, name, MARKER_TAG, size, color, fields, is_area=False
            )
        self.label_field = make_label_field(next(uids))
        """Definition of the level field."""

    @property
    def definitions(self) -> list[Data]:
        return [self.room, *self.markers.values()]

    def list_entities(self, map: TileMap, floor: int, path: tuple[str, ...], place: tuple[int, int]) -> list[Data]:
        """Return the markers of a floor; the first floor also has the rooms. `place` is the level's, in pixels."""
        found = []
        for number, room in enumerate(map.rooms if floor == 0 else ()):
            values = (number, room.name or None)
            fields = [make_field_value(*pair) for pair in zip(self.room["fieldDefs"], values, strict=False)]
            iid = make_iid(*path, "room", number)
            found.append(self._make(self.room, iid, (room.x, room.y, room.width, room.height), place, fields))
        for number, marker in enumerate(map.markers):
            if marker.level == floor:
                iid, fields = make_iid(*path, "marker", number), [*self._iter_fields(marker)]
                found.append(self._make(self.markers[marker.name], iid, (marker.x, marker.y, 1, 1), place, fields))
        return found

    def _iter_fields(self, marker: Marker) -> Iterator[Data]:
        """Yield all fields of a marker; those without a value are null."""
        for (name, key, kind), field in self.fields.items():
            if name == marker.name:
                value: MarkerValue | None = marker.properties.get(key)
                yield make_field_value(field, value if type(value) is kind else None)

    def _make(
        self, definition: Data, iid: str, cells: tuple[int, int, int, int], place: tuple[int, int], fields: list[Data]
    ) -> Data:
        """Return an entity. `cells` are its place and its size in cells."""
        x, y, width, height = (number * self.size for number in cells)
        return {
            "__identifier": definition["identifier"],
            "__grid": [*cells[:2]],
            "__pivot": [0, 0],
            "__tags": definition["tags"],
            "__tile": None,
            "__smartColor": definition["color"],
            "iid": iid,
            "width": width,
            "height": height,
            "defUid": definition["uid"],
            "px": [x, y],
            "fieldInstances": fields,
            "__worldX": place[0] + x,
            "__worldY": place[1] + y,
        }
