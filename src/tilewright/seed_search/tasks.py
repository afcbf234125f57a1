"""Tasks of the workers of a search over seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from time import perf_counter

from ..batch import ScanBound, Scanner, ScanResult
from .definition import SeekDefinition
from .plan import SeekPlan
from .scanners import PipelineScanner, finish_scan, open_seek_scanner


@dataclass(frozen=True)
class SeekWork:
    """A search, as its tasks have it."""

    definition: SeekDefinition
    plan: SeekPlan

    @cached_property
    def key(self) -> str:
        """String by which a worker recognizes the search of its last task."""
        return f"{self.definition.to_data()}{self.plan}"


_scanners: dict[str, Scanner] = {}
"""Scanner of the last task of this worker, by the key of its search."""


def scan_task(search: SeekWork, first: int, count: int, bound: ScanBound | None) -> tuple[ScanResult, float]:
    """Test a chunk of seeds. Return the result and the time in seconds that it took."""
    if search.key not in _scanners:
        _scanners.clear()
        _scanners[search.key] = open_seek_scanner(search.definition, search.plan)
    start = perf_counter()
    result = _scanners[search.key].scan(first, count, bound)
    return result, perf_counter() - start


def finish_task(search: SeekWork, found: ScanResult, bound: ScanBound | None) -> tuple[ScanResult, float]:
    """Test the seeds that pass the first stage. Return the result and the time in seconds that it took."""
    start = perf_counter()
    result = finish_scan(PipelineScanner(search.definition, search.plan.stages[1:]), found, bound)
    return result, perf_counter() - start
