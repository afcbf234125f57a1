"""Fraction of seeds whose map meets the requirements of a recipe. Independent of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...analysis.survey import measure_map
from ...core.errors import GaveUp
from ...core.plan import similarity_of
from ...core.recipe import Recipe
from ...core.seeds import Rng
from .. import operations
from ..jobs import CancelToken

MAX_SEED = 10**9
"""Upper bound (exclusive) of the seeds that are tried."""


@dataclass(frozen=True)
class PassShare:
    """Number of seeds that were tried, and how many of their maps meet the requirements."""

    tried: int = 0
    passed: int = 0
    """Number of seeds whose map meets all requirements."""
    met: Mapping[str, int] = field(default_factory=dict)
    """Number of seeds whose map meets the requirement for a measure, by its name."""

    def add(self, result: Mapping[str, bool]) -> PassShare:
        """Return the numbers with one more seed; `result` says which requirements its map meets."""
        met = {name: self.met.get(name, 0) + is_met for name, is_met in result.items()}
        return PassShare(self.tried + 1, self.passed + all(result.values()), met)


def try_seed(recipe: Recipe, number: int, token: CancelToken) -> dict[str, bool]:
    """Make one map with another seed. Return for each required measure whether the map meets the requirement.

    A map that cannot be made meets no requirement. With `most` and `least`, every value meets the requirement.
    """
    seed = Rng.of(recipe.seed if recipe.seed is not None else 0).child("pass share", number).below(MAX_SEED)
    single = replace(recipe, require=(), tries=1, attempt=None).with_seed(seed)
    try:
        map = operations.make_map(single, token)
    except GaveUp:
        return {one.measure: False for one in recipe.require}
    names = [one.measure for one in recipe.require]
    found = measure_map(map, names, similarity_of(recipe), before_each=token.check)
    return {one.measure: one.holds(found[one.measure]) for one in recipe.require}
