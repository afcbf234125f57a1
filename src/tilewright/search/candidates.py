"""Candidates for a set of maps: maps of one recipe with different seeds and, on request, different parameters.

A candidate depends only on its number, so that any number of processes makes the same candidates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from ..analysis.similarity import Similarity, find_similarity
from ..analysis.survey import measure_map
from ..core.errors import GaveUp, TilewrightError, describe_failure
from ..core.pipeline import run, shape_map
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.seeds import Rng, Seed, number_seed
from ..core.tilemap import TileMap
from ..jobs.definition import read_measures
from .gate import Target
from .genome import Genome


@dataclass(frozen=True)
class Candidate:
    """A map that may enter a set."""

    number: int
    map: TileMap | None
    """The map; None if it could not be made."""
    measures: Mapping[str, float]
    """Values of the measures of all targets; NaN where a measure does not apply."""
    reason: str = ""
    """Reason for which there is no map."""


@dataclass(frozen=True)
class CandidateSource:
    """Makes and measures candidates by number."""

    recipe: Recipe
    seed: Seed
    """Candidate k has the seed SEED-k, unless the seed is among the varied parameters."""
    measures: tuple[str, ...] = ()
    vary: Any = None
    """Parameters to draw at random for each candidate, as for an archive; None for no parameters."""
    improves: bool = False
    """Whether maps that meet no open target are changed until they meet one, by the shaper `improve`."""

    def check(self) -> None:
        """Raise InvalidRecipe if the recipe, a measure or a varied parameter is invalid."""
        make_plan(self.recipe)
        read_measures(self.recipe, self.measures)
        _ = self.genome  # reads the varied parameters

    @cached_property
    def genome(self) -> Genome | None:
        return None if self.vary is None else Genome(self.recipe, self.vary)

    @cached_property
    def _similarity(self) -> Similarity | None:
        return find_similarity(self.recipe)

    def recipe_of(self, number: int) -> Recipe:
        """Return the recipe of a candidate."""
        if self.genome is None:
            return self.recipe.with_seed(number_seed(self.seed, number))
        rng = Rng.of(self.seed).child("variety", number)
        (values,) = self.genome.decode(rng.randoms(self.genome.slots).reshape(1, -1))
        recipe = self.genome.apply(values)
        return recipe if self.genome.has_seed else recipe.with_seed(number_seed(self.seed, number))

    def make(self, number: int, open_targets: Sequence[Target] = ()) -> Candidate:
        """Make a candidate. If that fails, the candidate has the reason instead of a map.

        Parameters
        ----------
        number : int
            Number of the candidate.
        open_targets : sequence of Target
            Targets that still need a map. If maps are improved and this one meets none of them, it is changed to meet
            one, which its number determines.
        """
        try:
            recipe = self.recipe_of(number)
            map = run(recipe)
        except TilewrightError as error:
            return Candidate(number, None, {}, describe_failure(error))
        found = self._measure(number, map, recipe)
        if not self.improves or not open_targets or any(target.holds(found.measures) for target in open_targets):
            return found
        target = open_targets[number % len(open_targets)]
        try:
            return self._measure(number, shape_map(map, target.to_stage()), recipe)
        except GaveUp:
            return found

    def _measure(self, number: int, map: TileMap, recipe: Recipe) -> Candidate:
        similarity = self._similarity if self.genome is None else find_similarity(recipe)
        return Candidate(number, map, measure_map(map, self.measures, similarity) if self.measures else {})

    # -- in worker processes --------------------------------------------------------------------------------------

    @cached_property
    def text(self) -> str:
        """The source as a string, from which a worker process builds it."""
        recipe = {**self.recipe.to_data()}
        if self.recipe.knobs:
            recipe["knobs"] = {knob.name: knob.to_data() for knob in self.recipe.knobs}
        vary = None if self.genome is None else self.genome.to_data()
        own = {"seed": self.seed, "measures": self.measures, "vary": vary, "improves": self.improves}
        return json.dumps({"recipe": recipe, **own})

    @classmethod
    def from_text(cls, text: str) -> CandidateSource:
        data = json.loads(text)
        recipe, measures = Recipe.of(data["recipe"]), tuple(data["measures"])
        return cls(recipe, data["seed"], measures, data["vary"], data["improves"])


def with_own_seed(recipe: Recipe) -> Recipe:
    """Return the recipe without the number of a try, which belongs to the map of one seed."""
    return replace(recipe, attempt=None)


def make_task(text: str, number: int, open_targets: Sequence[Target]) -> tuple[int, Candidate]:
    """Make a candidate in a worker process, and return its number with it."""
    return number, _source_of(text).make(number, open_targets)


@lru_cache(maxsize=4)
def _source_of(text: str) -> CandidateSource:
    return CandidateSource.from_text(text)
