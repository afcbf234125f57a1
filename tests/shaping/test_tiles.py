"""Shapers of tiles: a frame around the map, painted regions, and one tile in place of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset

# -- border ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thickness", [1, 2, 5, 60])
def test_the_frame_is_closed_and_the_inside_untouched(thickness: int) -> None:
    before = tw.make("caves", width=17, height=12, walls=0.2, seed=1)
    after = tw.shape(before, "border", thickness=thickness, tile="water")
    rows, columns = np.indices(before.shape)
    depth = np.minimum(np.minimum(rows, 11 - rows), np.minimum(columns, 16 - columns))
    assert np.array_equal(after.where("water"), depth < thickness)
    assert (after.cells == before.cells)[depth >= thickness].all()


def test_locked_cells_of_a_border_keep_their_tiles() -> None:
    m = tw.make("caves", width=5, height=3, walls=0, steps=0, seed=1, locks=[[2, 0, "moss"]], shaping=["border"])
    assert str(m).split("\n") == ['##"##', "#...#", "#####"]


def test_every_level_has_a_frame() -> None:
    tiles = Tileset.validate({"name": "two", "tiles": [{"name": "a"}, {"name": "b", "passable": False}]})
    after = tw.shape(TileMap(np.zeros((3, 4, 4), dtype=np.uint8), tiles), "border")
    assert after.cells.sum(axis=(1, 2)).tolist() == [12, 12, 12]


# -- paint -----------------------------------------------------------------------------------------------------------


POOLS = ["aab..a", "aab...", "..bb.a", "bb...a"]


def paint(rows: list[str] = POOLS, **params: Any) -> list[str]:
    tiles = "!.ab"
    map = TileMap([[tiles.index(glyph) for glyph in row] for row in rows], Tileset.from_labels(tiles))
    return str(tw.shape(map, "paint", tile="!", **params)).split("\n")


@pytest.mark.parametrize(
    ("params", "rows"),
    [
        *read_table(__file__, "regions are selected"),
        ({"of": "b", "x": 0, "y": 0}, POOLS),
    ],
)
def test_regions_are_selected(params: dict[str, Any], rows: list[str]) -> None:
    assert paint(**params) == rows


def test_the_two_regions_of_the_ground_touch_only_diagonally() -> None:
    assert paint(of=".", x=0, y=2, largest=1) == ["aab..a", "aab...", "!!bb.a", "bb...a"]


def test_locked_cells_are_not_painted() -> None:
    stage = {"paint": {"tile": "water", "of": "floor"}}
    m = tw.make("caves", width=4, height=1, walls=0, steps=0, seed=1, locks=[[1, 0, "floor"]], shaping=[stage])
    assert str(m) == "~.~~"


# -- replace ---------------------------------------------------------------------------------------------------------


BASE = tw.make("caves", width=60, height=40, seed=2)


def test_everywhere() -> None:
    after = tw.shape(BASE, "replace", tile="wall", by="water")
    assert np.array_equal(after.where("water"), BASE.where("wall"))
    assert np.array_equal(after.where("floor"), BASE.where("floor"))


def test_two_tiles_can_be_swapped() -> None:
    swapped = tw.shape(BASE, "replace", pairs=[["wall", "floor"], ["floor", "wall"]])
    assert np.array_equal(swapped.where("wall"), BASE.where("floor"))
    assert tw.shape(BASE, "replace", tile="wall", by="floor", pairs=[["floor", "wall"]]) == swapped


def test_a_fraction_depends_only_on_seed_and_position() -> None:
    few, many = (tw.shape(BASE, "replace", tile="wall", by="ore", share=share).where("ore") for share in (0.2, 0.7))
    walls = BASE.where("wall")
    assert not (few & ~many).any()
    assert 0.15 < few.sum() / walls.sum() < 0.25
    assert 0.65 < many.sum() / walls.sum() < 0.75
    other = tw.make(
        "caves",
        width=30,
        height=40,
        walls=1,
        seed=2,
        shaping=[{"replace": {"tile": "wall", "by": "ore", "share": 0.2}}],
    )
    both = walls[:, :30]
    assert np.array_equal(other.where("ore")[both], few[:, :30][both])
    assert tw.shape(BASE, "replace", tile="wall", by="ore", share=0) == BASE
