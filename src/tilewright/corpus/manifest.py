"""The manifest: what a corpus is, all of it. It is written first, and never changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod
from platform import node
from typing import Any

from .. import __version__
from ..analysis.similarity import find_similarity
from ..analysis.survey import check_comparing
from ..core.errors import BadFile, InvalidRecipe, short_repr
from ..core.params import check_integer
from ..core.plan import make_plan
from ..core.provenance import collect_revisions, raised_revisions
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.seeds import Rng, Seed
from .store import MANIFEST, Folder
from .sweep import Sweep

KIND = "tilewright corpus"
LAYOUT = 1
"""Raised when files of a corpus look otherwise."""
MAX_MAPS = 10**9
TARGET_PARTS = 64
MAX_MAPS_PER_PART = 1000
MAX_CELLS_PER_PART = 1 << 25
MAX_TRIED_VALUES = 100
"""Values of a swept parameter that are tried before the work."""
OWN_COLUMNS = {
    "id": ("int64", "number of the map, from 0 on"),
    "seed": ("string", "its seed"),
    "digest": ("string", "names its cells; equal maps have equal ones"),
    "levels": ("int32", "levels, 1 in a flat map"),
    "height": ("int32", "rows"),
    "width": ("int32", "columns"),
    "cells": ("binary", "tile ids, level by level and row by row, {bytes} each, as one zstd frame"),
    "reason": ("string", "why the map could not be made; then it has no digest, size, cells or measures"),
}
"""The columns of every corpus: their types, and what they hold."""


@dataclass(frozen=True)
class Manifest:
    """Everything that decides what is in a corpus: map `i` follows from it and `i` alone."""

    recipe: Mapping[str, Any]
    """With every default written and no paths."""
    seed: Seed
    count: int
    measures: tuple[str, ...]
    sweep: Sweep
    part_size: int
    """Maps in a part; fixed at the first start."""
    version: str
    revisions: Mapping[str, int]

    @classmethod
    def from_recipe(cls, recipe: Recipe, *, seed: Seed, count: int, measures: Sequence[str], sweep: Sweep) -> Manifest:
        """What is to be made; mistakes are told before anything is."""
        check_integer("count", count, 1, MAX_MAPS)
        asked = [measure_registry.get(name) for name in dict.fromkeys(measures)]
        if find_similarity(recipe) is None:
            check_comparing(asked)
        names = tuple(entry.name for entry in asked)
        clash = next((axis.column for axis in sweep.axes if axis.column in (*OWN_COLUMNS, *names)), None)
        if clash is not None:
            raise InvalidRecipe(f"{clash!r} is a column of its own already; write it params.{clash}", at="sweep")
        sweep = Sweep.of(sweep.to_data(), sampled=sweep.sampled)  # the same numbers as whoever reads the manifest
        data = replace(recipe, seed=None, attempt=None).to_data()
        made = cls(data, seed, count, names, sweep, 1, __version__, _revisions(recipe, names))
        size = min(MAX_MAPS_PER_PART, -(-count // TARGET_PARTS), max(1, MAX_CELLS_PER_PART // made.max_cells))
        return replace(made, part_size=size)

    # -- maps ---------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> int:
        """How many parts there are in the end."""
        return -(-self.count // self.part_size)

    def maps_of(self, part: int) -> range:
        """The maps in a part."""
        return range(part * self.part_size, min(self.count, (part + 1) * self.part_size))

    @cached_property
    def root(self) -> Rng:
        return Rng.of(self.seed)

    def values_of(self, number: int) -> tuple[Any, ...]:
        """What a map has of the swept parameters."""
        return self.sweep.values_for(self.root, number)

    def recipe_of(self, number: int) -> Recipe:
        """The recipe that makes a map, its seed included."""
        return _recipe_of(self._variation_key, self.values_of(number)).with_seed(f"{self.seed}-{number}")

    @cached_property
    def _variation_key(self) -> str:
        """What recipes follow from, as text: the recipe, and what is swept."""
        return json.dumps([self.recipe, self.sweep.to_data()])

    @cached_property
    def max_cells(self) -> int:
        """Cells of the largest map, about; values of the sweep that no map can be made with are told here."""
        usual = [axis.values[0] for axis in self.sweep.axes]
        wide, cells = list(usual), self._count_cells(usual)
        for place, axis in enumerate(self.sweep.axes):
            few = axis.values[:: -(-len(axis.values) // MAX_TRIED_VALUES)]
            sizes = {
                value: self._count_cells([*usual[:place], value, *usual[place + 1 :]])
                for value in dict.fromkeys([*few, axis.values[-1]])
            }
            wide[place] = max(sizes, key=lambda value: sizes[value])
            cells = max(cells, *sizes.values())
        with suppress(InvalidRecipe):  # such a combination is a map that cannot be made
            cells = max(cells, self._count_cells(wide))
        return cells

    def _count_cells(self, values: Sequence[Any]) -> int:
        try:
            recipe = _recipe_of(self._variation_key, tuple(values))
        except InvalidRecipe as error:
            raise (error.within("sweep") if values else error) from None
        return prod(recipe.shape)

    def refuse_other_revisions(self, folder: Folder | None = None) -> None:
        """Refuse to add maps that the version which started the corpus would make differently."""
        raised = raised_revisions(self.revisions, _revisions(self.recipe_of(0), self.measures))
        if raised:
            raise BadFile(
                f"the corpus was started by Tilewright {self.version}; {', '.join(raised)} in Tilewright {__version__} "
                f"on {node()} gives other results; use Tilewright {self.version}, or name another folder",
                at=folder,
            )

    # -- as a file ----------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        return {
            "kind": KIND,
            "layout": LAYOUT,
            "recipe": self.recipe,
            "seed": self.seed,
            "count": self.count,
            "measures": list(self.measures),
            "sweep": self.sweep.to_data(),
            "sampled": self.sweep.sampled,
            "part_size": self.part_size,
            "tilewright": self.version,
            "revisions": dict(self.revisions),
        }

    @cached_property
    def text(self) -> str:
        return json.dumps(self.to_data(), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Manifest:
        """The manifest in a file's text."""
        data = json.loads(text)
        if not isinstance(data, Mapping) or data.get("kind") != KIND:
            raise ValueError("not a corpus")
        if data["layout"] != LAYOUT:
            raise BadFile(f"made by Tilewright {data.get('tilewright')}, whose corpora are laid out otherwise")
        made = cls(
            dict(data["recipe"]),
            str(data["seed"]),
            int(data["count"]),
            tuple(map(str, data["measures"])),
            Sweep.of(data["sweep"], sampled=bool(data["sampled"])),
            int(data["part_size"]),
            str(data["tilewright"]),
            dict(data["revisions"]),
        )
        sizes = 1 <= made.count <= MAX_MAPS and 1 <= made.part_size <= MAX_MAPS_PER_PART
        if not sizes or not isinstance(made.recipe.get("params", {}), Mapping):
            raise ValueError("no such corpus is ever made")
        return made

    @classmethod
    def from_folder(cls, folder: Folder) -> Manifest | None:
        """The manifest of a corpus; None where the folder is empty. A folder that holds something else is refused."""
        return folder.read_description(MANIFEST, "corpus", lambda content: cls.from_text(content.decode()))

    def check_matches(self, wanted: Manifest, folder: Folder) -> None:
        """Refuse to continue a corpus with maps of another one.

        Another version may continue it, if all revisions are the same. It may know parameters by other names and have
        more of them, so recipes are compared as this version writes them.
        """
        mine, asked = json.loads(self.text), json.loads(wanted.text)
        mine["recipe"] = json.loads(json.dumps(Recipe.of(self.recipe).to_data()))
        own = ("part_size", "tilewright", "revisions")
        words = [word for word in mine if word not in own and mine[word] != asked[word]]
        differ = [_describe_difference(word, mine[word], asked[word]) for word in words]
        if differ:
            raise BadFile(f"holds another corpus ({'; '.join(differ)}); name another folder", at=folder)
        self.refuse_other_revisions(folder)


def _revisions(recipe: Recipe, names: Sequence[str]) -> dict[str, int]:
    """Return the revisions of everything that decides a row: the recipe's, and those of the measures."""
    return collect_revisions(recipe) | {name: measure_registry.get(name).revision for name in names}


def _describe_difference(word: str, mine: Any, wanted: Any) -> str:
    """What differs between what is there and what is asked for, down to the parameter where there is one."""
    if word == "recipe" and mine.get("technique") == wanted.get("technique"):
        inner = [key for key in {**mine, **wanted} if key != "params" and mine.get(key) != wanted.get(key)]
        params, others = mine.get("params") or {}, wanted.get("params") or {}
        inner += [f"params.{key}" for key in {**params, **others} if params.get(key) != others.get(key)]
        return f"its recipe has another {', '.join(inner)}"
    if word == "recipe":
        return f"its technique is {mine.get('technique')}, not {wanted.get('technique')}"
    return f"{word} is {_format_value(mine)}, not {_format_value(wanted)}"


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or "nothing"
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else short_repr(value)


@lru_cache(maxsize=4096)
def _recipe_of(varied: str, values: tuple[Any, ...]) -> Recipe:
    """A corpus's recipe with some values of its sweep; kept, because many maps share it."""
    recipe, sweep = json.loads(varied)
    made = Recipe.of(Sweep.of(sweep).apply(recipe, values))
    make_plan(made)
    return made
