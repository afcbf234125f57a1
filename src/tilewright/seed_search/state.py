"""The state of a search over seeds: what is tested, counted and kept. It is stored at checkpoints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite, nan
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, Strict, field_validator

from ..batch import ScanBound, ScanResult, find_bins
from ..core.errors import InvalidRecipe
from ..core.require import Requirement
from ..core.stored import StoredData
from .definition import MAX_SEED, SeekDefinition
from .plan import SeekPlan

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


Interval = tuple[int, int]
"""First and last seed of an interval."""


Count = Annotated[int, Field(ge=0, le=MAX_SEED)]
Bin = Annotated[int, Field(ge=-(2**53), le=2**53)]


class StoredState(StoredData):
    """A state as its file has it."""

    done: list[Annotated[tuple[Count, Count], Strict(False)]]
    passed: Count
    met: dict[str, Count]
    without: dict[str, Count]
    failures: Annotated[dict[str, Count], Field(max_length=MAX_REASONS + 1)]
    seeds: list[Count]
    values: dict[str, list[float | None]]
    histograms: dict[str, list[Annotated[tuple[Bin, Count], Strict(False)]]]
    """Pairs of a bin and the number of its seeds, by measure."""

    @field_validator("done")
    @classmethod
    def _check_order(cls, done: list[Interval]) -> list[Interval]:
        """Check that intervals are in ascending order with gaps between them."""
        gaps = all(end + 1 < start for (_, end), (start, _) in pairwise(done))
        if not gaps or any(first > last for first, last in done):
            raise ValueError("must be intervals in ascending order")
        return done


class SeekState:
    """Results of the seeds that are tested so far.

    Results of seeds can be added in any order. A search that stops early adds them in the order of the seeds, so that
    it ends at the same seed in each run.
    """

    def __init__(self, definition: SeekDefinition, plan: SeekPlan) -> None:
        self.definition = definition
        self.plan = plan
        self.tally = Tally(histograms={name: Counter() for name in definition.measures})
        self.kept = KeptSeeds(definition.keep, definition.measures, definition.extreme)
        self.done: list[Interval] = []
        """Intervals of tested seeds in ascending order, with gaps between them."""
        self._waiting: dict[int, ScanResult] = {}
        """Results that wait for those of earlier seeds, by first seed."""
        self.last_interval: Interval | None = None
        """Seeds to test again, if a search that stops early has found its last seed among others."""

    @property
    def is_finished(self) -> bool:
        """Whether all seeds are tested, or enough seeds are found."""
        return self.tally.tested == self.definition.count or (self.definition.stops_early and self.is_full)

    @property
    def is_full(self) -> bool:
        """Whether as many seeds are found as are to be kept."""
        return len(self.kept.seeds) >= self.definition.keep

    @property
    def bound(self) -> ScanBound | None:
        """The worst kept seed. A search that stops early needs all seeds of an interval."""
        return None if self.definition.stops_early else self.kept.bound

    def find_missing(self) -> list[Interval]:
        """Return the intervals of seeds that are not tested."""
        starts = [self.definition.first, *(last + 1 for _, last in self.done)]
        ends = [*(first - 1 for first, _ in self.done), self.definition.last]
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start <= end]

    def add(self, result: ScanResult) -> None:
        """Add the result of an interval of seeds."""
        if not self.definition.stops_early:
            self._merge(result)
            return
        self._waiting[result.first] = result
        while self.last_interval is None and not self.is_finished:
            found = self._waiting.pop(self.find_missing()[0][0], None)
            if found is None:
                return
            needed = self.definition.keep - len(self.kept.seeds)
            last = int(found.seeds[needed - 1]) if len(found.seeds) >= needed else found.first + found.count - 1
            if last < found.first + found.count - 1:
                self.last_interval = (found.first, last)
            else:
                self._merge(found)

    def add_last(self, result: ScanResult) -> None:
        """Add the result of `last_interval`, which ends the search."""
        self._merge(result)
        self.last_interval = None

    def _merge(self, result: ScanResult) -> None:
        self.tally.add(result)
        self.kept.add(result.seeds, result.values)
        joined: list[Interval] = []
        for first, last in sorted([*self.done, (result.first, result.first + result.count - 1)]):
            if joined and joined[-1][1] + 1 == first:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        self.done = joined

    # -- as a file ------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the state as JSON."""
        tally, kept = self.tally, self.kept
        data = {
            "done": self.done,
            "passed": tally.passed,
            "met": {one.measure: tally.met[one.measure] for one in self.definition.requirements},
            "without": {name: tally.without[name] for name in self.definition.measures},
            "failures": dict(sorted(tally.failures.items())),
            "seeds": kept.seeds.tolist(),
            "values": {
                name: [number if isfinite(number) else None for number in numbers.tolist()]
                for name, numbers in kept.values.items()
            },
            "histograms": {name: sorted(counts.items()) for name, counts in tally.histograms.items()},
        }
        return json.dumps(data, separators=(",", ":"), allow_nan=False) + "\n"

    @classmethod
    def from_text(cls, text: str | bytes, definition: SeekDefinition, plan: SeekPlan) -> SeekState:
        """Parse a state. Raise a TilewrightError if it is damaged or not one of this search."""
        stored = StoredState.from_json(text)
        found = cls(definition, plan)
        found.done = stored.done
        _check(all(definition.first <= first and last <= definition.last for first, last in found.done))
        tally, measures = found.tally, {*definition.measures}
        tally.tested = sum(last - first + 1 for first, last in found.done)
        tally.passed = stored.passed
        tally.met.update(stored.met)
        tally.without.update(stored.without)
        tally.failures.update(stored.failures)
        tally.histograms = {name: Counter(dict(bins)) for name, bins in stored.histograms.items()}
        _check({*stored.met} == {one.measure for one in definition.requirements})
        _check({*stored.without} == {*stored.histograms} == {*stored.values} == measures)
        _check(all(count <= tally.tested for count in stored.met.values()))
        _check(all(tally.count_measured(name) <= tally.tested for name in measures))
        _check(sum(tally.failures.values()) + tally.passed <= tally.tested)
        seeds = stored.seeds
        _check(len(seeds) == min(definition.keep, tally.passed) == len(set(seeds)))
        _check(all(any(first <= seed <= last for first, last in found.done) for seed in seeds))
        _check(all(len(values) == len(seeds) for values in stored.values.values()))
        values = {
            name: np.array([nan if value is None else value for value in numbers], dtype=np.float64)
            for name, numbers in stored.values.items()
        }
        for name, numbers in values.items():
            present = numbers[np.isfinite(numbers)]
            _check(bool((abs(present) < 2**53).all()) and {*find_bins(name, present)} <= {*tally.histograms[name]})
        found.kept.add(np.array(seeds, dtype=np.uint64), values)
        _check(found.kept.seeds.tolist() == seeds)
        return found


def _check(holds: bool) -> None:
    if not holds:
        raise InvalidRecipe("the state of another search")
