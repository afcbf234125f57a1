"""Provenance stored in map files, so that a map can be regenerated: version, revisions, seed, digest and recipe."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, TilewrightError, short_repr
from .pipeline import run
from .recipe import Recipe
from .registry import measures, shapers, techniques
from .resolver import Resolver
from .tilemap import TileMap
from .tileset import Tileset

MAX_BYTES = 512 * 1024
"""Maximum size of the provenance as JSON."""
FEW_TILES = 32
"""Maximum number of tiles for which searching the cells for each tile is faster than counting all tiles."""


def digest(map: TileMap) -> str:
    """Return a digest of a map's cells by tile names. The order of the tileset does not matter."""
    return digest_cells(map.cells, map.tileset)


def digest_cells(cells: NDArray[Any], tileset: Tileset) -> str:
    """Return the digest of a map with these cells."""
    flat = cells.reshape(-1)
    used = _find_used_tiles(flat, len(tileset))
    own = [tileset.names[number] for number in used]
    names = sorted(own)
    if names == own and used[-1] == len(used) - 1:  # In the common case, ids are ranks; this is faster.
        ranks = flat.astype("<u2")
    else:
        table = np.zeros(len(tileset), dtype="<u2")
        by_name = {name: rank for rank, name in enumerate(names)}
        table[used] = [by_name[name] for name in own]
        ranks = table[flat]
    named = blake2b(json.dumps([list(cells.shape), names], ensure_ascii=True).encode(), digest_size=16)
    named.update(ranks.data)
    return named.hexdigest()


def _find_used_tiles(flat: NDArray[Any], tiles: int) -> list[int]:
    """Return the sorted ids of the tiles that occur."""
    if flat.dtype == np.uint8 and tiles <= FEW_TILES:
        content = flat.tobytes()
        return [number for number in range(tiles) if number in content]  # The search stops at the first match.
    return np.flatnonzero(np.bincount(flat, minlength=tiles)).tolist()


def collect_revisions(recipe: Recipe) -> dict[str, int]:
    """Return the revisions of all entries that a recipe uses, including inner recipes, by name."""
    found = {recipe.technique: techniques.get(recipe.technique).revision}
    for stage in recipe.shaping:
        found[stage.shaper] = shapers.get(stage.shaper).revision
        found |= {name: measures.get(name).revision for name in stage.params.list_measures()}
    found |= {one.measure: measures.get(one.measure).revision for one in recipe.require}
    for inner in recipe.inner:
        found.update(collect_revisions(inner))
    return dict(sorted(found.items()))


def raised_revisions(stored: Mapping[str, int], current: Mapping[str, int]) -> list[str]:
    """Return the names whose stored revision differs from the current one. A missing revision is 1."""
    return [name for name, revision in current.items() if stored.get(name, 1) != revision]


def build_provenance(map: TileMap) -> dict[str, Any]:
    """Return the provenance of a map as plain data of at most `MAX_BYTES`.

    If the recipe is too large, maps and locks in it are stored as digests, then also the tileset, which most formats
    store anyway. If the recipe is still too large, it is left out.
    """
    from .. import __version__

    data: dict[str, Any] = {"tilewright": __version__, "digest": digest(map)}
    if map.recipe is None:
        return data
    data["seed"] = map.recipe.seed
    data["revisions"] = collect_revisions(map.recipe)
    for recipe in _iter_shorter(map.recipe):
        if len(json.dumps(data | {"recipe": recipe})) <= MAX_BYTES:
            return data | {"recipe": recipe}
    return data | {"left_out": "recipe"}


def _iter_shorter(recipe: Recipe) -> Iterator[dict[str, Any]]:
    yield recipe.to_data()
    short = recipe.to_data(inline=False)
    yield short
    yield short | {"tileset": {"name": recipe.tileset.name, "digest": recipe.tileset.digest}}


def recipe_of(map: TileMap, provenance: Mapping[str, Any]) -> Recipe | None:
    """Return the recipe in the provenance of a file.

    Return None if there is no readable recipe, or if the digest shows that the map was edited. Without a digest, as in
    files of libFBCAGen, the recipe is assumed to belong to the map.
    """
    if "digest" in provenance and provenance["digest"] != digest(map):
        return None
    try:
        return read_recipe(map, provenance, None)
    except TilewrightError:
        return None


def read_recipe(map: TileMap, provenance: Mapping[str, Any], resolver: Resolver | None) -> Recipe:
    """Return the recipe in the provenance of a map's file, which may have been edited. Raise InvalidRecipe if there is
    none."""
    return Recipe.of(get_recipe_data(map, provenance), resolver)


def get_recipe_data(map: TileMap, provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of the recipe in the provenance of a map's file. Raise InvalidRecipe if there is none."""
    inner = provenance.get("recipe")
    if inner is None:
        reason = "its recipe was too large to store" if "left_out" in provenance else "it was not saved by Tilewright"
        raise InvalidRecipe(f"this file has no recipe, because {reason}", rule="missing")
    if not isinstance(inner, Mapping):
        raise InvalidRecipe("must be a set of named values", at="recipe", got=inner, rule="type")
    tileset = inner.get("tileset")
    if isinstance(tileset, Mapping) and "digest" in tileset:
        if tileset["digest"] != map.tileset.digest:
            name = short_repr(tileset.get("name"))
            text = f"{name} is too large to be stored in the recipe, and the file has another one"
            raise InvalidRecipe(text, at="tileset")
        return {**inner, "tileset": map.tileset}
    return inner


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of `verify`."""

    outcome: Literal["same", "edited", "changed", "unexpected", "impossible"]
    """`same`: the recipe makes the map. `edited`: the map was edited after it was made. `changed`: the recipe makes
    another map, because a technique, shaper or measure has a new revision. `unexpected`: it makes another map without
    such a reason. `impossible`: the map cannot be regenerated."""
    message: str
    """The outcome as a sentence."""

    @property
    def code(self) -> int:
        """Exit code of `tilewright verify`: 0 for the same map, 1 for another, 2 if it cannot be regenerated."""
        return {"same": 0, "impossible": 2}.get(self.outcome, 1)


def verify(map: TileMap, provenance: Mapping[str, Any], resolver: Resolver | None = None) -> Verdict:
    """Regenerate a map from its provenance, and compare the two maps."""
    if provenance.get("recipe") is None:
        reason = "the recipe was too large to store" if "left_out" in provenance else "the file has no recipe"
        return Verdict("impossible", f"{reason}, so the map cannot be regenerated")
    try:
        recipe = read_recipe(map, provenance, resolver)
        if recipe.seed is None:
            raise InvalidRecipe("the recipe has no seed", at="seed")
        again = digest(run(recipe))
        now = collect_revisions(recipe)
    except TilewrightError as error:
        return Verdict("impossible", f"cannot be regenerated: {error}")
    if again == digest(map):
        return Verdict("same", f"the same map ({recipe.title}, seed {recipe.seed})")
    if provenance.get("digest") == again:
        return Verdict("edited", "edited after it was made: the recipe makes the map before the edit")
    before = provenance.get("revisions")
    raised = sorted(
        name for name, number in now.items() if isinstance(before, Mapping) and before.get(name, number) != number
    )
    if raised:
        return Verdict("changed", f"another map, as expected: {', '.join(raised)} has a new revision")
    return Verdict("unexpected", "another map, unexpectedly: the recipe does not make this map")
