"""`tilewright corpus range FOLDER --x MEASURE --y MEASURE`: the expressive range."""

from __future__ import annotations

import click

from .._console import output_width
from . import PICTURE, check_picture_path, open_corpus, write_picture


@click.command("range", params=[PICTURE])
@click.argument("folder")
@click.option("--x", metavar="COLUMN", required=True, help="Measure or swept parameter on the horizontal axis.")
@click.option("--y", metavar="COLUMN", required=True, help="Measure or swept parameter on the vertical axis.")
def command(folder: str, x: str, y: str, picture: str | None) -> None:
    """Draw the expressive range of a generator: the joint distribution of two measures of its maps.

    \b
    tilewright corpus range caves --x floor_share --y path_length
    tilewright corpus range caves --x floor_share --y path_length -o range.png
    """
    check_picture_path(picture)
    corpus = open_corpus(folder)
    from ...corpus import report

    if picture is not None:
        write_picture(report.draw_range(corpus, x, y), picture)
        return
    click.echo("\n".join(report.format_range(corpus, x, y, output_width())))
