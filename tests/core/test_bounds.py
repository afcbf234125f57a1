"""Limits on what is read and explained: lists, names and messages about large values."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import tilewright as tw
from tilewright.core.errors import MAX_REPORTED, Problem, explain_each, find_nearest, problem, short_repr
from tilewright.core.grid import MAX_LABELS
from tilewright.core.locks import MAX_GIVEN_LOCKS, Locks
from tilewright.core.params import MAX_ITEMS, Params, param
from tilewright.core.recipe import MAX_STAGES
from tilewright.core.yaml import MAX_YAML_TOKENS, read_data


class Listed(Params):
    numbers: tuple[int, ...] = param((), max_length=3)
    """Numbers."""
    table: tuple[tuple[int, ...], ...] = param(())
    """Rows of numbers."""
    any_value: Any = param(None)
    """Anything."""


def find_problems(values: dict[Any, Any]) -> list[str]:
    with pytest.raises(tw.InvalidRecipe) as caught:
        Listed.validate(values)
    return [str(one) for one in caught.value.problems]


def test_long_lists_have_one_problem() -> None:
    (line,) = find_problems({"numbers": ["x"] * 1000})
    assert line == f"numbers: must have at most 3 values, got {short_repr(['x'] * 99)}"
    rows = [["x"] * 1000] * 1000
    (line,) = find_problems({"table": rows})
    assert line == f"table: must have at most {MAX_ITEMS} values, got {short_repr([['x'] * 99])}"
    assert len(Listed.validate({"any_value": [1] * (MAX_ITEMS + 1)}).any_value) > MAX_ITEMS


def test_many_unknown_names_are_counted() -> None:
    found = find_problems({f"k{number}": 1 for number in range(1000)})
    assert len(found) == MAX_REPORTED + 1
    assert found[0].startswith("unknown parameter 'k0'")
    assert found[-1] == "and 992 more"


def test_only_reported_items_are_explained() -> None:
    explained: list[int] = []

    def explain(item: int) -> Problem:
        explained.append(item)
        return problem(f"wrong {item}")

    found = explain_each(range(100), explain)
    assert explained == list(range(MAX_REPORTED))
    assert str(found[-1]) == "and 92 more"


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10**6,
        ["x"] * 10**6,
        [[["x"] * 100] * 100] * 100,
        dict.fromkeys(range(10**5), "x"),
        (("x" * 10**6,) * 100,),
        b"x" * 10**6,
    ],
    ids=lambda value: type(value).__name__,
)
def test_long_values_are_cut_as_their_complete_text_would_be(value: object) -> None:
    assert short_repr(value) == repr(value)[:56] + " ..."


@pytest.mark.parametrize("value", ["it's", [1, [2, ("x", None)], {"a": {"b": [1]}}], (1,), (), [], {}, 1.5, {1: (2,)}])
def test_short_values_are_shown_completely(value: object) -> None:
    assert short_repr(value) == repr(value)


def test_a_long_name_has_no_nearest_name() -> None:
    assert find_nearest("widht", ["width", "height"]) == "width"
    assert find_nearest("widht" * 1000, ["width" * 1000]) is None


def test_a_recipe_has_a_limited_number_of_shapers_requirements_and_keys() -> None:
    with pytest.raises(tw.InvalidRecipe, match=f"shaping: must have at most {MAX_STAGES} shapers, got 257"):
        tw.recipe("caves", shaping=["border"] * 257)
    assert len(tw.recipe("caves", shaping=["border"] * 256).shaping) == 256
    with pytest.raises(tw.InvalidRecipe, match="and 992 more") as caught:
        tw.recipe("caves", require={f"k{number}": 1 for number in range(1000)})
    assert len(caught.value.problems) == MAX_REPORTED + 1
    with pytest.raises(tw.InvalidRecipe, match="and 992 more"):
        tw.Recipe.of({"technique": "caves", **{f"k{number}": 1 for number in range(1000)}})


def test_locks_and_labels_are_limited() -> None:
    with pytest.raises(tw.TooLarge, match=f"at most {MAX_GIVEN_LOCKS:,} locks"):
        Locks.of([[0, 0, "wall"]] * (MAX_GIVEN_LOCKS + 1))
    with pytest.raises(tw.TooLarge, match=f"at most {MAX_LABELS:,} different tiles"):
        tw.Grid.of([[f"t{number}" for number in range(MAX_LABELS + 2)]])


def test_yaml_is_limited_by_its_tokens_and_json_is_not() -> None:
    data = {"technique": "caves", "notes": [1] * MAX_YAML_TOKENS}
    assert read_data(json.dumps(data), "recipe") == data
    with pytest.raises(tw.BadFile, match=r"recipe: YAML must have at most 65,536 line breaks, .* write it as JSON"):
        read_data("technique: caves\nnotes:\n" + "- 1\n" * MAX_YAML_TOKENS, "recipe")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a": ' + "9" * 5000 + "}", "Exceeds the limit"),
        ('{"a": [' * 5000, "nested too deeply"),
    ],
)
def test_json_has_the_rules_of_yaml(text: str, message: str) -> None:
    with pytest.raises(tw.BadFile, match=re.escape(message)):
        read_data(text, "recipe")
    assert read_data('{"a": 1e5, "b": "on", "c": NaN}', "recipe") == {"a": 100000.0, "b": "on", "c": "NaN"}


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**4000, ">" + "9" * 400, "1e400", float("inf")])
def test_numbers_that_no_float_holds_are_refused(value: Any) -> None:
    message = r"require: regions: must be a number, a range such as 60\.\.66, a comparison"
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.recipe("caves", require={"regions": value})


def test_codes_of_5000_digits_are_refused() -> None:
    with pytest.raises(tw.InvalidRecipe, match="not TOML: nested too deeply, or a number too long"):
        tw.Tileset.from_toml('[[tiles]]\nname = "a"\ncode = ' + "9" * 5000)
    with pytest.raises(tw.InvalidRecipe, match="got a number with too many digits"):
        tw.Tileset.of({"tiles": [{"name": "a", "code": 10**5000}]})
