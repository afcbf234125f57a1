"""The recipe that the user has opened: its name, and the values that its knobs had then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import TilewrightError
from ..core.knobs import RecipeKnob, Scalar
from ..core.recipe_knobs import MAX_KNOBS, read_fitting_knobs
from ..core.registry import techniques
from ..data import list_names
from .resolver import StudioResolver

MAX_NAME = 80
"""Maximum number of characters of a name."""


@dataclass(frozen=True)
class OpenedRecipe:
    """Name of a recipe and the default values of its knobs, part of the state and of links."""

    name: str = ""
    """Name of the built-in recipe or of the file; empty if a technique was chosen."""
    defaults: Mapping[str, Scalar] = field(default_factory=dict)
    """Values of the knobs when the recipe was opened."""

    @classmethod
    def of(cls, name: str, recipe: Mapping[str, Any]) -> OpenedRecipe:
        """Return the name of a recipe that is being opened, with the values of its knobs."""
        values = {knob.name: knob.value for knob in find_knobs(recipe) if knob.value is not None}
        return cls(name[:MAX_NAME], values)

    @property
    def is_built_in(self) -> bool:
        return self.name in list_names("recipes")

    def to_data(self) -> dict[str, Any]:
        """Return plain data for links; empty if no recipe was opened."""
        data: dict[str, Any] = {"name": self.name} if self.name else {}
        return {**data, "knobs": dict(self.defaults)} if self.defaults else data

    @classmethod
    def from_data(cls, data: Any) -> OpenedRecipe:
        """Read the data of a link. Invalid parts are left out."""
        given = data if isinstance(data, Mapping) else {}
        name, knobs = given.get("name"), given.get("knobs")
        defaults = [*knobs.items()][:MAX_KNOBS] if isinstance(knobs, Mapping) else []
        known = {str(key)[:MAX_NAME]: value for key, value in defaults if isinstance(value, Scalar)}
        return cls(name[:MAX_NAME] if isinstance(name, str) else "", known)


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
