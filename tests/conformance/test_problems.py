"""Mistakes in all parameters of all techniques and shapers are problems with the path of the parameter."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from tilewright.core.errors import InvalidRecipe, Problem
from tilewright.core.recipe import Recipe
from tilewright.core.registry import shapers, techniques

PARAMETERS = [
    (kind, entry.name, name)
    for kind, registry in (("technique", techniques), ("shaper", shapers))
    for entry in registry
    for name in entry.params.model_fields
]


def bad_values(model: type[BaseModel], name: str) -> list[Any]:
    """Return a value of a wrong type, and values just outside the bounds."""
    beyond = []
    for rule in model.model_fields[name].metadata:
        for bound, by in (("ge", -1), ("gt", 0), ("le", 1), ("lt", 0)):
            if hasattr(rule, bound):
                beyond.append(getattr(rule, bound) + by)
    return [object(), *beyond]


@pytest.mark.parametrize(("kind", "entry", "name"), PARAMETERS, ids=lambda value: str(value))
def test_a_wrong_value_is_a_problem_of_its_parameter(kind: str, entry: str, name: str) -> None:
    registry: Any = techniques if kind == "technique" else shapers
    for value in bad_values(registry.get(entry).params, name):
        recipe: dict[str, Any] = {"technique": entry, "params": {name: value}}
        path: tuple[str | int, ...] = ("params", name)
        if kind == "shaper":
            recipe = {"technique": "caves", "shaping": [{entry: {name: value}}]}
            path = ("shaping", 0, entry, name)
        with pytest.raises(InvalidRecipe) as caught:
            Recipe.of(recipe)
        found = [one for one in caught.value.problems if one.path[: len(path)] == path]
        assert found, f"{name}={value!r}: {caught.value}"
        assert all(isinstance(one, Problem) and one.text for one in found)
