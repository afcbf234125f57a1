"""How rare something is, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10

CONFIDENCE = 3
"""If none of n seeds has a property, it is 95% certain that at most 3 of n other seeds have it (rule of three)."""
UNITS = ((10**9, "billion"), (10**6, "million"))


@dataclass(frozen=True)
class Rarity:
    """Number of seeds that have a property, among a number of seeds.

    >>> str(Rarity(25, 1_000_000_000)), str(Rarity(3, 10)), str(Rarity(0, 3_000_000)), str(Rarity(1990, 2000))
    ('1 in 40 million', '30%', 'none; at most 1 in 1 million', 'all but 1 in 200')
    """

    count: int
    of: int

    @property
    def fraction(self) -> float:
        """Fraction of the seeds that have the property."""
        return self.count / self.of if self.of else 0.0

    def __str__(self) -> str:
        if not self.count:
            bound = f"; at most 1 in {format_round(self.of / CONFIDENCE)}" if self.of > CONFIDENCE else ""
            return f"none{bound}"
        if self.count == self.of:
            return "all"
        if self.fraction > 0.99:
            return f"all but 1 in {format_round(self.of / (self.of - self.count))}"
        if self.fraction >= 0.1:
            return f"{round(100 * self.fraction)}%"
        return f"1 in {format_round(self.of / self.count)}"


def format_round(number: float) -> str:
    """Return a number rounded to two digits: `17`, `2,300`, `40 million`.

    >>> format_round(17.3), format_round(2345), format_round(39_999_999), format_round(1.21e9)
    ('17', '2,300', '40 million', '1.2 billion')
    """
    power = max(0, floor(log10(max(number, 1))) - 1)
    rounded = round(number / 10**power) * 10**power
    for size, name in UNITS:
        if rounded >= size:
            amount = rounded / size
            return f"{amount:.1f} {name}" if amount < 10 and rounded % size else f"{amount:.0f} {name}"
    return f"{rounded:,}"
