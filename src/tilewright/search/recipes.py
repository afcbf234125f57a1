"""The recipe of a search."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from ..core.errors import InvalidRecipe
from ..core.recipe import Recipe, as_recipe_data
from ..core.recipe_knobs import apply_knobs
from ..core.registry import techniques
from ..core.resolver import Resolver
from ..formats._resolver import FileResolver
from .genome import to_editable_data

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]


def read_recipe(given: RecipeLike, knobs: Mapping[str, Any] | None) -> Recipe:
    """Return the recipe of a search, with the values of its knobs."""
    if isinstance(given, Recipe) and not knobs:
        return given
    resolver: Resolver = FileResolver()
    if isinstance(given, Recipe):
        data: Mapping[str, Any] = to_editable_data(given)
    elif isinstance(given, Mapping):
        data = as_recipe_data(given)
    elif isinstance(given, str) and given in techniques:
        data = {"technique": given}
    elif not isinstance(given, str | PathLike):
        raise InvalidRecipe("a recipe is a set of named values", got=given, rule="type")
    else:
        found, beside = resolver.read_recipe(fspath(given))
        data, resolver = as_recipe_data(found), beside
    return Recipe.of(apply_knobs(data, knobs or {}), resolver)
