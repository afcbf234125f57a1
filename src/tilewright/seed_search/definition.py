"""The definition of a search over seeds: everything that determines which seeds are found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from .. import __version__
from ..analysis.similarity import Similarity, find_similarity
from ..analysis.survey import check_comparing
from ..core.command_line import write_job_command
from ..core.entries import Measure
from ..core.errors import Fix, InvalidRecipe, Problem, TilewrightError, errors_within, problem
from ..core.notation import UnwritableValue, write_requirement
from ..core.params import Params, param
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.registry import measures as measure_registry
from ..core.require import MeasureNames, Requirement, Requirements
from ..jobs.definition import find_revisions

KIND = "tilewright seeds"
LAYOUT = 1
"""Version of the file layout, which is increased when the layout changes."""
MAX_SEED = (1 << 64) - 1
MAX_KEEP = 100_000
RANGE = re.compile(r"\s*([0-9]{1,40})\s*\.\.\s*([0-9]{1,40})\s*")

SeedRange = str | range | Sequence[int]
"""A string `0..999`, a tuple of the first and the last seed, or a `range`."""


def read_seeds(given: SeedRange) -> tuple[int, int]:
    """Return the first and the last seed of a range. Raise InvalidRecipe if the range is invalid.

    >>> read_seeds("0..999"), read_seeds(range(5, 8)), read_seeds((3, 3))
    ((0, 999), (5, 7), (3, 3))
    """
    match given:
        case str() if ends := RANGE.fullmatch(given):
            first, last = (int(end) for end in ends.groups())
        case range() if given.step != 1:
            raise InvalidRecipe("must contain every seed of a range, with step 1", got=given)
        case range():
            first, last = given.start, given.stop - 1
        case [int(first), int(last)]:
            pass
        case _:
            raise InvalidRecipe("must be a range of integers such as 0..999999", got=given, rule="format")
    if first > last:
        fixes = [Fix("set", (), f"{last}..{first}")] if last >= 0 else []
        raise InvalidRecipe("the range must not be empty", got=given, rule="range", fixes=fixes)
    if first < 0 or last > MAX_SEED:
        raise InvalidRecipe(f"must be from 0 to {MAX_SEED:,}", got=given, rule="range")
    return first, last


Seeds = Annotated[tuple[int, int], PlainValidator(read_seeds), WithJsonSchema({"type": "string"})]
"""First and last seed of a range."""


class SeekParams(Params):
    """Parameters of a search over seeds."""

    seeds: Seeds = param(metavar="FIRST..LAST")
    """Seeds to test, such as 0..999999.

    A string, a tuple (first, last), or a `range`."""
    require: Requirements = param({}, metavar="MEASURE>NUMBER", repeated=True)
    """Conditions for measures, such as regions=1, path_length=60..66 or 'floor_share>0.5'. With path_length=most or
    least, the best seeds are kept, and of equal ones the smaller; otherwise the first seeds.

    A mapping such as `{"regions": 1, "floor_share": ">0.5", "path_length": "most"}`."""
    measures: MeasureNames = param((), metavar="NAME,...")
    """Further measures to record; `tilewright list measures`."""
    keep: int = param(100, ge=1, le=MAX_KEEP, metavar="N")
    """Maximum number of seeds to keep."""
    first: bool = param(False)
    """Whether to stop when `keep` seeds are found; not with most or least."""

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        extreme = find_extreme(self.require)
        if not self.require and not self.measures:
            text = "needs a requirement such as regions=1, or a measure to record"
            yield problem(text, at="require", rule="missing")
        if self.first and extreme is not None:
            text = f"the best seeds by {extreme.measure} are known only after the last seed"
            yield problem(text, at="first", rule="conflict", remove=["first"])


def find_extreme(requirements: Sequence[Requirement]) -> Requirement | None:
    """Return the requirement `most` or `least`, or None."""
    return next((one for one in requirements if one.is_extreme), None)


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
    keep: int
    """Maximum number of seeds to keep."""
    stops_early: bool
    """Whether to stop when `keep` seeds are found."""

    @classmethod
    def of(cls, recipe: Recipe, params: SeekParams) -> SeekDefinition:
        """Return the search for seeds of a recipe. Raise InvalidRecipe if the recipe lacks what a measure needs."""
        make_plan(recipe)
        bare = replace(recipe, seed=None, attempt=None)
        measures = tuple(dict.fromkeys([*(one.measure for one in params.require), *params.measures]))
        found = cls(bare, *params.seeds, params.require, measures, params.keep, params.first)
        found._check()
        return found

    def __getstate__(self) -> dict[str, Any]:
        # Without what is computed from the fields: functions of measures cannot always be pickled.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def _check(self) -> None:
        required = {one.measure for one in self.requirements}
        for entry in self.entries:
            place = ("require",) if entry.name in required else ("measures",)
            with errors_within(*place, kind=TilewrightError):
                entry.check_argument(self.recipe.tilesets)
                if self.similarity is None:
                    check_comparing([entry])

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
        return find_extreme(self.requirements)

    @property
    def count(self) -> int:
        """Number of seeds in the range."""
        return self.last - self.first + 1

    def recipe_of(self, seed: int) -> Recipe:
        """Return the recipe of a seed's map."""
        return self.recipe.with_seed(seed)

    def write_command(self) -> str:
        """Return the command that searches these seeds; empty if it cannot be written in one line."""
        own = {one.measure for one in self.requirements}
        measures = [name for name in self.measures if name not in own]
        words = ["--seeds", f"{self.first}..{self.last}"]
        try:
            rules = [write_requirement(one.measure, one.to_data()) for one in self.requirements]
        except UnwritableValue:
            return ""
        words += [word for rule in rules for word in ("--require", rule)]
        words += ["--measures", ",".join(measures)] if measures else []
        words += ["--keep", str(self.keep), *(["--first"] if self.stops_early else [])]
        return "" if self.recipe.require else write_job_command("seek", self.recipe, words)

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
