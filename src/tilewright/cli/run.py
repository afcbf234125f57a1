"""`tilewright run RECIPE`: maps from a recipe's file, or from one that ships with Tilewright."""

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
    """Make maps from a recipe, and draw or write them.

    RECIPE is a YAML or JSON file, or a name from `tilewright list recipes`. A rule book of technique rules, such as a
    ProcEngine object, is a recipe as it is. Files that it names are looked for
    beside it, those that you name, where you are. What you --shape comes after the recipe's own shaping.

    \b
    tilewright run open-caves
    tilewright run open-caves --set params.walls=0.5 --shape border
    tilewright run level.yaml --seed 8 -o level.png -o level.gif
    """
    words = _recipe.read_words(values)
    found, beside = FileResolver().read_recipe(recipe)
    data = _recipe.with_settings(as_recipe_data(found), settings_inside)
    checked = Recipe.of(_recipe.with_words(data, words), beside)
    produce(checked, **values)
