"""The rule book: all sections of the technique `rules`, how they are read, and whether they fit together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from os import PathLike
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, WithJsonSchema, field_validator, model_validator

from ...core.errors import InvalidRecipe, Path, Problem, counted, did_you_mean, problem, quoted
from ...core.params import MOST_TOLD, Sized, param, size_param
from ...core.recipe import Recipe, recipe_data
from ...core.registry import RECIPE_WORDS
from ...core.resolver import Resolver
from . import compact
from .compact_model import AlsoFrom
from .connectivity import lacks
from .language import (
    ALL,
    MOST_NAMES,
    PLUS,
    Condition,
    Fix,
    Layer,
    MapData,
    NamedTile,
    Neighbourhood,
    RoomData,
    Weighted,
)
from .program import Workings

SECTIONS = ("names", "neighbourhoods", "mapData", "roomData", "generationRules")
FORMER_SECTIONS = {
    "startingRules": "the second part of roomData, such as solid:1|empty:2",
    "roomRules": "a layer of generationRules with room:-1",
    "smoothRules": "a layer of generationRules with map:-1",
}
USUAL_NAMES = (NamedTile(name="solid"), NamedTile(name="empty"))
USUAL_SIZE = {"width": 15, "height": 7}
CAVE = (
    Layer.checked(
        {
            "genData": ["4", "room:-1", "connect:plus:1"],
            "rules": ["empty,all,or,solid>4,solid:1", "solid,all,or,solid<4,empty:1"],
        }
    ),
    Layer.checked({"genData": ["0", "map:-1", "connect:plus:1"]}),
)

FromElsewhere: TypeAlias = Annotated[
    None, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}], "control": "file"})
]
"""A file's name or an object, whose sections take its place."""
BY_NAME = AlsoFrom(("object",), (("additionalProperties", {"type": ["string", "array"]}),))
"""Neighbourhoods may come as drawings by their names."""


class RulesParams(Sized):
    also: ClassVar[tuple[str, ...]] = RECIPE_WORDS  # which may stand beside the sections

    width: int = size_param(80, ge=3)
    """Columns of the map; those of mapData when left out."""
    height: int = size_param(50, ge=3)
    """Rows of the map; those of mapData when left out."""
    data: FromElsewhere = param(None)
    """A rule book to fill the sections from: a file, a recipe's name, or the object itself."""
    names: tuple[NamedTile, ...] = param(USUAL_NAMES, min_length=2, max_length=MOST_NAMES)
    """The tiles, such as treasure:3, of which at most 3 are placed."""
    neighbourhoods: Annotated[tuple[Neighbourhood, ...], BY_NAME] = param((PLUS, ALL), max_length=255)
    """Which cells count as neighbours, drawn in 0 and 1; plus and all are always there."""
    mapData: MapData = param(MapData())  # noqa: N815 - as in the data objects that people have
    """Size, tiles and fix of the map: 15x7, solid:empty, connect:plus:1."""
    roomData: RoomData = param(RoomData(start="solid:9|empty:11"))  # noqa: N815
    """Division, filling and fix of the rooms: equal:4x2:3, solid:1|empty:2, connect:plus:1."""
    generationRules: tuple[Layer, ...] = param(CAVE, max_length=1000)  # noqa: N815
    """Layers of rules, one after the other."""

    @model_validator(mode="before")
    @classmethod
    def _from_data(cls, values: Any, info: ValidationInfo) -> Any:
        """Sections from `data`, the map's size from mapData, and the usual for what is missing."""
        if not isinstance(values, Mapping):
            return values
        values = dict(values)
        if (given := values.pop("data", None)) is not None:
            values = {**_read_data(given, info), **values}
        former = [
            problem(f"is gone; write it as {new}", at=name) for name, new in FORMER_SECTIONS.items() if name in values
        ]
        if former:
            raise InvalidRecipe(*former)
        if not any(section in values for section in SECTIONS):
            return values
        size, values["mapData"] = _size(values.get("mapData", ()))
        usual = {**USUAL_SIZE, "names": USUAL_NAMES, "roomData": {}, "generationRules": (), **size}
        return {**usual, **values}

    @field_validator("neighbourhoods", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        found: list[Neighbourhood] = []
        problems: list[Problem] = []
        for name, rows in value.items():
            try:
                found.append(_neighbourhood(name, rows))
            except InvalidRecipe as error:
                problems.extend(error.within(str(name)).problems)
        if problems:
            raise InvalidRecipe(*problems)
        return found

    @field_validator("roomData")
    @classmethod
    def _start_with_what_is_dug(cls, rooms: RoomData, info: ValidationInfo) -> RoomData:
        if rooms.start is not None or "mapData" not in info.data:
            return rooms
        return rooms.model_copy(update={"start": (Weighted(tile=info.data["mapData"].dig),)})

    def find_problems(self) -> Iterator[Problem]:
        # Only so many are told, and to guess what is meant takes time.
        return islice(_problems(self), MOST_TOLD)

    # -- what follows from it -------------------------------------------------------------------------------

    @property
    def compact(self) -> dict[str, Any]:
        """The rule book as a ProcEngine data object."""
        return {
            "mapData": [f"{self.width}x{self.height}", *self.mapData.compact],
            "roomData": self.roomData.compact,
            "names": [name.compact for name in self.names],
            "neighbourhoods": {one.name: one.rows for one in self.neighbourhoods},
            "generationRules": [layer.compact for layer in self.generationRules],
        }

    @property
    def words(self) -> tuple[str, ...]:
        return self.workings.words

    @cached_property
    def known(self) -> dict[str, Neighbourhood]:
        """All neighbourhoods by name."""
        return {one.name: one for one in (PLUS, ALL, *self.neighbourhoods)}

    @cached_property
    def whole(self) -> NDArray[np.int64]:
        """The map as the only area: x, y, width, height."""
        return np.array([[0, 0, self.width, self.height]], dtype=np.int64)

    @cached_property
    def steps(self) -> int:
        """How many there are: rooms, simulations and fixes."""
        return self.roomData.division.rooms + sum(layer.simulations + 1 for layer in self.generationRules) + 1

    @cached_property
    def workings(self) -> Workings:
        """The book in numbers."""
        rules = tuple(layer.rules for layer in self.generationRules)
        tiles = self.mapData.initial, self.mapData.dig
        return Workings.of(self.names, tuple(self.known.values()), *tiles, self.roomData.start or (), rules)


def _read_data(given: Any, info: ValidationInfo) -> Mapping[str, Any]:
    """A rule book behind a file's or recipe's name, or as it is; of a recipe, its params alone."""
    if isinstance(given, (str, PathLike)):
        context = info.context
        resolver = context.get("resolver") if isinstance(context, Mapping) else None
        given, _ = (resolver or Resolver()).recipe(str(given))
    if isinstance(given, Recipe):
        given = given.to_data()
    if not given and isinstance(given, Mapping):
        return {"generationRules": ()}  # one section, so that the others are the usual ones
    found = recipe_data(given) if isinstance(given, Mapping) else {}
    params = found.get("params", {})
    if found.get("technique") != "rules" or not isinstance(params, Mapping) or "data" in params:
        raise InvalidRecipe(f"must be a rule book with the sections {', '.join(SECTIONS)}", at="data", got=given)
    more = [word for word in ("shaping", "tiles", "locks") if found.get(word)]
    if more:
        text = f"takes sections alone, and this has {' and '.join(more)} too; run it as a recipe"
        raise InvalidRecipe(text, at="data")
    return params


def _neighbourhood(name: Any, rows: Any) -> Neighbourhood:
    if isinstance(rows, str) and isinstance(name, str):
        return _drawn(name, rows)
    return Neighbourhood.checked({"name": name, "matrix": rows})


@lru_cache(maxsize=1024)
def _drawn(name: str, rows: str) -> Neighbourhood:
    return Neighbourhood.checked({"name": name, "matrix": rows})


def _size(given: Any) -> tuple[dict[str, int], Any]:
    """The map's size in mapData, and the rest of it."""
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, (list, tuple)) or not given:
        return {}, given
    if isinstance(given[0], str) and ":" in given[0]:  # the size is left out
        return {}, given
    if len(given) > 3:
        raise InvalidRecipe(f"has at most 3 parts, got {len(given)}: {quoted(given)}", at="mapData", rule="maximum")
    if not isinstance(given[0], str):
        raise InvalidRecipe("begins with the size, such as 15x7", at="mapData", got=given[0])
    try:
        width, height = compact.sides(given[0], "the size")
    except InvalidRecipe as error:
        raise error.within("mapData") from None
    if min(width, height) < 3:
        raise InvalidRecipe("a map is at least 3x3", at="mapData", got=given[0], rule="minimum")
    return {"width": width, "height": height}, list(given[1:])


def _problems(p: RulesParams) -> Iterator[Problem]:
    """Everything that does not fit together: each with its section, and the piece that is wrong."""
    named: dict[str, Sequence[NamedTile | Neighbourhood]] = {"names": p.names, "neighbourhoods": p.neighbourhoods}
    for section, pieces in named.items():
        names = [one.name for one in pieces]
        for at, name in enumerate(names):
            if name in names[:at]:
                yield problem(f"{name!r} is there twice", at=(section, at), rule="duplicate")

    words = {name.name for name in p.names}
    tiles = f"{p.mapData.initial}:{p.mapData.dig}"
    for word in (p.mapData.initial, p.mapData.dig):
        if word not in words:
            yield _unknown(("mapData",), "name", word, tiles, words)
    if p.mapData.initial == p.mapData.dig:
        yield problem("what is dug must be another tile than what fills the map", at="mapData", got=tiles)
    for start in p.roomData.start or ():
        if start.tile not in words and start.tile != p.mapData.dig:
            yield _unknown(("roomData",), "name", start.tile, start.compact, words)
    most = p.roomData.division.most(p.width, p.height)
    if p.roomData.division.rooms > most:
        piece, size = p.roomData.division.compact, f"{p.width}x{p.height}"
        text = f"{piece!r}: a map of {size} has place for {counted(most, 'such room')} with walls"
        yield problem(text, at="roomData")
    whole = [(p.width, p.height)]
    rooms = p.roomData.division.sizes(p.width, p.height) if p.roomData.division.rooms <= most else []
    yield from _fix_problems(p, ("mapData",), p.mapData.fix, whole)
    yield from _fix_problems(p, ("roomData",), p.roomData.fix, rooms)
    for number, layer in enumerate(p.generationRules):
        sizes = rooms
        place: Path = ("generationRules", number)
        if layer.where.kind == "map":
            sizes = whole
            if layer.where.rectangle is not None:
                x, y, width, height = layer.where.rectangle
                sizes = [(width, height)]
                if min(width, height) < 1:
                    text = f"{layer.where.compact!r}: a rectangle is at least one cell wide and high"
                    yield problem(text, at=place, value=layer.where.compact)
                    sizes = []
                elif min(x, y) < 0 or x + width > p.width or y + height > p.height:
                    text = f"{layer.where.compact!r} does not lie inside the map of {p.width}x{p.height}"
                    yield problem(text, at=place)
                    sizes = []
        elif layer.where.ids is not None and max(layer.where.ids) >= p.roomData.division.rooms:
            missing, last = max(layer.where.ids), p.roomData.division.rooms - 1
            piece = quoted(layer.where.compact)
            text = f"{piece}: there is no room {missing}, they are numbered 0 to {last}"
            yield problem(text, at=place, value=layer.where.compact)
        yield from _fix_problems(p, place, layer.fix, sizes)
        for at, rule in enumerate(layer.rules):
            inside = (*place, "rules", at)
            if rule.tile not in words:
                yield _unknown(inside, "name", rule.tile, rule.compact, words)
            if rule.neighbourhood not in p.known:
                yield _unknown(inside, "neighbourhood", rule.neighbourhood, rule.compact, p.known)
            parts: tuple[Condition | Weighted, ...] = (*rule.conditions, *rule.replacements)
            for part in parts:
                if part.tile not in words:
                    yield _unknown(inside, "name", part.tile, part.compact, words)


def _unknown(place: Path, kind: str, word: str, piece: str, known: Collection[str]) -> Problem:
    text = f"unknown {kind} {word!r} in {quoted(piece)}{did_you_mean(word, known)}"
    return problem(text, at=place, value=piece, rule="unknown_name")


def _fix_problems(p: RulesParams, place: Path, fix: Fix | None, sizes: list[tuple[int, int]]) -> Iterator[Problem]:
    if fix is None or fix.kind == "none":
        return
    if fix.neighbourhood not in p.known:
        yield _unknown(place, "neighbourhood", fix.neighbourhood, fix.compact, p.known)
        return
    around = p.known[fix.neighbourhood]
    lacking = lacks(around.offsets, sizes if fix.kind == "connect" else None)
    if lacking:
        text = f"{fix.compact!r}: the neighbourhood {quoted(around.rows)} {lacking}"
        yield problem(text, at=place, value=fix.compact)
