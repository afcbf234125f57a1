"""Measures mean what their first line says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.registry import measure, measures
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset

TILES = Tileset.checked({"name": "four", "tiles": [{"name": "a"}, {"name": "b"}, {"name": "#", "passable": False}]})


def drawn(*rows: str) -> TileMap:
    return TileMap([["ab#".index(glyph) for glyph in row] for row in rows], TILES)


def test_a_small_map_by_hand() -> None:
    found = tw.measure(drawn("aa#a", "bb#b", "###a", "a###"))
    assert found["cells"] == 16
    assert found["floor_share"] == 8 / 16
    assert found["regions"] == 3
    assert found["largest_region"] == 4 / 8
    assert found["tiles_used"] == 3
    assert found["tile_entropy"] == pytest.approx(-sum(n / 16 * math.log2(n / 16) for n in (5, 3, 8)))


def test_bounds_of_entropy() -> None:
    assert tw.measure(drawn("aaaa"), "tile_entropy") == {"tile_entropy": 0}
    assert tw.measure(drawn("abab"), "tile_entropy") == {"tile_entropy": 1}


def test_what_does_not_apply_is_left_out_or_nan_when_asked_for() -> None:
    walls = drawn("##", "##")
    assert "largest_region" not in tw.measure(walls)
    assert math.isnan(tw.measure(walls, "largest_region")["largest_region"])
    assert tw.measure(walls, "regions") == {"regions": 0}


def test_levels_touch_each_other() -> None:
    solid = np.full((3, 2, 2), 2)
    solid[0, 0, 0] = solid[1, 0, 0] = solid[2, 1, 1] = 0
    assert tw.measure(TileMap(solid, TILES), "regions") == {"regions": 2}


def test_an_unknown_name_is_told_in_one_line_with_the_nearest() -> None:
    with pytest.raises(tw.UnknownName, match="did you mean 'floor_share'") as caught:
        tw.measure(drawn("a"), "floorshare")
    assert "\n" not in str(caught.value)


def test_measures_can_be_added() -> None:
    @measure(unit="cells")
    def corner(survey: object) -> float:
        """The tile in the first corner."""
        return 1.0

    measures.add(corner)
    try:
        assert tw.measure(drawn("a"))["corner"] == 1
    finally:
        measures.remove("corner")


@pytest.mark.parametrize("entry", tw.measures(), ids=lambda entry: entry.name)
def test_every_measure_says_what_it_means_and_gives_a_finite_number(entry: tw.Measure) -> None:
    assert entry.summary.endswith(".")
    assert entry.unit
    for seed in range(20):
        number = tw.measure(tw.make("caves", width=1 + seed, height=20 - seed, seed=seed)).get(entry.name)
        assert number is None or math.isfinite(number)
