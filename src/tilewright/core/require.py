"""Requirements for the measures of a finished map. A recipe makes maps until one meets all requirements."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from .errors import InvalidRecipe, Problem, explain_each, problem, unknown_key
from .registry import measures

OPERATORS = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
EXTREMES = ("most", "least")
MAX_TRIES = 1_000_000
DEFAULT_TRIES = 20


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition for a measure of the finished map, or a measure to maximize or minimize over all tries.

    >>> Requirement("path_length", ">", 80).holds(81)
    True
    """

    measure: str
    """Name of the measure."""
    rule: str
    """Comparison operator, or `most` or `least`."""
    value: float = 0.0
    """Number to compare with."""

    def __str__(self) -> str:
        return (
            f"{self.measure}: {self.rule}"
            if self.is_extreme
            else f"{self.measure} {self.rule} {_format_value(self.value)}"
        )

    @property
    def is_extreme(self) -> bool:
        """Whether the rule is `most` or `least`."""
        return self.rule in EXTREMES

    def holds(self, number: float) -> bool:
        """Return whether a value meets the requirement. NaN (the measure does not apply) never meets a requirement."""
        return number == number and (self.is_extreme or bool(OPERATORS[self.rule](number, self.value)))

    def to_data(self) -> float | str:
        """Return the requirement in the form of recipes: a number, `>80` or `most`."""
        if self.is_extreme:
            return self.rule
        return self.value if self.rule == "==" else f"{self.rule}{_format_value(self.value)}"


def read_requirements(given: Any) -> tuple[Requirement, ...]:
    """Read requirements from a mapping such as `{regions: 1, path_length: ">80", openness: most}`."""
    if isinstance(given, tuple) and all(isinstance(one, Requirement) for one in given):
        return given
    if not isinstance(given, Mapping):
        raise InvalidRecipe("must be conditions by measure, such as path_length: '>80'", got=given)
    found: list[Requirement] = []
    unknown = {name: None for name in given if name not in measures}
    problems: list[Problem] = explain_each(
        unknown, lambda name: unknown_key("measure", name, measures.list_options(str(name)))
    )
    for name, value in given.items():
        if name in unknown:
            continue
        try:
            found.append(_read_requirement(measures.complete(name).name, value))
        except InvalidRecipe as error:
            problems.extend(error.problems)
    extremes = [one for one in found if one.is_extreme]
    if len(extremes) > 1:
        problems.append(problem(f"only one measure can be most or least, got {' and '.join(map(str, extremes))}"))
    if problems:
        raise InvalidRecipe(*problems)
    return tuple(found)


def read_tries(given: Any) -> int:
    """Return the number of tries. Raise InvalidRecipe if it is invalid."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MAX_TRIES:
        raise InvalidRecipe(f"must be an integer from 1 to {MAX_TRIES:,}", got=given, rule="range")
    return given


def _read_requirement(name: str, value: Any) -> Requirement:
    if isinstance(value, str) and value.strip() in EXTREMES:
        return Requirement(name, value.strip())
    rule, number = "==", value
    if isinstance(value, str):
        parts = re.fullmatch(r"\s*([<>=!]{0,2})\s*([^<>=!\s]+)\s*", value)
        rule, number = (parts.group(1) or "==", parts.group(2)) if parts else ("", value)
        rule = "==" if rule == "=" else rule
    try:
        amount = float(number) if not isinstance(number, bool) and rule in OPERATORS else None
    except (TypeError, ValueError, OverflowError):  # Integers may be larger than any float.
        amount = None
    if amount is None or not isfinite(amount):
        raise InvalidRecipe("must be a number, a comparison such as '>80', most or least", at=name, got=value)
    return Requirement(name, rule, amount)


def _format_value(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
