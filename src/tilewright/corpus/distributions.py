"""Distributions of numeric columns of a corpus, computed part by part in limited memory, and their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .reader import Corpus

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

MAX_VALUES = 1 << 18
"""Maximum number of distinct values. If there are more, adjacent values are merged."""
BINS = 40


@dataclass(frozen=True)
class Distribution:
    """Distinct values of a column in ascending order, with their counts."""

    name: str
    values: Floats
    counts: Counts
    missing: int
    """Number of generated maps without a value."""

    @cached_property
    def count(self) -> int:
        return int(self.counts.sum())

    @property
    def low(self) -> float:
        return float(self.values[0]) if self.count else float("nan")

    @property
    def high(self) -> float:
        return float(self.values[-1]) if self.count else float("nan")

    @cached_property
    def mean(self) -> float:
        # An exact sum, so that all machines agree on every digit.
        return fsum((self.values * self.counts).tolist()) / self.count if self.count else float("nan")

    @cached_property
    def deviation(self) -> float:
        squares = (self.values - self.mean) ** 2 * self.counts
        return sqrt(fsum(squares.tolist()) / self.count) if self.count else float("nan")

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def quantile(self, fraction: float) -> float:
        """Return the smallest value such that at least this fraction of all values is less than or equal to it."""
        if not self.count:
            return float("nan")
        place = int(np.searchsorted(np.cumsum(self.counts), fraction * self.count))
        return float(self.values[min(place, len(self.values) - 1)])

    def count_in_bins(self, edges: Floats) -> Counts:
        """Return the number of values in each bin."""
        return np.histogram(self.values, edges, weights=self.counts)[0].astype(np.int64)


def compute_distributions(corpus: Corpus, columns: Sequence[str] | None = None) -> list[Distribution]:
    """Return the distributions of columns, computed in one pass over the parts.

    By default, the columns are all measures.
    """
    names = corpus.numeric_columns(corpus.manifest.measures if columns is None else columns)
    from .rows import as_numbers  # here, because distributions of seeds need no package of corpora

    builders = {name: DistributionBuilder() for name in names}
    for table in corpus.tables(names, made=True) if names else ():
        for name in names:
            builders[name].add(as_numbers(table[name]))
    return [Distribution(name, *builders[name].finish()) for name in names]


class DistributionBuilder:
    """Accumulator of values for a distribution."""

    def __init__(self) -> None:
        self.values = np.empty(0)
        self.counts = np.empty(0, dtype=np.int64)
        self.pending: list[Floats] = []
        self.pending_count = 0
        self.missing = 0

    def add(self, numbers: Floats) -> None:
        finite = numbers[np.isfinite(numbers)]
        self.missing += len(numbers) - len(finite)
        self.pending.append(finite)
        self.pending_count += len(finite)
        if self.pending_count > max(len(self.values), MAX_VALUES // 4):
            self._merge_pending()

    def finish(self) -> tuple[Floats, Counts, int]:
        self._merge_pending()
        return self.values, self.counts, self.missing

    def _merge_pending(self) -> None:
        values = np.concatenate([self.values, *self.pending])
        counts = np.concatenate([self.counts, np.ones(self.pending_count, dtype=np.int64)])
        self.pending, self.pending_count = [], 0
        self.values, places = np.unique(values, return_inverse=True)
        self.counts = np.bincount(places.reshape(-1), weights=counts, minlength=len(self.values)).astype(np.int64)
        while len(self.values) > MAX_VALUES:
            self._halve()

    def _halve(self) -> None:
        """Merge pairs of adjacent values into their weighted mean. The first and the last value are kept."""
        last = len(self.values) - 1
        starts = np.concatenate([[0], np.arange(1, last, 2), [last]])
        counts = np.add.reduceat(self.counts, starts)
        partners = np.minimum(starts + 1, np.append(starts[1:], last + 1) - 1)
        weight = np.where(partners > starts, self.counts[partners] / counts, 0.0)
        self.values = self.values[starts] + (self.values[partners] - self.values[starts]) * weight
        self.counts = counts


# -- bins -------------------------------------------------------------------------------------------------------


def compute_bin_edges(*distributions: Distribution, bins: int = BINS) -> Floats:
    """Return the edges of at most `bins` bins of equal width.

    If the values are equally spaced, each bin covers the same number of possible values.
    """
    values = np.unique(np.concatenate([one.values for one in distributions]))
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = float(values[0]), float(values[-1])
    step = _find_step(values, bins)
    if step:
        steps = round((high - low) / step) + 1
        steps_per_bin = -(-steps // bins)
        return low - step / 2 + step * steps_per_bin * np.arange(-(-steps // steps_per_bin) + 1.0)
    edges = np.linspace(low, high, bins + 1)
    return edges if (np.diff(edges) > 0).all() else np.array([low, np.nextafter(high, np.inf)])


def _find_step(values: Floats, bins: int) -> float:
    """Return the spacing of equally spaced values; 0 if they are not equally spaced."""
    span = float(values[-1] - values[0])
    if span < bins and (values == np.round(values)).all():
        return 1.0
    step = float(np.diff(values).min()) if len(values) > 1 else 1.0
    if span > MAX_VALUES * step:
        return 0.0
    step = span / round(span / step) if span else step  # The mean is more accurate.
    steps = (values - values[0]) / step
    return step if np.abs(steps - np.round(steps)).max() < 0.01 else 0.0


@dataclass(frozen=True)
class JointDistribution:
    """Joint distribution of two columns."""

    x: Distribution
    y: Distribution
    counts: Counts
    """Array (y bin, x bin) of counts."""
    x_edges: Floats
    y_edges: Floats


def compute_joint(corpus: Corpus, x: str, y: str, bins: int = BINS) -> JointDistribution:
    """Return the joint distribution of two columns. Maps that lack one of the values are not counted."""
    from .rows import as_numbers

    names = corpus.numeric_columns([x, y])
    found = compute_distributions(corpus, names)
    x_values, y_values = found[0], found[-1]
    x_edges, y_edges = compute_bin_edges(x_values, bins=bins), compute_bin_edges(y_values, bins=bins)
    counts = np.zeros((len(y_edges) - 1, len(x_edges) - 1), dtype=np.int64)
    for table in corpus.tables(names, made=True):
        points = as_numbers(table[x]), as_numbers(table[y])
        finite = np.isfinite(points[0]) & np.isfinite(points[1])
        counts += np.histogram2d(points[1][finite], points[0][finite], (y_edges, x_edges))[0].astype(np.int64)
    return JointDistribution(x_values, y_values, counts, x_edges, y_edges)


# -- differences ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Difference of a measure between two corpora."""

    name: str
    means: tuple[float, float]
    medians: tuple[float, float]
    apart: float
    """Column `apart`: Kolmogorov-Smirnov statistic, the largest difference of the cumulative distributions, 0 to 1."""
    moved: float
    """Column `moved`: earth mover's distance as a fraction of the range of all values of both corpora, 0 to 1."""


def compare_distributions(a: Distribution, b: Distribution) -> Difference:
    """Return the difference of two distributions. Its values are NaN if a distribution is empty."""
    means, medians = (a.mean, b.mean), (a.median, b.median)
    if not a.count or not b.count:
        return Difference(a.name, means, medians, float("nan"), float("nan"))
    values = np.union1d(a.values, b.values)
    gaps = np.abs(_cumulative_share(a, values) - _cumulative_share(b, values))
    span = float(values[-1] - values[0])
    moved = fsum((gaps[:-1] * np.diff(values)).tolist()) / span if span else 0.0
    return Difference(a.name, means, medians, float(gaps.max()), moved)


def _cumulative_share(distribution: Distribution, values: Floats) -> Floats:
    """Return, for each of `values`, the fraction of the distribution that is less than or equal to it."""
    sums = np.concatenate([[0], np.cumsum(distribution.counts)])
    return sums[np.searchsorted(distribution.values, values, side="right")] / distribution.count


# -- numbers as text --------------------------------------------------------------------------------------------
