"""`tilewright show FILE`: a file's maps in the terminal."""

from __future__ import annotations

import click

from . import _drawing, _inputs
from ._drawing import Look, describe, draw
from ._inputs import read_maps


@click.command("show", params=[*_inputs.OPTIONS, *_drawing.OPTIONS])
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(
    files: tuple[str, ...], look: Look | None, source: str | None, tileset: str | None, index: int | None
) -> None:
    """Draw a file's maps in the terminal.

    Coloured glyphs where the map fits; a larger one is drawn as a small picture, unless told.
    """
    for number, given in enumerate(read_maps(files, source=source, tileset=tileset, index=index)):
        if number:
            click.echo()
        draw(given.map, f"{given.name}: {describe(given.map)}", look=look)
