"""`tilewright list`: names and summaries."""

from __future__ import annotations

import click

from ._catalogue import KINDS, list_summaries, read_kind
from ._console import print_json, print_table


@click.command("list")
@click.argument("kind", metavar=f"[{'|'.join(KINDS)}]", callback=read_kind, required=False)
@click.option("as_json", "--json", is_flag=True, help="Print JSON: names and summaries by kind.")
def command(kind: str | None, as_json: bool) -> None:
    """List techniques, shapers, measures, formats, tilesets and recipes; all of them, or those of one kind."""
    found = {one: list_summaries(one) for one in ([kind] if kind else KINDS)}
    if as_json:
        print_json({one: [{"name": name, "summary": text} for name, text in rows] for one, rows in found.items()})
        return
    for number, (one, rows) in enumerate(found.items()):
        if number:
            click.echo()
        title = "" if kind else one.capitalize()
        print_table(rows, "name", "summary", title=title, header=False)
