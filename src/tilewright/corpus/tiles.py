"""The common tileset of a corpus, in which an id is the same tile in every map.

The tiles of the maps may differ, because of nested recipes or swept samples.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..core.caching import cached_by_size
from ..core.errors import InvalidRecipe
from ..core.recipe import Recipe
from ..core.shared_tiles import collect_tiles
from ..core.tileset import Tileset
from .manifest import MAX_TRIED_VALUES, Manifest

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
