"""Models that validate the parts of Tiled documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from .._documents import Coordinate, Count, DocumentPart, parse_document
from . import MAX_BYTES, Document, check_file_size

MAX_GIDS = 1 << 24
"""Upper limit of gids."""
LIMITS = (1 << 22, MAX_BYTES)
"""Maximum number of lists and objects in JSON, and of values."""
Value = bool | int | float | str
Kind = Annotated[str, Field(validation_alias=AliasChoices("type", "class"))]
"""Tiled's class of a tile or object; only Tiled 1.9 uses the key `class`."""


def _read_properties(given: Any) -> Any:
    """Convert Tiled's list of typed values to a mapping. Only plain values are kept."""
    if not isinstance(given, list):
        return {}
    found = {}
    for one in given:
        if isinstance(one, Mapping) and isinstance(one.get("value"), (bool, int, float, str)):
            found[str(one.get("name", ""))] = _read_value(one["value"], one.get("type"))
    return found


def _read_value(value: Value, kind: Any) -> Value:
    try:
        if kind == "bool":
            return value in (True, "true")
        if kind == "int":
            return int(value)
        if kind == "float":
            return float(value)
    except (ValueError, OverflowError):
        return str(value)
    return f"#{str(value)[-6:]}" if kind == "color" else value


class _Part(DocumentPart):
    """A part of a document, with its custom properties."""

    properties: Annotated[dict[str, Any], BeforeValidator(_read_properties)] = Field(default_factory=dict)


class TiledTile(_Part):
    id: Count
    kind: Kind = ""


class TiledTileset(_Part):
    firstgid: Annotated[int, Field(ge=1, lt=MAX_GIDS)] = 1
    name: str = ""
    source: str = ""
    tilecount: Count | None = None
    tilewidth: Count = 0
    tileheight: Count = 0
    columns: Count = 0
    margin: Count = 0
    spacing: Count = 0
    image: str = ""
    imagewidth: Count = 0
    tiles: tuple[TiledTile, ...] = ()


class TiledObject(_Part):
    name: str = ""
    kind: Kind = ""
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0
    point: bool = False


class TiledChunk(_Part):
    x: Coordinate
    y: Coordinate
    width: Count
    height: Count
    data: Any = ()


class TiledLayer(_Part):
    type: str = "tilelayer"
    name: str = ""
    width: Count = 0
    height: Count = 0
    visible: bool = True
    offsetx: float = 0
    encoding: str = ""
    compression: str = ""
    data: Any = ()
    chunks: tuple[TiledChunk, ...] = ()
    objects: tuple[TiledObject, ...] = ()
    layers: tuple[TiledLayer, ...] = ()


class TiledMap(_Part):
    width: Count
    height: Count
    tilewidth: Annotated[int, Field(ge=1, lt=1 << 16)]
    tileheight: Annotated[int, Field(ge=1, lt=1 << 16)]
    infinite: bool = False
    tilesets: tuple[TiledTileset, ...] = ()
    layers: tuple[TiledLayer, ...] = ()


def from_json(content: bytes) -> Document:
    check_file_size(content)
    return parse_document(content, "a Tiled map or tileset", LIMITS)
