"""One row of the results: a measurement, the alternative, and the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter

Work = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Value of Tilewright, of a peer, or of both. With both, the target is a limit of their ratio."""

    what: str
    unit: str
    """Unit of both values: a rate ("M/s", higher is better) or a cost ("ms", "s", "MB")."""
    ours: float | None = None
    peer: float | None = None
    peer_name: str = ""
    at_least: float | None = None
    at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        """Improvement over the peer, as a factor."""
        if self.ours is None or self.peer is None:
            return None
        return self.ours / self.peer if self.unit.endswith("/s") else self.peer / self.ours

    @property
    def holds(self) -> bool | None:
        """Whether the target is met; None without a target."""
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
        """Return data for the results file."""
        fields = {**asdict(self), "ratio": self.ratio, "wanted": self.wanted, "holds": self.holds}
        return {name: _round(value) for name, value in fields.items() if name == "unit" or value not in (None, "")}


def _round(value: object) -> object:
    """Round to four digits; more would be noise."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def best_times(*functions: Work, rounds: int) -> list[float]:
    """Return the shortest time of each function in seconds, measured in turns."""
    best = [float("inf")] * len(functions)
    for _ in range(rounds):
        for number, function in enumerate(functions):
            start = perf_counter()
            function()
            best[number] = min(best[number], perf_counter() - start)
    return best
