"""`tilewright corpus compare A B`: differences between two corpora."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Any

import click

from .._console import print_json, print_table
from . import AS_JSON, PICTURE, check_picture_path, format_value, open_corpus, write_picture


@click.command("compare", params=[AS_JSON, PICTURE])
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
def command(first: str, second: str, as_json: bool, picture: str | None) -> None:
    """Compare two corpora: the distribution of each measure, and the maps they have in common.

    `apart` is the Kolmogorov-Smirnov statistic: the largest difference between the cumulative distributions. `moved` is
    the earth mover's distance as a fraction of the range of values. Both are 0 for equal distributions and at most 1.

    \b
    tilewright corpus compare caves rooms
    tilewright corpus compare caves rooms -o compare.png
    """
    check_picture_path(picture)
    corpora = open_corpus(first), open_corpus(second)
    from ...corpus import report

    found = report.compare(*corpora)
    if as_json:
        print_json(_to_plain(asdict(found)))
    else:
        columns = [f"{what} {name}" for what in ("mean", "median") for name in found.names] + ["apart", "moved"]
        rows = [
            (one.name, *(format_value(value) for value in (*one.means, *one.medians, one.apart, one.moved)))
            for one in found.measures
        ]
        if rows:
            print_table(rows, "measure", *columns, numbers=range(1, len(columns) + 1))
        click.echo(found.sentence)
    if picture is not None:
        write_picture(report.draw_comparison(*corpora), picture)


def _to_plain(value: Any) -> Any:
    """Return a value with NaN and infinity replaced by None, as JSON has neither."""
    if isinstance(value, dict):
        return {name: _to_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
