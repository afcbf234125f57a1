"""CSV: one tile id per cell, one line per row, an empty line between levels. Stores no other data.

Without a tileset, the ids become tiles named `tile0`, `tile1` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile
from ..core.params import MAX_SIDE, Params
from ..core.tilemap import TileMap
from ..core.tileset import MAX_TILES
from . import LoadedMap, Source, file_format
from ._data import check_sides, make_numbered_tileset
from ._documents import check_text_size, read_text

FIELD = r"[ \t]*[0-9]{1,5}[ \t]*"
ROW = re.compile(rf"{FIELD}(?:,{FIELD})*")


def read(source: Source, options: Params) -> list[LoadedMap]:
    check_text_size(source.content)
    max_tiles = len(source.tileset) if source.tileset else MAX_TILES
    levels: list[list[NDArray[np.uint16]]] = [[]]
    for number, line in enumerate(read_text(source).rstrip().split("\n"), 1):
        if line.strip():
            levels[-1].append(_parse_row(line, number, max_tiles, source.name))
        elif levels[-1]:
            levels.append([])
    columns = len(levels[0][0]) if levels[0] else 0
    for number, row in enumerate((row for level in levels for row in level), 1):
        if len(row) != columns:
            raise BadFile(f"row {number} has {len(row)} cells, the first has {columns}", at=source.name)
    if len({len(level) for level in levels}) > 1:
        raise BadFile("all levels of a map must have the same size", at=source.name)
    if not columns:
        raise BadFile("contains no cells", at=source.name)
    check_sides((len(levels), len(levels[0]), columns))
    cells = np.array(levels[0] if len(levels) == 1 else levels)
    tileset = source.tileset or make_numbered_tileset(int(cells.max()), source.content)
    return [LoadedMap(TileMap(cells, tileset))]


@file_format(read=read, media_type="text/csv; charset=utf-8", use="text")
def csv(map: TileMap, options: Params, path: Path) -> Mapping[str, bytes]:
    levels = map.cells if map.cells.ndim == 3 else map.cells[None]
    tables = ["\n".join(",".join(map_row) for map_row in level.astype("U5").tolist()) for level in levels]
    return {path.name: ("\n\n".join(tables) + "\n").encode()}


def _parse_row(line: str, number: int, max_tiles: int, name: str) -> NDArray[np.uint16]:
    """Return the ids in a line; raise BadFile for the first invalid field."""
    if line.count(",") >= MAX_SIDE:
        raise BadFile(f"line {number} must have at most {MAX_SIDE:,} cells", at=name)
    fields = line.split(",")
    if ROW.fullmatch(line):
        ids = np.array(list(map(int, fields)))
        if ids.max() < max_tiles:
            return ids.astype(np.uint16)
    for column, field in enumerate(fields, 1):
        text = field.strip()
        if not (re.fullmatch(r"[0-9]{1,5}", text) and int(text) < max_tiles):
            raise BadFile(f"line {number}, column {column}: must be a tile id 0..{max_tiles - 1}", at=name, got=text)
    raise BadFile("not a row of tile ids", at=(name, "line", number))
