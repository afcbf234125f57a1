"""`tilewright run RECIPE`: maps from a recipe, built-in or in a file."""

from __future__ import annotations

from typing import Any

import click

from ..core.recipe import Recipe, as_recipe_data
from ..formats._resolver import FileResolver
from . import _produce, _recipe
from ._produce import produce


@click.command("run", cls=_recipe.RecipeCommand, params=[_recipe.SETTINGS, *_recipe.OPTIONS, *_produce.OPTIONS])
@click.argument("recipe", metavar="RECIPE")
def command(recipe: str, settings_inside: tuple[str, ...], **values: Any) -> None:
    """Generate maps from a recipe and draw or save them.

    RECIPE is a YAML or JSON file, or a name from `tilewright list recipes`. A rulebook of technique rules, such as a
    ProcEngine object, is a valid recipe. Files that the recipe names are relative to the recipe; files named on the
    command line are relative to the working directory. Each --shape runs after the shaping of the recipe.

    \b
    tilewright run open-caves
    tilewright run open-caves --set params.walls=0.5 --shape border
    tilewright run level.yaml --seed 8 -o level.png -o level.gif
    """
    fields = _recipe.read_recipe_fields(values)
    found, beside = FileResolver().read_recipe(recipe)
    data = _recipe.with_settings(as_recipe_data(found), settings_inside)
    checked = Recipe.of(_recipe.with_recipe_fields(data, fields), beside)
    produce(checked, **values)
