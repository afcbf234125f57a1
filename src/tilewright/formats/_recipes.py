"""Recipes in any form that users give: data, a file, or the name of a recipe or technique."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

from .. import data as built_in
from ..core.errors import InvalidRecipe, UnknownName
from ..core.params import Params
from ..core.recipe import Recipe, as_recipe_data
from ..core.recipe_knobs import apply_knobs
from ..core.registry import techniques
from ..core.resolver import Resolver
from ..core.search_words import suggest_entries
from ._resolver import FileResolver

RecipeLike = Recipe | Mapping[str, Any] | str | PathLike[str]


def read_recipe(given: RecipeLike, knobs: Mapping[str, Any] | None) -> Recipe:
    """Return a recipe with the values of its knobs."""
    if isinstance(given, Recipe) and not knobs:
        return given
    data, resolver = open_recipe(to_editable_data(given) if isinstance(given, Recipe) else given)
    return Recipe.of(apply_knobs(as_recipe_data(data), knobs or {}), resolver)


def open_recipe(
    given: Mapping[str, Any] | str | PathLike[str], resolver: Resolver | None = None
) -> tuple[Mapping[str, Any], Resolver]:
    """Return the data of a recipe or technique, and a resolver for the files that the data names.

    Parameters
    ----------
    given
        Data, a file, or the name of a technique or of a built-in recipe.
    resolver
        Object that opens the file; by default, relative to the working directory.
    """
    resolver = resolver or FileResolver()
    if isinstance(given, Mapping):
        return given, resolver
    if not isinstance(given, str | PathLike):
        raise InvalidRecipe("a recipe is a set of named values, a name or a file", got=given, rule="type")
    name = fspath(given)
    if name in techniques:
        return {"technique": name}, resolver
    try:
        return resolver.read_recipe(name)
    except UnknownName as error:
        if error.kind != "recipe":
            raise
        names = [*techniques.names(), *built_in.list_names("recipes")]
        hint = "and there is no such file"
        raise UnknownName("technique or recipe", name, names, hint, advice=suggest_entries(name)) from None


def to_editable_data(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe's data with validated objects as values, so that samples are not read again for each map.

    Inner recipes and requirements are plain, because paths may lead into them.
    """

    def list_values(params: Params) -> dict[str, Any]:
        found = {name: getattr(params, name) for name in sorted(params.model_fields_set)}
        return {name: value.to_data() if isinstance(value, Recipe) else value for name, value in found.items()}

    data: dict[str, Any] = {
        "technique": recipe.technique,
        "params": list_values(recipe.params),
        "shaping": [{stage.shaper: list_values(stage.params)} for stage in recipe.shaping],
        "tileset": recipe.tileset,
        "tiles": recipe.tiles,
        "locks": recipe.locks,
        "require": {one.measure: one.to_data() for one in recipe.require},
        "seed": recipe.seed,
        "knobs": recipe.knobs,
    }
    return data | ({"tries": recipe.tries} if recipe.require else {})
