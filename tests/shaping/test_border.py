"""Border: a frame around the map."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset


@pytest.mark.parametrize("thickness", [1, 2, 5, 60])
def test_the_frame_is_closed_and_the_inside_untouched(thickness: int) -> None:
    before = tw.make("caves", width=17, height=12, walls=0.2, seed=1)
    after = tw.shape(before, "border", thickness=thickness, tile="water")
    rows, columns = np.indices(before.shape)
    depth = np.minimum(np.minimum(rows, 11 - rows), np.minimum(columns, 16 - columns))
    assert np.array_equal(after.where("water"), depth < thickness)
    assert (after.cells == before.cells)[depth >= thickness].all()


def test_locked_cells_keep_their_tiles() -> None:
    m = tw.make("caves", width=5, height=3, walls=0, steps=0, seed=1, locks=[[2, 0, "moss"]], shaping=["border"])
    assert str(m).split("\n") == ['##"##', "#...#", "#####"]


def test_every_level_has_a_frame() -> None:
    tiles = Tileset.validate({"name": "two", "tiles": [{"name": "a"}, {"name": "b", "passable": False}]})
    after = tw.shape(TileMap(np.zeros((3, 4, 4), dtype=np.uint8), tiles), "border")
    assert after.cells.sum(axis=(1, 2)).tolist() == [12, 12, 12]
