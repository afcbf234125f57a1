"""Malicious and random recipes are read or refused in one line, quickly."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import read_table
from tilewright import Grid, TilewrightError
from tilewright.core.recipe import Recipe
from tilewright.core.yaml import read_data

HUGE = 10**5000
"""Integer with more digits than Python converts to a string."""
ITSELF: list[Any] = []
ITSELF.append(ITSELF)
OWN_VALUE: dict[str, Any] = {}
OWN_VALUE["params"] = OWN_VALUE["x"] = OWN_VALUE


def nest(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


NUMBERS = [None, True, False, 0, 1, -1, 3, 64, 65_537, 2**31, 2**63, -(2**63), 10**30, HUGE, -HUGE]
FLOATS = [0.5, -0.0, 1e308, float("nan"), float("inf"), 1j]
WORDS = [
    "",
    "?",
    "x",
    "wall",
    "0",
    "random",
    "caves",
    "../secret.txt",
    "a\nb",
    "a\0b",
    "\ud800",
    "漢",
    "x" * 5000,
    b"x",
]
LISTS = [[], [[]], [None], [{}], [1], [[1]], [[["a"]]], [["a"], 3], ["ab", "c"], [[1, 2], [3]], [True], ["?"], range(3)]
MAPPINGS = [{}, {"": ""}, {"a": 1, 2: 3}, {"x": 0, 1: 2}, {HUGE: 1}, {None: None}, {1, 2}, object()]
GRIDS = [{"shape": [1, 1]}, {"digest": "a\nb"}, {"shape": [HUGE, 1], "words": ["a"], "cells": ""}, {"count": 1}]
ARRAYS = [np.zeros(()), np.zeros(3), np.zeros((2, 2)), np.zeros((2, 2), dtype=int), np.array([["a", "?"]])]
LOCKS = [
    [[0, 0, "wall"]],
    [[np.int64(1), 0, "wall"]],
    [[0, 0, "?"]],
    [[HUGE, 0, "wall"]],
    {"x": 0, "y": 0, "tile": "wall"},
    {"places": 3},
    {"places": ITSELF},
    {"places": Grid.of([[["a"]]]).to_data()},
    {"shape": [2, 2], "places": [[9, 9, "wall"]]},
]
PARTS = [{"technique": "caves"}, {"tiles": [{"name": "?"}]}, {"tiles": [{"name": "a", "costs": {1: 2, "b": 3}}]}]
ENDLESS = [ITSELF, OWN_VALUE, nest(30), nest(5000)]
ODD: list[Any] = [*NUMBERS, *FLOATS, *WORDS, *LISTS, *MAPPINGS, *GRIDS, *ARRAYS, *LOCKS, *PARTS, *ENDLESS]
GOOD: list[dict[str, Any]] = read_table(__file__, "recipes")
GOOD[2]["locks"] = Grid.of([["wall", "?"]]).to_data()


def read(data: Any) -> None:
    """Read a recipe; an error must have one line."""
    try:
        Recipe.of(data)
    except TilewrightError as error:
        check_one_line(error)


def check_one_line(error: TilewrightError) -> None:
    assert len(str(error).splitlines()) == 1


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of a value and of all values inside it."""
    inner = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [])
    return [path, *(place for key, part in inner for place in list_paths(part, (*path, key)))]


def with_part(value: Any, path: tuple[Any, ...], part: Any) -> Any:
    if not path:
        return part
    inner = copy.copy(value)
    inner[path[0]] = with_part(value[path[0]], path[1:], part)
    return inner


@pytest.mark.parametrize("recipe", GOOD, ids=["caves", "fashion", "overlay"])
def test_any_value_anywhere_is_read_or_refused_in_one_line(recipe: dict[str, Any]) -> None:
    Recipe.of(recipe)
    for path in list_paths(recipe):
        for odd in ODD:
            read(with_part(recipe, path, odd))


@pytest.mark.parametrize("key", ["technique", "params", "shaping", "tileset", "tiles", "locks", "seed", "else", 7])
def test_any_value_of_any_key_is_read_or_refused_in_one_line(key: Any) -> None:
    for odd in ODD:
        read({"technique": "fashion", key: odd})
        read({"technique": "caves", "params": {key: odd}})
        read({"technique": "caves", "shaping": [{"overlay": {"recipe": {"technique": "caves", key: odd}}}]})


odd_values = st.recursive(
    st.sampled_from([*FLOATS, *WORDS, *LISTS, *ARRAYS, *PARTS])
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=9)
    | st.sampled_from(["width", "x", "y", "tile", "shape", "words", "cells", "digest", "places", "name", "glyph"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["x", "y", "tile", "shape", "words", "cells", "places", "name", 1]), inner)
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_recipes_with_odd_values_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    recipe: Any = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 3))):
        recipe = with_part(recipe, data.draw(st.sampled_from(list_paths(recipe))), data.draw(odd_values))
    read(recipe)


# -- files ----------------------------------------------------------------------------------------------------


def read_text(text: str) -> None:
    try:
        data = read_data(text, "recipe.yaml")
    except TilewrightError as error:
        check_one_line(error)
    else:
        read(data)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *read_table(__file__, "odd files are refused in one line"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("a: " + "{a: " * 5000, "nested too deeply"),
        ("a: " + "9" * 5000, "digits"),
        ("a: \ud800", "not allowed"),
        ("a: b\n" * (1 << 20), "at most 2,097,152 characters"),
    ],
)
def test_odd_files_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(TilewrightError, match=reason):
        read_data(text, "recipe.yaml")
    read_text(text)


PIECES = "technique: |caves|params: |\n|  |- |{|}|[|]|,|: |!!|!|&a |*a|'|\"|>|?|#|%|@|<<|=|~|.nan|1e400|12:30|---|\t"
pieces = st.sampled_from(PIECES.split("|")) | st.text(max_size=4)


@given(st.lists(pieces, max_size=20).map("".join))
def test_any_file_is_read_or_refused_in_one_line(text: str) -> None:
    read_text(text)


@given(st.data())
def test_damaged_files_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    text = yaml.safe_dump(data.draw(st.sampled_from(GOOD)))
    at, more = data.draw(st.integers(0, len(text))), data.draw(pieces)
    read_text(text[:at] + more + text[at + data.draw(st.integers(0, 5)) :])
