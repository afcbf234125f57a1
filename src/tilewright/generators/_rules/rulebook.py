"""The rulebook: all sections of the technique `rules`, how they are read, and checks across sections."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationInfo, WithJsonSchema, field_validator, model_validator

from ...core.caching import cached_by_size
from ...core.entries import RECIPE_FIELDS
from ...core.errors import (
    MAX_REPORTED,
    InvalidRecipe,
    Path,
    Problem,
    did_you_mean,
    errors_within,
    pluralize,
    problem,
    short_repr,
)
from ...core.params import Sized, param, size_param
from ...core.recipe import Recipe, as_recipe_data
from ...core.resolver import Resolver
from . import compact, language
from .compact import AlsoAccepts
from .connectivity import describe_defect
from .program import CompiledRulebook

SECTIONS = ("names", "neighbourhoods", "mapData", "roomData", "generationRules")
FORMER_SECTIONS = {
    "startingRules": "the second part of roomData, such as solid:1|empty:2",
    "roomRules": "a layer of generationRules with room:-1",
    "smoothRules": "a layer of generationRules with map:-1",
}
DEFAULT_NAMES = (language.NamedTile(name="solid"), language.NamedTile(name="empty"))
DEFAULT_SIZE = {"width": 15, "height": 7}
CAVE = (
    language.Layer.validate(
        {
            "genData": ["4", "room:-1", "connect:plus:1"],
            "rules": ["empty,all,or,solid>4,solid:1", "solid,all,or,solid<4,empty:1"],
        }
    ),
    language.Layer.validate({"genData": ["0", "map:-1", "connect:plus:1"]}),
)

RulebookSource: TypeAlias = Annotated[
    None, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}], "control": "file"})
]
"""File name, or an object whose sections are used."""
BY_NAME = AlsoAccepts(("object",), (("additionalProperties", {"type": ["string", "array"]}),))
"""Neighborhoods may be given as drawings by name."""


class RulesParams(Sized):
    extra_keys: ClassVar[tuple[str, ...]] = RECIPE_FIELDS  # Keys allowed beside the sections.

    width: int = size_param(80, ge=3)
    """Number of columns; by default that of mapData."""
    height: int = size_param(50, ge=3)
    """Number of rows; by default that of mapData."""
    data: RulebookSource = param(None)
    """Rulebook from which to fill the sections: a file, the name of a recipe, or an object."""
    names: tuple[language.NamedTile, ...] = param(DEFAULT_NAMES, min_length=2, max_length=language.MAX_NAMES)
    """Tiles, such as treasure:3 for at most 3 of them."""
    neighbourhoods: Annotated[tuple[language.Neighbourhood, ...], BY_NAME] = param(
        (language.PLUS, language.ALL), max_length=255
    )
    """Cells that count as neighbors, drawn in 0 and 1; plus and all are always defined."""
    mapData: language.MapData = param(language.MapData())  # noqa: N815 - as in ProcEngine's data objects
    """Size, tiles and fix of the map: 15x7, solid:empty, connect:plus:1."""
    roomData: language.RoomData = param(language.RoomData(start="solid:9|empty:11"))  # noqa: N815
    """Division, initial tiles and fix of the rooms: equal:4x2:3, solid:1|empty:2, connect:plus:1."""
    generationRules: tuple[language.Layer, ...] = param(CAVE, max_length=1000)  # noqa: N815
    """Layers of rules, applied in order."""

    @model_validator(mode="before")
    @classmethod
    def _from_data(cls, values: Any, info: ValidationInfo) -> Any:
        """Read sections from `data` and the map's size from mapData, and add defaults for missing sections."""
        if not isinstance(values, Mapping):
            return values
        values = dict(values)
        if (given := values.pop("data", None)) is not None:
            values = {**_read_data(given, info), **values}
        former = [
            problem(f"is no longer supported; write it as {new}", at=name)
            for name, new in FORMER_SECTIONS.items()
            if name in values
        ]
        if former:
            raise InvalidRecipe(*former)
        if not any(section in values for section in SECTIONS):
            return values
        size, values["mapData"] = _read_size(values.get("mapData", ()))
        defaults = {**DEFAULT_SIZE, "names": DEFAULT_NAMES, "roomData": {}, "generationRules": (), **size}
        return {**defaults, **values}

    @field_validator("neighbourhoods", mode="before")
    @classmethod
    def _read_neighbourhoods(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        found: list[language.Neighbourhood] = []
        problems: list[Problem] = []
        for name, rows in value.items():
            try:
                found.append(_read_neighbourhood(name, rows))
            except InvalidRecipe as error:
                problems.extend(error.within(str(name)).problems)
        if problems:
            raise InvalidRecipe(*problems)
        return found

    @field_validator("roomData")
    @classmethod
    def _fill_start(cls, rooms: language.RoomData, info: ValidationInfo) -> language.RoomData:
        """Fill rooms with the dug tile by default."""
        if rooms.start is not None or "mapData" not in info.data:
            return rooms
        return rooms.model_copy(update={"start": (language.WeightedTile(tile=info.data["mapData"].dig),)})

    def find_problems(self) -> Iterator[Problem]:
        # Only this many are reported, and suggesting names takes time.
        return islice(_find_problems(self), MAX_REPORTED)

    @property
    def compact(self) -> dict[str, Any]:
        """The rulebook as a ProcEngine data object."""
        return {
            "mapData": [f"{self.width}x{self.height}", *self.mapData.compact],
            "roomData": self.roomData.compact,
            "names": [name.compact for name in self.names],
            "neighbourhoods": {one.name: one.rows for one in self.neighbourhoods},
            "generationRules": [layer.compact for layer in self.generationRules],
        }

    @property
    def labels(self) -> tuple[str, ...]:
        return self.compiled.labels

    @cached_property
    def neighbourhoods_by_name(self) -> dict[str, language.Neighbourhood]:
        """All neighborhoods by name, including plus and all."""
        return {one.name: one for one in (language.PLUS, language.ALL, *self.neighbourhoods)}

    @cached_property
    def map_area(self) -> NDArray[np.int64]:
        """The complete map as the only area: x, y, width, height."""
        return np.array([[0, 0, self.width, self.height]], dtype=np.int64)

    @cached_property
    def steps(self) -> int:
        """Number of steps: rooms, simulations and fixes."""
        return self.roomData.division.rooms + sum(layer.simulations + 1 for layer in self.generationRules) + 1

    @cached_property
    def compiled(self) -> CompiledRulebook:
        """The rulebook compiled to numbers."""
        rules = tuple(layer.rules for layer in self.generationRules)
        tiles = self.mapData.initial, self.mapData.dig
        return CompiledRulebook.of(
            self.names, tuple(self.neighbourhoods_by_name.values()), *tiles, self.roomData.start or (), rules
        )


def _read_data(given: Any, info: ValidationInfo) -> Mapping[str, Any]:
    """Return the sections of a rulebook given as an object or by the name of a file or recipe."""
    if isinstance(given, (str, PathLike)):
        context = info.context
        resolver = context.get("resolver") if isinstance(context, Mapping) else None
        given, _ = (resolver or Resolver()).read_recipe(str(given))
    if isinstance(given, Recipe):
        given = given.to_data()
    if not given and isinstance(given, Mapping):
        return {"generationRules": ()}  # One section, so that the others have default values.
    found = as_recipe_data(given) if isinstance(given, Mapping) else {}
    params = found.get("params", {})
    if found.get("technique") != "rules" or not isinstance(params, Mapping) or "data" in params:
        raise InvalidRecipe(f"must be a rulebook with the sections {', '.join(SECTIONS)}", at="data", got=given)
    more = [key for key in ("shaping", "tiles", "locks") if found.get(key)]
    if more:
        text = f"must contain only sections, got {' and '.join(more)} too; run it as a recipe"
        raise InvalidRecipe(text, at="data")
    return params


def _read_neighbourhood(name: Any, rows: Any) -> language.Neighbourhood:
    if isinstance(rows, str) and isinstance(name, str):
        return _read_drawing(name, rows)
    return language.Neighbourhood.validate({"name": name, "matrix": rows})


@cached_by_size
def _read_drawing(name: str, rows: str) -> language.Neighbourhood:
    return language.Neighbourhood.validate({"name": name, "matrix": rows})


def _read_size(given: Any) -> tuple[dict[str, int], Any]:
    """Return the map's size in mapData, and the remaining parts."""
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, (list, tuple)) or not given:
        return {}, given
    if isinstance(given[0], str) and ":" in given[0]:  # The size is missing.
        return {}, given
    if len(given) > 3:
        raise InvalidRecipe(
            f"must have at most 3 parts, got {len(given)}: {short_repr(given)}", at="mapData", rule="maximum"
        )
    if not isinstance(given[0], str):
        raise InvalidRecipe("must start with the size, such as 15x7", at="mapData", got=given[0])
    with errors_within("mapData"):
        width, height = compact.parse_size(given[0], "the size")
    if min(width, height) < 3:
        raise InvalidRecipe("must be at least 3x3", at="mapData", got=given[0], rule="minimum")
    return {"width": width, "height": height}, list(given[1:])


def _find_problems(p: RulesParams) -> Iterator[Problem]:
    """Yield every inconsistency between sections, with its section and the invalid piece."""
    named: dict[str, Sequence[language.NamedTile | language.Neighbourhood]] = {
        "names": p.names,
        "neighbourhoods": p.neighbourhoods,
    }
    for section, pieces in named.items():
        names = [one.name for one in pieces]
        for at, name in enumerate(names):
            if name in names[:at]:
                yield problem(f"{name!r} is listed twice", at=(section, at), rule="duplicate")

    labels = {name.name for name in p.names}
    tiles = f"{p.mapData.initial}:{p.mapData.dig}"
    for label in (p.mapData.initial, p.mapData.dig):
        if label not in labels:
            yield _report_unknown(("mapData",), "name", label, tiles, labels)
    if p.mapData.initial == p.mapData.dig:
        yield problem("the dug tile must differ from the tile that fills the map", at="mapData", got=tiles)
    for start in p.roomData.start or ():
        if start.tile not in labels and start.tile != p.mapData.dig:
            yield _report_unknown(("roomData",), "name", start.tile, start.compact, labels)
    max_rooms = p.roomData.division.count_max_rooms(p.width, p.height)
    if p.roomData.division.rooms > max_rooms:
        piece, size = p.roomData.division.compact, f"{p.width}x{p.height}"
        text = f"{piece!r}: a map of {size} has space for {pluralize(max_rooms, 'such room')} with walls"
        yield problem(text, at="roomData")
    map_size = [(p.width, p.height)]
    rooms = p.roomData.division.list_room_sizes(p.width, p.height) if p.roomData.division.rooms <= max_rooms else []
    yield from _find_fix_problems(p, ("mapData",), p.mapData.fix, map_size)
    yield from _find_fix_problems(p, ("roomData",), p.roomData.fix, rooms)
    for number, layer in enumerate(p.generationRules):
        sizes = rooms
        place: Path = ("generationRules", number)
        if layer.where.kind == "map":
            sizes = map_size
            if layer.where.rectangle is not None:
                x, y, width, height = layer.where.rectangle
                sizes = [(width, height)]
                if min(width, height) < 1:
                    text = f"{layer.where.compact!r}: a rectangle must be at least one cell wide and high"
                    yield problem(text, at=place, value=layer.where.compact)
                    sizes = []
                elif min(x, y) < 0 or x + width > p.width or y + height > p.height:
                    text = f"{layer.where.compact!r} must be inside the map of {p.width}x{p.height}"
                    yield problem(text, at=place)
                    sizes = []
        elif layer.where.ids is not None and max(layer.where.ids) >= p.roomData.division.rooms:
            missing, last = max(layer.where.ids), p.roomData.division.rooms - 1
            piece = short_repr(layer.where.compact)
            text = f"{piece}: there is no room {missing}, rooms are numbered 0 to {last}"
            yield problem(text, at=place, value=layer.where.compact)
        yield from _find_fix_problems(p, place, layer.fix, sizes)
        for at, rule in enumerate(layer.rules):
            inside = (*place, "rules", at)
            if rule.tile not in labels:
                yield _report_unknown(inside, "name", rule.tile, rule.compact, labels)
            if rule.neighbourhood not in p.neighbourhoods_by_name:
                yield _report_unknown(
                    inside, "neighborhood", rule.neighbourhood, rule.compact, p.neighbourhoods_by_name
                )
            parts: tuple[language.Condition | language.WeightedTile, ...] = (*rule.conditions, *rule.replacements)
            for part in parts:
                if part.tile not in labels:
                    yield _report_unknown(inside, "name", part.tile, part.compact, labels)


def _report_unknown(place: Path, kind: str, word: str, piece: str, known: Collection[str]) -> Problem:
    """Return a problem that suggests similar names."""
    text = f"unknown {kind} {word!r} in {short_repr(piece)}{did_you_mean(word, known)}"
    return problem(text, at=place, value=piece, rule="unknown_name")


def _find_fix_problems(
    p: RulesParams, place: Path, fix: language.ConnectivityFix | None, sizes: list[tuple[int, int]]
) -> Iterator[Problem]:
    """Yield problems of a fix in areas of the sizes (width, height)."""
    if fix is None or fix.kind == "none":
        return
    if fix.neighbourhood not in p.neighbourhoods_by_name:
        yield _report_unknown(place, "neighborhood", fix.neighbourhood, fix.compact, p.neighbourhoods_by_name)
        return
    neighborhood = p.neighbourhoods_by_name[fix.neighbourhood]
    defect = describe_defect(neighborhood.offsets, sizes if fix.kind == "connect" else None)
    if defect:
        text = f"{fix.compact!r}: the neighborhood {short_repr(neighborhood.rows)} {defect}"
        yield problem(text, at=place, value=fix.compact)
