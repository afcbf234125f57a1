"""`tilewright export RECIPE --engine ENGINE -o FOLDER`: a project of several levels for an engine."""

from __future__ import annotations

import os

from ..core.errors import pluralize
from ..core.params import param
from ..core.recipe import Recipe
from ..engines import Engine, ExportedProject
from ..engines._export import ExportParams, write_project
from ..kernels import start_quickly
from ._console import info
from ._options import read_settings
from ._progress import show_progress
from ._recipe_command import recipe_command


class ExportOptions(ExportParams):
    """Options of `export`."""

    options: tuple[str, ...] = param((), flags=("--option",), metavar="NAME=VALUE", repeated=True)
    """Option of the engine, listed by `tilewright explain ENGINE --kind engines`."""


@recipe_command("export", ExportOptions)
def command(recipe: Recipe, params: ExportOptions) -> None:
    """Export a project of several levels with one tileset to a folder.

    RECIPE is a technique, a YAML or JSON file, a map's file, or a name from `tilewright list recipes`. Exporting again
    replaces only what was exported before, and refuses to overwrite a file that was edited since.

    \b
    tilewright export open-caves --engine godot -o game --count 10 --seed 7
    tilewright export bsp --engine tiled -o levels --count 6 --set params.width=40 --shape doors
    tilewright export level.yaml --engine ldtk -o world --count 4 --option tile_size=32
    """
    engine = params.find_engine()
    settings = read_settings(params.options, engine.params, "option")
    start_quickly()
    with show_progress() as report:
        done = write_project(recipe, params, settings, report)
    info(_describe(done, engine))


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
