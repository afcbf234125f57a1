"""`tilewright corpus split FOLDER`: maps for training, and others for testing."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ...formats._files import refuse_unwritable, write_files
from .._console import info, print_table
from . import open_corpus

SIDES = ("train", "validation", "test")


@click.command("split")
@click.argument("folder")
@click.option("--train", type=float, metavar="SHARE", help="[0.8]")
@click.option("--validation", type=float, metavar="SHARE", help="[none]")
@click.option("--test", type=float, metavar="SHARE", help="[0.2]")
@click.option("output", "-o", "--output", metavar="FILE", help="Write the ids of each side into a .json file.")
def command(folder: str, output: str | None, **given: float | None) -> None:
    """Divide a corpus into parts for training and testing.

    Where a map goes follows from its cells alone: equal maps are always on one side. Maps that could not be made are on
    none.

    \b
    tilewright corpus split caves
    tilewright corpus split caves --train 0.7 --validation 0.1 --test 0.2 -o splits.json
    """
    if output is not None:
        refuse_unwritable(output)
    shares = {name: share for name in SIDES if (share := given[name]) is not None}
    corpus = open_corpus(folder)
    from ...corpus import select

    found = select.split(corpus, shares or None)
    if output is not None:
        write_files(output, {Path(output).name: (json.dumps(found) + "\n").encode()})
    whole = max(1, sum(map(len, found.values())))
    rows = ((name, f"{len(ids):,}", f"{len(ids) / whole:.3f}") for name, ids in found.items())
    print_table(rows, "side", "maps", "share", numbers=[1, 2])
    if output is not None:
        info(f"wrote {output}")
