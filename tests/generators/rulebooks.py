"""Rulebooks for tests, and a direct implementation of their rules."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tests.cases import read_tables
from tilewright.generators._rules.rulebook import RulesParams

RULES = RulesParams
Cell = tuple[int, int]
Cells = NDArray[Any]

BOOKS: dict[str, dict[str, Any]] = read_tables(__file__)
DOCUMENT = {name: BOOKS[f"document {name}"] for name in ("first", "second", "rooms")}
FULL, USUAL, TREASURE = BOOKS["full"], BOOKS["usual"], BOOKS["treasure"]

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
