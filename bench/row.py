"""One line of the comparison: what was measured, beside what, and what was wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter

Work = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Row:
    """An amount of ours, of a peer, or of both; what is wanted speaks of their ratio where there are both."""

    what: str
    unit: str
    """Of both amounts: a rate ("M/s", more is better) or a cost ("ms", "s", "MB")."""
    ours: float | None = None
    peer: float | None = None
    peer_name: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times better ours is."""
        if self.ours is None or self.peer is None:
            return None
        return self.ours / self.peer if self.unit.endswith("/s") else self.peer / self.ours

    @property
    def holds(self) -> bool | None:
        """Whether it is as wanted; None where nothing is."""
        amount = next(amount for amount in (self.ratio, self.ours, self.peer) if amount is not None)
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least is None or amount >= self.at_least) and (self.at_most is None or amount <= self.at_most)

    @property
    def wanted(self) -> str:
        unit = f" {self.unit}" if self.ratio is None else "x"
        limits = (("≥", self.at_least), ("≤", self.at_most))
        return ", ".join(f"{sign} {limit:,.4g}{unit}" for sign, limit in limits if limit is not None)

    def record(self) -> dict[str, object]:
        """Plain data for the results file."""
        fields = {**asdict(self), "ratio": self.ratio, "wanted": self.wanted, "holds": self.holds}
        return {name: _round(value) for name, value in fields.items() if value not in (None, "")}


def _round(value: object) -> object:
    """Four figures: more would be noise."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def best_times(*works: Work, rounds: int) -> list[float]:
    """The shortest time of each, in seconds, measured in turns."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for number, work in enumerate(works):
            start = perf_counter()
            work()
            best[number] = min(best[number], perf_counter() - start)
    return best
