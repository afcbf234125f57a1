"""All named entries by kind, for `list` and `explain`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import click

from .. import data
from ..core.entries import Entry, Technique
from ..core.errors import BadFile, TilewrightError, UnknownName
from ..core.model import Model
from ..core.network import Network
from ..core.recipe import Recipe, as_recipe_data
from ..core.registry import measures, shapers, techniques
from ..core.search import SearchEntry, list_recipe_words, suggest_entries
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..core.tilesets import tilesets
from ..core.yaml import read_data, read_head_comment
from ..engines import engine_registry as engines
from ..formats import Format
from ..formats import format_registry as formats
from ..formats._files import read_file
from ..formats._included import (
    list_included_recipes,
    read_sample,
    summarize_map,
    summarize_network,
    summarize_recipe,
    summarize_tileset,
)
from ..formats._models import find_model
from ..formats._resolver import FileResolver
from ..play.game import game_registry as games
from ..search.distances import distance_registry as distances
from ._console import make_printable

CatalogEntry = Entry | Tileset | Model | Network | TileMap | Mapping[str, Any]
"""An entry that `explain` can describe. A recipe is represented by its data, and a sample by its map."""


class RegistryLike(Protocol):
    """Collection with named entries."""

    def names(self) -> Iterable[str]: ...
    def get(self, name: str, /) -> CatalogEntry: ...


@dataclass(frozen=True)
class DataFiles:
    """Entries that are data files of Tilewright."""

    kind: str
    get: Callable[[str], CatalogEntry]

    def names(self) -> Iterable[str]:
        return data.list_names(self.kind)


KINDS: dict[str, RegistryLike] = {
    "techniques": techniques,
    "shapers": shapers,
    "measures": measures,
    "distances": distances,
    "games": games,
    "formats": formats,
    "engines": engines,
    "tilesets": tilesets,
    "recipes": DataFiles("recipes", lambda name: FileResolver().read_recipe(name)[0]),
    "models": DataFiles("models", lambda name: FileResolver().read_network(name)),
    "samples": DataFiles("samples", read_sample),
}
FILES = {
    ".toml": "tilesets",
    ".xml": "tilesets",
    ".yaml": "recipes",
    ".yml": "recipes",
    ".json": "recipes",
    ".npz": "models",
}
"""Kind of a user's file by its extension."""


def read_kind(context: click.Context, option: click.Parameter, kind: str | None) -> str | None:
    """Validate a kind given on the command line."""
    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    return kind


def find(name: str, kind: str | None = None) -> dict[str, CatalogEntry]:
    """Return the entries with a name, by kind, or the content of a file.

    A name can have several kinds. For example, `fashion` is a technique and a tileset.
    """
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
        raise UnknownName("name", name, known, "`tilewright list` shows all", advice=suggest_entries(name))
    return found


def list_entries(kind: str) -> list[SearchEntry]:
    """Return the entries of a kind, for a search. Entries that cannot be loaded are skipped with a warning."""
    found = []
    for name in KINDS[kind].names():
        try:
            thing = KINDS[kind].get(name)
            summary = summarize(thing, name)
        except TilewrightError as error:
            warnings.warn(str(error), stacklevel=2)
            continue
        words = _list_search_words(kind, name, thing)
        found.append(SearchEntry(kind=kind, name=name, summary=summary, words=words))
    return found


def list_summaries(kind: str) -> list[tuple[str, str]]:
    """Return the names of a kind with their summaries."""
    return [(entry.name, entry.summary) for entry in list_entries(kind)]


def list_knob_names(recipe: str) -> list[str]:
    """Return the names of a built-in recipe's knobs."""
    return next([*one.knobs] for one in list_included_recipes() if one.name == recipe)


def list_engines(name: str) -> list[str]:
    """Return the engines and programs that open the files of a format."""
    return [*formats.get(name).engines]


def _list_search_words(kind: str, name: str, thing: CatalogEntry) -> tuple[str, ...]:
    if kind == "recipes":
        return list_recipe_words(name)
    if isinstance(thing, Format):
        return thing.engines
    return thing.search_words if isinstance(thing, Technique) else ()


def summarize(thing: CatalogEntry, name: str) -> str:
    if isinstance(thing, Entry):
        return thing.summary
    if isinstance(thing, Tileset):
        return summarize_tileset(thing)
    if isinstance(thing, TileMap):
        return summarize_map(thing)
    if isinstance(thing, Model):
        return repr(thing)
    if isinstance(thing, Network):
        return summarize_network(thing.technique, thing.labels)
    return summarize_recipe(recipe_doc(name))


def recipe_doc(name: str) -> str:
    """Return the comment at the head of a recipe, on one line."""
    return read_head_comment("\n".join(read_recipe_lines(name)))


def read_recipe_lines(name: str) -> list[str]:
    """Return the lines of a recipe, built-in or in a file."""
    text = (
        data.read_text("recipes", name) if name in data.list_names("recipes") else read_file(name).decode("utf-8-sig")
    )
    return [make_printable(line) for line in text.rstrip().splitlines()]


def _read_entry(path: str, kind: str) -> CatalogEntry:
    """Read and validate a user's tileset, model or recipe."""
    resolver = FileResolver()
    if kind == "tilesets":
        return resolver.read_tileset(path)
    if kind == "models":
        return resolver.read_learned(path)
    found = as_recipe_data(read_data(read_file(path).decode("utf-8-sig", "replace"), path))
    if "technique" not in found:
        raise BadFile("is not a recipe; to draw a map use `tilewright show`", at=path)
    Recipe.of(path, resolver)
    return found
