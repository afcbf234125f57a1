"""What is sewn into a map's file, so that it can be born again: version, revisions, seed, digest, recipe."""

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

MAX_BYTES = 512 * 1024
FEW_TILES = 32


def digest(map: TileMap) -> str:
    """Names a map's cells by their tiles' names: the same map in a tileset of another order is the same."""
    flat = map.cells.reshape(-1)
    used = _find_used_tiles(flat, len(map.tileset))
    own = [map.tileset.names[number] for number in used]
    names = sorted(own)
    if names == own and used[-1] == len(used) - 1:  # the ids are the ranks: nearly always, and much quicker
        ranks = flat.astype("<u2")
    else:
        table = np.zeros(len(map.tileset), dtype="<u2")
        by_name = {name: rank for rank, name in enumerate(names)}
        table[used] = [by_name[name] for name in own]
        ranks = table[flat]
    named = blake2b(json.dumps([list(map.shape), names], ensure_ascii=True).encode(), digest_size=16)
    named.update(ranks.data)
    return named.hexdigest()


def _find_used_tiles(flat: NDArray[Any], tiles: int) -> list[int]:
    """The tiles that occur, in order."""
    if flat.dtype == np.uint8 and tiles <= FEW_TILES:
        content = flat.tobytes()
        return [number for number in range(tiles) if number in content]  # stops at the first: quicker than counting
    return np.flatnonzero(np.bincount(flat, minlength=tiles)).tolist()


def collect_revisions(recipe: Recipe) -> dict[str, int]:
    """The revision of everything that a recipe uses, recipes inside it included."""
    found = {recipe.technique: techniques.get(recipe.technique).revision}
    for stage in recipe.shaping:
        found[stage.shaper] = shapers.get(stage.shaper).revision
    for one in recipe.require:
        found[one.measure] = measures.get(one.measure).revision
    for inner in recipe.inner:
        found.update(collect_revisions(inner))
    return dict(sorted(found.items()))


def raised_revisions(stored: Mapping[str, int], current: Mapping[str, int]) -> list[str]:
    """Return the names whose stored revision is not the current one; a name that is not stored had revision 1."""
    return [name for name, revision in current.items() if stored.get(name, 1) != revision]


def build_provenance(map: TileMap) -> dict[str, Any]:
    """What a file carries about its map, as plain data; under 512 KB.

    What makes a recipe too large is left out step by step: maps and locks, which are named by their digest; the
    tileset, which most files hold anyway, by name and digest; all of it.
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
    """The recipe that makes a file's map again, by what the file carries.

    None when it carries none that can be read here, or the map was edited since: then the recipe makes another one.
    (A file without a digest, such as libFBCAGen's, cannot tell and is believed.)
    """
    if "digest" in provenance and provenance["digest"] != digest(map):
        return None
    try:
        return _read_recipe(map, provenance, None)
    except TilewrightError:
        return None


def _read_recipe(map: TileMap, provenance: Mapping[str, Any], resolver: Resolver | None) -> Recipe:
    inner = provenance.get("recipe")
    if not isinstance(inner, Mapping):
        raise InvalidRecipe("must be a set of named values", at="recipe", got=inner, rule="type")
    tileset = inner.get("tileset")
    if isinstance(tileset, Mapping) and "digest" in tileset:
        if tileset["digest"] != map.tileset.digest:
            name = short_repr(tileset.get("name"))
            text = f"{name} is too large to be inside the recipe, and the file holds another one"
            raise InvalidRecipe(text, at="tileset")
        inner = {**inner, "tileset": map.tileset}
    return Recipe.of(inner, resolver)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `verify` found."""

    outcome: Literal["same", "edited", "changed", "unexpected", "impossible"]
    message: str

    @property
    def code(self) -> int:
        """The exit code that tells it: 0 the same map, 1 another, 2 cannot be made."""
        return {"same": 0, "impossible": 2}.get(self.outcome, 1)


def verify(map: TileMap, provenance: Mapping[str, Any], resolver: Resolver | None = None) -> Verdict:
    """Make a file's map again from what the file carries, and compare."""
    if provenance.get("recipe") is None:
        lacks = "its recipe was too large to be carried" if "left_out" in provenance else "carries no recipe"
        return Verdict("impossible", f"{lacks}, so it cannot be made again")
    try:
        recipe = _read_recipe(map, provenance, resolver)
        if recipe.seed is None:
            raise InvalidRecipe("the recipe has none", at="seed")
        again = digest(run(recipe))
        now = collect_revisions(recipe)
    except TilewrightError as error:
        return Verdict("impossible", f"cannot be made: {error}")
    if again == digest(map):
        return Verdict("same", f"the same map ({recipe.technique}, seed {recipe.seed})")
    if provenance.get("digest") == again:
        return Verdict("edited", "edited since it was made: its recipe makes the map it was before")
    before = provenance.get("revisions")
    raised = sorted(
        name for name, number in now.items() if isinstance(before, Mapping) and before.get(name, number) != number
    )
    if raised:
        return Verdict("changed", f"another map, as expected: {', '.join(raised)} was revised since")
    return Verdict("unexpected", "another map, unexpectedly: its recipe does not make it")
