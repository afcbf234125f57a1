from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.formats.maps import EXAMPLES, maps
from tilewright import formats
from tilewright.formats import Source, decode

TXT = formats.format_registry.get("txt")
CAVE = tw.make("caves", width=3, height=3, seed=1).tileset


def read(content: bytes, tileset: tw.Tileset | None = None) -> tw.TileMap:
    return decode(Source(content, "x.txt", tileset), TXT)[0].map


def test_glyphs_in_rows_and_nothing_else() -> None:
    assert formats.encode(tw.TileMap([[0, 1, 2], [3, 2, 1]], CAVE), "txt") == b'.#~\n"~#\n'


@pytest.mark.parametrize("map", EXAMPLES.values(), ids=EXAMPLES)
def test_reading_back_gives_the_same_cells(map: tw.TileMap) -> None:
    again = read(formats.encode(map, "txt"), map.tileset)
    assert np.array_equal(again.cells, map.cells)
    assert again.tileset == map.tileset


@settings(max_examples=30)
@given(maps())
def test_any_map_round_trips(map: tw.TileMap) -> None:
    again = read(formats.encode(map, "txt"), map.tileset)
    assert again.cells.tolist() in (map.cells.tolist(), map.cells[0].tolist())


def test_without_a_tileset_a_tile_is_a_character_in_code_point_order() -> None:
    map = read("éb\r\nab\r\n".encode())
    assert map.tileset.names == ("a", "b", "é")
    assert map.cells.tolist() == [[2, 1], [0, 1]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "row 1 has 0 cells"),
        (b"##\n#\n", "row 2 has 1 cells, the first has 2"),
        (b"##\n\n#\n", "all levels of a map must have the same size"),
        (b"#\xff\n", "not UTF-8 text"),
        (b"#?\n", "unknown glyph '?'"),
    ],
)
def test_anything_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(tw.BadFile) as caught:
        read(content, CAVE)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
