"""A reduced JSON Schema of LDtk 1.5.3 projects: the keys that the editor requires, with their types.

Written after the documentation of the format at https://ldtk.io/json.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

INT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOL: Schema = {"type": "boolean"}
TEXT: Schema = {"type": "string"}
COLOR: Schema = {"type": "string", "pattern": "^#[0-9A-F]{6}$"}
IID: Schema = {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}
IDENTIFIER: Schema = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}


def one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def list_of(items: Schema, length: int | None = None) -> Schema:
    bounds = {} if length is None else {"minItems": length, "maxItems": length}
    return {"type": "array", "items": items, **bounds}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def record(required: str, properties: dict[str, Schema], optional: str = "") -> Schema:
    """Return the schema of an object without other keys. `required` names integers, besides the properties."""
    known = {**dict.fromkeys(required.split(), INT), **properties}
    return {
        "type": "object",
        "properties": {**known, **{key: {} for key in optional.split()}},
        "required": list(known),
        "additionalProperties": False,
    }


RECTANGLE = record("tilesetUid x y w h", {})
TILE = record("f t", {"px": list_of(INT, 2), "src": list_of(INT, 2), "d": list_of(INT), "a": NUMBER})
FIELD_VALUE = record(
    "defUid",
    {
        "__identifier": IDENTIFIER,
        "__type": one_of("String", "Int", "Float", "Bool"),
        "__value": {"type": ["string", "number", "boolean", "null"]},
        "realEditorValues": list_of(
            record("", {"id": one_of("V_String", "V_Int", "V_Float", "V_Bool"), "params": {"type": "array"}})
        ),
    },
    "__tile",
)
ENTITY = record(
    "width height defUid __worldX __worldY",
    {
        "__identifier": IDENTIFIER,
        "__grid": list_of(INT, 2),
        "__pivot": list_of(NUMBER, 2),
        "__tags": list_of(TEXT),
        "__tile": or_null(RECTANGLE),
        "__smartColor": COLOR,
        "iid": IID,
        "px": list_of(INT, 2),
        "fieldInstances": list_of(FIELD_VALUE),
    },
)
LAYER = record(
    "__cWid __cHei __gridSize __pxTotalOffsetX __pxTotalOffsetY levelId layerDefUid pxOffsetX pxOffsetY seed",
    {
        "__identifier": IDENTIFIER,
        "__type": one_of("IntGrid", "Entities", "Tiles", "AutoLayer"),
        "__opacity": NUMBER,
        "__tilesetDefUid": or_null(INT),
        "__tilesetRelPath": or_null(TEXT),
        "iid": IID,
        "visible": BOOL,
        "optionalRules": list_of(INT),
        "intGridCsv": list_of({"type": "integer", "minimum": 0}),
        "autoLayerTiles": list_of(TILE),
        "gridTiles": list_of(TILE),
        "entityInstances": list_of(ENTITY),
        "overrideTilesetUid": or_null(INT),
    },
)
LEVEL = record(
    "uid worldX worldY worldDepth pxWid pxHei",
    {
        "identifier": IDENTIFIER,
        "iid": IID,
        "__bgColor": COLOR,
        "__smartColor": COLOR,
        "useAutoIdentifier": BOOL,
        "bgPivotX": NUMBER,
        "bgPivotY": NUMBER,
        "fieldInstances": list_of(FIELD_VALUE),
        "layerInstances": list_of(LAYER),
        "__neighbours": list_of(record("", {"levelIid": IID, "dir": one_of(*"nsew<>o", "ne", "nw", "se", "sw")})),
    },
    "bgColor bgRelPath bgPos __bgPos externalRelPath",
)
RULE = record(
    "uid xModulo yModulo xOffset yOffset tileXOffset tileYOffset tileRandomXMin tileRandomXMax tileRandomYMin "
    "tileRandomYMax perlinSeed perlinOctaves",
    {
        "active": BOOL,
        "size": {"enum": [1, 3, 5, 7, 9]},
        "tileRectsIds": {**list_of(list_of(INT, 1)), "minItems": 1},
        "alpha": NUMBER,
        "chance": NUMBER,
        "breakOnMatch": BOOL,
        "pattern": list_of(INT),
        "flipX": BOOL,
        "flipY": BOOL,
        "checker": one_of("None", "Horizontal", "Vertical"),
        "tileMode": one_of("Single", "Stamp"),
        "pivotX": NUMBER,
        "pivotY": NUMBER,
        "outOfBoundsValue": or_null(INT),
        "invalidated": BOOL,
        "perlinActive": BOOL,
        "perlinScale": NUMBER,
    },
)
RULE_GROUP = record(
    "uid biomeRequirementMode",
    {
        "name": TEXT,
        "active": BOOL,
        "isOptional": BOOL,
        "rules": list_of(RULE),
        "usesWizard": BOOL,
        "requiredBiomeValues": list_of(TEXT),
    },
    "color icon",
)
LAYER_DEFINITION = record(
    "uid gridSize guideGridWid guideGridHei pxOffsetX pxOffsetY",
    {
        "__type": TEXT,
        "type": one_of("IntGrid", "Entities", "Tiles", "AutoLayer"),
        "identifier": IDENTIFIER,
        **dict.fromkeys(["displayOpacity", "inactiveOpacity", "parallaxFactorX", "parallaxFactorY"], NUMBER),
        **dict.fromkeys(["hideInList", "hideFieldsWhenInactive", "canSelectWhenInactive", "renderInWorldView"], BOOL),
        **dict.fromkeys(["parallaxScaling", "useAsyncRender"], BOOL),
        **dict.fromkeys(["requiredTags", "excludedTags", "uiFilterTags"], list_of(TEXT)),
        "tilePivotX": NUMBER,
        "tilePivotY": NUMBER,
        "intGridValues": list_of(
            record(
                "groupUid",
                {
                    "value": {"type": "integer", "minimum": 1},
                    "identifier": or_null(IDENTIFIER),
                    "color": COLOR,
                    "tile": or_null(RECTANGLE),
                },
            )
        ),
        "intGridValuesGroups": list_of(record("uid", {"identifier": or_null(TEXT), "color": or_null(COLOR)})),
        "autoRuleGroups": list_of(RULE_GROUP),
        "autoSourceLayerDefUid": or_null(INT),
        "tilesetDefUid": or_null(INT),
    },
    "doc uiColor autoTilesKilledByOtherLayerUid biomeFieldUid",
)
FIELD_DEFINITION = record(
    "uid",
    {
        "identifier": IDENTIFIER,
        "__type": TEXT,
        "type": one_of("F_String", "F_Text", "F_Int", "F_Float", "F_Bool"),
        **dict.fromkeys(["isArray", "canBeNull", "editorAlwaysShow", "editorShowInWorld", "editorCutLongValues"], BOOL),
        **dict.fromkeys(["useForSmartColor", "exportToToc", "searchable", "symmetricalRef", "autoChainRef"], BOOL),
        "allowOutOfLevelRef": BOOL,
        "editorDisplayMode": one_of("Hidden", "ValueOnly", "NameAndValue"),
        "editorDisplayScale": NUMBER,
        "editorDisplayPos": one_of("Above", "Center", "Beneath"),
        "editorLinkStyle": TEXT,
        "allowedRefs": TEXT,
        "allowedRefTags": list_of(TEXT),
    },
    "doc arrayMinLength arrayMaxLength editorDisplayColor editorTextSuffix editorTextPrefix min max regex "
    "acceptFileTypes defaultOverride textLanguageMode allowedRefsEntityUid tilesetUid",
)
ENTITY_DEFINITION = record(
    "uid width height maxCount",
    {
        "identifier": IDENTIFIER,
        "tags": list_of(TEXT),
        **dict.fromkeys(["exportToToc", "allowOutOfBounds", "resizableX", "resizableY", "keepAspectRatio"], BOOL),
        **dict.fromkeys(["hollow", "showName"], BOOL),
        **dict.fromkeys(["tileOpacity", "fillOpacity", "lineOpacity", "pivotX", "pivotY"], NUMBER),
        "color": COLOR,
        "renderMode": one_of("Rectangle", "Ellipse", "Tile", "Cross"),
        "tileRenderMode": TEXT,
        "nineSliceBorders": list_of(INT),
        "limitScope": one_of("PerLayer", "PerLevel", "PerWorld"),
        "limitBehavior": TEXT,
        "fieldDefs": list_of(FIELD_DEFINITION),
    },
    "doc minWidth maxWidth minHeight maxHeight tilesetId tileRect uiTileRect",
)
TILESET_DEFINITION = record(
    "__cWid __cHei uid pxWid pxHei tileGridSize spacing padding",
    {
        "identifier": IDENTIFIER,
        "relPath": or_null(TEXT),
        "tags": list_of(TEXT),
        "enumTags": list_of({}),
        "customData": list_of(record("tileId", {"data": TEXT})),
        "savedSelections": list_of({}),
    },
    "embedAtlas tagsSourceEnumUid",
)
SCHEMA: Schema = record(
    "appBuildId nextUid worldGridWidth worldGridHeight defaultLevelWidth defaultLevelHeight defaultGridSize "
    "defaultEntityWidth defaultEntityHeight backupLimit",
    {
        "__header__": record(
            "", dict.fromkeys(["fileType", "app", "doc", "schema", "appAuthor", "appVersion", "url"], TEXT)
        ),
        "iid": IID,
        "dummyWorldIid": IID,
        "jsonVersion": one_of("1.5.3"),
        "identifierStyle": one_of("Capitalize", "Uppercase", "Lowercase", "Free"),
        "worldLayout": one_of("Free", "GridVania", "LinearHorizontal", "LinearVertical"),
        "defaultPivotX": NUMBER,
        "defaultPivotY": NUMBER,
        "bgColor": COLOR,
        "defaultLevelBgColor": COLOR,
        **dict.fromkeys(["minifyJson", "externalLevels", "exportTiled", "simplifiedExport", "exportLevelBg"], BOOL),
        "backupOnSave": BOOL,
        "imageExportMode": one_of("None", "OneImagePerLayer", "OneImagePerLevel", "LayersAndLevels"),
        "levelNamePattern": TEXT,
        **dict.fromkeys(["toc", "customCommands", "flags", "worlds"], list_of({})),
        "defs": record(
            "",
            {
                "layers": list_of(LAYER_DEFINITION),
                "entities": list_of(ENTITY_DEFINITION),
                "tilesets": list_of(TILESET_DEFINITION),
                "enums": list_of({}),
                "externalEnums": list_of({}),
                "levelFields": list_of(FIELD_DEFINITION),
            },
        ),
        "levels": {**list_of(LEVEL), "minItems": 1},
    },
    "pngFilePattern backupRelPath tutorialDesc",
)
