"""Tries of a recipe with requirements: which of their maps is the result, and what failed if none is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan

from .errors import ANOTHER_SEED, Fix, GaveUp
from .recipe import Recipe
from .require import MAX_TRIES, Requirement
from .tilemap import TileMap


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one try."""

    attempt: int
    """Number of the try, starting at 0."""
    map: TileMap | None = None
    """The map; None if the technique gave up, or if the map can no longer be the result."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Values of the required measures; empty if the technique gave up."""
    reason: str = ""
    """Reason for which the technique gave up."""

    def find_failures(self, requirements: Sequence[Requirement]) -> list[str]:
        """Return the requirements that the map does not meet, or the reason for which there is no map."""
        if not self.numbers:
            return [self.reason]
        return [str(one) for one in requirements if not one.holds(self.numbers[one.measure])]


class Attempts:
    """Collects the outcomes of tries, in their order, and chooses the result.

    The first map that meets all requirements is the result. With `most` or `least`, the best of all such maps is; of
    several equal ones, the first.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.extreme = next((one for one in recipe.require if one.is_extreme), None)
        self.best: Outcome | None = None
        self._failed: dict[str, int] = {}
        """Number of tries that failed, by requirement or reason."""
        self._reached: dict[str, list[float]] = {one.measure: [] for one in recipe.require}

    def add(self, outcome: Outcome) -> bool:
        """Add the next outcome. Return whether no further tries are needed."""
        for name, number in outcome.numbers.items():
            self._reached[name].append(number)
        failures = outcome.find_failures(self.recipe.require)
        for one in failures:
            self._failed[one] = self._failed.get(one, 0) + 1
        if failures or not self._is_better(outcome):
            return False
        self.best = outcome
        return self.extreme is None

    def choose(self) -> Outcome:
        """Return the best outcome. Raise GaveUp if no map meets the requirements."""
        if self.best is not None:
            return self.best
        recipe = self.recipe
        reasons = ", ".join(f"{reason} ({count} of {recipe.tries})" for reason, count in self._failed.items())
        hardest = max(recipe.require, key=lambda one: self._failed.get(str(one), 0))
        fixes = [
            Fix("set", ("tries",), min(MAX_TRIES, 4 * recipe.tries)),
            ANOTHER_SEED,
            *_loosen(hardest, self._reached[hardest.measure], can_remove=len(recipe.require) > 1),
        ]
        raise GaveUp(
            f"no map met the requirements; failed: {reasons}", tries=recipe.tries, at="require", place="", fixes=fixes
        )

    def _is_better(self, outcome: Outcome) -> bool:
        if self.best is None or self.extreme is None:
            return self.best is None
        new, old = (one.numbers[self.extreme.measure] for one in (outcome, self.best))
        return new > old if self.extreme.rule == "most" else new < old


def _loosen(one: Requirement, reached: Sequence[float], *, can_remove: bool) -> list[Fix]:
    """Return fixes that extend a requirement to the nearest number that was reached, and that remove it."""
    path = ("require", one.measure)
    nearest = min((number for number in reached if isfinite(number)), key=one.find_distance, default=nan)
    weaker = one.extend_to(nearest)
    found = [Fix("set", path, weaker.to_data())] if weaker is not None else []
    return [*found, Fix("remove", path)] if can_remove else found
