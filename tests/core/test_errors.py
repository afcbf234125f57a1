"""Errors: problems as data, their rendering as one line, and suggested fixes."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
import yaml
from pydantic import AfterValidator

import tilewright as tw
from tests.cases import fits, read_cases, read_table
from tests.refusals import refused
from tilewright.core.errors import (
    ANOTHER_SEED,
    BadFile,
    Fix,
    GaveUp,
    InvalidRecipe,
    Problem,
    TilewrightError,
    UnknownName,
    explain_each,
    problem,
    unknown_key,
)
from tilewright.core.params import Params, param
from tilewright.core.plan import make_plan
from tilewright.core.recipe import Recipe


def find_problems(recipe: Any) -> tuple[Problem, ...]:
    """Return the problems of a recipe."""
    try:
        make_plan(Recipe.of(recipe))
    except TilewrightError as error:
        return error.problems
    return ()


# -- lines --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), "is wrong"),
        (("params", "walls"), "walls: is wrong"),
        (("params",), "params: is wrong"),
        (("rules", 2, "count"), "rules.2.count: is wrong"),
        (("shaping", 1, "connect", "thickness"), "shaping 2: connect: thickness: is wrong"),
        (("shaping", 0), "shaping 1: is wrong"),
        (("line", 3), "line 3: is wrong"),
        (("sweep", "walls"), "sweep: walls: is wrong"),
    ],
)
def test_a_path_is_rendered_before_its_message(path: tuple[str | int, ...], line: str) -> None:
    assert str(Problem(path, "invalid", None, "is wrong")) == line


def test_the_given_value_is_appended_to_the_message() -> None:
    one = problem("must be below 1", at="walls", got=2, rule="maximum", instead=0.5)
    assert one == Problem(("walls",), "maximum", 2, "must be below 1, got 2", (Fix("set", ("walls",), 0.5),))
    assert str(InvalidRecipe(one, "and more")) == "walls: must be below 1, got 2; and more"


def test_within_moves_paths_and_fixes_and_shows_the_place() -> None:
    error = InvalidRecipe("must be below 1", at="walls", instead=0.5).within("params", place="caves")
    assert str(error) == "caves: walls: must be below 1"
    assert error.problems[0].path == ("params", "walls")
    assert error.problems[0].fixes == (Fix("set", ("params", "walls"), 0.5),)
    assert str(error.within("recipe")) == "recipe: caves: walls: must be below 1"


def test_problems_of_one_error_become_those_of_another() -> None:
    error = BadFile.from_error(InvalidRecipe(problem("is empty", at="cells"), problem("is odd")), "map.json")
    assert str(error) == "map.json: cells: is empty; is odd"
    assert [one.path for one in error.problems] == [("map.json", "cells"), ("map.json",)]


def test_the_number_of_further_mistakes_stays_a_number_when_values_are_replaced() -> None:
    def refuse(value: str) -> None:
        mistakes = explain_each(range(10), lambda item: problem("is odd", at=item))
        raise InvalidRecipe(*(replace(one, value=value) for one in mistakes))

    class Words(Params):
        word: Annotated[str, AfterValidator(refuse)] = param("")
        """Word."""

    with pytest.raises(InvalidRecipe) as caught:
        Words.validate({"word": "a"})
    assert [one.value for one in caught.value.problems] == [*"aaaaaaaa", 2]
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_giving_up_names_cells_and_tries() -> None:
    error = GaveUp("no room", cells=[(1, 2)] * 5, tries=3, fixes=[ANOTHER_SEED])
    assert str(error) == "gave up after 3 tries: no room (at x=2 y=1, x=2 y=1, x=2 y=1, x=2 y=1 and 1 more)"
    assert (error.reason, error.problems[0].rule, error.problems[0].fixes) == ("no room", "unsolved", (ANOTHER_SEED,))


ODD_VALUES = [object(), np.arange(3), {1, 2}, float("nan"), 10**5000, "x" * 9999, [[[[[[1]]]]]], "\ud800"]


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: type(value).__name__)
def test_problems_are_short_data_whatever_is_given(value: Any) -> None:
    data = problem("is wrong", at="walls", got=value).as_data()
    assert len(json.dumps(data)) < 2000
    json.dumps(data, ensure_ascii=False, allow_nan=False).encode()


def test_a_key_that_cannot_be_printed_is_still_data() -> None:
    data = unknown_key("parameter", "\ud800", ["width"]).as_data()
    json.dumps(data, ensure_ascii=False).encode()


def test_errors_are_complete_after_pickling_to_another_process() -> None:
    errors = [
        InvalidRecipe("must be a map", at="sample", got=print),
        UnknownName("tile", "walls", ["wall"]),
        GaveUp("no room", cells=[(1, 2)], tries=2),
        BadFile("not JSON", at="map.json"),
    ]
    with get_context("spawn").Pool(1) as pool:
        copies = pool.map(pickle.loads, map(pickle.dumps, errors))
    for error, again in zip(errors, copies, strict=True):
        assert (type(again), str(again), again.problems) == (type(error), str(error), error.problems)


# -- fixes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fix", "label"),
    [
        (Fix("set", ("params", "wrap_sample"), "y"), "Set wrap_sample to y"),
        (Fix("set", ("shaping", 1, "connect", "thickness"), 2), "Set thickness to 2"),
        (Fix("set", ("params", "relax"), True), "Set relax to true"),
        (Fix("remove", ("shaping", 0, "replace")), "Remove shaper 'replace'"),
        (Fix("remove", ("params", "depth")), "Remove 'depth'"),
        (Fix("use", ("params", "widht"), "width"), "Use 'width'"),
        (ANOTHER_SEED, "Use another seed"),
    ],
)
def test_fixes_have_labels(fix: Fix, label: str) -> None:
    assert fix.label == label


@pytest.mark.parametrize(
    ("fix", "key", "after"),
    [
        (Fix("set", ("params", "width"), 9), "params", {"widht": 20, "width": 9}),
        (Fix("use", ("params", "widht"), "width"), "params", {"width": 20}),
        (Fix("remove", ("params", "widht")), "params", {}),
        (Fix("remove", ("shaping", 0, "connect")), "shaping", []),
        (Fix("set", ("shaping", 0, "connect", "thickness"), 2), "shaping", [{"connect": {"thickness": 2}}]),
        (Fix("use", ("shaping", 0, "connect"), "doors"), "shaping", [{"doors": None}]),
        (Fix("set", ("tiles", "wall"), "rock"), "tiles", {"wall": "rock"}),
    ],
)
def test_a_fix_changes_a_copy_of_the_recipe(fix: Fix, key: str, after: Any) -> None:
    data = {"technique": "caves", "params": {"widht": 20}, "shaping": ["connect"]}
    assert fix.apply(data) == {**data, key: after}
    assert data == {"technique": "caves", "params": {"widht": 20}, "shaping": ["connect"]}


@pytest.mark.parametrize(
    ("path", "rule", "recipe"), read_table(__file__, "path and rule of the problem of a recipe"), ids=str
)
def test_typical_mistakes_have_a_path_and_fixes_that_help(path: str, rule: str, recipe: dict[str, Any]) -> None:
    (one,) = find_problems(recipe)
    assert (".".join(map(str, one.path)), one.rule) == (path, rule)
    assert one.fixes, one
    for fix in one.fixes:
        again = find_problems(fix.apply(recipe))
        assert one not in again, f"{fix.label} does not help: {one}"
    assert any(not find_problems(fix.apply(recipe)) for fix in one.fixes)


CAVE: dict[str, Any] = {"technique": "caves", "shaping": ["border", {"connect": {"thickness": 2}}], "seed": 7}


@pytest.mark.parametrize(("given", "expected"), read_cases(Path(__file__).with_name("mistakes.txt")))
def test_mistakes_in_recipes_are_refused_in_one_line(given: list[str], expected: str) -> None:
    fields = yaml.safe_load("\n".join(given))
    with refused("", InvalidRecipe) as caught:
        tw.recipe({**CAVE, **fields})
    assert fits(str(caught.value), expected)
    assert {one.path[0] for one in caught.value.problems} <= {*fields, "tiles"}


def test_all_mistakes_are_found_at_once() -> None:
    recipe = {
        "technique": "caves",
        "params": {"walls": 3, "widht": 1},
        "tileset": "cavee",
        "seed": 1.5,
        "tries": 0,
        "shaping": ["conect", {"connect": {"thickness": 0}}],
        "parms": {},
    }
    problems = find_problems(recipe)
    paths = {".".join(map(str, one.path)) for one in problems}
    assert paths == {
        *("params.walls", "params.widht", "tileset", "seed", "tries", "parms"),
        *("shaping.0.conect", "shaping.1.connect.thickness"),
    }
    line = str(InvalidRecipe(*problems))
    assert "\n" not in line
    assert all(word in line for word in ("'params'", "'width'", "at most", "'connect'", "'cave'"))


def test_a_stage_that_fails_says_which_it_is() -> None:
    recipe = {"technique": "caves", "seed": 7, "shaping": ["border", {"crop": {"margin": 500}}]}
    with pytest.raises(InvalidRecipe) as caught:
        tw.run(recipe)
    assert caught.value.problems[0].path[:3] == ("shaping", 1, "crop")
    assert str(caught.value).startswith("crop: a margin of 500")


def test_a_search_that_gives_up_suggests_parameters() -> None:
    recipe: dict[str, Any] = {
        "technique": "wfc",
        "params": {"sample": "bricks", "width": 30, "height": 30, "wrap_sample": "none"},
        "seed": 7,
    }
    with pytest.raises(GaveUp) as caught:
        tw.run(recipe)
    fixes = caught.value.problems[0].fixes
    assert Fix("set", ("params", "wrap_sample"), "xy") in fixes
    assert tw.run(Fix("set", ("params", "wrap_sample"), "xy").apply(recipe)).shape == (30, 30)


def test_an_unknown_key_can_be_renamed_or_removed() -> None:
    one = unknown_key("parameter", "widht", ["width", "height"])
    assert one.fixes == (Fix("use", ("widht",), "width"), Fix("remove", ("widht",)))


def test_requirements_that_a_technique_cannot_meet_are_removed_by_their_fix() -> None:
    data: Any = {"technique": "caves", "require": {"novelty": {"min": 0.2}}, "tries": 3, "seed": 1}
    for _ in range(2):
        with pytest.raises(InvalidRecipe) as caught:
            tw.run(data)
        ((fix,),) = [problem.fixes for problem in caught.value.problems]
        data = fix.apply(data)
    assert tw.run(data) == tw.make("caves", seed=1)
