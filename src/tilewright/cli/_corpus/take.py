"""`tilewright corpus take FOLDER ID...`: single maps of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...kernels import start_quickly
from .._drawing import describe
from .._take import OPTIONS, take_maps
from . import open_corpus

if TYPE_CHECKING:
    from ...corpus.reader import Corpus


@click.command("take", params=[*OPTIONS])
@click.argument("folder")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=int)
def command(folder: str, ids: tuple[int, ...], outputs: tuple[str, ...], **options: Any) -> None:
    """Draw maps of a corpus, or write them to files.

    The maps are regenerated with rooms and markers, and compared with the stored cells.

    \b
    tilewright corpus take caves 12
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus take caves 12 88 97 -o "cave_{id}.png" --scale 8
    """
    start_quickly()
    take(open_corpus(folder), ids, outputs, **options)


def take(corpus: Corpus, ids: Sequence[int], outputs: Sequence[str], **options: Any) -> None:
    """Regenerate maps, compare them with the stored cells, and draw or write them."""
    for number in ids:
        corpus.row(number)  # This raises an error for an unknown id before any map is made.
    fields: list[dict[str, str | int]] = [
        {
            "id": number,
            "seed": corpus.manifest.seed_of(number),
            "technique": corpus.manifest.recipe["technique"],
            "index": index,
        }
        for index, number in enumerate(ids)
    ]
    take_maps(
        fields,
        lambda index: corpus.map(ids[index]),
        lambda index, map: f"map {ids[index]}: {describe(map)}",
        outputs,
        names=("id", "seed", "technique", "index"),
        remedies=("id", "seed"),
        **options,
    )
