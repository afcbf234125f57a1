"""`tilewright export RECIPE --engine ENGINE -o FOLDER`: a project of several levels for an engine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from ..core.errors import InvalidRecipe, pluralize
from ..core.notation import read_setting
from ..core.recipe import Recipe, as_recipe_data
from ..core.registry import techniques
from ..core.resolver import Resolver
from ..engines import Engine, ExportedProject, engine_registry
from ..engines._export import export_project
from ..engines._folder import EDITED_POLICIES
from ..formats._files import read_text
from ..formats._resolver import FileResolver
from ..kernels import start_quickly
from . import _recipe
from ._console import info
from ._progress import show_progress
from ._recipe_command import KNOBS, RecipeCommand, with_knobs


@click.command("export", cls=RecipeCommand, params=[KNOBS, _recipe.SETTINGS, *_recipe.OPTIONS])
@click.argument("recipe", metavar="RECIPE")
@click.option("--engine", metavar="NAME", help="Engine, one of `tilewright list engines`. Required.")
@click.option("output", "-o", "--output", metavar="FOLDER", required=True, help="Folder of the project. Required.")
@click.option("--seed", metavar="SEED", help="Number or string; equal seeds give equal levels. [random]")
@click.option(
    "--count", type=click.IntRange(min=1), metavar="N", help="Number of levels; level k has the seed SEED-(k-1)."
)
@click.option(
    "options",
    "--option",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the engine, listed by `tilewright explain ENGINE --kind engines`.",
)
@click.option(
    "--edited",
    metavar="|".join(EDITED_POLICIES),
    default="refuse",
    help="What happens to files that were edited since the last export. [default refuse]",
)
def command(
    recipe: str,
    settings_inside: tuple[str, ...],
    engine: str | None,
    output: str,
    seed: str | None,
    count: int | None,
    options: tuple[str, ...],
    edited: str,
    **values: Any,
) -> None:
    """Export a project of several levels with one tileset to a folder.

    RECIPE is a technique, a YAML or JSON file, a map's file, or a name from `tilewright list recipes`. Exporting again
    replaces only what was exported before, and refuses to overwrite a file that was edited since.

    \b
    tilewright export open-caves --engine godot -o game --count 10 --seed 7
    tilewright export bsp --engine tiled -o levels --count 6 --set params.width=40 --shape doors
    tilewright export level.yaml --engine ldtk -o world --count 4 --option tile_size=32
    """
    if engine is None:
        names = ", ".join(engine_registry.names())
        raise InvalidRecipe(f"is missing; choose one of {names}", at="engine", rule="missing")
    chosen = engine_registry.get(engine)
    settings = _read_options(options, chosen)
    fields = _recipe.read_recipe_fields(values)
    found, beside = _read_recipe(recipe)
    data = _recipe.with_settings(with_knobs(as_recipe_data(found), values), settings_inside)
    checked = Recipe.of(_recipe.with_recipe_fields(data, fields), beside)
    start_quickly()
    with show_progress() as report:
        done = export_project(
            checked, chosen, output, seed=seed, count=count, edited=edited, options=settings, report=report
        )
    info(_describe(done, chosen))


def _read_recipe(name: str) -> tuple[Mapping[str, Any], Resolver]:
    """Return the data of a recipe or technique, and a resolver for the files that it names."""
    resolver = FileResolver()
    return ({"technique": name}, resolver) if name in techniques else resolver.read_recipe(name)


def _read_options(options: tuple[str, ...], engine: Engine) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    try:
        for option in options:
            read_setting(settings, option, engine.params, read_text)
    except InvalidRecipe as error:
        raise error.within("option") from None
    return settings


def _describe(done: ExportedProject, engine: Engine) -> str:
    """Return one line about an export: levels, seeds, and what happened to the files."""
    seeds = [*done.seeds.values()]
    shown = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    parts = [f"{pluralize(len(seeds), 'level')} for {engine.program}, {shown}"]
    parts.append(f"wrote {pluralize(len(done.written), 'file')} to {os.fspath(done.folder)}")
    if done.unchanged:
        parts.append(f"{len(done.unchanged):,} unchanged")
    if done.removed:
        parts.append(f"removed {', '.join(done.removed)}")
    if done.kept:
        parts.append(f"kept edited {', '.join(done.kept)}")
    return ", ".join(parts)
