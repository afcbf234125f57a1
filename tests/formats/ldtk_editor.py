"""What LDtk's editor asks of projects: the rules of auto layers, evaluated as the editor does, and a JSON Schema.

The schema is reduced: the keys that the editor requires, with types from ldtk_schema.toml. The evaluation follows
AutoLayerRuleDef.hx and LayerInstance.hx of LDtk 1.5.3 (github.com/deepnight/ldtk): `matches`, `isRelevantInLayerAt`,
`applyRuleAt` and `applyBreakOnMatchesArea`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ANYTHING = 1_000_001
AREA = 10
"""Edge length of the areas in which the editor counts values."""

Document = Mapping[str, Any]
Values = NDArray[np.int64]


def evaluate(project: Document, level: Document, layer: Document) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Return, for each cell of a layer that has a tile, the uid of its rule and the tiles that the rule allows."""
    definitions = {one["uid"]: one for one in project["defs"]["layers"]}
    definition = definitions[layer["layerDefUid"]]
    source = definition["autoSourceLayerDefUid"] or definition["uid"]
    grid = next(one for one in level["layerInstances"] if one["layerDefUid"] == source)
    values = np.array(grid["intGridCsv"], dtype=np.int64).reshape(grid["__cHei"], grid["__cWid"])
    groups = {one["value"]: one["groupUid"] for one in definitions[source]["intGridValues"]}
    found = {}
    for row in range(layer["__cHei"]):
        for column in range(layer["__cWid"]):
            for rule in (rule for group in definition["autoRuleGroups"] for rule in group["rules"]):
                if _is_relevant(rule, values, groups, row, column) and _matches(rule, values, groups, row, column):
                    assert rule["breakOnMatch"]
                    tiles = tuple(tile for choice in rule["tileRectsIds"] for tile in choice)
                    found[row * layer["__cWid"] + column] = rule["uid"], tiles
                    break
    return found


def _is_relevant(rule: Document, values: Values, groups: Mapping[int, int], row: int, column: int) -> bool:
    """Return whether all values that a rule requires occur in the areas around a cell."""
    radius = 1 if rule["size"] <= 1 else rule["size"] // 2
    corners = [(row, column)]
    if rule["size"] > 1:
        corners = [(row + down, column + right) for down in (-radius, radius) for right in (-radius, radius)]
    required = {number for number in rule["pattern"] if 0 < number != ANYTHING}
    return all(any(_has_value(number, values, groups, *corner) for corner in corners) for number in required)


def _has_value(number: int, values: Values, groups: Mapping[int, int], row: int, column: int) -> bool:
    top, left = int(row / AREA) * AREA, int(column / AREA) * AREA
    area = np.unique(values[top : top + AREA, left : left + AREA]).tolist()
    return any(_accepts(number, value, groups) for value in area)


def _matches(rule: Document, values: Values, groups: Mapping[int, int], row: int, column: int) -> bool:
    size, height, width = rule["size"], *values.shape
    for place, number in enumerate(rule["pattern"]):
        if number == 0:
            continue
        y, x = row + place // size - size // 2, column + place % size - size // 2
        is_inside = 0 <= y < height and 0 <= x < width
        value = int(values[y, x]) if is_inside else rule["outOfBoundsValue"]
        if value is None or _accepts(abs(number), value, groups) != (number > 0):
            return False
    return True


def _accepts(number: int, value: int, groups: Mapping[int, int]) -> bool:
    """Return whether a positive number of a pattern accepts a value."""
    if number == ANYTHING:
        return value != 0
    if number > 999:
        return value in groups and groups[value] == number // 1000 - 1
    return value == number


Schema = dict[str, Any]

RECORDS = tomllib.loads(Path(__file__).with_name("ldtk_schema.toml").read_text())
TYPES: dict[str, Schema] = RECORDS.pop("types")


def parse_type(text: str) -> Schema:
    """Return the schema of a type: a name, choices, a list, or a type that may be null."""
    if text.endswith("?"):
        return {"anyOf": [parse_type(text[:-1]), {"type": "null"}]}
    if text.endswith("+"):
        return {**parse_type(text[:-1]), "minItems": 1}
    if found := re.fullmatch(r"\[(.+?)(?:\*(\d+))?\]", text):
        bounds = {"minItems": int(found[2]), "maxItems": int(found[2])} if found[2] else {}
        return {"type": "array", "items": parse_type(found[1]), **bounds}
    if "|" in text:
        return {"enum": text.split("|")}
    return TYPES[text] if text in TYPES else make_record(text)


def make_record(name: str) -> Schema:
    """Return the schema of an object without other keys."""
    fields = {**RECORDS[name]}
    optional = fields.pop("optional", "").split()
    required = {key: parse_type(kind) for kind, keys in fields.items() for key in keys.split()}
    return {
        "type": "object",
        "properties": {**required, **{key: {} for key in optional}},
        "required": sorted(required),
        "additionalProperties": False,
    }


SCHEMA = make_record("Project")
