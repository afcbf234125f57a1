from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.formats.maps import EXAMPLES, maps
from tilewright import formats
from tilewright.formats import Source, decode

CSV = formats.format_registry.get("csv")
CAVE = tw.make("caves", width=3, height=3, seed=1).tileset


def read(content: bytes, tileset: tw.Tileset | None = None) -> tw.TileMap:
    return decode(Source(content, "x.csv", tileset), CSV)[0].map


def test_ids_in_rows_and_nothing_else() -> None:
    assert formats.encode(tw.TileMap([[0, 1, 2], [3, 2, 1]], CAVE), "csv") == b"0,1,2\n3,2,1\n"
    assert formats.encode(tw.TileMap([[[0, 1]], [[3, 2]]], CAVE), "csv") == b"0,1\n\n3,2\n"


@pytest.mark.parametrize("map", EXAMPLES.values(), ids=EXAMPLES)
def test_reading_back_gives_the_same_cells(map: tw.TileMap) -> None:
    content = formats.encode(map, "csv")
    assert np.array_equal(read(content).cells, map.cells)
    assert read(content, map.tileset).tileset == map.tileset


@settings(max_examples=30)
@given(maps())
def test_any_map_round_trips(map: tw.TileMap) -> None:
    assert read(formats.encode(map, "csv")).cells.tolist() in (map.cells.tolist(), map.cells[0].tolist())


@pytest.mark.parametrize(
    "content",
    [b"0,1\n2,1", b"0,1\r\n2,1\r\n", b"\xef\xbb\xbf0,1\n2,1\n\n\n", b" 0 ,\t1\n2, 1 \n", b"0,1\n2,00001\n"],
)
def test_what_other_programs_write_is_read(content: bytes) -> None:
    map = read(content)
    assert map.cells.tolist() == [[0, 1], [2, 1]]
    assert map.tileset.names == ("tile0", "tile1", "tile2")


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
def test_anything_else_is_refused_with_its_place(content: bytes, message: str) -> None:
    with pytest.raises(tw.BadFile) as caught:
        read(content)
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.csv: ")


def test_ids_that_the_tileset_lacks_are_refused() -> None:
    with pytest.raises(tw.BadFile, match=r"line 1, column 2: must be a tile id 0..6, got '7'"):
        read(b"6,7\n", CAVE)
