"""`tilewright corpus best FOLDER --by MEASURE`: maps with the highest values."""

from __future__ import annotations

from typing import Any

import click

from ...kernels import start_quickly
from .. import _outputs
from .._console import info, print_json
from . import AS_JSON, open_corpus, print_rows, split_names
from .take import take


@click.command("best", params=[AS_JSON, *_outputs.OPTIONS])
@click.argument("folder")
@click.option("--by", metavar="COLUMN", required=True, help="Measure or swept parameter.")
@click.option("--smallest", is_flag=True, help="Find the lowest values instead.")
@click.option("--diverse", metavar="COLUMN,...", help="Measures or swept parameters in which the maps should differ.")
@click.option("--count", type=click.IntRange(min=1), default=10, metavar="N", help="Number of maps. [10]")
def command(
    folder: str,
    by: str,
    smallest: bool,
    diverse: str | None,
    count: int,
    as_json: bool,
    outputs: tuple[str, ...],
    **options: Any,
) -> None:
    """Find the maps with the highest values of a measure, optionally diverse in others; equal maps count once.

    \b
    tilewright corpus best caves --by path_length
    tilewright corpus best caves --by path_length --diverse floor_share,regions --count 6 -o "best_{id}.png"
    """
    corpus = open_corpus(folder)
    from ...corpus import select

    others = split_names(diverse)
    ids = select.find_best(corpus, by, count, largest=not smallest, diverse=others)
    if outputs or any(options.values()):
        start_quickly()
        take(corpus, ids, outputs, **options)
        return
    columns = list(dict.fromkeys(["id", "seed", by, *others]))
    rows = corpus.rows(ids, columns).select(columns).to_pylist() if ids else []
    if as_json:
        print_json(rows)
    elif rows:
        print_rows(columns, rows)
    else:
        info(f"no map has a value of {by}")
