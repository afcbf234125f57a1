"""The manifest: what a corpus is, all of it. It is written first, and never changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from .. import __version__
from ..core.errors import BadFile, InvalidRecipe
from ..core.provenance import revisions
from ..core.recipe import Recipe
from ..core.registry import measures as measure_shelf
from ..core.registry import provider
from ..core.seeds import Rng, Seed
from .store import MANIFEST, Folder
from .sweep import Sweep

KIND = "tilewright corpus"
LAYOUT = 1
"""Raised when files of a corpus look otherwise."""
MOST_MAPS = 10**12
PARTS_ABOUT = 64
MOST_IN_A_PART = 1000
CELLS_IN_A_PART = 1 << 25
OWN_COLUMNS = ("id", "seed", "digest", "levels", "height", "width", "cells", "reason")


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
    def planned(cls, recipe: Recipe, *, seed: Seed, count: int, measures: Sequence[str], sweep: Sweep) -> Manifest:
        """What is to be made; mistakes are told before anything is."""
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_MAPS:
            raise InvalidRecipe(f"count: must be a whole number from 1 to {MOST_MAPS:,}, got {count!r}")
        names = tuple(dict.fromkeys(measure_shelf.get(name).name for name in measures))
        columns = [*OWN_COLUMNS, *names]
        clash = next((axis.column for axis in sweep.axes if axis.column in columns), None)
        if clash is not None:
            raise InvalidRecipe(f"sweep: {clash!r} is a column of every corpus, or a measure; it cannot be swept too")
        data = replace(recipe, seed=None, attempt=None).to_data()
        data.pop("seed", None)
        cells = max(1, prod(getattr(recipe.params, "shape", (1,))))
        size = min(MOST_IN_A_PART, -(-count // PARTS_ABOUT), max(1, CELLS_IN_A_PART // cells))
        made = cls(data, seed, count, names, sweep, size, __version__, revisions(recipe))
        made.recipe_of(0)
        return made

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
        return self.sweep.values(self.root, number)

    def recipe_of(self, number: int, base: Recipe | None = None) -> Recipe:
        """The recipe that makes a map, its seed included.

        `base` is the recipe itself, where it is at hand: one that holds very large maps cannot be read from here.
        """
        values = self.values_of(number)
        recipe = base if base is not None and not values else self._recipe_with(values)
        return recipe.with_seed(f"{self.seed}-{number}")

    def _recipe_with(self, values: tuple[Any, ...]) -> Recipe:
        return _recipe_of(self.text, values)

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
        return cls(
            data["recipe"],
            str(data["seed"]),
            int(data["count"]),
            tuple(map(str, data["measures"])),
            Sweep.of(data["sweep"], sampled=bool(data["sampled"])),
            int(data["part_size"]),
            str(data["tilewright"]),
            dict(data["revisions"]),
        )

    @classmethod
    def in_folder(cls, folder: Folder) -> Manifest | None:
        """The manifest of a corpus; None where the folder is empty. A folder that holds something else is refused."""
        content = folder.read(MANIFEST)
        if content is None:
            if folder.names():
                raise BadFile(f"{folder}: holds something else than a corpus; name an empty folder, or a new one")
            return None
        try:
            return cls.from_text(content.decode())
        except BadFile as error:
            raise BadFile(f"{folder}: {error}") from None
        except (KeyError, TypeError, ValueError, RecursionError):
            raise BadFile(f"{folder}: its {MANIFEST} is damaged, or belongs to something else") from None

    def refuse_other(self, wanted: Manifest, folder: Folder) -> None:
        """Corpora are never mixed: what is there must be what is asked for."""
        mine, asked = self.to_data(), wanted.to_data()
        differ = [word for word in mine if word != "part_size" and mine[word] != asked[word]]
        if differ:
            words = ", ".join("version" if word == "tilewright" else word for word in differ)
            raise BadFile(f"{folder}: holds another corpus ({words} differ); name another folder")


@lru_cache(maxsize=4096)
def _recipe_of(text: str, values: tuple[Any, ...]) -> Recipe:
    """A manifest's recipe with some values; kept, because many maps share it."""
    manifest = Manifest.from_text(text)
    recipe = Recipe.of(manifest.sweep.applied(manifest.recipe, values))
    provider("core", "pipeline").planned(recipe)
    return recipe
