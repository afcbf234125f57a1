"""Objectives: what a search maximizes, computed from measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, UnknownName
from ..core.notation import read_number
from ..core.registry import measures as measure_registry


@dataclass(frozen=True)
class Objective:
    """A weighted sum of measures, to be maximized."""

    weights: tuple[tuple[str, float], ...]
    """Measures and their weights. A measure with a negative weight is minimized."""

    @classmethod
    def of(cls, given: Any) -> Objective:
        """Read an objective: a measure, `-dead_ends` to minimize, a sum such as `path_length-2*dead_ends`, or weights
        by measure.
        """
        if isinstance(given, Objective):
            return given
        if isinstance(given, str):
            given = {given: 1} if given in measure_registry else dict(_read_terms(given))
        if not isinstance(given, Mapping) or not given:
            raise InvalidRecipe("must be a measure, or weights by measure", at="objective", got=given, rule="type")
        found = []
        for name, weight in given.items():
            if name not in measure_registry:
                raise UnknownName("measure", str(name), measure_registry.list_options(str(name))).within("objective")
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not isfinite(weight) or not weight:
                raise InvalidRecipe("must be a number other than 0", at=("objective", name), got=weight)
            found.append((measure_registry.complete(name).name, float(weight)))
        return cls(tuple(found))

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.weights)

    def compute(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the objective of each solution; NaN where a measure does not apply."""
        total = 0.0 * values[self.weights[0][0]]
        for name, weight in self.weights:
            total = total + weight * values[name]
        return total

    def __str__(self) -> str:
        """Return the objective as `of` reads it."""
        text = ""
        for name, weight in self.weights:
            factor = "" if abs(weight) == 1 else f"{abs(weight):.15g}*"
            text += ("-" if weight < 0 else "+" if text else "") + factor + name
        return text


ObjectiveValue = Annotated[Objective, PlainValidator(Objective.of), WithJsonSchema({"type": "string"})]
"""An objective, in one of the forms that `Objective.of` reads."""


def _read_terms(text: str) -> list[tuple[str, Any]]:
    """Return the measures and weights of a sum."""
    terms: list[tuple[str, Any]] = []
    for part in text.replace("-", "+-").split("+"):
        term = part.strip()
        if not term:
            continue
        sign = -1 if term.startswith("-") else 1
        factor, times, name = term.removeprefix("-").rpartition("*")
        number = read_number(factor.strip()) if times else 1
        if isinstance(number, str):
            raise InvalidRecipe(
                "must be a sum such as path_length-2*dead_ends", at="objective", got=text, rule="format"
            )
        terms.append((name.strip(), sign * number))
    return terms
