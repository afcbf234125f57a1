"""Requirements of a recipe as rows of the page: a measure, a comparison and a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil, floor, isfinite
from typing import Any

from ...core.errors import TilewrightError
from ...core.registry import measures
from ...core.require import EXTREMES, RANGE, Requirement, read_requirements
from ..state import State

RULES = {
    ">=": "at least",
    "<=": "at most",
    "==": "exactly",
    RANGE: "between",
    ">": "more than",
    "<": "less than",
    "!=": "not",
    "most": "as high as possible",
    "least": "as low as possible",
}
"""Labels of the comparisons."""
TRUTH = {True: "must be yes", False: "must be no"}
"""Labels of the requirements of truth values."""
MAX_ROWS = 50


@dataclass(frozen=True)
class RequirementRow:
    """One requirement. The recipe of a link may have any values, so a number may be text that is not a number."""

    measure: str
    rule: str = ">="
    value: float | str = 0.0
    """Number to compare with, or the lower end of a range."""
    high: float | str = 0.0
    """Upper end of a range."""

    @property
    def is_truth(self) -> bool:
        """Whether the measure is a truth value, such as solvable. Then the requirement is yes or no."""
        return self.measure in measures and measures.get(self.measure).unit == "yes or no"

    @property
    def is_yes(self) -> bool:
        """Whether the truth value 1 meets the requirement."""
        try:
            (found,) = read_requirements({self.measure: self.to_data()})
        except TilewrightError:
            return False
        return found.holds(1.0)

    def with_truth(self, is_yes: bool) -> RequirementRow:
        """Return the requirement that a truth value is yes or no."""
        return replace(self, rule="==", value=float(is_yes))

    @property
    def is_extreme(self) -> bool:
        """Whether the comparison has no number."""
        return self.rule in EXTREMES

    @property
    def is_range(self) -> bool:
        """Whether the comparison has two numbers."""
        return self.rule == RANGE

    def with_rule(self, rule: str) -> RequirementRow:
        """Return the row with another comparison. A range starts at the present number and is a tenth of it wide."""
        row = replace(self, rule=rule)
        if not row.is_range or isinstance(row.value, str):
            return row
        width = max(1, ceil(abs(row.value) / 10)) if row.value == int(row.value) else 0.1
        return replace(row, high=round(row.value + width, 6))

    def to_data(self) -> float | str:
        """Return the requirement in the form of recipes: 3, `>80`, `60..66` or `most`."""
        if self.is_extreme:
            return self.rule
        number = _shorten(self.value)
        if self.is_range:
            return f"{number}{RANGE}{_shorten(self.high)}"
        return number if self.rule == "==" else f"{self.rule}{number}"


def read_rows(given: Any) -> list[RequirementRow]:
    """Return the rows of a recipe's requirements, at most `MAX_ROWS`."""
    pairs = islice(given.items(), MAX_ROWS) if isinstance(given, Mapping) else ()
    return [_read_row(str(name), value) for name, value in pairs]


def write_rows(rows: Sequence[RequirementRow]) -> dict[str, float | str] | None:
    """Return the requirements of rows in the form of recipes; None without rows."""
    return {row.measure: row.to_data() for row in rows} or None


def suggest_row(measure: str, number: float) -> RequirementRow:
    """Return a requirement that a map with this number meets: exactly this count, or at least this number.

    The requirement of a truth value, such as solvable, is yes.

    >>> suggest_row("path_length", 57.0).to_data(), suggest_row("floor_share", 0.4567).to_data()
    ('>=57', '>=0.45')
    >>> suggest_row("count.treasure", 3.0).to_data(), suggest_row("solvable", 0.0).to_data()
    (3, 1)
    """
    if number != number:
        number = 0.0
    if RequirementRow(measure).is_truth:
        return RequirementRow(measure).with_truth(True)
    is_counted = measure in measures and bool(measures.get(measure).argument)
    rounded = number if number == int(number) else floor(number * 100) / 100
    return RequirementRow(measure, "==" if is_counted else ">=", float(rounded))


def describe_requirement(one: Requirement) -> str:
    """Return a requirement in the words of the rows, without its measure.

    >>> given = {"regions": 1, "path_length": "60..66", "solvable": ">0"}
    >>> [describe_requirement(one) for one in read_requirements(given)]
    ['exactly 1', 'between 60 and 66', 'must be yes']
    """
    if one.is_extreme:
        return RULES[one.rule]
    if RequirementRow(one.measure).is_truth:
        return TRUTH[one.holds(1.0)]
    numbers = [one.value, one.high] if one.is_range else [one.value]
    return f"{RULES[one.rule]} {' and '.join(f'{number:.15g}' for number in numbers)}"


def _read_row(name: str, value: Any) -> RequirementRow:
    """Return the row of a requirement. A range stays one while its ends are edited, even if it is empty."""
    low, dots, high = value.partition(RANGE) if isinstance(value, str) else ("", "", "")
    if low and dots and high:
        return RequirementRow(name, RANGE, _read_end(low), _read_end(high))
    try:
        (found,) = read_requirements({name: value})
    except TilewrightError:
        return RequirementRow(name, "==", str(value)[:100])
    return RequirementRow(name, found.rule, found.value)


def _read_end(text: str) -> float | str:
    try:
        number = float(text)
    except ValueError:
        return text[:100]
    return number if isfinite(number) else text[:100]


def _shorten(number: float | str) -> float | str:
    return int(number) if isinstance(number, float) and number == int(number) else number


SHAPER = "improve"


def find_improvement(state: State) -> int | None:
    """Return the position of the last enabled shaper `improve` in the recipe's list, or None."""
    return next((number for number in reversed(state.stages_on) if state.stages[number][0] == SHAPER), None)


def with_improvement(state: State, targets: Mapping[str, Any] | None) -> State:
    """Return the state with a shaper `improve` that has these targets; None removes it.

    A new shaper comes last. A shaper before others is switched off instead of removed, so that the others keep their
    positions, which knobs refer to.
    """
    number = find_improvement(state)
    stages = list(state.recipe.get("shaping") or ())
    if targets:
        if number is None:
            return state.with_recipe(shaping=[*stages, {SHAPER: {"targets": dict(targets)}}])
        params = {**state.stages[number][1], "targets": dict(targets)}
        return state.with_recipe(shaping=[*stages[:number], {SHAPER: params}, *stages[number + 1 :]])
    if number is None:
        return state
    if number == len(stages) - 1:
        return state.with_recipe(shaping=stages[:-1] or None)
    return state.with_recipe().with_off(number)
