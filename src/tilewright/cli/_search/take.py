"""`tilewright search take FOLDER CELL...`: single maps of an archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InvalidRecipe
from ...core.notation import read_number
from ...kernels import start_quickly
from .._drawing import describe
from .._take import OPTIONS, take_maps
from . import describe_elite, format_cell, open_archive, read_cell

if TYPE_CHECKING:
    from ...search import Archive, Elite


@click.command("take", params=[*OPTIONS])
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
    archive = open_archive(folder)
    elites = [read_cell(text, archive) for text in cells]
    elites += [_find_at(text, archive) for text in places]
    elites += [archive.best] if best else []
    if not elites:
        raise InvalidRecipe("is missing: name a cell such as 12,3, or use --at or --best", at="cell", rule="missing")
    take(elites, outputs, **options)


def take(elites: Sequence[Elite], outputs: Sequence[str], **options: Any) -> None:
    """Generate the maps of elites, and draw or write them."""
    fields: list[dict[str, str | int]] = [
        {
            "cell": format_cell(elite.cell, "-"),
            "seed": str(elite.recipe.seed),
            "technique": elite.recipe.technique,
            "index": index,
        }
        for index, elite in enumerate(elites)
    ]
    take_maps(
        fields,
        lambda index: elites[index].map,
        lambda index, map: f"{describe(map)}; {describe_elite(elites[index])}",
        outputs,
        names=("cell", "seed", "technique", "index"),
        remedies=("cell", "index"),
        **options,
    )


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
