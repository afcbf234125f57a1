"""`tilewright corpus split FOLDER`: training, validation and test sets."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ...formats._files import refuse_unwritable, write_files
from .._console import info, print_table
from . import open_corpus

SETS = ("train", "validation", "test")


@click.command("split")
@click.argument("folder")
@click.option("--train", type=float, metavar="FRACTION", help="Fraction of the maps for training. [0.8]")
@click.option("--validation", type=float, metavar="FRACTION", help="Fraction of the maps for validation. [none]")
@click.option("--test", type=float, metavar="FRACTION", help="Fraction of the maps for testing. [0.2]")
@click.option("output", "-o", "--output", metavar="FILE", help="Write the ids of each set to a .json file.")
def command(folder: str, output: str | None, **given: float | None) -> None:
    """Split a corpus into training, validation and test sets.

    The set of a map depends only on its cells, so equal maps are always in the same set. Failed maps are in none.

    \b
    tilewright corpus split caves
    tilewright corpus split caves --train 0.7 --validation 0.1 --test 0.2 -o splits.json
    """
    if output is not None:
        refuse_unwritable(output)
    fractions = {name: fraction for name in SETS if (fraction := given[name]) is not None}
    corpus = open_corpus(folder)
    from ...corpus import select

    found = select.split(corpus, fractions or None)
    if output is not None:
        write_files(output, {Path(output).name: (json.dumps(found) + "\n").encode()})
    total = max(1, sum(map(len, found.values())))
    rows = ((name, f"{len(ids):,}", f"{len(ids) / total:.3f}") for name, ids in found.items())
    print_table(rows, "set", "maps", "fraction", numbers=[1, 2])
    if output is not None:
        info(f"wrote {output}")
