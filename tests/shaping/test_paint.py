"""Paint: regions of equal tiles, selected by place, tile and size."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset

POOLS = ["aab..a", "aab...", "..bb.a", "bb...a"]


def paint(rows: list[str] = POOLS, **params: Any) -> list[str]:
    tiles = "!.ab"
    map = TileMap([[tiles.index(glyph) for glyph in row] for row in rows], Tileset.from_labels(tiles))
    return str(tw.shape(map, "paint", tile="!", **params)).split("\n")


@pytest.mark.parametrize(
    ("params", "rows"),
    [
        ({"x": 0, "y": 0}, ["!!b..a", "!!b...", "..bb.a", "bb...a"]),
        ({"x": 3, "y": 0}, ["aab!!a", "aab!!!", "..bb!a", "bb!!!a"]),
        ({"of": "a"}, ["!!b..!", "!!b...", "..bb.!", "bb...!"]),
        ({"of": "a", "largest": 1}, ["!!b..a", "!!b...", "..bb.a", "bb...a"]),
        ({"of": "a", "smallest": 1}, ["aab..!", "aab...", "..bb.a", "bb...a"]),
        ({"of": "b", "min_size": 3}, ["aa!..a", "aa!...", "..!!.a", "bb...a"]),
        ({"of": "b", "max_size": 3}, ["aab..a", "aab...", "..bb.a", "!!...a"]),
        ({"of": "a", "min_size": 2, "max_size": 3}, ["aab..a", "aab...", "..bb.!", "bb...!"]),
        ({"max_size": 1}, ["aab..!", "aab...", "..bb.a", "bb...a"]),
        ({"largest": 1}, ["aab!!a", "aab!!!", "..bb!a", "bb!!!a"]),
        ({"of": "b", "x": 0, "y": 0}, POOLS),
        ({"of": ".", "directions": 8, "x": 0, "y": 2}, ["aab!!a", "aab!!!", "!!bb!a", "bb!!!a"]),
    ],
)
def test_regions_are_selected(params: dict[str, Any], rows: list[str]) -> None:
    assert paint(**params) == rows


def test_the_two_regions_of_the_ground_touch_only_diagonally() -> None:
    assert paint(of=".", x=0, y=2, largest=1) == ["aab..a", "aab...", "!!bb.a", "bb...a"]


def test_locked_cells_keep_their_tiles() -> None:
    stage = {"paint": {"tile": "water", "of": "floor"}}
    m = tw.make("caves", width=4, height=1, walls=0, steps=0, seed=1, locks=[[1, 0, "floor"]], shaping=[stage])
    assert str(m) == "~.~~"
