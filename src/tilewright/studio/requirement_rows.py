"""Requirements of a recipe as rows of the page: a measure, a comparison and a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import floor
from typing import Any

from ..core.errors import TilewrightError
from ..core.registry import measures
from ..core.require import EXTREMES, read_requirements

RULES = {
    ">=": "at least",
    "<=": "at most",
    "==": "exactly",
    ">": "more than",
    "<": "less than",
    "!=": "not",
    "most": "as high as possible",
    "least": "as low as possible",
}
"""Labels of the comparisons."""
MAX_ROWS = 50


@dataclass(frozen=True)
class RequirementRow:
    """One requirement. The recipe of a link may have any values, so the number may be text that is not a number."""

    measure: str
    rule: str = ">="
    value: float | str = 0.0

    @property
    def is_extreme(self) -> bool:
        """Whether the comparison has no number."""
        return self.rule in EXTREMES

    def to_data(self) -> float | str:
        """Return the requirement in the form of recipes: 3, `>80` or `most`."""
        if self.is_extreme:
            return self.rule
        number = self.value
        if isinstance(number, float) and number == int(number):
            number = int(number)
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

    >>> suggest_row("path_length", 57.0).to_data(), suggest_row("floor_share", 0.4567).to_data()
    ('>=57', '>=0.45')
    >>> suggest_row("count.treasure", 3.0).to_data()
    3
    """
    if number != number:
        number = 0.0
    is_counted = measure in measures and bool(measures.get(measure).argument)
    rounded = number if number == int(number) else floor(number * 100) / 100
    return RequirementRow(measure, "==" if is_counted else ">=", float(rounded))


def _read_row(name: str, value: Any) -> RequirementRow:
    try:
        (found,) = read_requirements({name: value})
    except TilewrightError:
        return RequirementRow(name, "==", str(value)[:100])
    return RequirementRow(name, found.rule, found.value)
