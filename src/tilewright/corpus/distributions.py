"""How the numbers of a corpus are spread, gathered part by part in little memory, and how far two corpora are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .rows import as_numbers

if TYPE_CHECKING:
    from .reader import Corpus

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

MAX_VALUES = 1 << 18
"""Different numbers that are told apart; of more, neighbours are put together."""
BINS = 40


@dataclass(frozen=True)
class Distribution:
    """The different numbers of a column, in order, and how often each occurs."""

    name: str
    values: Floats
    counts: Counts
    missing: int
    """Maps that could be made and have no such number."""

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
        # Added exactly, so that machines agree on every digit.
        return fsum((self.values * self.counts).tolist()) / self.count if self.count else float("nan")

    @cached_property
    def deviation(self) -> float:
        squares = (self.values - self.mean) ** 2 * self.counts
        return sqrt(fsum(squares.tolist()) / self.count) if self.count else float("nan")

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """The smallest number that at least this share of all does not exceed."""
        if not self.count:
            return float("nan")
        place = int(np.searchsorted(np.cumsum(self.counts), share * self.count))
        return float(self.values[min(place, len(self.values) - 1)])

    def count_in_bins(self, edges: Floats) -> Counts:
        """How many lie between each two edges."""
        return np.histogram(self.values, edges, weights=self.counts)[0].astype(np.int64)


def compute_distributions(corpus: Corpus, columns: Sequence[str] | None = None) -> list[Distribution]:
    """How columns are spread, by default all measures; in one pass over the parts."""
    names = corpus.numeric_columns(corpus.manifest.measures if columns is None else columns)
    gathered = {name: DistributionBuilder() for name in names}
    for table in corpus.tables(names, made=True) if names else ():
        for name in names:
            gathered[name].add(as_numbers(table[name]))
    return [Distribution(name, *gathered[name].finish()) for name in names]


class DistributionBuilder:
    """Numbers on their way into a distribution."""

    def __init__(self) -> None:
        self.values = np.empty(0)
        self.counts = np.empty(0, dtype=np.int64)
        self.pending: list[Floats] = []
        self.pending_count = 0
        self.missing = 0

    def add(self, numbers: Floats) -> None:
        sound = numbers[np.isfinite(numbers)]
        self.missing += len(numbers) - len(sound)
        self.pending.append(sound)
        self.pending_count += len(sound)
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
        """Every second number and the one after it become one between them; the ends stay what they are."""
        last = len(self.values) - 1
        starts = np.concatenate([[0], np.arange(1, last, 2), [last]])
        counts = np.add.reduceat(self.counts, starts)
        others = np.minimum(starts + 1, np.append(starts[1:], last + 1) - 1)
        share = np.where(others > starts, self.counts[others] / counts, 0.0)
        self.values = self.values[starts] + (self.values[others] - self.values[starts]) * share
        self.counts = counts


# -- bins -------------------------------------------------------------------------------------------------------


def compute_bin_edges(*spread: Distribution, bins: int = BINS) -> Floats:
    """Edges of at most so many bins, all equally wide; numbers that are some step apart lie equally many in each."""
    values = np.unique(np.concatenate([one.values for one in spread]))
    if not len(values):
        return np.array([0.0, 1.0])
    low, high = float(values[0]), float(values[-1])
    step = _find_step(values, bins)
    if step:
        steps = round((high - low) / step) + 1
        together = -(-steps // bins)
        return low - step / 2 + step * together * np.arange(-(-steps // together) + 1.0)
    edges = np.linspace(low, high, bins + 1)
    return edges if (np.diff(edges) > 0).all() else np.array([low, np.nextafter(high, np.inf)])


def _find_step(values: Floats, bins: int) -> float:
    """The step that all numbers are a multiple of apart; 0 where there is none worth speaking of."""
    reach = float(values[-1] - values[0])
    if reach < bins and (values == np.round(values)).all():
        return 1.0
    step = float(np.diff(values).min()) if len(values) > 1 else 1.0
    if reach > MAX_VALUES * step:
        return 0.0
    step = reach / round(reach / step) if reach else step  # more exact than a single difference
    steps = (values - values[0]) / step
    return step if np.abs(steps - np.round(steps)).max() < 0.01 else 0.0


@dataclass(frozen=True)
class JointDistribution:
    """Two columns together."""

    x: Distribution
    y: Distribution
    counts: Counts
    """(y bin, x bin)"""
    x_edges: Floats
    y_edges: Floats


def compute_joint(corpus: Corpus, x: str, y: str, bins: int = BINS) -> JointDistribution:
    """How two columns are spread together; maps that lack one of them do not count."""
    names = corpus.numeric_columns([x, y])
    found = compute_distributions(corpus, names)
    across, up = found[0], found[-1]
    x_edges, y_edges = compute_bin_edges(across, bins=bins), compute_bin_edges(up, bins=bins)
    counts = np.zeros((len(y_edges) - 1, len(x_edges) - 1), dtype=np.int64)
    for table in corpus.tables(names, made=True):
        places = as_numbers(table[x]), as_numbers(table[y])
        sound = np.isfinite(places[0]) & np.isfinite(places[1])
        counts += np.histogram2d(places[1][sound], places[0][sound], (y_edges, x_edges))[0].astype(np.int64)
    return JointDistribution(across, up, counts, x_edges, y_edges)


# -- how far apart ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """How a measure of one corpus differs from that of another."""

    name: str
    means: tuple[float, float]
    medians: tuple[float, float]
    apart: float
    """Kolmogorov and Smirnov's distance: the largest difference between the shares below any number, 0 to 1."""
    moved: float
    """The earth mover's distance: how far, on average, numbers have to move, as a share of the joint range, 0 to 1."""


def compare_distributions(a: Distribution, b: Distribution) -> Difference:
    """The difference of two distributions; not a number where one is empty."""
    means, medians = (a.mean, b.mean), (a.median, b.median)
    if not a.count or not b.count:
        return Difference(a.name, means, medians, float("nan"), float("nan"))
    values = np.union1d(a.values, b.values)
    gaps = np.abs(_cumulative_share(a, values) - _cumulative_share(b, values))
    reach = float(values[-1] - values[0])
    moved = fsum((gaps[:-1] * np.diff(values)).tolist()) / reach if reach else 0.0
    return Difference(a.name, means, medians, float(gaps.max()), moved)


def _cumulative_share(spread: Distribution, values: Floats) -> Floats:
    """The share of numbers that do not exceed each of these."""
    sums = np.concatenate([[0], np.cumsum(spread.counts)])
    return sums[np.searchsorted(spread.values, values, side="right")] / spread.count


# -- numbers in words -------------------------------------------------------------------------------------------


def format_short(number: float) -> str:
    """A number as it is told, short; a dash where there is none.

    >>> [format_short(number) for number in (0.25, 1234.0, 56.789, 0.000123, 3e9)]
    ['0.25', '1,234', '56.8', '0.000123', '3e+09']
    """
    if not isfinite(number):
        return "-"
    if number == round(number):
        return f"{number:,.0f}" if abs(number) < 1e7 else f"{number:.3g}"
    return f"{number:.3g}" if abs(number) < 1000 else f"{number:,.0f}" if abs(number) < 1e7 else f"{number:.3g}"
