"""Rows of cells: tile ids in csv files and glyphs in txt files."""

from __future__ import annotations

from functools import partial

import pytest

import tilewright as tw
from tests.formats.maps import read_map
from tests.refusals import refused
from tilewright import formats

CAVE = tw.make("caves", width=3, height=3, seed=1).tileset
read_csv, read_txt = partial(read_map, "csv"), partial(read_map, "txt")


def test_ids_or_glyphs_in_rows_and_nothing_else() -> None:
    map = tw.TileMap([[0, 1, 2], [3, 2, 1]], CAVE)
    assert formats.encode(map, "csv") == b"0,1,2\n3,2,1\n"
    assert formats.encode(tw.TileMap([[[0, 1]], [[3, 2]]], CAVE), "csv") == b"0,1\n\n3,2\n"
    assert formats.encode(map, "txt") == b'.#~\n"~#\n'


@pytest.mark.parametrize(
    "content",
    [b"0,1\n2,1", b"0,1\r\n2,1\r\n", b"\xef\xbb\xbf0,1\n2,1\n\n\n", b" 0 ,\t1\n2, 1 \n", b"0,1\n2,00001\n"],
)
def test_ids_that_other_programs_write_are_read(content: bytes) -> None:
    map = read_csv(content)
    assert map.cells.tolist() == [[0, 1], [2, 1]]
    assert map.tileset.names == ("tile0", "tile1", "tile2")


def test_without_a_tileset_a_tile_is_a_character_in_code_point_order() -> None:
    map = read_txt("éb\r\nab\r\n".encode())
    assert map.tileset.names == ("a", "b", "é")
    assert map.cells.tolist() == [[2, 1], [0, 1]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "contains no cells"),
        (b"\n\n", "contains no cells"),
        (b"0,1\n2\n", "row 2 has 1 cells, the first has 2"),
        (b"0,1\n2,3\n\n4,5\n", "all levels of a map must have the same size"),
        (b"0,1\n2,x\n", "line 2, column 2: must be a tile id 0..65535, got 'x'"),
        (b"0,1,\n", "line 1, column 3: must be a tile id 0..65535, got ''"),
        (b"0,-1\n", "line 1, column 2: must be a tile id 0..65535, got '-1'"),
        (b"0,1.0\n", "line 1, column 2: must be a tile id 0..65535, got '1.0'"),
        (b"0,1_0\n", "got '1_0'"),
        ("0,١\n".encode(), "got '١'"),
        (b"65536\n", "got '65536'"),
        (b"9" * 5000, "line 1, column 1"),
        (b"1," * 70_000 + b"1", "at most 65,536 cells"),
        (b"\n" * 2_000_000, "1,048,576 lines"),
        (b"0,\xff\n", "not UTF-8 text"),
    ],
)
def test_other_ids_are_refused_with_their_place(content: bytes, message: str) -> None:
    with refused(message, tw.BadFile, start="x.csv: "):
        read_csv(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "row 1 has no cells"),
        (b"##\n#\n", "row 2 has 1 cells, the first has 2"),
        (b"##\n\n#\n", "all levels of a map must have the same size"),
        (b"#\xff\n", "not UTF-8 text"),
        (b"#?\n", "unknown glyph '?'"),
    ],
)
def test_other_glyphs_are_refused(content: bytes, message: str) -> None:
    with refused(message, tw.BadFile, start="x.txt: "):
        read_txt(content, CAVE)


def test_ids_that_the_tileset_lacks_are_refused() -> None:
    with refused("line 1, column 2: must be a tile id 0..6, got '7'", tw.BadFile):
        read_csv(b"6,7\n", CAVE)
