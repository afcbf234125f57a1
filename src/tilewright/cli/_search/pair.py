"""`tilewright search pair FOLDER CELL CELL`: a map that changes from one style into another."""

from __future__ import annotations

from typing import Any

import click

from ...core.pipeline import run
from ...core.registry import techniques
from ...kernels import start_quickly
from .._drawing import describe
from .._options import read_settings
from .._take import OPTIONS, take_maps
from . import open_archive, read_cell


@click.command("pair", params=[*OPTIONS])
@click.argument("folder")
@click.argument("first", metavar="CELL")
@click.argument("second", metavar="CELL")
@click.option("--seed", metavar="SEED", help="Seed of the map. [that of the first elite]")
@click.option(
    "changes",
    "--set",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a parameter of the map, such as width=120 or blend=radial. May be repeated.",
)
def command(
    folder: str,
    first: str,
    second: str,
    seed: str | None,
    changes: tuple[str, ...],
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Make a map of a fashion-based automaton that changes from the style of one elite into that of another.

    \b
    tilewright search pair archive 12,3 4,7
    tilewright search pair archive 12,3 4,7 --set width=160 --set blend=radial -o morph.png
    """
    start_quickly()
    archive = open_archive(folder)
    from ...search import pair_styles
    from ...search.pair import TECHNIQUE

    settings = [setting.removeprefix("params.") for setting in changes]
    wanted = read_settings(settings, techniques.get(TECHNIQUE).params, "set")
    if seed is not None:
        wanted["seed"] = seed
    recipe = pair_styles(read_cell(first, archive), read_cell(second, archive), **wanted)
    take_maps(
        [{"seed": str(recipe.seed), "technique": recipe.technique}],
        lambda index: run(recipe),
        lambda index, map: f"{describe(map)}; from cell {first} to cell {second}",
        outputs,
        names=("seed", "technique"),
        **options,
    )
