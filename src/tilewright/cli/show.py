"""`tilewright show FILE`: maps drawn in the terminal."""

from __future__ import annotations

import click

from . import _drawing, _outputs
from ._drawing import DrawMode, describe, draw, read_overlay
from ._inputs import InputOptions, read_maps
from ._options import params_command

OVERLAY = next(option for option in _outputs.OPTIONS if option.name == "overlay")


@params_command("show", InputOptions, OVERLAY, *_drawing.OPTIONS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def command(files: tuple[str, ...], params: InputOptions, look: DrawMode | None, overlay: str | None) -> None:
    """Draw the maps of files in the terminal.

    A map is drawn as colored glyphs, and its markers as letters with a legend. A map that does not fit is drawn as a
    small picture, unless --glyphs is given.

    \b
    tilewright show level.json --overlay distance
    tilewright show level.json --overlay hot-path,origin=3,4,goal=exit,slack=8
    """
    wanted = read_overlay(overlay)
    for number, given in enumerate(read_maps(files, params)):
        if number:
            click.echo()
        draw(given.map, f"{given.name}: {describe(given.map)}", look=look, overlay=wanted)
