"""Survey: each property is computed once and shared."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

import tilewright as tw
from tilewright.analysis import map_group
from tilewright.analysis.survey import Survey, measure_map
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset


@pytest.mark.parametrize("name", ["survey_regions", "survey_routes", "survey_cuts", "survey_neighbors", "count_tiles"])
def test_each_kernel_runs_once_for_all_measures(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=getattr(map_group, name))
    monkeypatch.setattr(map_group, name, counted)
    measure_map(tw.make("caves", width=20, height=20, seed=1))
    assert counted.call_count == 1


def test_only_requested_properties_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_group, "survey_regions", None)
    assert measure_map(tw.make("caves", width=20, height=20, seed=1), ["floor_share"])["floor_share"] > 0


def test_most_common_tile() -> None:
    tiles = [{"name": "a"}, {"name": "b"}, {"name": "#", "passable": False}, {"name": "=", "passable": False}]
    tileset = Tileset.validate({"name": "some", "tiles": tiles})
    assert Survey(TileMap([[0, 1, 1, 3]], tileset)).most_common_tile(passable=True) == 1
    assert Survey(TileMap([[0, 1, 1, 3]], tileset)).most_common_tile(passable=False) == 3
    assert Survey(TileMap([[2, 3, 2, 3]], tileset)).most_common_tile(passable=True) == 0, (
        "the first tile, if none occurs"
    )
    assert Survey(TileMap([[0]], Tileset.from_labels("a"))).most_common_tile(passable=False) is None
