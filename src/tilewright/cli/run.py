"""`tilewright run RECIPE`: maps from a recipe's file, or from one that ships with Tilewright."""

from __future__ import annotations

from typing import Any

import click

from ..core import pipeline
from ..core.recipe import Recipe
from ..formats._reading import FileReading
from ._making import OPTIONS, produce


@click.command("run", params=list(OPTIONS))
@click.argument("recipe", metavar="RECIPE")
def command(recipe: str, **values: Any) -> None:
    """Make maps from a recipe, and draw or write them.

    RECIPE is a YAML or JSON file, or a name from `tilewright list recipes`. Files that it names are looked for
    beside it.

    \b
    tilewright run open-caves
    tilewright run level.yaml --seed 8 -o level.png -o level.gif
    """
    checked = Recipe.of(recipe, FileReading())
    pipeline.planned(checked)
    produce(checked, **values)
