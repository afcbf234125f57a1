"""`tilewright run RECIPE`: maps from a recipe's file, or from one that ships with Tilewright."""

from __future__ import annotations

from typing import Any

import click

from ..core import pipeline
from ..core.errors import InvalidRecipe, TilewrightError
from ..core.recipe import Recipe, recipe_data
from ..core.registry import techniques
from ..formats._reading import FileReading
from . import _making, _recipe
from ._making import produce

SETTINGS = click.Option(
    ["settings_inside", "--set"],
    multiple=True,
    metavar="PATH=VALUE",
    help="Change the recipe, such as params.walls=0.5 or shaping.0.connect.thickness=2.",
)


class RunCommand(click.Command):
    """Knows what is meant by an option that a technique has."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if not any(name in entry.params.model_fields for entry in techniques):
                raise
            option = error.option_name
            raise InvalidRecipe(f"{option}: run changes a recipe with --set, such as --set params.{name}=40") from None


@click.command("run", cls=RunCommand, params=[SETTINGS, *_recipe.OPTIONS, *_making.OPTIONS])
@click.argument("recipe", metavar="RECIPE")
def command(
    recipe: str,
    settings_inside: tuple[str, ...],
    tileset: str | None,
    tiles: str | None,
    locks: str | None,
    keep: tuple[str, ...],
    shaping: tuple[str, ...],
    require: tuple[str, ...],
    tries: int | None,
    **values: Any,
) -> None:
    """Make maps from a recipe, and draw or write them.

    RECIPE is a YAML or JSON file, or a name from `tilewright list recipes`. A rule book of technique rules, such as a
    ProcEngine object, is a recipe as it is. Files that it names are looked for
    beside it, those that you name, where you are. What you --shape comes after the recipe's own shaping.

    \b
    tilewright run open-caves
    tilewright run open-caves --set params.walls=0.5 --shape border
    tilewright run level.yaml --seed 8 -o level.png -o level.gif
    """
    words = _recipe.read_words(
        tileset=tileset, tiles=tiles, locks=locks, keep=keep, shaping=shaping, require=require, tries=tries
    )
    found, beside = FileReading().recipe(recipe)
    data = recipe_data(found)
    try:
        for setting in settings_inside:
            data = _recipe.with_setting(data, setting)
    except TilewrightError as error:
        raise InvalidRecipe(f"set: {error}") from None
    checked = Recipe.of(_recipe.with_words(data, words), beside)
    pipeline.planned(checked)
    produce(checked, **values)
