"""Axes of an archive (measures, each divided into bins), and objectives, which a search maximizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, exp, floor, isfinite, log, log10
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, UnknownName
from ..core.notation import read_number
from ..core.registry import measures as measure_registry

DEFAULT_BINS = 20
MAX_BINS = 1 << 16
MAX_CELLS = 1 << 20
"""Maximum number of cells of an archive."""
EDGE_DIGITS = 9
"""Significant digits of the edges between bins. Rounding makes them equal on machines whose logarithms differ."""
WIDENING = 0.25
"""Fraction by which a range that was found by measuring is widened at both ends."""
MIN_MARGIN = 0.02
"""Minimum distance of the ends of such a range from the values, for fractions."""
PERCENT = 100


@dataclass(frozen=True)
class MeasureAxis:
    """A measure with a range that is divided into bins, equal in size or, with a logarithmic scale, in ratio."""

    measure: str
    low: float | None
    """Lower end of the range; None if the first maps of the search determine the range."""
    high: float | None
    bins: int = DEFAULT_BINS
    is_log: bool = False

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Array (bins + 1,) of the bounds of the bins."""
        assert self.low is not None
        assert self.high is not None
        if self.is_log:
            first, last = log(self.low), log(self.high)
            inner = [exp(first + (last - first) * number / self.bins) for number in range(1, self.bins)]
        else:
            inner = [self.low + (self.high - self.low) * number / self.bins for number in range(1, self.bins)]
        return np.array([self.low, *(_round_significant(edge) for edge in inner), self.high])

    def find_bins(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the bin of each value, or -1 for a value out of range and NaN. The last bin includes its upper end."""
        bins = np.searchsorted(self.edges[1:-1], values, side="right")
        with np.errstate(invalid="ignore"):
            inside = (values >= self.edges[0]) & (values <= self.edges[-1])
        return np.where(inside, bins, -1)

    def with_range_of(self, values: NDArray[np.float64]) -> MeasureAxis:
        """Return the axis with a range that contains values, if it has none yet.

        The range is wider than the values. That of fractions is within 0 and 1, and its ends have two decimals.
        """
        if self.low is not None:
            return self
        found = values[np.isfinite(values)]
        if not len(found):
            raise InvalidRecipe(f"{self.measure} applies to none of the first maps", at="measures")
        low, high = float(found.min()), float(found.max())
        if self.is_log:
            low = max(low, 1.0) if high >= 1.0 else low
            if low <= 0:
                raise InvalidRecipe(f"{self.measure} reaches {low:g}; a log scale needs values above 0", at="measures")
            return replace(self, low=low, high=_round_up(max(high, low) * (1 + WIDENING) + 1e-9))
        if measure_registry.get(self.measure).unit == "fraction" and low >= 0 and high <= 1:
            margin = max((high - low) * WIDENING, MIN_MARGIN)
            first, last = floor(round((low - margin) * PERCENT, 9)), ceil(round((high + margin) * PERCENT, 9))
            return replace(self, low=max(first, 0) / PERCENT, high=min(last, PERCENT) / PERCENT)
        margin = (high - low) * WIDENING or 1.0
        return replace(self, low=max(low - margin, 0.0) if low >= 0 else low - margin, high=_round_up(high + margin))

    def describe_bin(self, number: int) -> str:
        """Return the range of a bin, such as `0.4..0.45`."""
        return f"{self.edges[number]:.4g}..{self.edges[number + 1]:.4g}"

    def write(self) -> str:
        """Return the axis as `read_axes` reads it, such as `regions:1..300:20:log`."""
        ends = [] if self.low is None or self.high is None else [f"{self.low:.15g}..{self.high:.15g}"]
        return ":".join([self.measure, *ends, str(self.bins), *(["log"] if self.is_log else [])])

    def to_data(self) -> list[Any]:
        return [self.low, self.high, self.bins, *(["log"] if self.is_log else [])]


def _round_significant(value: float) -> float:
    return value if not value else round(value, EDGE_DIGITS - 1 - floor(log10(abs(value))))


def _round_up(value: float) -> float:
    """Return a number with two significant digits that is at least the value."""
    unit = 10.0 ** (floor(log10(value)) - 1) if value > 0 else 1.0
    return round(-(-value // unit) * unit, 12)


def read_axes(given: Any) -> tuple[MeasureAxis, ...]:
    """Read the axes of an archive.

    Parameters
    ----------
    given : mapping, sequence or str
        For each measure (low, high, bins), (low, high, bins, "log"), the number of bins or None; a list of measures;
        or a string such as `floor_share:0..1:20,regions:20:log`.

    Returns
    -------
    tuple of MeasureAxis

    Raises
    ------
    InvalidRecipe
        If a measure is unknown, or a range or a number of bins is invalid.
    """
    if isinstance(given, str):
        pairs = [_split_text(part) for part in given.split(",") if part.strip()]
    elif isinstance(given, Mapping):
        pairs = [(str(name), spec) for name, spec in given.items()]
    elif isinstance(given, Sequence) and all(isinstance(name, str) for name in given):
        pairs = [_split_text(name) for name in given]
    else:
        raise InvalidRecipe("must be measures with their ranges", at="measures", got=given, rule="type")
    if not pairs:
        raise InvalidRecipe("must name at least one measure, such as floor_share", at="measures", rule="missing")
    axes = tuple(_read_axis(name, spec) for name, spec in pairs)
    names = [axis.measure for axis in axes]
    if len(set(names)) < len(names):
        raise InvalidRecipe("must be different measures", at="measures", got=names, rule="duplicate")
    cells = int(np.prod([axis.bins for axis in axes], dtype=object))
    if cells > MAX_CELLS:
        raise InvalidRecipe(f"must give at most {MAX_CELLS:,} cells, got {cells:,}", at="measures", rule="maximum")
    return axes


Axes = Annotated[tuple[MeasureAxis, ...], PlainValidator(read_axes), WithJsonSchema({"type": "string"})]
"""Axes of an archive."""


def _split_text(text: str) -> tuple[str, list[Any]]:
    name, *parts = (part.strip() for part in text.split(":"))
    spec: list[Any] = []
    for part in parts:
        low, dots, high = part.partition("..")
        spec.extend([read_number(low), read_number(high)] if dots else [part if part == "log" else read_number(part)])
    return name, spec


def _read_axis(name: str, spec: Any) -> MeasureAxis:
    if name not in measure_registry:
        raise InvalidRecipe(UnknownName("measure", name, measure_registry.list_options(name)).problems[0])
    measure = measure_registry.complete(name).name

    def refuse(text: str, rule: str = "type") -> InvalidRecipe:
        return InvalidRecipe(text, at=("measures", measure), got=spec, rule=rule, place=f"measures: {measure}")

    parts = [] if spec is None else [spec] if isinstance(spec, (int, float)) else spec
    if not isinstance(parts, (list, tuple)):
        raise refuse("must be (low, high, bins), the number of bins, or nothing")
    numbers = [part for part in parts if part != "log"]
    is_log = len(numbers) < len(parts)
    if len(numbers) > 3 or any(
        isinstance(part, bool) or not isinstance(part, (int, float, type(None))) for part in numbers
    ):
        raise refuse("must be (low, high, bins), optionally with log, such as 1..300:20:log")
    low: Any
    high: Any
    low, high = (numbers[0], numbers[1]) if len(numbers) >= 2 else (None, None)
    bins = numbers[-1] if len(numbers) in (1, 3) else DEFAULT_BINS
    if not isinstance(bins, int) or not 1 <= bins <= MAX_BINS:
        raise refuse(f"must have 1 to {MAX_BINS:,} bins", "range")
    if (low is None) != (high is None) or (low is not None and not (isfinite(low) and isfinite(high) and low < high)):
        raise refuse("must be a range from low to high", "range")
    if is_log and low is not None and low <= 0:
        raise refuse("a log scale needs a range above 0", "range")
    return MeasureAxis(
        measure, None if low is None else float(low), None if high is None else float(high), bins, is_log
    )


# -- objectives -----------------------------------------------------------------------------------------------


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
