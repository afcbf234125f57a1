"""Techniques, shapers, measures, formats, tilesets, recipes, samples and models as plain data, for the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

from ... import data
from ...core.entries import Entry, Measure, Shaper, Technique
from ...core.errors import UnknownName
from ...core.recipe import Recipe
from ...core.registry import measures, shapers, techniques
from ...core.resolver import Resolver
from ...core.tilemap import format_size
from ...core.tileset import Tileset
from ...core.tilesets import tilesets
from ...core.yaml import read_head_comment
from ...formats import Format, format_registry

Data = dict[str, Any]


@cache
def list_entries(kind: str) -> tuple[Data, ...]:
    """Return the name and summary of every entry of a kind."""
    return tuple(LISTS[kind]())


def list_names(kind: str) -> list[str]:
    """Return all names of a kind, without loading the entries."""
    return [*(data.list_names("recipes") if kind == "recipes" else REGISTRIES[kind].names())]


@cache
def describe_entry(kind: str, name: str) -> Data:
    """Return all data of an entry."""
    if kind == "tilesets":
        return tilesets.get(name).to_data()
    if kind == "recipes":
        if name not in data.list_names("recipes"):
            raise UnknownName("recipe", name, data.list_names("recipes"))
        text = data.read_text("recipes", name)
        return {
            "name": name,
            "summary": _recipe_summary(name),
            "knobs": [knob.describe() for knob in Recipe.of(name).knobs],
            "yaml": text,
            "recipe": Resolver().read_recipe(name)[0],
        }
    entry = REGISTRIES[kind].get(name)
    return {**_summarize_entry(entry), "doc": entry.doc.strip(), "revision": entry.revision, **_collect_facts(entry)}


def _summarize_entry(entry: Entry | Tileset) -> Data:
    if isinstance(entry, Tileset):
        return {"name": entry.name, "tiles": len(entry), "summary": ", ".join(entry.names[:8])}
    head: Data = {"name": entry.name, "summary": entry.summary}
    if isinstance(entry, Measure):
        head |= {"unit": entry.unit, "compares": entry.compares, "argument": entry.argument}
    if isinstance(entry, Format):
        able = {"write": entry.write, "animate": entry.animate, "read": entry.read}
        head |= {"endings": list(entry.extensions), "can": [word for word, ability in able.items() if ability]}
    return head


def _collect_facts(entry: Entry) -> Data:
    """Return the properties that an entry declares."""
    if isinstance(entry, Measure):
        return {}
    facts: Data = {"params": entry.params.model_json_schema()}
    if isinstance(entry, Technique):
        defaults = entry.params.validate()
        facts |= {"tileset": entry.own_tileset(defaults).name, "tiles": list(entry.labels_of(defaults))}
        facts["learns"] = entry.learn is not None
    if isinstance(entry, Technique | Shaper):
        facts["dimensions"] = list(entry.dimensions)
    return facts


def _recipe_summary(name: str) -> str:
    return read_head_comment(data.read_text("recipes", name)).partition(". ")[0].rstrip(".") + "."


def _list_recipes() -> list[Data]:
    return [{"name": name, "summary": _recipe_summary(name)} for name in data.list_names("recipes")]


def _list_samples() -> list[Data]:
    found: list[Data] = []
    for name in data.list_names("samples"):
        grid = Resolver().read_grid(name)
        size = format_size(grid.shape)
        found.append({"name": name, "maps": 1, "summary": f"{size}: {', '.join(map(str, grid.labels[:8]))}"})
    for name in data.list_collections():
        members = data.list_members(name)
        summary = f"{len(members)} maps; one is {name}/{members[0]}"
        found.append({"name": name, "maps": len(members), "summary": summary})
    return found


def _list_models() -> list[Data]:
    found = (Resolver().read_network(name) for name in data.list_names("models"))
    return [{"name": one.name, "tiles": len(one.labels), "summary": ", ".join(one.labels[:8])} for one in found]


REGISTRIES: Mapping[str, Any] = {
    "techniques": techniques,
    "shapers": shapers,
    "measures": measures,
    "formats": format_registry,
    "tilesets": tilesets,
}
LISTS: Mapping[str, Callable[[], Iterable[Data]]] = {
    **{kind: partial(map, _summarize_entry, registry) for kind, registry in REGISTRIES.items()},
    "recipes": _list_recipes,
    "samples": _list_samples,
    "models": _list_models,
}
