"""The recipe that the user has opened: its name, and the values that its knobs had then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator

from ...core.errors import TilewrightError
from ...core.knobs import RecipeKnob, Scalar
from ...core.params import Params, param
from ...core.recipe import as_recipe_data
from ...core.recipe_knobs import MAX_KNOBS, read_fitting_knobs
from ...core.registry import techniques
from ...data import list_names
from ..link_params import LinkParams
from ..own_files import StudioResolver

MAX_NAME = 80
"""Maximum number of characters of a name."""
MAX_CACHED_LENGTH = 1 << 14
"""Maximum number of characters of the knobs of a recipe that are cached."""


def _keep_scalars(knobs: Any) -> dict[str, Scalar]:
    given = [*knobs.items()][:MAX_KNOBS] if isinstance(knobs, Mapping) else []
    return {str(name)[:MAX_NAME]: value for name, value in given if isinstance(value, Scalar)}


class OpenedRecipe(LinkParams):
    """Name of a recipe and the default values of its knobs, part of the state and of links."""

    name: str = param("", max_length=MAX_NAME)
    """Name of the built-in recipe or of the file; empty if a technique was chosen."""
    knobs: Annotated[Mapping[str, Scalar], BeforeValidator(_keep_scalars)] = {}
    """Values of the knobs when the recipe was opened."""

    @classmethod
    def of(cls, name: str, recipe: Mapping[str, Any]) -> OpenedRecipe:
        """Return the name of a recipe that is being opened, with the values of its knobs."""
        knobs = {knob.name: knob.value for knob in find_knobs(recipe) if knob.value is not None}
        return cls(name=name[:MAX_NAME], knobs=knobs)

    @property
    def is_built_in(self) -> bool:
        return self.name in list_names("recipes")


def find_knobs(recipe: Mapping[str, Any], params: Params | None = None) -> tuple[RecipeKnob, ...]:
    """Return the knobs of a recipe that fit its parameters, each with its present value.

    `params` are the valid parameters of the technique, if they are known.
    """
    if not recipe.get("knobs") or recipe.get("technique") not in techniques.names():
        return ()
    return read_fitting_knobs(_declare(recipe["knobs"]), recipe, params or read_params(recipe))


def read_params(recipe: Mapping[str, Any]) -> Params | None:
    """Return the parameters of a recipe's technique; None if they are invalid, which making the map reports."""
    try:
        model = techniques.get(str(recipe.get("technique"))).params
        return model.validate(as_recipe_data(recipe).get("params"), resolver=StudioResolver().for_inner_recipe())
    except (TilewrightError, TypeError, ValueError):
        return None


def _declare(knobs: Any) -> Any:
    """Return the knobs of a recipe by name, of which those that are valid are read only once for all its states."""
    try:
        text = json.dumps(knobs)
        return _read_declarations(text) if len(text) <= MAX_CACHED_LENGTH else knobs
    except (TypeError, ValueError):
        return knobs


@lru_cache(maxsize=32)
def _read_declarations(text: str) -> Any:
    knobs = json.loads(text)
    for name, declared in knobs.items() if isinstance(knobs, dict) else ():
        with suppress(TilewrightError):
            knobs[name] = RecipeKnob.of(name, declared)
    return knobs


def keep_fitting_knobs(recipe: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recipe without the knobs that no longer fit its parameters, so that its file can be read."""
    if not isinstance(given := recipe.get("knobs"), Mapping):
        return recipe
    names = {knob.name for knob in find_knobs(recipe)}
    kept = {name: declared for name, declared in given.items() if name in names}
    return {key: kept if key == "knobs" else value for key, value in recipe.items() if key != "knobs" or kept}
