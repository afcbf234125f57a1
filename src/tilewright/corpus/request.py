"""Request for a corpus: a recipe, with the additional keys `sweep`, `sampled` and `listed`.

>>> Request.of({"technique": "caves", "sweep": {"walls": [0.4, 0.5]}}).sweep.size
2
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from ..batch import Device
from ..core.errors import BadFile, InvalidRecipe, TilewrightError, errors_within, unknown_key
from ..core.fields import present_name
from ..core.notation import read_sweep
from ..core.params import Params, PathString, SeedValue, param
from ..core.plan import make_plan
from ..core.recipe import Recipe, as_recipe_data
from ..core.require import MeasureNames
from ..core.resolver import Resolver
from ..core.seeds import Seed
from ..formats._resolver import RecipeLike, open_recipe
from ..jobs.cluster import RunParams
from ..jobs.folder import MANIFEST
from .manifest import KIND, MAX_MAPS, Manifest
from .sweep import KNOB, SEED, Sweep

Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def read_ranges(given: Any) -> Any:
    """Return the values or ranges of swept parameters by path, which may be written `walls=0.4..0.5:0.02`.

    A `Sweep` and None are returned as they are.
    """
    match given:
        case Mapping():
            return {
                place: read_sweep(f"{place}={values}")[1] if isinstance(values, str) else values
                for place, values in given.items()
            }
        case list() | tuple() if all(isinstance(one, str) for one in given):
            return dict(map(read_sweep, given))
        case Sweep() | None:
            return given
    raise InvalidRecipe("must be a set of named values", got=given, rule="type")


SweepValue = Annotated[Any, PlainValidator(read_ranges), WithJsonSchema({"type": ["object", "null"]})]
"""A sweep, or values and ranges by parameter."""


class CorpusParams(Params):
    """Parameters of a corpus."""

    count: int | None = param(None, ge=1, le=MAX_MAPS, metavar="N")
    """Number of maps. Required unless the recipe is a corpus or its sweep is listed."""
    seed: SeedValue = param(None, metavar="SEED")
    """Seed of the corpus; map k has the seed SEED-k. By default, the seed of the recipe, or a random one."""
    measures: MeasureNames | None = param(None, metavar="NAME,...")
    """Measures to compute for each map, listed by `tilewright list measures`."""
    sweep: SweepValue = param(None, metavar="NAME=VALUES", repeated=True)
    """Parameters to vary from map to map, such as walls=0.4..0.5:0.02 or steps=3,5, besides those of the recipe.

    A mapping such as `{"walls": [0.4, 0.5]}`, or a `Sweep`, which replaces that of the recipe."""
    sampled: bool = param(False)
    """Whether to sample the swept values at random instead of using all combinations in turn."""


class CorpusOptions(RunParams, CorpusParams):
    """Parameters of `tw.corpus.make` and `tilewright corpus make`."""

    folder: PathString = param(flags=("-o", "--output"), metavar="FOLDER")
    """Folder or fsspec URL to write to. If it contains the same corpus, the missing maps are made."""
    device: Device = param("auto")
    """Device that makes the maps of recipes with kernels for many maps; `auto` is the GPU if there is one. The corpus
    does not depend on it."""


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
            keys = {"sweep": manifest.swept, "sampled": manifest.sampled, "listed": manifest.listed}
            data = {**manifest.recipe, **keys}
        sampled, listed = data.pop("sampled", False), data.pop("listed", False)
        for key, value in (("sampled", sampled), ("listed", listed)):
            if not isinstance(value, bool):
                raise InvalidRecipe("must be true or false", at=key, got=value, rule="choice")
        with errors_within("sweep"):
            ranges = read_ranges(data.pop("sweep", None))
        sweep = Sweep.of(ranges, sampled=sampled, listed=listed)
        plain = as_recipe_data(data)
        recipe = Recipe.of(plain if change is None else change(plain), resolver)
        make_plan(recipe)
        if manifest is None:
            return cls(recipe, sweep, recipe.seed)
        return cls(recipe, sweep, manifest.seed, manifest.count, tuple(manifest.measures))

    def find_sweep(self, params: CorpusParams) -> Sweep:
        """Return the swept parameters of a corpus: those of the recipe with those of `params`."""
        own, ranges = (params.sweep, {}) if isinstance(params.sweep, Sweep) else (self.sweep, params.sweep or {})
        sampled = params.sampled or own.sampled
        named = {self._find_path(name): values for name, values in {**own.to_data(), **ranges}.items()}
        return Sweep.of(named, sampled=sampled, listed=own.listed)

    def _find_path(self, name: str) -> str:
        """Return the path of a swept parameter, or of a knob if no parameter of the technique has its name."""
        model, knobs = type(self.recipe.params), [knob.name for knob in self.recipe.knobs]
        fields, word = model.model_fields, name.replace("-", "_")
        if not knobs or "." in name or name == SEED or present_name(model, word) in fields:
            return name
        if word not in knobs:
            raise InvalidRecipe(unknown_key("parameter or knob", name, [*fields, *knobs]).within("sweep"))
        return f"{KNOB}{word}"


RequestLike = Request | RecipeLike


def _read_data(given: Mapping[str, Any] | str | PathLike[str]) -> tuple[Mapping[str, Any], Resolver]:
    """Return the data of a recipe, technique or corpus, and a resolver for the files that the data names."""
    if isinstance(given, str | PathLike) and os.path.isfile(inside := os.path.join(given, MANIFEST)):
        given = inside
    return open_recipe(given)


def _parse_manifest(data: Mapping[str, Any], given: object) -> Manifest:
    try:
        return Manifest.from_text(json.dumps(data))
    except TilewrightError as error:
        wrong = error if isinstance(error, BadFile) else BadFile("its manifest is damaged")
        raise BadFile.from_error(wrong, given if isinstance(given, str | PathLike) else "the corpus") from None
