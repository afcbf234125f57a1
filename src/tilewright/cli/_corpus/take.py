"""`tilewright corpus take FOLDER ID...`: maps out of a corpus."""

from __future__ import annotations

from typing import Any

import click

from ...kernels import start_quickly
from .. import _drawing, _outputs
from .._drawing import Look, read_overlay
from . import opened
from ._taking import take


@click.command("take", params=[*_outputs.OPTIONS, *_drawing.OPTIONS])
@click.argument("folder")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=int)
def command(folder: str, ids: tuple[int, ...], look: Look | None, outputs: tuple[str, ...], **options: Any) -> None:
    """Take maps out of a corpus, as files or to look at.

    They are made again, with rooms and markers, and compared with what is stored.

    \b
    tilewright corpus take caves 12
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus take caves 12 88 97 -o "cave_{id}.png" --scale 8
    """
    start_quickly()
    over = None if outputs else read_overlay(options.pop("overlay", None))
    take(opened(folder), list(ids), outputs, look=look, over=over, **options)
