"""`tilewright list`: names and summaries."""

from __future__ import annotations

import click

from .. import data
from ..core.errors import InvalidRecipe
from ..core.search import search as search_entries
from ..core.yaml import read_data
from ._catalogue import KINDS, list_engines, list_entries, read_kind
from ._console import print_json, print_table


@click.command("list")
@click.argument("kind", metavar=f"[{'|'.join(KINDS)}]", callback=read_kind, required=False)
@click.option("--search", metavar="WORDS", help="Only entries about these words, such as dungeon or lake.")
@click.option("as_json", "--json", is_flag=True, help="Print JSON: names and summaries by kind.")
def command(kind: str | None, search: str | None, as_json: bool) -> None:
    """List techniques, shapers, measures, distances, games, formats, engines, tilesets, recipes and models.

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
        title = "" if kind else one.capitalize()
        if one == "formats":
            cells = ((name, summary, ", ".join(list_engines(name))) for name, summary in rows)
            print_table(cells, "name", "summary", "opens in", title=title, header=False)
        elif one == "recipes":
            cells = ((name, summary, ", ".join(_list_knob_names(name))) for name, summary in rows)
            print_table(cells, "name", "summary", "knobs", title=title, header=False)
        else:
            print_table(rows, "name", "summary", title=title, header=False)


def _to_data(kind: str, name: str, summary: str) -> dict[str, object]:
    found: dict[str, object] = {"name": name, "summary": summary}
    if kind == "recipes":
        found["knobs"] = _list_knob_names(name)
    return {**found, "engines": list_engines(name)} if kind == "formats" else found


def _list_knob_names(recipe: str) -> list[str]:
    """Return the names of a built-in recipe's knobs without validating the recipe, which would import numba."""
    return [*read_data(data.read_text("recipes", recipe), recipe).get("knobs", {})]
