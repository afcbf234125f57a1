"""`tilewright show FILE`: a file's maps in the terminal."""

from __future__ import annotations

import click

from ._drawing import describe, draw
from ._inputs import OPTIONS, read_maps


@click.command("show", params=list(OPTIONS))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--plain", is_flag=True, help="Draw without colours, every cell as its glyph.")
def command(files: tuple[str, ...], plain: bool, source: str | None, tileset: str | None, index: int | None) -> None:
    """Draw a file's maps in the terminal.

    Coloured glyphs where the map fits; a wider one is drawn as a small picture.
    """
    for number, given in enumerate(read_maps(files, source=source, tileset=tileset, index=index)):
        if number:
            click.echo()
        draw(given.map, f"{given.name}: {describe(given.map)}", plain=plain)
