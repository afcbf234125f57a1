"""The parts of a project as plain data. `data/templates/ldtk.json` has all the keys that LDtk's schema requires."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID, uuid5

from ... import data
from ...core.tileset import Tileset
from . import LABEL_FIELD, escape

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
