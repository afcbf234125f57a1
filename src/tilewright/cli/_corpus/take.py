"""`tilewright corpus take FOLDER ID...`: single maps of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ...kernels import start_quickly
from .. import _drawing, _outputs
from .._console import info
from .._drawing import DrawMode, describe, draw, read_overlay
from .._progress import show_progress
from . import open_corpus

FIELDS = ("id", "seed", "technique", "index")


@click.command("take", params=[*_outputs.OPTIONS, *_drawing.OPTIONS])
@click.argument("folder")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=int)
def command(folder: str, ids: tuple[int, ...], look: DrawMode | None, outputs: tuple[str, ...], **options: Any) -> None:
    """Draw maps of a corpus, or write them to files.

    The maps are regenerated with rooms and markers, and compared with the stored cells.

    \b
    tilewright corpus take caves 12
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus take caves 12 88 97 -o "cave_{id}.png" --scale 8
    """
    start_quickly()
    over = None if outputs else read_overlay(options.pop("overlay", None))
    take(open_corpus(folder), list(ids), outputs, look=look, over=over, **options)


def take(
    corpus: Any, ids: Sequence[int], outputs: Sequence[str], *, look: Any = None, over: Any = None, **options: Any
) -> None:
    """Regenerate maps, compare them with the stored cells, and draw or write them."""
    targets = _outputs.read_outputs(outputs, fields=FIELDS, still=True, **options)
    for number in ids:
        corpus.row(number)  # This raises an error for an unknown id before any map is made.
    fields = [_template_fields(corpus, number, index) for index, number in enumerate(ids)]
    _outputs.refuse_collisions(targets, fields, "id", "seed")
    if not targets:
        for index, number in enumerate(ids):
            if index:
                click.echo()
            map = corpus.map(number)
            draw(map, f"map {number}: {describe(map)}", look=look, overlay=over)
        return
    with show_progress() as report:
        for index, (number, filled) in enumerate(zip(ids, fields, strict=True)):
            report(index / len(ids), f"map {number}")
            map = corpus.map(number)
            files = [target.prepare_map(map, target.format_path(**filled), alone=len(ids) == 1) for target in targets]
            for file in files:
                file.write(first=index == 0)
    if written := _outputs.describe_written(targets, fields[-1], len(ids)):
        info(written)


def _template_fields(corpus: Any, number: int, index: int) -> dict[str, str | int]:
    manifest = corpus.manifest
    return {
        "id": number,
        "seed": manifest.seed_of(number),
        "technique": manifest.recipe["technique"],
        "index": index,
    }
