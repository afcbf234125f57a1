"""The parts of a project as plain data, with all the keys that LDtk's schema requires."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from ...core.tileset import Tileset
from . import LABEL_FIELD, escape

Data = dict[str, Any]
NAMESPACE = UUID("7f4a3f0e-5a0c-5d7e-9f6e-1c8d4b7a2e51")
VERSION = "1.5.3"
BACKGROUND = "#40465B"
LEVEL_BACKGROUND = "#1A1C24"
HEADER = {
    "fileType": "LDtk Project JSON",
    "app": "LDtk",
    "doc": "https://ldtk.io/json",
    "schema": "https://ldtk.io/files/JSON_SCHEMA.json",
    "appAuthor": "Sebastien 'deepnight' Benard",
    "appVersion": VERSION,
    "url": "https://ldtk.io",
}
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


def make_layer(kind: str, identifier: str, uid: int, size: int, **changes: object) -> Data:
    """Return the definition of a layer with cells of this size in pixels."""
    return {
        "__type": kind,
        "identifier": identifier,
        "type": kind,
        "uid": uid,
        "doc": None,
        "uiColor": None,
        "gridSize": size,
        "guideGridWid": 0,
        "guideGridHei": 0,
        "displayOpacity": 1,
        "inactiveOpacity": 1,
        "hideInList": False,
        "hideFieldsWhenInactive": True,
        "canSelectWhenInactive": True,
        "renderInWorldView": True,
        "pxOffsetX": 0,
        "pxOffsetY": 0,
        "parallaxFactorX": 0,
        "parallaxFactorY": 0,
        "parallaxScaling": True,
        "requiredTags": [],
        "excludedTags": [],
        "autoTilesKilledByOtherLayerUid": None,
        "uiFilterTags": [],
        "useAsyncRender": False,
        "intGridValues": [],
        "intGridValuesGroups": [],
        "autoRuleGroups": [],
        "autoSourceLayerDefUid": None,
        "tilesetDefUid": None,
        "tilePivotX": 0,
        "tilePivotY": 0,
        "biomeFieldUid": None,
        **changes,
    }


def make_value(value: int, identifier: str, color: str, tile: Data | None, group: int) -> Data:
    """Return the definition of an IntGrid value."""
    return {"value": value, "identifier": identifier, "color": color.upper(), "tile": tile, "groupUid": group}


def make_rule(uid: int, pattern: Sequence[int], tiles: Sequence[int], outside: int | None) -> Data:
    """Return a rule: a square pattern, the tiles to choose from, and the value of cells outside the level."""
    return {
        "uid": uid,
        "active": True,
        "size": 1 if len(pattern) == 1 else 3,
        "tileRectsIds": [[tile] for tile in tiles],
        "alpha": 1,
        "chance": 1,
        "breakOnMatch": True,
        "pattern": [*pattern],
        "flipX": False,
        "flipY": False,
        "xModulo": 1,
        "yModulo": 1,
        "xOffset": 0,
        "yOffset": 0,
        "tileXOffset": 0,
        "tileYOffset": 0,
        "tileRandomXMin": 0,
        "tileRandomXMax": 0,
        "tileRandomYMin": 0,
        "tileRandomYMax": 0,
        "checker": "None",
        "tileMode": "Single",
        "pivotX": 0,
        "pivotY": 0,
        "outOfBoundsValue": outside,
        "invalidated": False,
        "perlinActive": False,
        "perlinSeed": 1,
        "perlinScale": 0.2,
        "perlinOctaves": 2,
    }


def make_rule_group(uid: int, name: str, rules: Sequence[Data]) -> Data:
    return {
        "uid": uid,
        "name": name,
        "color": None,
        "icon": None,
        "active": True,
        "isOptional": False,
        "rules": [*rules],
        "usesWizard": False,
        "requiredBiomeValues": [],
        "biomeRequirementMode": 0,
    }


def make_field(uid: int, identifier: str, doc: str, kind: type, **changes: object) -> Data:
    """Return the definition of a field of entities or levels."""
    shown, internal, _ = FIELD_KINDS[kind]
    return {
        "identifier": identifier,
        "doc": escape(doc) or None,
        "__type": shown,
        "uid": uid,
        "type": internal,
        "isArray": False,
        "canBeNull": True,
        "arrayMinLength": None,
        "arrayMaxLength": None,
        "editorDisplayMode": "NameAndValue",
        "editorDisplayScale": 1,
        "editorDisplayPos": "Above",
        "editorLinkStyle": "StraightArrow",
        "editorDisplayColor": None,
        "editorAlwaysShow": False,
        "editorShowInWorld": True,
        "editorCutLongValues": True,
        "editorTextSuffix": None,
        "editorTextPrefix": None,
        "useForSmartColor": False,
        "exportToToc": False,
        "searchable": False,
        "min": None,
        "max": None,
        "regex": None,
        "acceptFileTypes": None,
        "defaultOverride": None,
        "textLanguageMode": None,
        "symmetricalRef": False,
        "autoChainRef": True,
        "allowOutOfLevelRef": True,
        "allowedRefs": "OnlySame",
        "allowedRefsEntityUid": None,
        "allowedRefTags": [],
        "tilesetUid": None,
        **changes,
    }


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
    return {
        "identifier": identifier,
        "uid": uid,
        "tags": [tag],
        "exportToToc": False,
        "allowOutOfBounds": False,
        "doc": escape(doc) or None,
        "width": size,
        "height": size,
        "resizableX": is_area,
        "resizableY": is_area,
        "minWidth": None,
        "maxWidth": None,
        "minHeight": None,
        "maxHeight": None,
        "keepAspectRatio": False,
        "tileOpacity": 1,
        "fillOpacity": 0.08 if is_area else 1,
        "lineOpacity": 1,
        "hollow": is_area,
        "color": color,
        "renderMode": "Rectangle" if is_area else "Ellipse",
        "showName": not is_area,
        "tilesetId": None,
        "tileRenderMode": "FitInside",
        "tileRect": None,
        "uiTileRect": None,
        "nineSliceBorders": [],
        "maxCount": 0,
        "limitScope": "PerLevel",
        "limitBehavior": "MoveLastOne",
        "pivotX": 0,
        "pivotY": 0,
        "fieldDefs": [*fields],
    }


def make_tileset(
    uid: int, identifier: str, path: str, size: tuple[int, int], grid: tuple[int, int, int], data: Mapping[int, Data]
) -> Data:
    """Return the definition of a tileset.

    `size` is the picture's width and height in pixels, `grid` the size of a tile, the spacing and the padding, and
    `data` the custom data by tile.
    """
    tile, spacing, padding = grid
    columns, rows = (count_tiles(side, grid) for side in size)
    return {
        "__cWid": columns,
        "__cHei": rows,
        "identifier": identifier,
        "uid": uid,
        "relPath": path,
        "embedAtlas": None,
        "pxWid": size[0],
        "pxHei": size[1],
        "tileGridSize": tile,
        "spacing": spacing,
        "padding": padding,
        "tags": [],
        "tagsSourceEnumUid": None,
        "enumTags": [],
        "customData": [
            {"tileId": number, "data": escape(json.dumps(values))} for number, values in sorted(data.items())
        ],
        "savedSelections": [],
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
    return {
        "__header__": HEADER,
        "iid": make_iid(name),
        "jsonVersion": VERSION,
        "appBuildId": 473703,
        "nextUid": next(uids),
        "identifierStyle": "Free",
        "toc": [],
        "worldLayout": "Free",
        "worldGridWidth": 256,
        "worldGridHeight": 256,
        "defaultLevelWidth": levels[0]["pxWid"],
        "defaultLevelHeight": levels[0]["pxHei"],
        "defaultPivotX": 0,
        "defaultPivotY": 0,
        "defaultGridSize": size,
        "defaultEntityWidth": size,
        "defaultEntityHeight": size,
        "bgColor": BACKGROUND,
        "defaultLevelBgColor": LEVEL_BACKGROUND,
        "minifyJson": minify,
        "externalLevels": False,
        "exportTiled": False,
        "simplifiedExport": False,
        "imageExportMode": "None",
        "exportLevelBg": True,
        "pngFilePattern": None,
        "backupOnSave": False,
        "backupLimit": 10,
        "backupRelPath": None,
        "levelNamePattern": "Level_%idx",
        "tutorialDesc": None,
        "customCommands": [],
        "flags": [],
        "defs": definitions,
        "levels": [*levels],
        "worlds": [],
        "dummyWorldIid": make_iid(name, "world"),
    }
