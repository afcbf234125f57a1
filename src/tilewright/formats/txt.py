"""Plain text: a glyph per cell, a line per row. Carries nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.errors import BadFile, UnknownName
from ..core.params import Params
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import Format, Found, Source
from ._text import read_text, rows_of_equal_length


class TxtParams(Params):
    """Text has no options."""


def write(map: TileMap, options: TxtParams, name: str) -> Mapping[str, bytes]:
    return {name: f"{map}\n".encode()}


def read(source: Source, options: TxtParams) -> list[Found]:
    """Glyphs of the given tileset; without one, a tile per character in code-point order."""
    levels = read_text(source).rstrip("\n").split("\n\n")
    rows = [rows_of_equal_length(level.split("\n"), source.name) for level in levels]
    if len({(len(level), len(level[0])) for level in rows}) > 1:
        raise BadFile(f"{source.name}: all levels of a map have the same size")
    codes = np.array([[list(map_row) for map_row in level] for level in rows])
    tileset = source.tileset or Tileset.of_words(sorted(set(codes.ravel().tolist())), "text")
    glyphs, cells = np.unique(codes, return_inverse=True)
    ids = []
    for glyph in glyphs.tolist():
        if glyph not in tileset.by_glyph:
            raise BadFile(f"{source.name}: {UnknownName('glyph', glyph, tileset.by_glyph)} (tileset {tileset.name!r})")
        ids.append(tileset.by_glyph[glyph])
    shaped = np.array(ids)[cells].reshape(codes.shape)
    return [Found(TileMap(shaped[0] if len(rows) == 1 else shaped, tileset))]


txt = Format(name="txt", params=TxtParams, extensions=(".txt",), write=write, read=read, doc=__doc__)
