"""Everything that has a name, by kind: what `list` lists and `explain` explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any, Protocol

from .. import data
from ..core.errors import UnknownName
from ..core.registry import Entry, measures, shapers, techniques, tilesets
from ..core.tileset import Tileset
from ..formats import shelf as formats
from ..formats._reading import FileReading

Thing = Entry | Tileset | Mapping[str, Any]
"""What a name can stand for; a recipe is its data."""


class Shelf(Protocol):
    """What can be listed and asked for by name."""

    def names(self) -> Iterable[str]: ...
    def get(self, name: str, /) -> Thing: ...


class Recipes:
    """The recipes that ship with Tilewright."""

    def names(self) -> Iterable[str]:
        return data.names("recipes")

    def get(self, name: str) -> Mapping[str, Any]:
        return FileReading().recipe(name)[0]


KINDS: dict[str, Shelf] = {
    "techniques": techniques,
    "shapers": shapers,
    "measures": measures,
    "formats": formats,
    "tilesets": tilesets,
    "recipes": Recipes(),
}


def find(name: str, kind: str | None = None) -> dict[str, Thing]:
    """All things of this name, by kind (`fashion` is a technique and a tileset)."""
    shelves = {kind: KINDS[kind]} if kind else KINDS
    found: dict[str, Thing] = {one: shelf.get(name) for one, shelf in shelves.items() if name in shelf.names()}
    if not found:
        raise UnknownName("name", name, [other for shelf in shelves.values() for other in shelf.names()])
    return found


def summaries(kind: str) -> list[tuple[str, str]]:
    """The names of a kind, each with a line about it."""
    return [(name, summary(KINDS[kind].get(name), name)) for name in KINDS[kind].names()]


def summary(thing: Thing, name: str) -> str:
    if isinstance(thing, Entry):
        return thing.summary
    if isinstance(thing, Tileset):
        shown = ", ".join(thing.names[:8])
        return shown if len(thing) <= 8 else f"{shown}, ... ({len(thing)} tiles)"
    return recipe_doc(name).partition(". ")[0].rstrip(".") + "."


def recipe_doc(name: str) -> str:
    """The comment at the head of a recipe, on one line."""
    head = takewhile(lambda line: line.startswith("#"), data.text("recipes", name).split("\n"))
    return " ".join(line.lstrip("# ") for line in head)
