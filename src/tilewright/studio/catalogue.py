"""What there is, as plain data: names with summaries, and everything about one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from .. import data
from ..core.errors import UnknownName
from ..core.registry import Entry, Measure, Shaper, Technique, measures, shapers, techniques, tilesets
from ..core.resolver import Resolver
from ..core.tilemap import format_size
from ..core.yaml import remark_of
from ..formats import Format, shelf

Data = dict[str, Any]


@cache
def listed(kind: str) -> tuple[Data, ...]:
    """All things of a kind, each with its name and a line about it."""
    return tuple(LISTS[kind]())


def names(kind: str) -> list[str]:
    """All names of a kind; nothing of what they stand for is loaded."""
    return list(data.names("recipes")) if kind == "recipes" else list({**SHELVES, "tilesets": tilesets}[kind].names())


@cache
def described(kind: str, name: str) -> Data:
    """Everything about one thing of a kind."""
    if kind == "tilesets":
        return tilesets.get(name).to_data()
    if kind == "recipes":
        if name not in data.names("recipes"):
            raise UnknownName("recipe", name, data.names("recipes"))
        text = data.text("recipes", name)
        return {"name": name, "summary": _recipe_summary(name), "yaml": text, "recipe": Resolver().recipe(name)[0]}
    entry = SHELVES[kind].get(name)
    return {**_head(entry), "doc": entry.doc.strip(), "revision": entry.revision, **_facts(entry)}


def _head(entry: Entry) -> Data:
    head: Data = {"name": entry.name, "summary": entry.summary}
    if isinstance(entry, Measure):
        head |= {"unit": entry.unit, "compares": entry.compares}
    if isinstance(entry, Format):
        able = {"write": entry.write, "animate": entry.animate, "read": entry.read}
        head |= {"endings": list(entry.extensions), "can": [word for word, ability in able.items() if ability]}
    return head


def _facts(entry: Entry) -> Data:
    """What an entry declares."""
    if isinstance(entry, Measure):
        return {}
    facts: Data = {"params": entry.params.model_json_schema()}
    if isinstance(entry, Technique):
        usual = entry.params.checked()
        own = entry.own_tileset(usual)
        facts |= {"tileset": own.name, "tiles": list(entry.words(usual) or own.names)}
        facts["learns"] = entry.learn is not None
    if isinstance(entry, Technique | Shaper):
        facts["dimensions"] = list(entry.dimensions)
    return facts


def _recipe_summary(name: str) -> str:
    return remark_of(data.text("recipes", name)).partition(". ")[0].rstrip(".") + "."


def _tilesets() -> list[Data]:
    return [{"name": one.name, "tiles": len(one), "summary": ", ".join(one.names[:8])} for one in tilesets]


def _recipes() -> list[Data]:
    return [{"name": name, "summary": _recipe_summary(name)} for name in data.names("recipes")]


def _samples() -> list[Data]:
    found: list[Data] = []
    for name in data.names("samples"):
        grid = Resolver().grid(name)
        size = format_size(grid.shape)
        found.append({"name": name, "maps": 1, "summary": f"{size}: {', '.join(map(str, grid.words[:8]))}"})
    for name in data.collections():
        count = len(data.members(name))
        found.append({"name": name, "maps": count, "summary": f"{count} maps; one is {name}/{data.members(name)[0]}"})
    return found


SHELVES: Mapping[str, Any] = {"techniques": techniques, "shapers": shapers, "measures": measures, "formats": shelf}
LISTS: Mapping[str, Callable[[], list[Data]]] = {
    "techniques": lambda: [_head(entry) for entry in techniques],
    "shapers": lambda: [_head(entry) for entry in shapers],
    "measures": lambda: [_head(entry) for entry in measures],
    "formats": lambda: [_head(entry) for entry in shelf],
    "tilesets": _tilesets,
    "recipes": _recipes,
    "samples": _samples,
}
