"""What is sewn into a map's file, so that it can be born again: version, revisions, seed, digest, recipe."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from .errors import InvalidRecipe, TilewrightError, quoted
from .pipeline import run
from .reading import Reading
from .recipe import Recipe
from .registry import shapers, techniques
from .tilemap import TileMap

MOST_BYTES = 512 * 1024


def digest(map: TileMap) -> str:
    """Names a map's cells by their tiles' names: the same map in a tileset of another order is the same."""
    used = np.unique(map.cells)
    names = sorted(map.tileset.names[number] for number in used.tolist())
    table = np.zeros(len(map.tileset), dtype="<u2")
    for number in used.tolist():
        table[number] = names.index(map.tileset.names[number])
    head = json.dumps([list(map.shape), names], ensure_ascii=True).encode()
    return blake2b(head + table[map.cells].tobytes(), digest_size=16).hexdigest()


def revisions(recipe: Recipe) -> dict[str, int]:
    """The revision of everything that a recipe uses, recipes inside it included."""
    found = {recipe.technique: techniques.get(recipe.technique).revision}
    for stage in recipe.shaping:
        found[stage.shaper] = shapers.get(stage.shaper).revision
    for inner in recipe.inner:
        found.update(revisions(inner))
    return dict(sorted(found.items()))


def provenance(map: TileMap) -> dict[str, Any]:
    """What a file carries about its map, as plain data; under 512 KB."""
    from .. import __version__

    data: dict[str, Any] = {"tilewright": __version__, "digest": digest(map)}
    if map.recipe is None:
        return data
    data["seed"] = map.recipe.seed
    data["revisions"] = revisions(map.recipe)
    data["recipe"] = map.recipe.to_data()
    if len(json.dumps(data)) > MOST_BYTES:
        data["recipe"] = map.recipe.to_data(inline=False)
    return data


def recipe_of(data: Mapping[str, Any], reading: Reading | None = None) -> Recipe | None:
    """The recipe in what a file carries; None when it carries none that can be read here."""
    inner = data.get("recipe")
    try:
        return Recipe.of(inner, reading) if isinstance(inner, Mapping) else None
    except TilewrightError:
        return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `verify` found."""

    outcome: Literal["same", "edited", "changed", "unexpected", "impossible"]
    message: str

    @property
    def code(self) -> int:
        """The exit code that tells it: 0 the same map, 1 another, 2 cannot be made."""
        return {"same": 0, "impossible": 2}.get(self.outcome, 1)


def verify(map: TileMap, carried: Mapping[str, Any], reading: Reading | None = None) -> Verdict:
    """Make a file's map again from what the file carries, and compare."""
    inner = carried.get("recipe")
    if inner is None:
        return Verdict("impossible", "carries no recipe, so it cannot be made again")
    try:
        if not isinstance(inner, Mapping):
            raise InvalidRecipe(f"recipe: must be a set of named values, got {quoted(inner)}")
        recipe = Recipe.of(inner, reading)
        if recipe.seed is None:
            raise InvalidRecipe("seed: the recipe has none")
        again = digest(run(recipe))
        now = revisions(recipe)
    except TilewrightError as error:
        return Verdict("impossible", f"cannot be made: {error}")
    if again == digest(map):
        return Verdict("same", f"the same map ({recipe.technique}, seed {recipe.seed})")
    if carried.get("digest") == again:
        return Verdict("edited", "edited since it was made: its recipe makes the map it was before")
    before = carried.get("revisions")
    raised = sorted(
        name for name, number in now.items() if isinstance(before, Mapping) and before.get(name, number) != number
    )
    if raised:
        return Verdict("changed", f"another map, as expected: {', '.join(raised)} was revised since")
    return Verdict("unexpected", "another map, unexpectedly: its recipe does not make it")
