"""The functions of ProcEngine, implemented by the technique `rules`: initialize, generateMap, toString, testing.

>>> initialize({"mapData": ["6x4", "solid:empty"]}, seed=1)
>>> generateMap()[1]
['solid', 'empty', 'empty', 'empty', 'empty', 'solid']

Maps are lists of rows of tile names. Beyond the original, `initialize` takes a seed that reproduces the maps.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from types import SimpleNamespace
from typing import Any, TypeAlias

from ..core import pipeline
from ..core.errors import InvalidRecipe, TilewrightError
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from ..core.tilemap import TileMap

Level: TypeAlias = list[list[str]]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

testing = SimpleNamespace(isDebug=False)
"""With `testing.isDebug = True`, the map is printed after every step; a tile is printed as its index in `names`."""

_recipe: Recipe | None = None
_seeds = count()


def initialize(data: Mapping[str, Any] | None = None, seed: int | str | None = None) -> None:
    """Set the rules of all following maps.

    Parameters
    ----------
    data
        Rules with the sections of ProcEngine; missing sections have their defaults.
    seed
        Seed of all following maps; random by default.

    Raises
    ------
    InvalidRecipe
        If the rules are invalid.
    """
    global _recipe, _seeds
    if data is not None and not isinstance(data, Mapping):
        raise InvalidRecipe("must be an object with sections such as mapData", at="data", got=data, rule="type")
    sections = {"generationRules": [], **(data or {})}  # Missing sections get their defaults.
    recipe = Recipe.of({"technique": "rules", "params": sections, "seed": read_seed(seed)})
    make_plan(recipe)
    _recipe, _seeds = recipe, count()


def generateMap() -> Level:  # noqa: N802 - the original's name
    """Return the next map as rows of tile names. Every call returns another map."""
    recipe = _require_recipe()
    recipe = recipe.with_seed(f"{recipe.seed}-{next(_seeds)}")
    map = _run_debug(recipe) if testing.isDebug else pipeline.run(recipe)
    return [[map.tileset[tile].name for tile in row] for row in map.cells.tolist()]


generateLevel = generateMap  # noqa: N816 - its documentation uses both names


def toString() -> str:  # noqa: N802 - the original's name
    """Return the current rules, including all defaults, as JSON that `initialize` can read."""
    return json.dumps(_require_recipe().params.compact, indent=2)


def _require_recipe() -> Recipe:
    if _recipe is None:
        raise TilewrightError("call initialize first, with a data object or without one for the defaults")
    return _recipe


def _run_debug(recipe: Recipe) -> TileMap:
    """Make the map and print it after every step, with digits and letters for tiles and a dot for any further tile."""
    for frame in pipeline.watch(recipe):
        if frame.map is not None:
            return frame.map
        rows = ["".join(DIGITS[tile] if tile < len(DIGITS) else "." for tile in row) for row in frame.cells.tolist()]
        print(frame.note, *rows, "", sep="\n")
    raise AssertionError("the last frame has the map")
