"""The recipe that the user has opened: its name, and the values that its knobs had then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from ..core.errors import TilewrightError
from ..core.knobs import RecipeKnob, Scalar
from ..core.params import param
from ..core.recipe_knobs import MAX_KNOBS, read_fitting_knobs
from ..core.registry import techniques
from ..data import list_names
from .link_params import LinkParams
from .resolver import StudioResolver

MAX_NAME = 80
"""Maximum number of characters of a name."""


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


def find_knobs(recipe: Mapping[str, Any]) -> tuple[RecipeKnob, ...]:
    """Return the knobs of a recipe that fit its parameters, each with its present value."""
    if not recipe.get("knobs") or recipe.get("technique") not in techniques.names():
        return ()
    try:
        model = techniques.get(str(recipe["technique"])).params
        params = model.validate(recipe.get("params"), resolver=StudioResolver())
    except (TilewrightError, TypeError, ValueError):
        params = None  # Making the map reports the error.
    return read_fitting_knobs(recipe.get("knobs"), recipe, params)


def keep_fitting_knobs(recipe: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a recipe without the knobs that no longer fit its parameters, so that its file can be read."""
    if not isinstance(given := recipe.get("knobs"), Mapping):
        return recipe
    names = {knob.name for knob in find_knobs(recipe)}
    kept = {name: declared for name, declared in given.items() if name in names}
    return {key: kept if key == "knobs" else value for key, value in recipe.items() if key != "knobs" or kept}
