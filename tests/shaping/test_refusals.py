"""What shapers refuse, and why they give up, in one line.

`tests/conformance/test_problems.py` has the other mistakes: bounds, choices, types and names of all parameters.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_tables
from tests.play.levels import level
from tests.refusals import refused
from tests.tilesets import TWO
from tilewright.core.tilemap import Marker, TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets


@cache
def make_base(name: str) -> TileMap:
    """Return a map by a name: rows of a level, a recipe, or one of the others."""
    awbw, labels = tilesets.get("awbw"), Tileset.from_labels("ab")
    maps = {
        "cave": lambda: tw.make("caves", width=20, height=14, seed=5),
        "floor": lambda: tw.make("caves", walls=0, width=9, height=9, seed=1),
        "wall": lambda: tw.make("caves", walls=1, width=9, height=9, seed=1),
        "maze": lambda: tw.make("maze", width=21, height=15, seed=1),
        "cities": lambda: TileMap([[awbw.id("city")] * 2], awbw),
        "labels": lambda: TileMap([[0, 1, 1, 0, 0, 1], *[[0] * 6] * 3], labels),
        "levels": lambda: TileMap(np.zeros((2, 3, 3), dtype=np.uint8), tilesets.get("cave")),
        "two starts": lambda: TileMap([[0, 1, 0]], TWO, markers=[Marker("start", 0, 0), Marker("start", 2, 0)]),
        "far exit": lambda: TileMap([[0, 1, 0]], TWO, markers=[Marker("start", 0, 0), Marker("exit", 2, 0)]),
        "warehouse": lambda: tw.run("warehouse", seed=1),
    }
    return maps[name]() if name in maps else level(*name.split("/"))


REFUSALS = read_tables(__file__)
ERRORS = (tw.InvalidRecipe, tw.UnknownName, tw.GaveUp)
CASES = [(error, *case) for error in ERRORS for case in REFUSALS[error.__name__]]
CASES += [(tw.InvalidRecipe, "place", "cave", {"properties": {"level": [1, 10**400]}}, "properties.0.far: must be")]


@pytest.mark.parametrize(("error", "shaper", "base", "params", "message"), CASES, ids=lambda value: str(value)[:60])
def test_refusals_are_one_line(
    error: type[tw.TilewrightError], shaper: str, base: str, params: dict[str, Any], message: str
) -> None:
    map = make_base(base)
    with refused(message, error):
        tw.shape(map, shaper, **params)
