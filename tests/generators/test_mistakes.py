"""Mistakes in parameters that depend on each other or have a notation of their own.

`tests/conformance/test_problems.py` has the other ones: bounds, choices, types and names of all parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.networks import make_network
from tests.refusals import refused
from tilewright.generators._markov.directions import AROUND

ROOM = ["######", "#....#", "#..~.#", "#....#", "######"]
MANY = np.arange(256).reshape(16, 16)
"""A sample in which every cell has its own tile."""
FREE, INSIDE = "?" * 8, [f"?{tile * 6}?" for tile in "~#"]
BASE: dict[str, dict[str, Any]] = {
    "diffusion": {"model": make_network(), "width": 8, "height": 6, "steps": 8, "seed": 1},
    "markov": {"width": 12, "height": 9, "seed": 1},
    "patterns": {"sample": ROOM, "width": 12, "height": 9, "pattern_sizes": [2], "iterations": 2000, "seed": 1},
    "wfc": {"width": 24, "height": 18, "seed": 1},
}
"""Parameters that a mistake is added to."""
SAMPLES: list[tuple[dict[str, Any], str]] = [
    ({"sample": ["##", "#"]}, "sample: row 2 has 1 glyphs, the first has 2"),
    ({"sample": [[0, 1], [0]]}, "sample: row 2 has 1 cells, the first has 2"),
    ({"sample": []}, "sample: a map has at least one cell"),
    ({"sample": [[None, "#"], ["#", "#"]]}, "sample: a sample has no free cells"),
]
MISTAKES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "bsp": [
        ({"room_width": (9, 3)}, "room_width: must be a minimum of at least 1 and a maximum, got 9, 3"),
        ({"room_height": (60, 70)}, "room_height: must fit the 48 rows within the map's walls, got 60"),
        ({"rooms": 3, "min_rooms": 4}, "min_rooms: must be at most rooms, 3, got 4"),
    ],
    "diffusion": [
        ({"border": ["moss"]}, "border: unknown tile 'moss'; there are door, floor, wall, water (tiles of the model)"),
        ({"counts": {"wal": 3}}, "counts: unknown tile 'wal'; did you mean 'wall'? (tiles of the model)"),
        ({"counts": [("door", 1), ("door", 2)]}, "counts: must contain each tile only once"),
        ({"counts": {"door": "x"}}, "counts: door: must be a number, 3..5, >=2 or <=4, got 'x'"),
        ({"counts": {"door": 49}}, "counts: require at least 49 cells, but the map has 48 cells"),
        (
            {"counts": {"wall": 3, "floor": "<=9", "door": 0, "water": "1..2"}},
            "counts: allow fewer tiles than the 48 cells of the map",
        ),
        (
            {"counts": {"floor": 20, "door": 5}, "border": ["wall"]},
            "counts: require at least 25 cells inside the edge, because of border, but there are 24",
        ),
        (
            {"counts": {"wall": "<=10"}, "border": ["wall"]},
            "counts: allow fewer tiles of border than the 24 cells of the edge",
        ),
        (
            {"locks": [[0, 0, "moss"]]},
            "locks: unknown tile 'moss'; there are door, floor, wall, water (tileset 'tiny')",
        ),
        (
            {"locks": [[0, 0, "door"]], "model": make_network(labels=("wall", "floor"))},
            "locks: no map of the model has the tile 'door'; it has wall, floor",
        ),
        ({"locks": [[2, 2, "door"]], "counts": {"door": 0}}, "locks: lock 1 cell to 'door', but counts allows 0"),
        (
            {"locks": ["~" * 8] * 5 + ["~~~?????"], "counts": {"door": 6}},
            "locks: leave 5 cells free, but counts requires 6 more",
        ),
        (
            {"locks": [[7, 3, "floor"]], "border": ["wall"]},
            "locks: lock a cell of the edge to 'floor', which border does not allow",
        ),
        (
            {"locks": [FREE, *[INSIDE[0]] * 4, FREE], "counts": {"floor": 1}, "border": ["wall"]},
            "locks: leave 0 cells inside the edge free, but counts requires 1 more there, because of border",
        ),
        (
            {"locks": [FREE, *[INSIDE[1]] * 4, FREE], "counts": {"wall": "<=30"}, "border": ["wall"]},
            "locks: leave 24 cells of the edge free, but counts allows 6 more of the tiles of border",
        ),
        ({"wrap": "xz"}, "wrap: the map has no z axis to wrap around; got 'xz'"),
        (
            {"model": "dungon"},
            "diffusion: model: unknown model 'dungon'; did you mean 'dungeon'? (and there is no such file)",
        ),
        ({"model": 3}, "model: must be a network that was trained by `tilewright learn`, or its name, got 3"),
        (
            {"model": {"model": "mine", "digest": "0f" * 16}},
            "model: needs the file 'mine.npz' with the network 0f0f0f0f0f0f",
        ),
    ],
    "fashion": [
        ({"scores": [1, 2, 3]}, "need 2x2 = 4 scores, got 3"),
        ({"scores": [[1, 2], [3]]}, "row 2 has 1 score"),
        ({"scores": [1, 2, 3, float("nan")]}, "finite"),
        ({"scores": [1, 2, 3, float("inf")]}, "finite"),
        ({"scores": [1, 2, 3, "x"]}, "must be a number"),
        ({"scores": "rnd"}, "'random'"),
        ({"scores": [1, 2, 3, True]}, "must be a number, got"),
        ({"states": 3, "morph": [1, 2, 3, 4]}, "morph: 3 states need"),
        ({"neighbourhood": "plsu"}, "'plus'"),
        ({"neighbourhood": []}, "at least one neighbor"),
        ({"neighbourhood": [1, 2, 3]}, "pairs"),
        ({"start": ["01", "0"]}, "row 2 has 1 glyphs"),
        ({"start": [[0, 9]], "states": 2}, "not one of the 2 tiles"),
        ({"start": ["01"], "width": 9}, "the start map has 2, so leave width out"),
        ({"offset": [1, 1], "wrap": True}, "cannot wrap"),
        ({"offset": [1, 1], "start": ["01"]}, "leave start or offset out"),
        ({"offset": [1]}, "offset"),
        ({"scores": "archive:0,0"}, "scores: cell 0,0 of the archive caverns is empty; the nearest are archive:"),
        ({"scores": "archive:caverns:99,3"}, "cell 99,3 of the archive caverns is outside the 20x14 cells; the"),
        ({"scores": "archive:12"}, "scores: must name a cell, such as archive:12,3, got 'archive:12'"),
        ({"scores": "archive:a,b"}, "scores: must name a cell"),
        ({"scores": "archive:12,3,4"}, "scores: must name a cell"),
        ({"scores": "archive:"}, "scores: must name a cell"),
        ({"scores": "archive:12,-3"}, "scores: must name a cell"),
        ({"scores": "archive:cavern:1,1"}, "unknown archive 'cavern'; did you mean 'caverns'?"),
    ],
    "markov": [
        *SAMPLES,
        (
            {"sample": ["village", "dungeon"]},
            "sample: must have one tileset, got village (village) and dungeon (dungeon)",
        ),
        ({"sample": "keep"}, "sample: must be flat; markov does not support levels"),
        ({"directions": ["north"]}, "directions: 'north' is not a direction; n, ne, e, se, s, sw, w, nw, n2, ne2"),
        ({"directions": ["sw3"]}, "directions: 'sw3' is not a direction; did you mean 'sw'?"),
        ({"directions": []}, "directions: must contain at least one direction, such as e, w, sw, s, se"),
        ({"directions": ["w", "s", "W"]}, "directions: must contain each direction once, got w, s, w"),
        ({"directions": [*AROUND, "n2"]}, "directions: must contain at most 8 directions, got 9"),
        ({"directions": "w"}, "directions: must be a list, got 'w'"),
        ({"backoff": ["w+n"]}, "backoff: 'w+n': 'n' is not one of the directions e, w, sw, s, se"),
        ({"backoff": ["w", "w;s"]}, "backoff: 'w;s' is not a context; write w+sw+s or w*s"),
        ({"backoff": [""]}, "backoff: '' is not a context; write w+sw+s or w*s"),
        ({"backoff": ["w++s"]}, "backoff: 'w++s': '' is not one of the directions"),
        ({"backoff": []}, "backoff: must have at least 1 value"),
        ({"sample": MANY, "directions": AROUND}, "directions: 8 directions with 256 tiles make too many contexts"),
    ],
    "noise": [
        (
            {"thresholds": [0.5, 0.4], "bands": ["a", "b", "c"]},
            "thresholds: must be in increasing order, got 0.5 before 0.4 at 0 and 1",
        ),
        ({"thresholds": [0.5]}, "thresholds: 8 bands need 7 thresholds between them, got 1"),
        ({"thresholds": [0.5], "biomes": [["grass"]]}, "thresholds: 1 biomes need 0 thresholds between them, got 1"),
        ({"thresholds": [1.5], "bands": ["a", "b"]}, "thresholds.0: must be at most 1.0, got 1.5"),
        ({"thresholds": [0.5], "biomes": [["grass"], []]}, "biomes.1: must have 1 to 256 tiles, got 0"),
        (
            {"wrap": True, "offset": [1, 2]},
            "wrap: a window of an endless world cannot wrap; leave wrap or offset out",
        ),
        (
            {"wrap": True, "kind": "simplex"},
            "wrap: simplex noise cannot wrap; use kind perlin, value or cellular, or leave wrap out",
        ),
        (
            {"offset": [1, 2], "island": 0.5},
            "island: a window needs the size of its world; set world, such as 400,300",
        ),
        ({"offset": [1 << 63, 0]}, "offset.0: must be at most 4611686018427387904, got 9223372036854775808"),
        ({"world": [0, 5]}, "world.0: must be at least 1, got 0"),
    ],
    "patterns": [
        *SAMPLES,
        ({"pattern_sizes": [6]}, "sample of 6x5 cells is smaller than a pattern of 6"),
        ({"sample": ["ab\nab\n", "a\n"]}, "sample 2 of 1x1 cells is smaller than a pattern of 2"),
        ({"width": 2, "pattern_sizes": [3]}, "width: must be at least the pattern size 3, got 2; see pattern_sizes"),
        ({"sample": ["keep", "dungeon"]}, "sample: all samples must have the same number of dimensions"),
        ({"size_weights": [1, 2]}, "size_weights: must contain one weight for each of 1 pattern size, got 2"),
        ({"size_weights": [-1]}, "size_weights: must not be negative, and not all 0, got [-1.0]"),
        ({"pattern_sizes": [1]}, "pattern_sizes: must be at least 1, and one of them at least 2, got [1]"),
        ({"pattern_sizes": [2, 2]}, "pattern_sizes: must contain each size once, got [2, 2]"),
        ({"sample_edges": ["left"], "wrap": "x"}, "sample_edges: there is no edge left, because wrap includes x"),
        ({"sample_edges": ["above"]}, "sample_edges: below and above need a sample with levels"),
        ({"depth": 3}, "depth: needs a sample with levels, but this one is flat; leave depth out"),
        ({"wrap": "z"}, "wrap: the map has no z axis to wrap around; got 'z'"),
        ({"wrap_sample": "xz"}, "wrap_sample: the sample has no z axis to wrap around; got 'xz'"),
    ],
    "rooms": [
        (
            {"layouts": ["xxx\nxox\nxxx\nxox\nxxx"]},
            "must have connected floor, got 2 parts without a door",
        ),
        ({"layouts": ["xxx\nxDx\nxxx"]}, "must have floor"),
        ({"layouts": ["...\n..."]}, "must have floor"),
        (
            {"layouts": ["Dxx\nxox\nxxx"]},
            "the door in row 1, column 1 must have floor on one side and lead outside or to more floor on the other",
        ),
        ({"layouts": ["xxx\nxDx\nxox\nxxx"]}, "the door in row 2, column 2 must have floor on one side"),
        ({"layouts": ["ooo\noDo\nooo"]}, "the door in row 2, column 2 must"),
        ({"layouts": ["xxx\nxqx\nxxx"]}, "must be x wall, o floor, D door or . nothing, got 'q'"),
        ({"layouts": ["o" * 90 + "\n" + "x" * 90]}, "layouts.0: must fit a map of 80x50, got 90x2 cells"),
        ({"layouts": [{"drawing": ["xoox"], "weight": 0}], "plain": 0}, "layouts: must have a positive weight"),
        ({"plain": 0}, "plain: must be more than 0"),
    ],
    "voronoi": [
        ({"kinds": []}, "kinds: must have at least 1 values, got []"),
        ({"kinds": ["grass", "grass:2"]}, "kinds: 'grass' is listed twice; add up its weights"),
        ({"kinds": ["grass:0"]}, "kinds: must have at least one positive weight, all are 0"),
        ({"kinds": ["grass:much"]}, "kinds.0: a kind is written as tile:weight, such as grass:3, got 'grass:much'"),
        ({"kinds": [{"tile": "grass", "weight": -1}]}, "kinds.0.weight: must be at least 0.0, got -1"),
        ({"kinds": ["grass", "lava"]}, "lava"),
    ],
    "wfc": [
        *SAMPLES,
        ({"sample": ["ab", "ba"], "pattern_size": 3}, "sample: the sample of 2x2 cells is smaller than a pattern of 3"),
        ({"pattern_size": 3, "width": 2}, "width: must be at least the pattern size 3, got 2; see pattern_size"),
        ({"sample_edges": ["top"], "wrap": "y"}, "sample_edges: there is no edge top, because wrap includes y"),
        ({"sample_edges": ["top"], "ground": True}, "sample_edges: there is no edge top, because ground includes y"),
        ({"min_coverage": 1, "width": 9}, "min_coverage: requires 220 different patterns, but the map has 112 blocks"),
        ({"sample_edges": ["above"]}, "sample_edges: below and above need a sample with levels"),
        ({"rules": "countryside", "sample_edges": ["top"]}, "sample_edges: needs a sample; rules have no edges"),
        ({"rules": "countryside", "sample": ROOM}, "rules: cannot be used together with a sample"),
        ({"rules": "countryside", "pattern_size": 2}, "pattern_size: must be 1 with rules, got 2"),
        ({"rules": "countryside", "ground": True}, "ground: needs a sample; rules have no last row"),
        ({"rules": "cave"}, "rules: tileset 'cave' has no adjacency rules"),
        ({"rules": "countrysid"}, "rules: unknown tileset 'countrysid'; did you mean 'countryside'?"),
        ({"border": ["wal"]}, "border: unknown tile 'wal'; did you mean 'wall'?"),
        ({"connected": ["flor"]}, "connected: unknown tile 'flor'; did you mean 'floor'?"),
        ({"counts": {"tresure": 3}}, "counts: unknown tile 'tresure'; did you mean 'treasure'?"),
        ({"counts": {"treasure": "5..3"}}, "counts: treasure: must be a number, 3..5, >=2 or <=4, got '5..3'"),
        ({"counts": {"treasure": -1}}, "counts: treasure: must be a number, 3..5, >=2 or <=4, got -1"),
        ({"counts": {"treasure": True}}, "counts: treasure: must be a number, 3..5, >=2 or <=4, got True"),
        ({"counts": {"treasure": 9999}}, "counts: treasure 9999: the map has 432 cells"),
        ({"counts": {"treasure": ">=200"}}, "counts: treasure >=200: the sample's 3x3 patterns allow at most"),
        ({"paths": [{"start": [1, 1], "end": [50, 1]}]}, "paths.0: x=50 y=1 is not on a map of 24x18"),
        ({"locks": [[3, 2, "tree"]]}, "locks: unknown tile 'tree'"),
        ({"locks": [[0, 0, "floor"]], "border": ["rock"]}, "locks: 'floor' (x=0 y=0) contradicts border: rock"),
        (
            {"locks": [[1, 1, "treasure"], [9, 9, "treasure"]], "counts": {"treasure": 1}},
            "locks: 2 cells locked, more than counts: treasure 1 allows",
        ),
        ({"depth": 2}, "depth: needs a sample with levels, but this one is flat"),
        ({"wrap": "z"}, "wrap: the map has no z axis to wrap around; got 'z'"),
        ({"wrap": "yz", "rules": "countryside"}, "wrap: the map has no z axis to wrap around; got 'yz'"),
        ({"wrap_sample": "xz"}, "wrap_sample: the sample has no z axis to wrap around; got 'xz'"),
    ],
}


@pytest.mark.parametrize(
    ("technique", "params", "message"),
    [(technique, params, message) for technique, cases in MISTAKES.items() for params, message in cases],
    ids=lambda value: str(value)[:60],
)
def test_mistakes_are_reported_in_one_line(technique: str, params: dict[str, Any], message: str) -> None:
    with refused(message, limit=400):
        tw.make(technique, **{**BASE.get(technique, {}), **params})
