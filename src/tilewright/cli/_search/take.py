"""`tilewright search take FOLDER CELL...`: single maps of an archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidRecipe
from ...core.notation import read_number
from ...kernels import start_quickly
from .. import _drawing, _outputs
from .._console import info
from .._drawing import DrawMode, describe, draw, read_overlay
from .._progress import show_progress
from . import describe_elite, format_cell, open_archive, read_cell

if TYPE_CHECKING:
    from ...search import Archive, Elite

FIELDS = ("cell", "seed", "technique", "index")


@click.command("take", params=[*_outputs.OPTIONS, *_drawing.OPTIONS])
@click.argument("folder")
@click.argument("cells", metavar="[CELL...]", nargs=-1)
@click.option(
    "places",
    "--at",
    multiple=True,
    metavar="MEASURE=VALUE,...",
    help="The best elite whose cells contain these values, such as floor_share=0.4,regions=1. May be repeated.",
)
@click.option("--best", is_flag=True, help="The elite with the highest objective.")
def command(
    folder: str,
    cells: tuple[str, ...],
    places: tuple[str, ...],
    best: bool,
    look: DrawMode | None,
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Draw maps of an archive, or write them to files.

    A cell is given by its bin along each axis, counted from 0, as the heatmap shows them.

    \b
    tilewright search take archive 12,3
    tilewright search take archive 12,3 4,7 -o "map_{cell}.tmx"
    tilewright search take archive --at floor_share=0.4,regions=1 -o map.png
    tilewright search take archive --best
    """
    start_quickly()
    over = None if outputs else read_overlay(options.pop("overlay", None))
    archive = open_archive(folder)
    elites = [read_cell(text, archive) for text in cells]
    elites += [_find_at(text, archive) for text in places]
    elites += [archive.best] if best else []
    if not elites:
        raise InvalidRecipe("is missing: name a cell such as 12,3, or use --at or --best", at="cell", rule="missing")
    take(elites, outputs, look=look, over=over, **options)


def take(
    elites: Sequence[Elite], outputs: Sequence[str], *, look: Any = None, over: Any = None, **options: Any
) -> None:
    """Generate the maps of elites, and draw or write them."""
    targets = _outputs.read_outputs(outputs, fields=FIELDS, still=True, **options)
    fields = [_template_fields(elite, index) for index, elite in enumerate(elites)]
    _outputs.refuse_collisions(targets, fields, "cell", "index")
    if not targets:
        for index, elite in enumerate(elites):
            if index:
                click.echo()
            map = elite.map
            draw(map, f"{describe(map)}; {describe_elite(elite)}", look=look, overlay=over)
        return
    with show_progress() as report:
        for index, (elite, filled) in enumerate(zip(elites, fields, strict=True)):
            report(index / len(elites), f"cell {format_cell(elite.cell)}")
            map = elite.map
            files = [
                target.prepare_map(map, target.format_path(**filled), alone=len(elites) == 1) for target in targets
            ]
            for file in files:
                file.write(first=index == 0)
    if written := _outputs.describe_written(targets, fields[-1], len(elites)):
        info(written)


def _template_fields(elite: Elite, index: int) -> dict[str, str | int]:
    return {
        "cell": format_cell(elite.cell, "-"),
        "seed": str(elite.recipe.seed),
        "technique": elite.recipe.technique,
        "index": index,
    }


def _find_at(text: str, archive: Archive) -> Elite:
    """Return the best elite at values given as `floor_share=0.4,regions=1`."""
    values: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        value = read_number(number) if equals else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidRecipe("must be values such as floor_share=0.4,regions=1", at="at", got=text, rule="format")
        values[name] = float(value)
    found = archive.at(**values)
    if not found:
        raise InvalidRecipe(f"there is no elite at {text}", at="at", rule="missing")
    return found[0]
