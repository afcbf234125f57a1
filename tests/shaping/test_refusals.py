"""What shapers refuse, and why they give up, in one line.

`tests/conformance/test_problems.py` has the other mistakes: bounds, choices, types and names of all parameters.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.play.levels import level
from tests.refusals import refused
from tests.tilesets import TWO
from tilewright.core.tilemap import Marker, TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets

SWAMP = {"technique": "caves", "params": {"walls": 0.4}, "tiles": {"floor": "moss", "wall": "water"}}


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


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("border", "labels", {}, "border: tile: tileset 'unnamed' has no impassable tile; give one"),
    ("connect", "cave", {"tile": "water"}, "connect: tile: must be passable, 'water' is not"),
    ("crates", "warehouse", {"pushes": 4, "min_pushes": 9}, "must be at least min_pushes, 9"),
    ("crop", "cave", {"x": 20}, "crop: columns 20..19 and rows 0..13 cannot be cut out of a map of 20x14"),
    ("crop", "cave", {"x": 4, "width": 17}, "crop: columns 4..20 and rows 0..13 cannot be cut out of a map of 20x14"),
    ("crop", "cave", {"margin": 7}, "crop: a margin of 7 cannot be cut out of a map of 20x14"),
    ("crop", "cave", {"margin": 1, "x": 1}, "crop: margin: give either a margin or a rectangle"),
    ("doors", "cave", {}, "doors: tile: tileset 'cave' has no tile named door; give one of its tiles"),
    ("doors", "cave", {"tile": "wall"}, "doors: tile: must be passable, 'wall' is not"),
    ("keep_largest", "cave", {"tile": "moss"}, "keep_largest: tile: must be impassable, 'moss' is passable"),
    ("lock_and_key", "maze", {"colors": ["red", "red"]}, "colors: must contain each color once, 'red' is there twice"),
    ("lock_and_key", "maze", {"colors": ["red", "red 2"]}, "each color once, 'red 2' is there twice"),
    ("lock_and_key", "maze", {"colors": ["red", ""]}, "colors: each color needs a name"),
    ("lock_and_key", "maze", {"count": 2, "min_count": 3}, "min_count: must be at most count, 2, got 3"),
    ("lock_and_key", "maze", {"tile": "wall"}, "tile: must be passable, 'wall' is not"),
    ("make_playable", "@#$.o", {}, "maps of sokoban cannot be repaired"),
    ("make_playable", "@.@E", {"game": "platformer"}, "one player, got 2"),
    *(
        ("mirror", "cave", {"axis": axis}, f"mirror: axis: {axis} needs a square map, this one is 20x14")
        for axis in ("diagonal", "antidiagonal", "quarter_turn", "all")
    ),
    ("mirror", "cities", {"countries": ["os"]}, "mirror: countries: give two or more, or none"),
    ("mirror", "cities", {"countries": ["orange sta", "bm"]}, "unknown country 'orange sta'; did you mean"),
    ("mirror", "cave", {"countries": "os,bm"}, "mirror: countries: unknown country 'os'"),
    ("overlay", "cave", {}, "overlay: recipe: is required"),
    ("overlay", "cave", {"recipe": {"technique": "cave"}}, "recipe: unknown technique 'cave'; did you mean 'caves'"),
    ("overlay", "cave", {"recipe": SWAMP, "x": 20}, "overlay: 1x14 cells at x=20 y=0 do not fit into a map of 20x14"),
    ("overlay", "cave", {"recipe": SWAMP, "width": 21}, "21x14 cells at x=0 y=0 do not fit into a map of 20x14"),
    (
        "overlay",
        "cave",
        {"recipe": SWAMP, "where": "rooms", "x": 1},
        "where: give either where or a rectangle",
    ),
    ("overlay", "cave", {"recipe": SWAMP, "where": "rooms"}, "overlay: where: this map has no rooms"),
    ("overlay", "cave", {"recipe": {**SWAMP, "shaping": ["rotate"]}}, "makes 14x20 cells for a place of 20x14"),
    ("overlay", "cave", {"recipe": {**SWAMP, "locks": [[70, 2, "ore"]]}}, "recipe: locks: x=70 y=2 is outside"),
    ("overlay", "levels", {"recipe": SWAMP}, "overlay needs a 2D map, got 3D"),
    ("paint", "labels", {"tile": "a"}, "paint: select regions to paint"),
    ("paint", "labels", {"tile": "a", "x": 1}, "paint: x, y: give both or neither"),
    ("paint", "labels", {"tile": "a", "x": 9, "y": 0}, "paint: x=9 y=0 is outside the map of 6x4"),
    ("paint", "labels", {"tile": "a", "largest": 1, "smallest": 1}, "paint: largest, smallest: give only one of them"),
    (
        "paint",
        "labels",
        {"tile": "a", "min_size": 3, "max_size": 2},
        "max_size: must be at least min_size, 3, got 2",
    ),
    (
        "place",
        "cave",
        {"rule": "band", "min_steps": 9, "max_steps": 3},
        "must be at least min_steps, 9, got 3",
    ),
    ("place", "cave", {"rule": "cells"}, "place: cells: the rule cells needs cells, such as [[3, 4]]"),
    ("place", "cave", {"rule": "cells", "cells": [[1, 2]]}, "must have one cell for each of the 2 markers, got 1"),
    ("place", "cave", {"markers": "coin", "rule": "cells", "cells": [[20, 0]]}, "x=20 y=0 is outside the map of 20x14"),
    ("place", "cave", {"bands": [{"marker": "exut"}]}, "bands.0.marker: unknown marker 'exut'; did you mean 'exit'"),
    ("place", "cave", {"bands": [{"marker": "exit"}], "count": 2}, "place: count: must be 1 if bands connect markers"),
    (
        "place",
        "cave",
        {"bands": [{"marker": "exit"}], "rule": "spread"},
        "cannot be used with bands between markers",
    ),
    ("place", "cave", {"bands": [{"origin": "shop", "min_steps": 5, "max_steps": 4}]}, "at least min_steps, 5, got 4"),
    (
        "place",
        "cave",
        {"properties": {"level": ["a", 3]}},
        "value: must be a number if far is given, got 'a'",
    ),
    ("place", "cave", {"properties": [{"name": "a"}, {"name": "a"}]}, "properties: 'a' is given twice"),
    ("place", "cave", {"properties": {"level": [1, 10**400]}}, "properties.0.far: must be"),
    ("place", "cave", {"properties": {"level": [1, 1e300]}}, "properties.0: far: must be from"),
    ("place", "cave", {"properties": {"level": float("nan")}}, "properties"),
    ("prune_dead_ends", "cave", {"tile": "moss"}, "prune_dead_ends: tile: must be impassable"),
    ("replace", "cave", {}, "replace: give the tiles to replace: tile and by, or pairs"),
    ("replace", "cave", {"tile": "wall"}, "replace: tile, by: give both, or use pairs"),
    ("replace", "cave", {"pairs": [["wall", "floor"], ["#", "ore"]]}, "replace: 'wall' is replaced twice"),
    ("replace", "cave", {"pairs": [["wall"]]}, "replace: pairs"),
    ("thicken", "cave", {"tile": "floor"}, "must be impassable"),
    ("walls", "cave", {"tile": "moss"}, "walls: tile: must be impassable"),
]
UNKNOWN: list[tuple[str, str, dict[str, Any], str]] = [
    ("connect", "cave", {"tile": "mos"}, "unknown tile 'mos'; did you mean 'moss'"),
    ("doors", "cave", {"tile": "dor"}, "unknown tile 'dor'"),
    ("overlay", "cave", {"recipe": SWAMP, "on": "lava"}, "unknown tile 'lava'"),
    ("paint", "labels", {"tile": "a", "of": "q", "largest": 1}, "unknown tile 'q'"),
    ("remove_small_regions", "cave", {"tiles": ["flor"]}, "did you mean 'floor'"),
    ("replace", "cave", {"tile": "wal", "by": "floor"}, "unknown tile 'wal'; did you mean 'wall'"),
    ("replace", "cave", {"tile": "wall", "by": "flor"}, "unknown tile 'flor'; did you mean 'floor'"),
]
TARGETS: list[tuple[Any, dict[str, Any], str]] = [
    ({"path_lenght": 3}, {}, "improve: targets: unknown measure 'path_lenght'; did you mean 'path_length'?"),
    ({"path_length": "9..3"}, {}, "improve: targets: path_length: the range must not be empty, got '9..3'"),
    ({"path_length": float("nan")}, {}, "must be a number, a range"),
    ({"path_length": True}, {}, "must be a number, a range"),
    ({"regions": "few", "cells": "x"}, {}, "regions: must be a number"),
    ({}, {}, "improve: targets: "),
    ([3], {}, "must be a measure and its value, such as path_length: 60..66, got 3"),
    ("regions", {}, "must be written as path_length>80"),
    ({"divergence": 0}, {}, "divergence compares a map with a sample, which this shaper does not have"),
    ({"count.treasur": 3}, {}, "unknown tile 'treasur'"),
    ({"markers.gem": 3}, {}, "markers.gem == 3 cannot be reached, because only tiles are changed"),
    ({"cells": 3}, {}, "cells == 3 cannot be reached"),
    ({"room_count": ">3"}, {}, "room_count > 3 cannot be reached"),
    ({"count.floor": 3}, {"keep": ["floor"]}, "count.floor == 3 cannot be reached, because the number"),
    ({"count.moss": 3}, {"tiles": ["wall", "floor"]}, "count.moss == 3 cannot be reached"),
    ({"regions": 1}, {"tiles": ["nonsense"]}, "improve: tiles: unknown tile 'nonsense'"),
    ({"regions": 1}, {"symmetry": 4}, "improve: symmetry: "),
]
REFUSED += [("improve", "cave", {"targets": targets, **more}, message) for targets, more, message in TARGETS]
GAVE_UP: list[tuple[str, str, dict[str, Any], str]] = [
    ("crates", "warehouse", {"pushes": 900, "min_pushes": 900}, "needs at least 900 pushes"),
    ("improve", "cave", {"targets": {"solvable": 1}, "steps": 50}, "solvable == 1 was not reached, it does not apply"),
    ("lock_and_key", "maze", {"count": 50}, " fit: each has at most 4 doors up to 4 cells wide "),
    ("lock_and_key", "floor", {}, "but 4 doors up to 4 cells wide cannot separate the exit from the start; "),
    ("lock_and_key", "wall", {}, "the map has no passable cell"),
    ("lock_and_key", "two starts", {}, "no path leads from one start to another; connect the map first"),
    ("lock_and_key", "far exit", {}, "no path leads from start to exit; connect the map first"),
    ("make_playable", "@.##.E", {"max_changes": 1}, "2 changed cells needed, at most 1"),
    ("make_playable", "##/##", {"game": "dungeon"}, "no free cells for start and exit"),
    ("place", "cave", {"markers": ["a"], "rule": "band", "origin": "shop"}, "no marker 'shop' on a passable cell"),
    (
        "place",
        "floor",
        {"markers": ["a"], "rule": "dead_ends"},
        "the map has 0 cells by the rule dead_ends",
    ),
    ("place", "wall", {"markers": "coin", "rule": "cells", "cells": [[0, 0]]}, "1 marker wanted, the map has 0 cells"),
    ("place", "wall", {}, "place: the map has no passable cell"),
]
ERRORS = {tw.InvalidRecipe: REFUSED, tw.UnknownName: UNKNOWN, tw.GaveUp: GAVE_UP}
CASES = [(error, *case) for error, cases in ERRORS.items() for case in cases]


@pytest.mark.parametrize(("error", "shaper", "base", "params", "message"), CASES, ids=lambda value: str(value)[:60])
def test_refusals_are_one_line(
    error: type[tw.TilewrightError], shaper: str, base: str, params: dict[str, Any], message: str
) -> None:
    map = make_base(base)
    with refused(message, error):
        tw.shape(map, shaper, **params)
