"""Everything that has a name, by kind: what `list` lists and `explain` explains."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import click

from .. import data
from ..core.errors import BadFile, TilewrightError, UnknownName
from ..core.model import Model
from ..core.recipe import Recipe, as_recipe_data
from ..core.registry import Entry, measures, shapers, techniques, tilesets
from ..core.tileset import Tileset
from ..core.yaml import read_head_comment
from ..formats import format_registry as formats
from ..formats._files import read_file
from ..formats._models import find_model
from ..formats._resolver import FileResolver
from ._console import make_printable

CatalogEntry = Entry | Tileset | Model | Mapping[str, Any]
"""What a name can stand for; a recipe is its data."""


class RegistryLike(Protocol):
    """What can be listed and asked for by name."""

    def names(self) -> Iterable[str]: ...
    def get(self, name: str, /) -> CatalogEntry: ...


class Recipes:
    """The recipes that ship with Tilewright."""

    def names(self) -> Iterable[str]:
        return data.list_names("recipes")

    def get(self, name: str) -> Mapping[str, Any]:
        return FileResolver().read_recipe(name)[0]


KINDS: dict[str, RegistryLike] = {
    "techniques": techniques,
    "shapers": shapers,
    "measures": measures,
    "formats": formats,
    "tilesets": tilesets,
    "recipes": Recipes(),
}
FILES = {".toml": "tilesets", ".yaml": "recipes", ".yml": "recipes", ".json": "recipes", ".npz": "models"}
"""What a file of one's own holds, by its ending."""


def read_kind(context: click.Context, option: click.Parameter, kind: str | None) -> str | None:
    """A kind as it was typed; for one that is not there, the nearest."""
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    return kind


def find(name: str, kind: str | None = None) -> dict[str, CatalogEntry]:
    """All things of this name, by kind (`fashion` is a technique and a tileset); or what a file holds."""
    file_kind = FILES.get(Path(name).suffix.lower())
    if file_kind == "recipes" and kind is None and (model := find_model(name)) is not None:
        return {"models": model}
    if file_kind is not None and kind in (file_kind, None):
        return {file_kind: _read_entry(name, file_kind)}
    registries = {kind: KINDS[kind]} if kind else KINDS
    found: dict[str, CatalogEntry] = {
        one: registry.get(name) for one, registry in registries.items() if name in registry.names()
    }
    if not found:
        known = [other for registry in registries.values() for other in registry.names()]
        raise UnknownName("name", name, known, "`tilewright list` shows all")
    return found


def list_summaries(kind: str) -> list[tuple[str, str]]:
    """The names of a kind, each with a line about it; what cannot be loaded is left out with a warning."""
    found = []
    for name in KINDS[kind].names():
        try:
            found.append((name, summarize(KINDS[kind].get(name), name)))
        except TilewrightError as error:
            warnings.warn(str(error), stacklevel=2)
    return found


def summarize(thing: CatalogEntry, name: str) -> str:
    if isinstance(thing, Entry):
        return thing.summary
    if isinstance(thing, Tileset):
        shown = ", ".join(thing.names[:8])
        return shown if len(thing) <= 8 else f"{shown}, ... ({len(thing)} tiles)"
    if isinstance(thing, Model):
        return repr(thing)
    return recipe_doc(name).partition(". ")[0].rstrip(".") + "."


def recipe_doc(name: str) -> str:
    """The comment at the head of a recipe, on one line."""
    return read_head_comment("\n".join(read_recipe_lines(name)))


def read_recipe_lines(name: str) -> list[str]:
    """A recipe as it is written, one that ships or one in a file."""
    text = (
        data.read_text("recipes", name) if name in data.list_names("recipes") else read_file(name).decode("utf-8-sig")
    )
    return [make_printable(line) for line in text.rstrip().splitlines()]


def _read_entry(path: str, kind: str) -> CatalogEntry:
    """A tileset or recipe of one's own, checked."""
    resolver = FileResolver()
    if kind == "tilesets":
        return resolver.read_tileset(path)
    if kind == "models":
        return resolver.read_model(path)
    found = as_recipe_data(resolver.read_recipe(path)[0])
    if "technique" not in found:
        raise BadFile("holds no recipe; a map is drawn with `tilewright show`", at=path)
    Recipe.of(path, resolver)
    return found
