"""Mistakes in all parameters of all techniques and shapers name the parameter, the rule and the value."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic.fields import FieldInfo

from tilewright.core.errors import InvalidRecipe, Problem
from tilewright.core.recipe import Recipe
from tilewright.core.registry import shapers, techniques

PARAMETERS = [
    (kind, entry.name, name)
    for kind, registry in (("technique", techniques), ("shaper", shapers))
    for entry in registry
    for name in entry.params.model_fields
]
every_parameter = pytest.mark.parametrize(("kind", "entry", "name"), PARAMETERS, ids=lambda value: str(value))


def list_mistakes(field: FieldInfo) -> list[tuple[Any, str]]:
    """Return wrong values with their rules: another type, another choice, and just outside the bounds."""
    mistakes: list[tuple[Any, str]] = [(object(), "")]
    if field.annotation in (int, float):
        kind = "an integer" if field.annotation is int else "a number"
        mistakes.append(("often", f"must be {kind}, got 'often'"))
    if get_origin(field.annotation) is Literal and "nonsense" not in get_args(field.annotation):
        *choices, last = (repr(choice) for choice in get_args(field.annotation))
        mistakes.append(("nonsense", f"must be {', '.join(choices)} or {last}, got 'nonsense'"))
    for rule in field.metadata:
        for bound, by, text in (
            ("ge", -1, "at least"),
            ("gt", 0, "more than"),
            ("le", 1, "at most"),
            ("lt", 0, "less than"),
        ):
            if hasattr(rule, bound):
                limit = getattr(rule, bound)
                shown = float(limit) if float in (field.annotation, *get_args(field.annotation)) else limit
                mistakes.append((limit + by, f"must be {text} {shown}, got {limit + by}"))
    return mistakes


def find_problems(kind: str, entry: str, params: dict[str, Any]) -> tuple[InvalidRecipe, list[Problem]]:
    """Return the error of a recipe with parameters of a technique or shaper, and its problems there."""
    recipe: dict[str, Any] = {"technique": entry, "params": params}
    path: tuple[str | int, ...] = ("params", *params)
    if kind == "shaper":
        recipe = {"technique": "caves", "shaping": [{entry: params}]}
        path = ("shaping", 0, entry, *params)
    with pytest.raises(InvalidRecipe) as caught:
        Recipe.of(recipe)
    return caught.value, [problem for problem in caught.value.problems if problem.path[: len(path)] == path]


@every_parameter
def test_a_wrong_value_is_a_problem_of_its_parameter(kind: str, entry: str, name: str) -> None:
    registry: Any = techniques if kind == "technique" else shapers
    for value, text in list_mistakes(registry.get(entry).params.model_fields[name]):
        error, problems = find_problems(kind, entry, {name: value})
        assert problems, f"{name}={value!r}: {error}"
        assert all(isinstance(problem, Problem) and problem.text for problem in problems)
        assert f"{name}: {text}" in str(error)
        assert "\n" not in str(error)


@every_parameter
def test_a_misspelled_name_gets_a_suggestion(kind: str, entry: str, name: str) -> None:
    if len(name) > 3:
        error, problems = find_problems(kind, entry, {f"{name[:-1]}_{name[-1]}": 1})
        assert problems
        assert f"did you mean {name!r}?" in str(error)
