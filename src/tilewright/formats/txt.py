"""Plain text: one glyph per cell, one line per row. Stores no other data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..core.errors import BadFile, UnknownName
from ..core.glyph_tiles import make_glyph_tileset
from ..core.params import Params
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._data import check_sides
from ._documents import check_row_lengths, check_text_size, read_text


def read(source: Source, options: Params) -> list[LoadedMap]:
    """Read glyphs of the given tileset; without one, make a tile per character in code-point order.

    Without a tileset, tiles look as `core.glyph_tiles` describes, and `?` becomes the tile `question mark` with the
    glyph `?`.
    """
    check_text_size(source.content)
    text = read_text(source).rstrip("\n")
    levels = text.split("\n\n")
    rows = [check_row_lengths(level.split("\n"), source.name) for level in levels]
    if len({(len(level), len(level[0])) for level in rows}) > 1:
        raise BadFile("all levels of a map must have the same size", at=source.name)
    check_sides((len(rows), len(rows[0]), len(rows[0][0])))
    glyphs = sorted(set(text) - {"\n"})
    tileset = source.tileset or make_glyph_tileset(glyphs, "text")
    by_glyph = tileset.by_glyph if source.tileset else {glyph: number for number, glyph in enumerate(glyphs)}
    for glyph in glyphs:
        if glyph not in by_glyph:
            raise UnknownName("glyph", glyph, by_glyph, f"tileset {tileset.name!r}")
    ids = np.zeros(ord(glyphs[-1]) + 1, dtype=tileset.dtype)
    ids[[ord(glyph) for glyph in glyphs]] = [by_glyph[glyph] for glyph in glyphs]
    cells = np.empty((len(rows), len(rows[0]), len(rows[0][0])), dtype=tileset.dtype)
    for level, lines in zip(cells, rows, strict=True):
        for row, line in zip(level, lines, strict=True):  # By rows, because a character takes four bytes here.
            row[:] = ids[np.frombuffer(line.encode("utf-32-le"), dtype="<u4")]
    return [LoadedMap(TileMap(cells[0] if len(rows) == 1 else cells, tileset))]


@file_format(read=read, media_type="text/plain; charset=utf-8", use="text")
def txt(map: TileMap, options: Params, path: Path) -> Mapping[str, bytes]:
    return {path.name: f"{map}\n".encode()}
