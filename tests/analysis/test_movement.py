"""Movement range: costs by unit, and the cells that a unit reaches."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.movement import movement_range, unit_costs
from tilewright.core.tilemap import TileMap
from tilewright.core.tileset import Tileset

INF = np.inf
TILES = Tileset.validate(
    {
        "name": "war",
        "tiles": [
            {"name": "plain", "costs": {"foot": 1, "tyre": 2}},
            {"name": "hill", "costs": {"foot": 2}},
            {"name": "sea", "passable": False, "costs": {"ship": 1}},
            {"name": "rock", "passable": False},
            {"name": "meadow"},
        ],
    }
)


def test_units_cannot_enter_tiles_with_costs_for_others_only() -> None:
    assert unit_costs(TILES, "foot").tolist() == [1, 2, INF, INF, 1]
    assert unit_costs(TILES, "tyre").tolist() == [2, INF, INF, INF, 1]
    assert unit_costs(TILES, "ship").tolist() == [INF, INF, 1, INF, 1]
    with pytest.raises(tw.UnknownName, match=r"unknown unit type 'food'.*did you mean 'foot'"):
        unit_costs(TILES, "food")


def test_the_range_ends_where_the_points_do() -> None:
    row = TileMap([[4, 0, 1, 0, 0, 2, 2]], TILES)
    assert movement_range(row, (0, 0), unit="foot", points=4).tolist() == [[0, 1, 3, 4, INF, INF, INF]]
    assert movement_range(row, (0, 6), unit="ship", points=9).tolist() == [[INF, INF, INF, INF, INF, 1, 0]]
    with pytest.raises(tw.InvalidRecipe, match="must be passable"):
        movement_range(row, (0, 6), unit="foot", points=3)
