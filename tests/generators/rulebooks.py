"""Rulebooks for tests, and a direct implementation of their rules."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.generators._rules.rulebook import RulesParams

RULES = RulesParams
Cell = tuple[int, int]
Cells = NDArray[Any]

DOCUMENT: dict[str, dict[str, Any]] = {
    "first": {
        "mapData": ["15x7", "solid:empty"],
        "roomData": ["equal:1x1:1", "solid:1|empty:2"],
        "names": ["empty:-1", "solid:-1"],
        "neighbourhoods": {"plus": "010,101,010", "all": "111,101,111"},
        "generationRules": [
            {"genData": ["2", "room:-1", "connect:plus:1"], "rules": ["empty,all,or,solid>5,solid:1"]},
            {"genData": ["0", "map:-1", "connect:plus:1"], "rules": []},
        ],
    },
    "second": {
        "mapData": ["15x7", "solid:empty"],
        "roomData": ["equal:1x1:1", "solid:1|empty:2"],
        "names": ["empty:-1", "solid:-1"],
        "neighbourhoods": {"all": "111,101,111"},
        "generationRules": [{"genData": ["2", "room:-1", "connect:plus:1"], "rules": ["empty,all,or,solid>5,solid:1"]}],
    },
    "rooms": {"mapData": ["15x7", "solid:empty"], "roomData": ["equal:4x2:3", "solid:1|empty:2"]},
}
"""The examples of ProcEngine's documentation, unchanged."""

FULL: dict[str, Any] = {
    "mapData": ["22x13", "rock:floor", "connect:all:1"],
    "roomData": ["tree:3x2:4", "rock:1|floor:2.5|gem:0.001", "delete:plus:1"],
    "names": ["rock", "floor:-1", "gem:3"],
    "neighbourhoods": {"wide": "11011", "corner": "11,10"},
    "generationRules": [
        {"genData": ["2", "room:-1", "connect:plus:2"], "rules": ["floor,wide,and,rock>=1|gem!=-2,rock:1|gem:2"]},
        {"genData": ["1", "map:2,1,9,8", "none:plus:1"], "rules": []},
        {"genData": ["0", "room:3,1", "delete:all:1"], "rules": ["gem,corner,or,gem==0,floor:1"]},
    ],
}
"""An example of every feature, in ProcEngine's form."""

USUAL: dict[str, Any] = {
    "mapData": ["15x7", "solid:empty"],
    "roomData": ["equal:1x1:1", "empty:1"],
    "names": ["solid", "empty"],
    "neighbourhoods": {"plus": "010,101,010", "all": "111,101,111"},
    "generationRules": [],
}
"""The default of every section."""

ALWAYS = "empty,all,or,empty>=0"
"""Conditions that hold for every empty cell."""

PLUS = [(-1, 0), (0, -1), (0, 1), (1, 0)]

COMPARE = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}


def layer(simulations: int, where: str, *rules: str, fix: str = "none") -> dict[str, Any]:
    return {"genData": [str(simulations), where, fix], "rules": list(rules)}


TREASURE: dict[str, Any] = {
    "mapData": ["30x20", "solid:empty"],
    "names": ["solid", "empty", "treasure:3", "gold:5"],
    "roomData": ["equal:3x2:4", "empty:8|treasure:1|gold:1"],
    "generationRules": [
        layer(3, "room:-1", f"{ALWAYS},empty:9|gold:1|treasure:1"),
        layer(1, "map:-1", "solid,plus,and,empty==1,treasure:1|solid:3", fix="connect:plus:1"),
        layer(2, "room:0", "gold,all,or,gold>=0,treasure:1", fix="delete:plus:1"),
    ],
}


def params_of(data: Any) -> Any:
    return tw.recipe("rules", data=data).params


def names_of(map: tw.TileMap) -> NDArray[np.str_]:
    """Return the names (row, column) of a map's tiles."""
    return np.array(map.tileset.names)[map.cells]


def frames_of(words: Mapping[str, Any], seed: int | str) -> list[tuple[str, NDArray[np.str_]]]:
    """Return the note and the tile names of every frame of the technique."""
    frames = tw.watch("rules", seed=seed, **words)
    return [(frame.note, np.array(frame.tileset.names)[frame.cells]) for frame in frames]


def offsets_of(matrix: str) -> list[Cell]:
    """Return the offset (row, column) of every 1 from the center at (floor(w / 2), floor(h / 2))."""
    rows = matrix.split(",")
    down, right = len(rows) // 2, len(rows[0]) // 2
    return [(y - down, x - right) for y, row in enumerate(rows) for x, digit in enumerate(row) if digit == "1"]


def cells_of(mask: Cells) -> set[Cell]:
    return {(int(row), int(column)) for row, column in np.argwhere(mask)}


def rectangle(x: int, y: int, width: int, height: int) -> set[Cell]:
    return {(row, column) for row in range(y, y + height) for column in range(x, x + width)}


def of_room(room: Any) -> set[Cell]:
    return rectangle(room.x, room.y, room.width, room.height)


def simulate_directly(old: Cells, area: set[Cell], rules: Iterable[str], neighbourhoods: Mapping[str, str]) -> Cells:
    """Return the result of one simulation with deterministic rules: `empty,all,and,solid>5|empty<3,solid:1`, lowercase
    and without spaces.
    """
    new = old.copy()
    for rule in rules:
        tile, around, combine, conditions, replacement = rule.split(",")
        for row, column in area:
            near = [(row + down, column + right) for down, right in offsets_of(neighbourhoods[around])]
            seen = [old[y, x] for y, x in near if 0 <= y < old.shape[0] and 0 <= x < old.shape[1]]
            results = []
            for condition in conditions.split("|"):
                sign = next(sign for sign in (">=", "<=", "==", "!=", ">", "<") if sign in condition)
                kind, number = condition.split(sign)
                results.append(COMPARE[sign](seen.count(kind), int(number)))
            if old[row, column] == tile and (all(results) if combine == "and" else any(results)):
                new[row, column] = replacement.split(":")[0]
    return new
