"""Tests of the numbers of many maps against requirements, on the CPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.require import OPERATORS, Requirement
from .columns import collect_needs, compute_values, find_column
from .engine import MapEngine
from .scanner import ScanBound, ScanResult, find_bins

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
