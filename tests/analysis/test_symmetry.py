"""Misfits, and symmetry of maps with directional tiles."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.core.tilesets import tilesets

AWBW = tilesets.get("awbw")


def parse_map(*rows: str) -> TileMap:
    return TileMap([[AWBW.id(name.strip()) for name in row.split(",")] for row in rows], AWBW)


def test_misfits_are_counted_where_the_tileset_has_rules() -> None:
    assert tw.measure(parse_map("river ew,river ew,sea"), "misfits") == {"misfits": 0}
    assert tw.measure(parse_map("river ew,wood,river ns"), "misfits") == {"misfits": 1}
    caves = tw.make("caves", width=5, height=5, seed=1)
    assert np.isnan(tw.measure(caves, "misfits")["misfits"])
    assert "misfits" not in tw.measure(caves)


def test_directional_tiles_are_mirrored_and_owners_are_ignored() -> None:
    mirrored = parse_map("road es,orange star city,road ew,blue moon city,road sw")
    assert tw.measure(mirrored, "symmetry_x") == {"symmetry_x": 1}
    assert tw.measure(parse_map("road es,plain,road es"), "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
    assert tw.measure(parse_map("city,plain,blue moon city"), "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
    assert tw.measure(parse_map("shoal n,road ne", "shoal s,road es"), "symmetry_y") == {"symmetry_y": 1}
    rotated = parse_map("road es,orange star lab", "plain,plain", "red fire lab,road nw")
    assert tw.measure(rotated, "symmetry_turn") == {"symmetry_turn": 1}
    assert tw.measure(rotated, "symmetry_x")["symmetry_x"] == pytest.approx(1 / 3)
