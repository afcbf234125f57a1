"""Scanners: tests of many seeds of a recipe against requirements, here on the CPU; see `gpu` for those on a GPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measures
from ..core.require import OPERATORS, Requirement
from .columns import collect_needs, compute_values, find_column
from .engine import MapEngine

FINE_UNITS = ("fraction", "bits", "nats", "yes or no")
"""Units of measures whose histograms have bins of 0.01; all others have bins of 1."""


@dataclass(frozen=True, slots=True)
class ScanBound:
    """The worst kept seed. Only seeds that are better are of interest: more extreme, or equal and smaller.

    Without a measure to maximize or minimize, all values are 0, so that the first seeds are the best.
    """

    value: float
    """Value of the measure to maximize or minimize."""
    seed: int


@dataclass(frozen=True)
class ScanResult:
    """Seeds of a range that meet all requirements, and the distribution of the measures."""

    first: int
    count: int
    """Number of tested seeds."""
    seeds: NDArray[np.uint64]
    """Seeds that meet all requirements and are better than the bound, in ascending order."""
    values: Mapping[str, NDArray[np.float64]]
    """Values of these seeds by measure; NaN where a measure does not apply."""
    passed: int
    """Number of seeds that meet all requirements, whether or not they are better than the bound."""
    met: Mapping[str, int]
    """Number of seeds that meet each requirement, by measure."""
    histograms: Mapping[str, Mapping[int, int]]
    """Number of seeds by measure and bin. Bin i contains the values from i * width to (i + 1) * width; see `bin_width`
    and `find_bins`."""
    without: Mapping[str, int]
    """Number of seeds to which a measure does not apply, by measure."""
    failures: Mapping[str, int]
    """Number of seeds that cannot be made, by reason."""


class Scanner(Protocol):
    """Test of seeds of one recipe against requirements, for some measures."""

    device: str
    """Device that makes and measures the maps: `cpu` or `gpu`."""

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the decimal seeds `first` to `first + count - 1`."""
        ...


def bin_width(measure: str) -> float:
    """Return the width of the bins of a measure's histogram.

    >>> bin_width("floor_share"), bin_width("regions")
    (0.01, 1.0)
    """
    return 0.01 if measures.get(measure).unit in FINE_UNITS else 1.0


def find_bins(measure: str, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bins of finite values of a measure. The bin of a fraction c / n with bins of 0.01 is 100 * c // n.

    >>> find_bins("floor_share", np.array([0.29, 0.3, 0.999])).tolist()
    [29, 30, 99]
    """
    bins_per_unit = round(1 / bin_width(measure))
    found = np.floor(values * bins_per_unit).astype(np.int64)
    # The product may be rounded across the edge of a bin. The quotients are rounded like the values themselves.
    found += (found + 1) / bins_per_unit <= values
    found -= found / bins_per_unit > values
    return found


MAPS_PER_BLOCK = 4096
"""Number of maps that are made at once, so that they fit into the processor's cache."""


class EngineScanner:
    """Scanner that makes and measures maps with an engine, and tests their numbers with numpy.

    Parameters
    ----------
    engine : MapEngine
        The engine.
    requirements : sequence of Requirement
        Requirements for the measures, at most one of which is `most` or `least`.
    measures : sequence of str
        Measures to record, including those of the requirements.

    Raises
    ------
    NoKernel
        If the engine does not compute one of the measures.
    """

    def __init__(self, engine: MapEngine, requirements: Sequence[Requirement], measures: Sequence[str]) -> None:
        self.device = engine.device
        self._engine = engine
        self._requirements = tuple(requirements)
        self._columns = [find_column(name, engine.program) for name in measures]

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the decimal seeds `first` to `first + count - 1`."""
        found = ScanTally(first, count, self._requirements)
        for start in range(first, first + count, MAPS_PER_BLOCK):
            size = min(MAPS_PER_BLOCK, first + count - start)
            made = self._engine.make_range(start, size, prefix="", needs=collect_needs(self._columns), keeps=False)
            values = compute_values(self._columns, made.numbers, self._engine.program.cells)
            found.add(start, values, bound)
        return found.to_result()


class ScanTally:
    """Seeds that meet requirements, and the distribution of all measures, of consecutive blocks of seeds."""

    def __init__(self, first: int, count: int, requirements: Sequence[Requirement]) -> None:
        self._first, self._count = first, count
        self._requirements = requirements
        self._seeds: list[NDArray[np.uint64]] = []
        self._values: dict[str, list[NDArray[np.float64]]] = {}
        self._passed = 0
        self._met = {one.measure: 0 for one in requirements}
        self._histograms: dict[str, Counter[int]] = {}
        self._without: Counter[str] = Counter()

    def add(self, first: int, values: Mapping[str, NDArray[np.float64]], bound: ScanBound | None) -> None:
        """Add the values of consecutive seeds."""
        size = len(next(iter(values.values())))
        passes = np.ones(size, dtype=np.bool_)
        for one in self._requirements:
            holds = find_holding(one, values[one.measure])
            self._met[one.measure] += int(np.count_nonzero(holds))
            passes &= holds
        self._passed += int(np.count_nonzero(passes))
        seeds = np.uint64(first) + np.arange(size, dtype=np.uint64)
        extreme = next((one for one in self._requirements if one.is_extreme), None)
        passes &= find_better(bound, extreme, seeds, values)
        self._seeds.append(seeds[passes])
        for name, numbers in values.items():
            self._values.setdefault(name, []).append(numbers[passes])
            histogram, without = count_bins(name, numbers)
            self._histograms.setdefault(name, Counter()).update(histogram)
            self._without[name] += without

    def to_result(self) -> ScanResult:
        """Return the result of all blocks."""
        return ScanResult(
            first=self._first,
            count=self._count,
            seeds=np.concatenate([*self._seeds, np.zeros(0, dtype=np.uint64)]),
            values={name: np.concatenate(parts) for name, parts in self._values.items()},
            passed=self._passed,
            met=self._met,
            histograms=self._histograms,
            without=self._without,
            failures={},
        )


def count_bins(measure: str, numbers: NDArray[np.float64]) -> tuple[dict[int, int], int]:
    """Return the number of values by bin, and the number of maps to which the measure does not apply.

    >>> count_bins("regions", np.array([1.0, 3.0, 1.0, np.nan]))
    ({1: 2, 3: 1}, 1)
    """
    known = numbers[np.isfinite(numbers)]
    bins, counts = np.unique(find_bins(measure, known), return_counts=True)
    return dict(zip(bins.tolist(), counts.tolist(), strict=True)), len(numbers) - len(known)


def find_better(
    bound: ScanBound | None,
    extreme: Requirement | None,
    seeds: NDArray[np.uint64],
    values: Mapping[str, NDArray[np.float64]],
) -> NDArray[np.bool_]:
    """Return which seeds are better than a bound; see `ScanBound`. `extreme` is the requirement `most` or `least`."""
    if bound is None:
        return np.ones(len(seeds), dtype=np.bool_)
    is_smaller = seeds < np.uint64(bound.seed)
    if extreme is None:
        return is_smaller
    numbers = values[extreme.measure]
    is_more_extreme = numbers > bound.value if extreme.rule == "most" else numbers < bound.value
    found: NDArray[np.bool_] = is_more_extreme | ((numbers == bound.value) & is_smaller)
    return found


def find_holding(requirement: Requirement, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which numbers meet a requirement, as `Requirement.holds` does.

    >>> find_holding(Requirement("regions", ">", 1), np.array([1.0, 2.0, np.nan])).tolist()
    [False, True, False]
    """
    known = ~np.isnan(numbers)
    if requirement.is_extreme:
        return known
    if requirement.is_range:
        return known & (requirement.value <= numbers) & (numbers <= requirement.high)
    compare = OPERATORS[requirement.rule]
    holds: NDArray[np.bool_] = known & compare(numbers, requirement.value)
    return holds
