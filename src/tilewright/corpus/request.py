"""Request for a corpus: a recipe, with the additional keys `sweep`, `sampled` and `listed`.

>>> Request.of({"technique": "caves", "sweep": {"walls": [0.4, 0.5]}}).sweep.size
2
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from .. import data as shipped
from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from ..core.notation import read_sweep
from ..core.plan import make_plan
from ..core.recipe import Recipe, as_recipe_data
from ..core.registry import techniques
from ..core.seeds import Seed
from ..formats._resolver import FileResolver
from ..jobs.folder import MANIFEST
from .manifest import KIND, Manifest
from .sweep import Sweep

Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class Request:
    """A validated recipe and sweep.

    If the request was read from the manifest of a corpus, also its seed, count and measures.
    """

    recipe: Recipe
    sweep: Sweep = field(default_factory=Sweep)
    seed: Seed | None = None
    count: int | None = None
    measures: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: RequestLike, change: Change | None = None) -> Request:
        """Return a request from a recipe, data, a file, a corpus, or the name of a recipe or a technique.

        `change`, if given, is applied to the recipe's data before validation.
        """
        if isinstance(given, Request):
            return given
        if isinstance(given, Recipe):
            make_plan(given)
            return cls(given, seed=given.seed)
        data, resolver = _read_data(given)
        data = dict(data)
        manifest = None
        if data.get("kind") == KIND:
            manifest = _parse_manifest(data, given)
            swept = manifest.sweep
            data = {**manifest.recipe, "sweep": swept.to_data(), "sampled": swept.sampled, "listed": swept.listed}
        sampled, listed = data.pop("sampled", False), data.pop("listed", False)
        for key, value in (("sampled", sampled), ("listed", listed)):
            if not isinstance(value, bool):
                raise InvalidRecipe("must be true or false", at=key, got=value, rule="choice")
        sweep = Sweep.of(_parse_ranges(data.pop("sweep", None)), sampled=sampled, listed=listed)
        plain = as_recipe_data(data)
        recipe = Recipe.of(plain if change is None else change(plain), resolver)
        make_plan(recipe)
        if manifest is None:
            return cls(recipe, sweep, recipe.seed)
        return cls(recipe, sweep, manifest.seed, manifest.count, manifest.measures)


RequestLike = Request | Recipe | Mapping[str, Any] | str | PathLike[str]


def _read_data(given: Mapping[str, Any] | str | PathLike[str]) -> tuple[Mapping[str, Any], FileResolver]:
    resolver = FileResolver()
    if isinstance(given, Mapping):
        return given, resolver
    if isinstance(given, str) and given in techniques:
        return {"technique": given}, resolver
    inside = os.path.join(fspath(given), MANIFEST)
    try:
        data, beside = resolver.read_recipe(inside if os.path.isfile(inside) else fspath(given))
    except UnknownName:
        names = [*techniques.names(), *shipped.list_names("recipes")]
        raise UnknownName("technique or recipe", fspath(given), names, "and there is no such file") from None
    if not isinstance(data, Mapping):
        raise InvalidRecipe("a recipe must be a set of named values", got=data, rule="type")
    return data, beside if isinstance(beside, FileResolver) else resolver


def _parse_manifest(data: Mapping[str, Any], given: object) -> Manifest:
    try:
        return Manifest.from_text(json.dumps(data))
    except TilewrightError as error:
        wrong = error if isinstance(error, BadFile) else BadFile("its manifest is damaged")
        raise BadFile.from_error(wrong, given if isinstance(given, str | PathLike) else "the corpus") from None


def _parse_ranges(sweep: Any) -> Any:
    """Return a sweep from data in which ranges may have the command-line syntax: `walls: 0.4..0.5:0.02`."""
    if not isinstance(sweep, Mapping):
        return sweep
    return {
        place: read_sweep(f"{place}={values}")[1] if isinstance(values, str) else values
        for place, values in sweep.items()
    }
