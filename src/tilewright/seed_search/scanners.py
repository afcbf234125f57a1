"""Scanners for any recipe: the ordinary pipeline makes the maps of the seeds, after kernels if there are some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey import iter_blocks, measure_maps
from ..batch import NoKernel, ScanBound, Scanner, ScanResult, count_bins, find_better
from ..core.errors import InvalidRecipe, TilewrightError, describe_failure
from ..core.pipeline import run
from ..core.plan import make_plan
from ..core.recipe import Recipe
from ..core.tilemap import TileMap
from .definition import SeekDefinition
from .plan import SeekPlan, SeekStage, find_scanner
from .state import Floats, Seeds, Tally

MakeMap = Callable[[Recipe], TileMap]
"""Function that makes the map of a recipe, such as `run`."""


class PipelineScanner:
    """Test of seeds by the pipeline that makes all maps: stage by stage, each for the seeds that pass the one before.

    Parameters
    ----------
    definition
        The search.
    stages
        Stages of its plan.
    make_map
        Function that makes maps.
    """

    device = "cpu"

    def __init__(self, definition: SeekDefinition, stages: Sequence[SeekStage], make_map: MakeMap = run) -> None:
        self.definition = definition
        self.make_map = make_map
        make_plan(definition.recipe)  # The recipes of all seeds share the plan.
        self.stages = tuple(stages)
        self.measures = tuple(name for stage in stages for name in stage.measures)

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the seeds `first` to `first + count - 1`."""
        result = self.test(range(first, first + count))
        better = find_better(bound, self.definition.extreme, result.seeds, result.values)
        kept = {name: numbers[better] for name, numbers in result.values.items()}
        return replace(result, first=first, seeds=result.seeds[better], values=kept)

    def test(self, seeds: Sequence[int]) -> ScanResult:
        """Test some seeds, in ascending order."""
        counts = Tally(histograms={name: Counter() for name in self.measures})
        counts.met.update({one.measure: 0 for stage in self.stages for one in stage.requirements})
        blocks = iter_blocks(self._iter_made(seeds, counts), lambda pair: pair[1].cells.size)
        parts = [self._test_block(block, counts) for block in blocks]
        found = np.concatenate([np.empty(0, dtype=np.uint64), *(some for some, _ in parts)])
        values = {name: np.concatenate([np.empty(0), *(own[name] for _, own in parts)]) for name in self.measures}
        return ScanResult(
            first=seeds[0] if len(seeds) else self.definition.first,
            count=len(seeds),
            seeds=found,
            values=values,
            passed=len(found),
            met=counts.met,
            histograms=counts.histograms,
            without=counts.without,
            failures=counts.failures,
        )

    def _iter_made(self, seeds: Sequence[int], counts: Tally) -> Iterator[tuple[int, TileMap]]:
        """Yield seeds with their maps. Count the reasons of failures."""
        for seed in seeds:
            try:
                yield seed, self.make_map(self.definition.recipe_of(seed))
            except TilewrightError as error:
                counts.failures[describe_failure(error)] += 1

    def _test_block(self, block: Sequence[tuple[int, TileMap]], counts: Tally) -> tuple[Seeds, dict[str, Floats]]:
        """Return the seeds of a block that pass all stages, and their measures."""
        seeds, maps = np.array([seed for seed, _ in block], dtype=np.uint64), [map for _, map in block]
        values: dict[str, Floats] = {}
        for stage in self.stages:
            likes = [self.definition.similarity] * len(maps)
            found = measure_maps(maps, stage.measures, likes) if maps else {}
            passes: NDArray[np.bool_] = np.ones(len(maps), dtype=np.bool_)
            for name in stage.measures:
                values[name] = found.get(name, np.empty(0))
                histogram, without = count_bins(name, values[name])
                counts.histograms[name].update(histogram)
                counts.without[name] += without
            for one in stage.requirements:
                holds = np.array([one.holds(number) for number in values[one.measure].tolist()], dtype=np.bool_)
                counts.met[one.measure] += int(holds.sum())
                passes &= holds
            if not passes.all():
                seeds = seeds[passes]
                maps = [maps[number] for number in np.flatnonzero(passes)]
                values = {name: numbers[passes] for name, numbers in values.items()}
        return seeds, values


class StagedScanner:
    """Test of seeds by kernels, and of the seeds that pass by the pipeline.

    Parameters
    ----------
    first_stage
        Scanner of the first stage of the plan.
    rest
        Scanner of the later stages.
    """

    def __init__(self, first_stage: Scanner, rest: PipelineScanner) -> None:
        self.first_stage = first_stage
        self.rest = rest
        self.device = first_stage.device

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the seeds `first` to `first + count - 1`."""
        # Without a bound, because the number of seeds that meet all requirements would depend on it.
        return finish_scan(self.rest, self.first_stage.scan(first, count, None), bound)


def finish_scan(rest: PipelineScanner, found: ScanResult, bound: ScanBound | None) -> ScanResult:
    """Test the seeds that pass the first stage by the later stages, and return the result of all stages."""
    tested = rest.test(found.seeds.tolist())
    stays = np.isin(found.seeds, tested.seeds, assume_unique=True)
    values = {name: numbers[stays] for name, numbers in found.values.items()} | dict(tested.values)
    better = find_better(bound, rest.definition.extreme, tested.seeds, values)
    return ScanResult(
        first=found.first,
        count=found.count,
        seeds=tested.seeds[better],
        values={name: numbers[better] for name, numbers in values.items()},
        passed=tested.passed,
        met={**found.met, **tested.met},
        histograms={**found.histograms, **tested.histograms},
        without={**found.without, **tested.without},
        failures=Counter(found.failures) + Counter(tested.failures),
    )


def open_seek_scanner(definition: SeekDefinition, plan: SeekPlan, make_map: MakeMap = run) -> Scanner:
    """Return the scanner for a plan. `make_map` makes the maps for which there are no kernels."""
    pipeline = PipelineScanner(definition, plan.stages, make_map)
    if plan.device == "pipeline":
        return pipeline
    first, *rest = plan.stages
    try:
        scanner, known = find_scanner(definition, first.measures, plan.device)
    except (InvalidRecipe, NoKernel):  # The search was started on a machine with a GPU.
        return pipeline
    if set(known) != set(first.measures):
        return pipeline
    return StagedScanner(scanner, PipelineScanner(definition, rest, make_map)) if rest else scanner


# -- tasks of workers -----------------------------------------------------------------------------------------


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
