"""The definition of a search over seeds: everything that determines which seeds are found."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from .. import __version__
from ..analysis.similarity import Similarity, find_similarity
from ..analysis.survey import check_comparing
from ..core.entries import Measure
from ..core.errors import Fix, InvalidRecipe, TilewrightError
from ..core.params import check_integer
from ..core.plan import make_plan, tilesets_of
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.require import Requirement, read_requirements
from ..jobs.definition import find_revisions

KIND = "tilewright seeds"
LAYOUT = 1
"""Version of the file layout, which is increased when the layout changes."""
MAX_SEED = (1 << 64) - 1
MAX_KEEP = 100_000
DEFAULT_KEEP = 100
RANGE = re.compile(r"\s*([0-9]{1,40})\s*\.\.\s*([0-9]{1,40})\s*")

SeedRange = str | range | Sequence[int]
"""A string `0..999`, a tuple of the first and the last seed, or a `range`."""


@dataclass(frozen=True)
class SeekDefinition:
    """A validated search over seeds."""

    recipe: Recipe
    """Recipe without a seed."""
    first: int
    last: int
    """First and last seed of the range."""
    requirements: tuple[Requirement, ...]
    measures: tuple[str, ...]
    """Measures to record: those of the requirements, then others."""
    keep: int = DEFAULT_KEEP
    """Maximum number of seeds to keep."""
    stops_early: bool = False
    """Whether to stop when `keep` seeds are found."""

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        *,
        seeds: SeedRange,
        require: Any = None,
        measures: Sequence[str] = (),
        keep: int = DEFAULT_KEEP,
        first: bool = False,
    ) -> SeekDefinition:
        """Validate the arguments of a search. Raise InvalidRecipe if one of them is invalid."""
        ends = read_seeds(seeds)
        check_integer("keep", keep, 1, MAX_KEEP)
        if not isinstance(first, bool):
            raise InvalidRecipe("must be true or false", at="first", got=first, rule="type")
        make_plan(recipe)
        try:
            requirements = read_requirements(require or {})
        except TilewrightError as error:
            raise error.within("require") from None
        found = cls(
            replace(recipe, seed=None, attempt=None),
            *ends,
            requirements,
            _read_measures(requirements, measures),
            keep,
            first,
        )
        found._check()
        return found

    def __getstate__(self) -> dict[str, Any]:
        # Without what is computed from the fields: functions of measures cannot always be pickled.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _check(self) -> None:
        if not self.measures:
            text = "needs a requirement such as regions=1, or a measure to record"
            raise InvalidRecipe(text, at="require", rule="missing")
        if self.stops_early and self.extreme is not None:
            text = f"the best seeds by {self.extreme.measure} are known only after the last seed"
            raise InvalidRecipe(text, at="first", rule="conflict", fixes=[Fix("remove", ("first",))])
        required = {one.measure for one in self.requirements}
        for entry in self.entries:
            place = ("require",) if entry.name in required else ("measures",)
            try:
                entry.check_argument(tilesets_of(self.recipe))
                if self.similarity is None:
                    check_comparing([entry])
            except TilewrightError as error:
                raise error.within(*place) from None

    @cached_property
    def entries(self) -> tuple[Measure, ...]:
        """Measures to record, as entries of the registry."""
        return tuple(measure_registry.complete(name) for name in self.measures)

    @cached_property
    def similarity(self) -> Similarity | None:
        """Samples of the recipe, if a measure compares maps with them."""
        return find_similarity(self.recipe) if any(entry.compares for entry in self.entries) else None

    @property
    def extreme(self) -> Requirement | None:
        """The requirement `most` or `least`, or None."""
        return next((one for one in self.requirements if one.is_extreme), None)

    @property
    def count(self) -> int:
        """Number of seeds in the range."""
        return self.last - self.first + 1

    def recipe_of(self, seed: int) -> Recipe:
        """Return the recipe of a seed's map."""
        return self.recipe.with_seed(seed)

    # -- as a file ------------------------------------------------------------------------------------------------

    @property
    def revisions(self) -> dict[str, int]:
        """Revisions of all techniques, shapers and measures that determine the seeds."""
        return find_revisions(self.recipe, self.measures)

    def to_data(self) -> dict[str, Any]:
        """Return plain data, as the manifest of a folder stores it."""
        data = {
            "kind": KIND,
            "layout": LAYOUT,
            "recipe": self.recipe.to_data(),
            "seeds": f"{self.first}..{self.last}",
            "require": {one.measure: one.to_data() for one in self.requirements},
            "measures": list(self.measures),
            "keep": self.keep,
            "first": self.stops_early,
            "tilewright": __version__,
            "revisions": self.revisions,
        }
        found: dict[str, Any] = json.loads(json.dumps(data))
        return found


def read_seeds(given: SeedRange) -> tuple[int, int]:
    """Return the first and the last seed of a range. Raise InvalidRecipe if the range is invalid.

    >>> read_seeds("0..999"), read_seeds(range(5, 8)), read_seeds((3, 3))
    ((0, 999), (5, 7), (3, 3))
    """
    wrong = InvalidRecipe("must be a range of integers such as 0..999999", at="seeds", got=given, rule="format")
    if isinstance(given, str):
        ends = RANGE.fullmatch(given)
        if not ends:
            raise wrong
        first, last = (int(end) for end in ends.groups())
    elif isinstance(given, range):
        if given.step != 1:
            raise InvalidRecipe("must contain every seed of a range, with step 1", at="seeds", got=given)
        first, last = given.start, given.stop - 1
    else:
        numbers = [_as_seed(end) for end in given] if isinstance(given, Sequence) and len(given) == 2 else [None]
        if any(number is None for number in numbers):
            raise wrong
        first, last = (number for number in numbers if number is not None)
    if first > last:
        fixes = [Fix("set", ("seeds",), f"{last}..{first}")] if last >= 0 else []
        raise InvalidRecipe("the range must not be empty", at="seeds", got=given, rule="range", fixes=fixes)
    if first < 0 or last > MAX_SEED:
        text = f"must be from 0 to {MAX_SEED:,}"
        raise InvalidRecipe(text, at="seeds", got=given, rule="range")
    return first, last


def _as_seed(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read_measures(requirements: Sequence[Requirement], others: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all measures to record, each once."""
    is_list = isinstance(others, Sequence) and not isinstance(others, str)
    if not is_list or not all(isinstance(name, str) for name in others):
        raise InvalidRecipe("must be a list of names", at="measures", got=others, rule="type")
    try:
        names = [measure_registry.complete(name).name for name in others]
    except TilewrightError as error:
        raise error.within("measures") from None
    return tuple(dict.fromkeys([*(one.measure for one in requirements), *names]))
