"""JSON: all data of a map, exactly.

The file is easy to read for people and games: tiles, rooms and rows of cells are one line each, and cells are tile ids,
so that `cells[y][x]` is a tile. Maps of more than 65,536 cells are packed by default (base64 of zlib, little-endian).
"""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from pathlib import Path
from typing import Any

from ..core.params import Params, param
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._data import StoredMap, describe_map, encode_array
from ._documents import read_text


class JsonParams(Params):
    """Options of JSON files."""

    packed: bool | None = param(None)
    """Whether to pack cells and layers instead of writing lists; by default above 65,536 cells, always above 2^20."""


def read(source: Source, options: JsonParams) -> list[LoadedMap]:
    return [StoredMap.read(parse_json(read_text(source)), source.content).to_map()]


@file_format(JsonParams, read=read, media_type="application/json", use="game engines")
def json(map: TileMap, options: JsonParams, path: Path) -> Mapping[str, bytes]:
    data = describe_map(map)
    if map.layers:
        data["layers"] = {layer: encode_array(values, options.packed) for layer, values in map.layers.items()}
    text = _format_json({**data, "cells": encode_array(map.cells, options.packed)})
    # A lone surrogate has no UTF-8 encoding; backslashreplace writes it as JSON escapes it.
    return {path.name: f"{text}\n".encode("utf-8", "backslashreplace")}


def _format_json(value: Any, indent: str = "") -> str:
    """Format JSON with one line per item of nested values; a list or object of plain values is one line."""
    pieces = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(piece, (dict, list)) for piece in pieces):
        return dumps(value, ensure_ascii=False, allow_nan=False)
    names = [f"{dumps(name, ensure_ascii=False)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    deeper = f"{indent}  "
    lines = [f"{deeper}{name}{_format_json(piece, deeper)}" for name, piece in zip(names, pieces, strict=True)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return "\n".join((opening, ",\n".join(lines), f"{indent}{closing}"))
