"""The state of a search over seeds: what is tested, counted and kept. It is stored at checkpoints."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from math import isfinite, nan
from typing import Any

import numpy as np

from ...batch import Bound, ScanResult
from .definition import SeekDefinition
from .plan import SeekPlan
from .tally import MAX_REASONS, KeptSeeds, Tally

Interval = tuple[int, int]
"""First and last seed of an interval."""


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
    def bound(self) -> Bound | None:
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
    def from_text(cls, text: str, definition: SeekDefinition, plan: SeekPlan) -> SeekState:
        """Parse a state. Raise ValueError, KeyError or TypeError if it is not one of this search."""
        data = json.loads(text)
        found = cls(definition, plan)
        found.done = _read_intervals(data["done"], definition)
        tally = found.tally
        tally.tested = sum(last - first + 1 for first, last in found.done)
        tally.passed = _read_count(data["passed"], tally.tested)
        for measure in (one.measure for one in definition.requirements):
            tally.met[measure] = _read_count(data["met"][measure], tally.tested)
        for name in definition.measures:
            tally.without[name] = _read_count(data["without"][name], tally.tested)
            bins = {
                _read_integer(number): _read_count(count, tally.tested) for number, count in data["histograms"][name]
            }
            tally.histograms[name] = Counter(bins)
            _check(tally.count_measured(name) <= tally.tested)
        _check(isinstance(data["failures"], Mapping) and len(data["failures"]) <= MAX_REASONS + 1)
        for reason, count in data["failures"].items():
            tally.failures[reason] = _read_count(count, tally.tested)
        _check(sum(tally.failures.values()) + tally.passed <= tally.tested)
        seeds = [_read_integer(seed) for seed in data["seeds"]]
        _check(len(seeds) == min(definition.keep, tally.passed) == len(set(seeds)))
        _check(all(any(first <= seed <= last for first, last in found.done) for seed in seeds))
        values = {name: _read_values(data["values"][name], len(seeds)) for name in definition.measures}
        found.kept.add(np.array(seeds, dtype=np.uint64), values)
        _check(found.kept.seeds.tolist() == seeds)
        return found


def _check(holds: bool) -> None:
    if not holds:
        raise ValueError("the state of another search")


def _read_integer(value: Any) -> int:
    _check(isinstance(value, int) and not isinstance(value, bool))
    return int(value)


def _read_count(value: Any, most: int) -> int:
    _check(0 <= _read_integer(value) <= most)
    return int(value)


def _read_intervals(given: Any, definition: SeekDefinition) -> list[Interval]:
    """Return intervals in ascending order with gaps between them, within the range of the search."""
    found = [(_read_integer(first), _read_integer(last)) for first, last in given]
    for first, last in found:
        _check(definition.first <= first <= last <= definition.last)
    for (_, end), (start, _) in pairwise(found):
        _check(end + 1 < start)
    return found


def _read_values(given: Any, count: int) -> Any:
    _check(isinstance(given, list) and len(given) == count)
    _check(all(value is None or (isinstance(value, int | float) and isfinite(value)) for value in given))
    return np.array([nan if value is None else float(value) for value in given])
