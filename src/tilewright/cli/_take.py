"""Maps of a corpus or an archive, drawn in the terminal or written to files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from ..core.tilemap import TileMap
from . import _drawing, _outputs
from ._console import info
from ._drawing import DrawMode, draw, read_overlay
from ._progress import show_progress

OPTIONS = (*_outputs.OPTIONS, *_drawing.OPTIONS)


def take_maps(
    fields: Sequence[Mapping[str, str | int]],
    make: Callable[[int], TileMap],
    describe: Callable[[int, TileMap], str],
    outputs: Sequence[str],
    *,
    names: Sequence[str],
    remedies: Sequence[str] = (),
    look: DrawMode | None = None,
    **options: Any,
) -> None:
    """Draw maps, or write them to files.

    Parameters
    ----------
    fields : sequence of mapping
        Values of the placeholders in file names, for each map.
    make : callable
        Function that returns a map by its index.
    describe : callable
        Function (index, map) that returns the caption of a drawn map.
    outputs : sequence of str
        File names with placeholders. Without any, the maps are drawn.
    names : sequence of str
        Names of the placeholders.
    remedies : sequence of str
        Placeholders that an error about equal file names suggests.
    look : str, optional
        How to draw the maps.
    **options
        Further values of the options of outputs.
    """
    overlay = None if outputs else read_overlay(options.pop("overlay", None))
    targets = _outputs.read_outputs(outputs, fields=names, **options)
    _outputs.refuse_collisions(targets, fields, *remedies)
    if not targets:
        for index in range(len(fields)):
            if index:
                click.echo()
            map = make(index)
            draw(map, describe(index, map), look=look, overlay=overlay)
        return

    def iter_maps() -> Iterator[tuple[Mapping[str, str | int], TileMap]]:
        for index, filled in enumerate(fields):
            report(index / len(fields), f"{index + 1} of {len(fields)}")
            yield filled, make(index)

    with show_progress() as report:
        written = _outputs.write_maps(targets, iter_maps(), len(fields))
    if written:
        info(written)
