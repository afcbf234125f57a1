"""`tilewright list`: names and summaries."""

from __future__ import annotations

import click

from ..core.errors import InvalidRecipe
from ..core.search import search as search_entries
from ._catalogue import KINDS, list_engines, list_entries, list_knob_names, read_kind
from ._console import print_json, print_table


@click.command("list")
@click.argument("kind", metavar=f"[{'|'.join(KINDS)}]", callback=read_kind, required=False)
@click.option("--search", metavar="WORDS", help="Only entries about these words, such as dungeon or lake.")
@click.option("as_json", "--json", is_flag=True, help="Print JSON: names and summaries by kind.")
def command(kind: str | None, search: str | None, as_json: bool) -> None:
    """List techniques, shapers, measures, distances, games, formats, engines, tilesets, recipes, models and
    samples.

    Without a kind, all are listed.

    Formats are listed with the engines and programs that open them, and recipes with their knobs.

    \b
    tilewright list recipes
    tilewright list --search dungeon
    tilewright list formats --search godot
    """
    entries = [entry for one in ([kind] if kind else KINDS) for entry in list_entries(one)]
    if search is not None:
        entries = search_entries(search, entries)
    found = {
        one: rows for one in KINDS if (rows := [(entry.name, entry.summary) for entry in entries if entry.kind == one])
    }
    if search is not None and not found and not as_json:
        raise InvalidRecipe("nothing is about these words; tilewright list shows all", at="search", got=search)
    if as_json:
        print_json({one: [_to_data(one, *row) for row in rows] for one, rows in found.items()})
        return
    for number, (one, rows) in enumerate(found.items()):
        if number:
            click.echo()
        _, heading, find = DETAILS.get(one, ("", "", None))
        cells = [(name, summary, ", ".join(find(name))) for name, summary in rows] if find else rows
        columns = ("name", "summary", heading) if find else ("name", "summary")
        print_table(cells, *columns, title="" if kind else one.capitalize(), header=False)


def _to_data(kind: str, name: str, summary: str) -> dict[str, object]:
    key, _, find = DETAILS.get(kind, ("", "", None))
    return {"name": name, "summary": summary} | ({key: find(name)} if find else {})


DETAILS = {"recipes": ("knobs", "knobs", list_knob_names), "formats": ("engines", "opens in", list_engines)}
"""What is listed in addition, by kind: the key in JSON, the heading, and a function of the name."""
