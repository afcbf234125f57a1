"""What a search over seeds has counted and kept so far. Results can be added in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..batch import ScanBound, ScanResult
from ..core.require import Requirement

Floats = NDArray[np.float64]
Seeds = NDArray[np.uint64]
MAX_REASONS = 100
OTHER_REASONS = "other reasons"


@dataclass
class Tally:
    """Numbers of seeds: tested, passed, by requirement, by value of each measure, and failed."""

    tested: int = 0
    passed: int = 0
    """Number of seeds that meet all requirements."""
    met: Counter[str] = field(default_factory=Counter)
    """Number of seeds that meet a requirement, by measure."""
    histograms: dict[str, Counter[int]] = field(default_factory=dict)
    """Number of seeds by measure and bin; see `bin_width`."""
    without: Counter[str] = field(default_factory=Counter)
    """Number of seeds to which a measure does not apply, by measure."""
    failures: Counter[str] = field(default_factory=Counter)
    """Number of seeds that cannot be made, by reason. It has the first reasons in alphabetical order; the numbers of
    further reasons are added up."""

    def add(self, result: ScanResult) -> None:
        """Add the numbers of some seeds."""
        self.tested += result.count
        self.passed += result.passed
        self.met.update(result.met)
        for name, counts in result.histograms.items():
            self.histograms.setdefault(name, Counter()).update(counts)
        self.without.update(result.without)
        self.failures.update(result.failures)
        # The order of the results does not matter: each of the first reasons is among the first of every part.
        for reason in sorted(self.failures.keys() - {OTHER_REASONS})[MAX_REASONS:]:
            self.failures[OTHER_REASONS] += self.failures.pop(reason)

    def count_measured(self, measure: str) -> int:
        """Return the number of seeds for which a measure was computed, whether or not it applies."""
        return sum(self.histograms.get(measure, {}).values()) + self.without[measure]


class KeptSeeds:
    """The best seeds so far, with their values, best first.

    Parameters
    ----------
    keep
        Maximum number of seeds.
    measures
        Measures to keep the values of.
    extreme
        Requirement `most` or `least`; without it, the first seeds are the best.
    """

    def __init__(self, keep: int, measures: Sequence[str], extreme: Requirement | None) -> None:
        self.keep = keep
        self.extreme = extreme
        self.seeds: Seeds = np.empty(0, dtype=np.uint64)
        self.values: dict[str, Floats] = {name: np.empty(0) for name in measures}

    def add(self, seeds: Seeds, values: Mapping[str, Floats]) -> None:
        """Add seeds that meet all requirements. No seed is added twice."""
        if not len(seeds):
            return
        all_seeds = np.concatenate([self.seeds, seeds])
        all_values = {name: np.concatenate([own, values[name]]) for name, own in self.values.items()}
        order = np.lexsort((all_seeds, self._sort_keys(all_values, len(all_seeds))))[: self.keep]
        self.seeds = all_seeds[order]
        self.values = {name: numbers[order] for name, numbers in all_values.items()}

    @property
    def bound(self) -> ScanBound | None:
        """The worst kept seed; None while there are fewer seeds than to keep."""
        if len(self.seeds) < self.keep:
            return None
        value = 0.0 if self.extreme is None else float(self.values[self.extreme.measure][-1])
        return ScanBound(value, int(self.seeds[-1]))

    def _sort_keys(self, values: Mapping[str, Floats], count: int) -> Floats:
        """Return a number for each seed. Lower numbers are better."""
        if self.extreme is None:
            return np.zeros(count)
        numbers = values[self.extreme.measure]
        return -numbers if self.extreme.rule == "most" else numbers
