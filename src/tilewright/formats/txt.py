"""Plain text: one glyph per cell, one line per row. Stores no other data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core.errors import BadFile, UnknownName
from ..core.params import Params
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import Format, LoadedMap, Source
from ._text import check_row_lengths, read_text


def write(map: TileMap, options: Params, path: Path) -> Mapping[str, bytes]:
    return {path.name: f"{map}\n".encode()}


def read(source: Source, options: Params) -> list[LoadedMap]:
    """Read glyphs of the given tileset; without one, make a tile per character in code-point order.

    Without a tileset, `?` becomes the tile `question mark` with the glyph `?`.
    """
    levels = read_text(source).rstrip("\n").split("\n\n")
    rows = [check_row_lengths(level.split("\n"), source.name) for level in levels]
    if len({(len(level), len(level[0])) for level in rows}) > 1:
        raise BadFile("all levels of a map must have the same size", at=source.name)
    text = "".join(row for level in rows for row in level)
    codes, cells = np.unique(np.frombuffer(text.encode("utf-32-le"), dtype="<u4"), return_inverse=True)
    glyphs = [chr(code) for code in codes.tolist()]
    tileset = source.tileset or _make_tileset(glyphs)
    by_glyph = tileset.by_glyph if source.tileset else {glyph: number for number, glyph in enumerate(glyphs)}
    for glyph in glyphs:
        if glyph not in by_glyph:
            raise UnknownName("glyph", glyph, by_glyph, f"tileset {tileset.name!r}")
    ids = np.array([by_glyph[glyph] for glyph in glyphs], dtype=tileset.dtype)
    shaped = ids[cells].reshape(len(rows), len(rows[0]), -1)
    return [LoadedMap(TileMap(shaped[0] if len(rows) == 1 else shaped, tileset))]


def _make_tileset(glyphs: list[str]) -> Tileset:
    """Make a tileset with a tile per glyph; `#` is a wall by convention, all others are passable."""
    tileset = Tileset.from_labels(glyphs, "text")
    tiles = [tile.model_copy(update={"passable": tile.glyph != "#"}) for tile in tileset]
    return tileset.model_copy(update={"tiles": tuple(tiles)})


txt = Format(name="txt", params=Params, extensions=(".txt",), write=write, read=read, doc=__doc__, use="text")
