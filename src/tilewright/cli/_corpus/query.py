"""`tilewright corpus query FOLDER CONDITION`: maps that match a condition."""

from __future__ import annotations

import click

from ...core.errors import pluralize
from .._console import info, print_json
from . import AS_JSON, open_corpus, print_rows, split_names

HIDDEN_BY_DEFAULT = ("digest", "levels", "height", "width", "cells", "reason")
"""Columns shown only on request."""


@click.command("query", params=[AS_JSON])
@click.argument("folder")
@click.argument("condition")
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, metavar="N", help="Maximum number of maps to show. [20]"
)
@click.option("--order", metavar="COLUMN", help="Column to sort by; -COLUMN for descending order. [id]")
@click.option("--columns", metavar="NAME,...", help="Columns to show. [id, seed, swept parameters, measures]")
def command(folder: str, condition: str, limit: int, order: str | None, columns: str | None, as_json: bool) -> None:
    """Find maps by a condition on their columns, in SQL.

    Columns are the measures, the swept parameters, and id, seed, digest, levels, height, width and reason (why the
    generation of a map failed).

    \b
    tilewright corpus query caves "path_length > 80 and regions = 1" --limit 20
    tilewright corpus query caves "floor_share between 0.4 and 0.5" --order -path_length
    tilewright corpus query caves "reason is not null" --columns id,reason
    """
    corpus = open_corpus(folder)
    from ...corpus import query

    shown = split_names(columns) or [name for name in corpus.columns if name not in HIDDEN_BY_DEFAULT]
    found = query.find_maps(corpus, condition, columns=shown, order=order, limit=limit)
    rows = found.table.to_pylist()
    if as_json:
        print_json(rows)
        return
    if rows:
        print_rows(found.table.column_names, rows)
    more = f", showing the first {len(rows)}" if found.matches > len(rows) else ""
    info(f"{pluralize(found.matches, 'map')} of {len(corpus):,}{more}")
