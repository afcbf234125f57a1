"""Requirements for the measures of a finished map: a number, a range, a comparison, or the highest or lowest value.

A recipe makes maps until one meets all requirements.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, nextafter
from typing import Annotated, Any

from pydantic import AfterValidator, PlainValidator, WithJsonSchema

from .errors import Fix, InvalidRecipe, ProblemList, explain_each, problem, unknown_key
from .notation import read_requirement
from .params import Names
from .registry import measures

OPERATORS = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
RANGE = ".."
"""Rule of a range of numbers, both ends included."""
EXTREMES = ("most", "least")
MAX_TRIES = 1_000_000
DEFAULT_TRIES = 20
FORMS = "must be a number, a range such as 60..66, a comparison such as '>80', most or least"
NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
RANGE_TEXT = re.compile(rf"({NUMBER})?\s*\.\.\s*({NUMBER})?")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition for a measure of a map, or a measure to maximize or minimize.

    >>> Requirement("path_length", ">", 80).holds(81)
    True
    >>> Requirement("path_length", "..", 60, 66).find_distance(50)
    10.0
    """

    measure: str
    """Name of the measure."""
    rule: str
    """Comparison operator, `..` for a range, or `most` or `least`."""
    value: float = 0.0
    """Number to compare with, or the lower end of the range."""
    high: float = 0.0
    """Upper end of the range."""

    def __str__(self) -> str:
        if self.is_extreme:
            return f"{self.measure}: {self.rule}"
        shown = str(self.to_data()) if self.is_range else f"{self.rule} {_format_value(self.value)}"
        return f"{self.measure} {shown}"

    @property
    def is_extreme(self) -> bool:
        """Whether the rule is `most` or `least`."""
        return self.rule in EXTREMES

    @property
    def is_range(self) -> bool:
        """Whether the rule is a range with two ends."""
        return self.rule == RANGE

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest value that meet the requirement. For `!=`, the only value that does not, twice."""
        ends = {
            ">=": (self.value, inf),
            "<=": (-inf, self.value),
            ">": (nextafter(self.value, inf), inf),
            "<": (-inf, nextafter(self.value, -inf)),
            RANGE: (self.value, self.high),
        }
        return (-inf, inf) if self.is_extreme else ends.get(self.rule, (self.value, self.value))

    def holds(self, number: float) -> bool:
        """Return whether a value meets the requirement. NaN (the measure does not apply) never meets a requirement."""
        if number != number:
            return False
        if self.is_range:
            return self.value <= number <= self.high
        return self.is_extreme or bool(OPERATORS[self.rule](number, self.value))

    def find_distance(self, number: float) -> float:
        """Return the difference between a value and the nearest end of the numbers that meet the requirement.

        Return 0 for a value that meets it, and infinity for NaN. A strict comparison can be missed by a distance of 0.
        """
        if number != number:
            return inf
        if self.holds(number):
            return 0.0
        return float(max(self.value - number, number - self.high)) if self.is_range else abs(number - self.value)

    def extend_to(self, number: float) -> Requirement | None:
        """Return a weaker requirement that a value meets; None if there is none, or if the value is not finite.

        >>> str(Requirement("path_length", "..", 60, 66).extend_to(48))
        'path_length 48..66'
        """
        if not isfinite(number) or self.is_extreme or self.rule == "!=":
            return None
        if self.rule in (">", ">="):
            return Requirement(self.measure, ">=", number)
        if self.rule in ("<", "<="):
            return Requirement(self.measure, "<=", number)
        high = self.high if self.is_range else self.value
        return Requirement(self.measure, RANGE, min(self.value, number), max(high, number))

    def to_data(self) -> float | str:
        """Return the requirement in the form of recipes: a number, `>80`, `60..66` or `most`."""
        if self.is_extreme:
            return self.rule
        if self.is_range:
            return f"{_format_value(self.value)}{RANGE}{_format_value(self.high)}"
        return self.value if self.rule == "==" else f"{self.rule}{_format_value(self.value)}"


def read_requirements(given: Any) -> tuple[Requirement, ...]:
    """Read requirements from a mapping such as `{regions: 1, path_length: 60..66, openness: most}`."""
    if isinstance(given, tuple) and all(isinstance(one, Requirement) for one in given):
        return given
    if not isinstance(given, Mapping):
        raise InvalidRecipe("must be conditions by measure, such as path_length: '>80'", got=given)
    found: list[Requirement] = []
    unknown = {name: None for name in given if name not in measures}
    problems = ProblemList(
        explain_each(unknown, lambda name: unknown_key("measure", name, measures.list_options(str(name))))
    )
    for name, value in given.items():
        if name in unknown:
            continue
        with problems.collect(kind=InvalidRecipe):
            found.append(_read_requirement(measures.complete(name).name, value))
    extremes = [one for one in found if one.is_extreme]
    if len(extremes) > 1:
        problems.append(problem(f"only one measure can be most or least, got {' and '.join(map(str, extremes))}"))
    problems.raise_all()
    return tuple(found)


def read_conditions(given: Any) -> tuple[Requirement, ...]:
    """Read requirements from a mapping, or from a list of strings such as `regions=1`."""
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        return read_requirements(given or {})
    conditions: dict[str, str] = {}
    for text in given:
        name, rule = read_requirement(text, ())
        if name in conditions:
            wrong = f"{name!r} occurs twice; a range such as {name}=2..5 has two ends"
            raise InvalidRecipe(wrong, rule="duplicate")
        conditions[name] = rule
    return read_requirements(conditions)


Requirements = Annotated[tuple[Requirement, ...], PlainValidator(read_conditions), WithJsonSchema({"type": "object"})]
"""Conditions by measure, or a list of strings such as `regions=1`."""


def _complete_measures(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(measures.complete(name).name for name in names))


MeasureNames = Annotated[Names, AfterValidator(_complete_measures)]
"""Names of measures, each once."""


def read_tries(given: Any) -> int:
    """Return the number of tries. Raise InvalidRecipe if it is invalid."""
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MAX_TRIES:
        raise InvalidRecipe(f"must be an integer from 1 to {MAX_TRIES:,}", got=given, rule="range")
    return given


def _read_requirement(name: str, value: Any) -> Requirement:
    if isinstance(value, str):
        text = value.strip()
        if text in EXTREMES:
            return Requirement(name, text)
        if ends := RANGE_TEXT.fullmatch(text):
            return _read_range(name, value, *ends.groups())
    rule, number = "==", value
    if isinstance(value, str):
        parts = re.fullmatch(r"([<>=!]{0,2})\s*([^<>=!\s]+)", text)
        rule, number = (parts.group(1) or "==", parts.group(2)) if parts else ("", value)
        rule = "==" if rule == "=" else rule
    amount = _read_number(number) if rule in OPERATORS else None
    if amount is None:
        raise InvalidRecipe(FORMS, at=name, got=value)
    return Requirement(name, rule, amount)


def _read_range(name: str, text: str, low: str | None, high: str | None) -> Requirement:
    """Return the requirement of a range, of which one end may be missing."""
    ends = [_read_number(end) for end in (low, high) if end is not None]
    if not ends or None in ends:
        raise InvalidRecipe(FORMS, at=name, got=text)
    least, most = ends[0], ends[-1]
    assert least is not None
    assert most is not None
    if len(ends) == 1:
        return Requirement(name, ">=" if high is None else "<=", least)
    if least > most:
        fix = Fix("set", (name,), Requirement(name, RANGE, most, least).to_data())
        raise InvalidRecipe("the range must not be empty", at=name, got=text, fixes=[fix])
    return Requirement(name, "==", least) if least == most else Requirement(name, RANGE, least, most)


def _read_number(given: Any) -> float | None:
    """Return a finite number, or None if there is none."""
    try:
        number = None if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError):  # Integers may be larger than any float.
        return None
    return number if number is not None and isfinite(number) else None


def _format_value(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
