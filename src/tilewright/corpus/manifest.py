"""The manifest: the complete definition of a corpus. It is the first file of a corpus and never changes.

It determines the tileset, in which an id is the same tile in every map. The tiles of the maps may differ, because of
nested recipes or swept samples.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from math import prod
from typing import Annotated, Any

from pydantic import Field

from .. import __version__
from ..core.caching import cached_by_size
from ..core.command_line import write_job_command
from ..core.errors import InvalidRecipe, short_repr
from ..core.knobs import RecipeKnob
from ..core.notation import UnwritableValue
from ..core.plan import make_plan
from ..core.recipe import Recipe, collect_tiles
from ..core.recipe_knobs import read_fitting_knobs, read_knobs_of, refuse_driven_twice
from ..core.seeds import Rng, Seed, number_seed
from ..core.tileset import Tileset
from ..formats._resolver import to_editable_data
from ..jobs.definition import (
    StoredJob,
    find_revisions,
    format_definition,
    list_differences,
    read_measures,
    refuse_another,
    refuse_other_revisions,
)
from ..jobs.folder import MANIFEST, Folder
from .sweep import KNOB, Sweep, apply_values

KIND = "tilewright corpus"
LAYOUT = 1
"""Version of the file layout, which is increased when the layout changes."""
MAX_MAPS = 10**9
TARGET_PARTS = 64
TARGET_PARTS_LISTED = 8
"""Number of parts of a corpus with a listed sweep. There are fewer, because each part stores the lists."""
MAX_MAPS_PER_PART = 1000
MAX_CELLS_PER_PART = 1 << 25
MIN_CELLS_PER_PART = 1 << 18
"""Number of cells up to which the maps of a corpus are one part. More parts would not be worth their files."""
MAX_SMALL_RECIPE = 10_000
"""Maximum number of characters of recipes whose number is limited, not their size. Counting the size of a recipe takes
as long as making a small map."""
MAX_TRIED_VALUES = 100
"""Maximum number of values per swept parameter that are validated before the generation starts."""
OWN_COLUMNS = {
    "id": ("int64", "number of the map, from 0"),
    "seed": ("string", "seed of the map"),
    "digest": ("string", "digest of the cells; equal maps have equal digests"),
    "levels": ("int32", "number of levels, 1 for a flat map"),
    "height": ("int32", "number of rows"),
    "width": ("int32", "number of columns"),
    "cells": ("binary", "tile ids, level by level and row by row, {bytes} each, as one zstd frame"),
    "reason": ("string", "why the generation failed; then there is no digest, size, cells or measures"),
}
"""Columns that every corpus has, with their types and descriptions."""


class Manifest(StoredJob):
    """Definition of a corpus: map `i` depends only on the manifest and `i`."""

    own_kind = KIND
    own_layout = LAYOUT
    seed: Seed
    count: Annotated[int, Field(ge=1, le=MAX_MAPS)]
    measures: list[str]
    swept: Annotated[dict[str, Any], Field(alias="sweep")]
    sampled: bool
    listed: bool = False
    part_size: Annotated[int, Field(ge=1, le=MAX_MAPS_PER_PART)]
    """Number of maps in a part. It is fixed when the corpus is created."""

    @classmethod
    def from_recipe(cls, recipe: Recipe, *, seed: Seed, count: int, measures: Sequence[str], sweep: Sweep) -> Manifest:
        """Return the manifest of a new corpus. Raise InvalidRecipe for invalid arguments."""
        names = [entry.name for entry in read_measures(recipe, list(dict.fromkeys(measures)))]
        taken = next((name for name in names if name in OWN_COLUMNS), None)
        if taken is not None:
            raise InvalidRecipe(f"{taken!r} is a column of every corpus, and cannot be a measure", at="measures")
        clash = next((axis.column for axis in sweep.axes if axis.column in (*OWN_COLUMNS, *names)), None)
        if clash is not None:
            raise InvalidRecipe(f"{clash!r} is already a column; write params.{clash}", at="sweep")
        refuse_driven_twice([axis.path for axis in sweep.axes], recipe.knobs, "sweep")
        data = {
            "kind": KIND,
            "layout": LAYOUT,
            "recipe": replace(recipe, seed=None, attempt=None).to_data() | _write_knobs(recipe),
            "seed": seed,
            "count": count,
            "measures": names,
            "sweep": sweep.to_data(),
            "sampled": sweep.sampled,
            "listed": sweep.listed,
            "tilewright": __version__,
            "revisions": find_revisions(recipe, names),
        }
        max_cells = cls.from_data({**data, "part_size": 1}).max_cells
        parts = TARGET_PARTS_LISTED if sweep.listed else TARGET_PARTS
        few = min(count, MIN_CELLS_PER_PART // max_cells)
        size = min(max(few, -(-count // parts)), max(1, MAX_CELLS_PER_PART // max_cells), MAX_MAPS_PER_PART)
        return cls.from_data({**data, "part_size": size})

    @cached_property
    def sweep(self) -> Sweep:
        return Sweep.of(self.swept, sampled=self.sampled, listed=self.listed)

    @property
    def title(self) -> str:
        """Name of the recipe or, if it has none, of its technique."""
        return str(self.recipe.get("name") or self.recipe["technique"])

    def write_command(self, folder: str) -> str:
        """Return the command that makes the corpus in a folder; empty if it cannot be written in one line."""
        try:
            swept = [word for axis in self.sweep.axes for word in ("--sweep", axis.write())]
        except UnwritableValue:
            return ""
        if self.listed:
            return ""
        sampled = ["--sampled"] if self.sampled else []
        measured = ["--measures", ",".join(self.measures)] if self.measures else []
        options = ["--count", str(self.count), "--seed", self.seed, *measured, *swept, *sampled, "-o", folder]
        return write_job_command("corpus make", self.find_recipe(), options)

    def find_recipe(self) -> Recipe:
        """Return the recipe without the sweep, with its knobs."""
        recipe = Recipe.of({**self.recipe, "knobs": None})
        return replace(recipe, knobs=read_fitting_knobs(self.recipe.get("knobs"), to_editable_data(recipe)))

    # -- maps ---------------------------------------------------------------------------------------------------

    @property
    def parts(self) -> int:
        """Number of parts of the complete corpus."""
        return -(-self.count // self.part_size)

    def maps_of(self, part: int) -> range:
        """Return the ids of the maps in a part."""
        return range(part * self.part_size, min(self.count, (part + 1) * self.part_size))

    @cached_property
    def root(self) -> Rng:
        return Rng.of(self.seed)

    def values_of(self, number: int) -> tuple[Any, ...]:
        """Return the values of the swept parameters of a map."""
        return self.sweep.values_for(self.root, number)

    def recipe_of(self, number: int) -> Recipe:
        """Return the recipe of a map, including its seed."""
        return self._apply(self.values_of(number)).with_seed(self.seed_of(number))

    def seed_of(self, number: int) -> Seed:
        """Return the seed of a map."""
        seeds = self.sweep.seeds
        return seeds[number % len(seeds)] if seeds else number_seed(self.seed, number)

    def _apply(self, values: Sequence[Any]) -> Recipe:
        """Return the recipe with some values of the sweep."""
        key, chosen = self._variation_key, json.dumps(values)
        is_small = len(key) + len(chosen) <= MAX_SMALL_RECIPE
        return (_find_small_recipe if is_small else _find_large_recipe)(key, chosen)

    @cached_property
    def _variation_key(self) -> str:
        """Recipe and swept paths as a string, for caching."""
        paths = [axis.path for axis in self.sweep.axes]
        unused = set() if any(path.startswith(KNOB) for path in paths) else {"knobs"}
        return json.dumps([{key: self.recipe[key] for key in self.recipe if key not in unused}, paths])

    @cached_property
    def knobs(self) -> tuple[RecipeKnob, ...]:
        """Knobs of the recipe with their values."""
        return read_knobs_of(self.recipe)

    @cached_property
    def max_cells(self) -> int:
        """Approximate number of cells of the largest map. Raises InvalidRecipe for invalid values of the sweep."""
        if self.sweep.listed:
            step = -(-self.sweep.size // MAX_TRIED_VALUES)
            return max(self._count_cells(self.values_of(number)) for number in range(0, self.sweep.size, step))
        defaults = [axis.values[0] for axis in self.sweep.axes]
        largest, cells = list(defaults), self._count_cells(defaults)
        for place, axis in enumerate(self.sweep.axes):
            tried = axis.values[:: -(-len(axis.values) // MAX_TRIED_VALUES)]
            sizes = {
                value: self._count_cells([*defaults[:place], value, *defaults[place + 1 :]])
                for value in dict.fromkeys([*tried, axis.values[-1]])
            }
            largest[place] = max(sizes, key=lambda value: sizes[value])
            cells = max(cells, *sizes.values())
        with suppress(InvalidRecipe):  # Maps with this combination of values cannot be generated.
            cells = max(cells, self._count_cells(largest))
        return cells

    def _count_cells(self, values: Sequence[Any]) -> int:
        try:
            recipe = self._apply(values)
        except InvalidRecipe as error:
            raise (error.within("sweep") if values else error) from None
        return prod(recipe.shape)

    def refuse_other_revisions(self, folder: Folder | None = None) -> None:
        """Raise BadFile if this version would make other maps than the version that started the corpus."""
        current = find_revisions(self.recipe_of(0), self.measures)
        refuse_other_revisions("corpus", self.tilewright, self.revisions, current, folder)

    # -- as a file ----------------------------------------------------------------------------------------------

    def to_data(self) -> dict[str, Any]:
        data = self.model_dump(by_alias=True, exclude_defaults=True)
        last = {key: data.pop(key) for key in ("tilewright", "revisions")}
        return data | last

    @cached_property
    def text(self) -> str:
        return format_definition(self.to_data())

    @classmethod
    def from_text(cls, text: str | bytes) -> Manifest:
        """Parse a manifest from the text of its file. Raise a TilewrightError if it is damaged."""
        manifest = cls.from_json(text)
        columns = [*OWN_COLUMNS, *(axis.column for axis in manifest.sweep.axes), *manifest.measures]
        if len({*columns}) < len(columns):
            raise InvalidRecipe("must be different columns", at="measures", got=manifest.measures, rule="duplicate")
        return manifest

    @classmethod
    def from_folder(cls, folder: Folder) -> Manifest | None:
        """Read the manifest of a corpus.

        Return None for an empty folder, and raise BadFile for a folder with other content.
        """
        return folder.read_description(MANIFEST, "corpus", cls.from_text)

    def check_matches(self, wanted: Manifest, folder: Folder) -> None:
        """Raise BadFile if the requested corpus has other maps than this one.

        Another version may continue a corpus if all revisions are the same. That version may have other names for
        parameters and additional parameters, so both recipes are compared in the form in which this version writes
        them.
        """
        mine, requested = json.loads(self.text), json.loads(wanted.text)
        knobs = {"knobs": self.recipe.get("knobs")}
        mine["recipe"] = json.loads(json.dumps(Recipe.of({**self.recipe, "knobs": None}).to_data() | knobs))
        keys = list_differences(mine, requested, "part_size", "tilewright", "revisions")
        differ = [_describe_difference(key, mine.get(key), requested.get(key)) for key in keys]
        refuse_another("corpus", "; ".join(differ), folder)
        self.refuse_other_revisions(folder)


def _write_knobs(recipe: Recipe) -> dict[str, Any]:
    return {"knobs": {knob.name: knob.to_data() for knob in recipe.knobs}} if recipe.knobs else {}


def _describe_difference(key: str, mine: Any, wanted: Any) -> str:
    """Return a description of a difference between the existing and the requested corpus, including the parameter."""
    if key == "recipe" and mine.get("technique") == wanted.get("technique"):
        inner = list_differences(mine, wanted, "params")
        inner += [f"params.{name}" for name in list_differences(mine.get("params") or {}, wanted.get("params") or {})]
        return f"its recipe differs in {', '.join(inner)}"
    if key == "recipe":
        return f"its technique is {mine.get('technique')}, not {wanted.get('technique')}"
    return f"{key} is {_format_value(mine)}, not {_format_value(wanted)}"


def _format_value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or "nothing"
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else short_repr(value)


def _find_recipe(varied: str, values: str) -> Recipe:
    """Return the recipe of a corpus with some values of its sweep."""
    recipe, paths = json.loads(varied)
    result = Recipe.of({**apply_values(recipe, paths, json.loads(values)), "knobs": None})
    make_plan(result)
    return result


_find_small_recipe = lru_cache(maxsize=1024)(_find_recipe)
_find_large_recipe = cached_by_size(_find_recipe)
"""Many maps share a recipe."""


# -- the common tileset ---------------------------------------------------------------------------------------


MAX_LISTED_VARIANTS = 4096
"""Maximum number of recipes of a listed sweep whose tiles are collected."""


def tileset_of(manifest: Manifest) -> Tileset:
    """Return the tiles of all maps: the tiles of the first map's recipe, then additional tiles of other maps."""
    return _tileset_of(manifest.text)


@cached_by_size
def _tileset_of(text: str) -> Tileset:
    manifest = Manifest.from_text(text)
    first = manifest.recipe_of(0)
    found = first.tileset
    for recipe in (first, *_iter_variants(manifest)):
        found = found.with_tiles(collect_tiles(recipe))
    return found


def _iter_variants(manifest: Manifest) -> Iterator[Recipe]:
    """Yield the recipe with each value of each swept parameter, except floats, which do not affect the tileset."""
    if manifest.sweep.listed:
        yield from _iter_listed(manifest)
        return
    defaults = [axis.values[0] for axis in manifest.sweep.axes]
    for place, axis in enumerate(manifest.sweep.axes):
        if any(isinstance(value, float) for value in axis.values):
            continue
        for value in axis.values[:: -(-len(axis.values) // MAX_TRIED_VALUES)]:
            with suppress(InvalidRecipe):  # Maps with these values cannot be generated.
                yield Recipe.of(
                    manifest.sweep.apply(manifest.recipe, [*defaults[:place], value, *defaults[place + 1 :]])
                )


def _iter_listed(manifest: Manifest) -> Iterator[Recipe]:
    """Yield the recipes of a listed sweep that differ in more than floats and lists of numbers."""
    seen: set[str] = set()
    for number in range(manifest.sweep.size):
        values = [value for value in manifest.values_of(number) if not _is_numeric(value)]
        key = json.dumps(values)
        if key not in seen and len(seen) < MAX_LISTED_VARIANTS:
            seen.add(key)
            with suppress(InvalidRecipe):
                yield manifest.recipe_of(number)


def _is_numeric(value: Any) -> bool:
    """Return whether a value is a float, or a list of numbers."""
    return isinstance(value, float) or (
        isinstance(value, list | tuple) and all(isinstance(one, int | float) for one in value)
    )
