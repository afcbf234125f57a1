"""`tilewright search pair FOLDER CELL CELL`: a map that changes from one style into another."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import InvalidRecipe, TilewrightError
from ...core.notation import read_setting
from ...core.pipeline import run
from ...core.registry import techniques
from ...formats._files import read_text
from ...kernels import start_quickly
from .. import _drawing, _outputs
from .._console import info
from .._drawing import DrawMode, describe, draw, read_overlay
from . import open_archive, read_cell

FIELDS = ("seed", "technique")


@click.command("pair", params=[*_outputs.OPTIONS, *_drawing.OPTIONS])
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
    look: DrawMode | None,
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Make a map of a fashion-based automaton that changes from the style of one elite into that of another.

    \b
    tilewright search pair archive 12,3 4,7
    tilewright search pair archive 12,3 4,7 --set width=160 --set blend=radial -o morph.png
    """
    start_quickly()
    over = None if outputs else read_overlay(options.pop("overlay", None))
    targets = _outputs.read_outputs(outputs, fields=FIELDS, still=True, **options)
    archive = open_archive(folder)
    from ...search import pair_styles
    from ...search.pair import TECHNIQUE

    wanted: dict[str, Any] = {}
    try:
        for setting in changes:
            read_setting(wanted, setting.removeprefix("params."), techniques.get(TECHNIQUE).params, read_text)
    except TilewrightError as error:
        raise InvalidRecipe.from_error(error, "set") from None
    if seed is not None:
        wanted["seed"] = seed
    recipe = pair_styles(read_cell(first, archive), read_cell(second, archive), **wanted)
    fields = {"seed": str(recipe.seed), "technique": recipe.technique}
    _outputs.refuse_collisions(targets, [fields])
    map = run(recipe)
    if not targets:
        draw(map, f"{describe(map)}; from cell {first} to cell {second}", look=look, overlay=over)
        return
    files = [target.prepare_map(map, target.format_path(**fields)) for target in targets]
    _outputs.refuse_clashes(files)
    for file in files:
        file.write()
    if written := _outputs.describe_written(targets, fields, 1):
        info(written)
