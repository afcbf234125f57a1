"""Suggested measures of a search: those that differ between the maps of its recipe."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, isfinite
from typing import Any

import numpy as np

from ...core.errors import TilewrightError, TooLarge
from ...core.registry import measures
from ...core.seeds import Rng
from ...search.emitters import breed
from .. import operations
from ..jobs import CancelToken
from ..state import State
from .setup import build_genome
from .state import DEFAULT_BINS, AxisState, SearchViewState

MIN_SAMPLES, MAX_SAMPLES = 2, 16
"""Number of maps from which measures are suggested."""
SAMPLES_SECONDS = 1.0
"""Estimated seconds of these maps together."""
X_MEASURES = ("floor_share", "openness", "corridor_share", "tile_entropy", "symmetry_x")
Y_MEASURES = (
    "regions", "dead_ends", "room_count", "junctions", "loops", "linearity", "tiles_used", "tile_entropy",
    "openness", "symmetry_y",
)  # fmt: skip
OBJECTIVES = ("path_length", "linearity", "largest_region", "tile_entropy", "openness")
"""Measures to suggest, the best first."""
MIN_VALUES = 4
"""Minimum number of different values of a measure that is suggested for an axis."""
MIN_SPREAD = 0.08
"""Minimum difference between the values of a fraction that is suggested for an axis."""
MIN_SHARE = 0.75
"""Minimum fraction of maps to which a suggested measure applies, and which a logarithmic scale shows."""
MIN_LOG_RATIO = 10.0
"""Ratio of the values of a count from which a logarithmic scale is suggested."""
RANGE_STEP = 0.05
"""Suggested ranges of fractions are multiples of this number."""
COUNTS = (4096, 2048, 1024, 512)
"""Numbers of evaluations to suggest."""
SEARCH_SECONDS = 60.0
"""Duration of a search for which a number of evaluations is suggested."""


@dataclass(frozen=True)
class Suggestion:
    """Measures that differ between the maps of a recipe, and a number of evaluations."""

    x: AxisState
    y: AxisState
    objective: str
    evaluations: int = field(default=COUNTS[0], compare=False)
    """Number of evaluations that take about a minute; it depends on the machine."""

    def fill(self, search: SearchViewState) -> SearchViewState:
        """Return settings in which everything that is not chosen is as suggested."""
        return search.replace(
            x=search.x if search.x.measure else self.x,
            y=search.y if search.y.measure else self.y,
            objective=search.objective or self.objective,
            evaluations=search.evaluations or self.evaluations,
        )


def probe_measures(state: State, token: CancelToken) -> Suggestion:
    """Make and measure some maps of a search, and suggest measures. The function runs as a job."""
    genome = build_genome(state, token.settings)
    fitting = int(SAMPLES_SECONDS / max(operations.estimate_seconds(genome.recipe), 1e-6))
    count = max(MIN_SAMPLES, min(MAX_SAMPLES, fitting))
    found: list[Mapping[str, float]] = []
    failure: TilewrightError | None = None
    start = time.perf_counter()
    for number, values in enumerate(
        genome.decode(breed(genome, np.empty((0, genome.slots)), count, Rng.of(0).child("probe")))
    ):
        if number == 1:
            start = time.perf_counter()  # The first map may include the compilation.
        token.check(steps=0)
        try:
            map = operations.make_map(genome.apply(values), token)
            found.append(operations.measure_map(map, token))
        except TooLarge:
            raise
        except TilewrightError as error:
            token.check(steps=0)  # A canceled job must not continue with the next map.
            failure = error
    if not found:
        assert failure is not None
        raise failure
    seconds = (time.perf_counter() - start) / (count - 1)
    return replace(suggest_measures(found), evaluations=suggest_evaluations(seconds))


def suggest_evaluations(seconds: float) -> int:
    """Return a number of evaluations, given the seconds of one map.

    >>> suggest_evaluations(0.001), suggest_evaluations(0.05), suggest_evaluations(9)
    (4096, 1024, 512)
    """
    return next((count for count in COUNTS if count * seconds <= SEARCH_SECONDS), COUNTS[-1])


def suggest_measures(samples: Sequence[Mapping[str, float]]) -> Suggestion:
    """Return measures for the axes and the objective, given the measures of some maps."""
    columns: dict[str, list[float]] = {}
    for sample in samples:
        for name, number in sample.items():
            if isfinite(number):
                columns.setdefault(name, []).append(number)
    common = {name: values for name, values in columns.items() if len(values) >= MIN_SHARE * len(samples)}
    varied = {name: values for name, values in common.items() if len(set(values)) >= min(MIN_VALUES, len(samples))}
    wide = {name: values for name, values in varied.items() if not _is_narrow(name, values)}
    others = [*varied, *common, "cells", "tile_entropy"]
    objective = next(name for name in (*_keep_known(OBJECTIVES, varied), *_keep_known(OBJECTIVES, common), *others))
    x = next(name for name in (*_keep_known(X_MEASURES, wide), *wide, *others) if name != objective)
    y = next(name for name in (*_keep_known(Y_MEASURES, wide), *wide, *others) if name not in (objective, x))
    axes = [_suggest_axis(name, columns.get(name, [])) for name in (x, y)]
    return Suggestion(axes[0], axes[1], objective)


def _keep_known(names: Sequence[str], columns: Mapping[str, Any]) -> list[str]:
    return [name for name in names if name in columns]


def _is_narrow(name: str, values: Sequence[float]) -> bool:
    return measures.get(name).unit == "fraction" and max(values) - min(values) < MIN_SPREAD


def _suggest_axis(name: str, values: Sequence[float]) -> AxisState:
    """Return an axis with a range around the values of some maps.

    Each bin of a count holds the same number of integers, so that none stays empty. Counts that differ much get a
    logarithmic scale.
    """
    if not values:
        return AxisState(measure=name)
    low, high = min(values), max(values)
    if measures.get(name).unit == "fraction" and 0 <= low <= high <= 1:
        margin = max((high - low) / 2, RANGE_STEP)
        ends = floor((low - margin) / RANGE_STEP) * RANGE_STEP, ceil((high + margin) / RANGE_STEP) * RANGE_STEP
        return AxisState(measure=name, low=round(max(ends[0], 0.0), 2), high=round(min(ends[1], 1.0), 2))
    positive = [value for value in values if value >= 1]
    if len(positive) >= MIN_SHARE * len(values) and low >= 0 and high >= MIN_LOG_RATIO * min(positive):
        return AxisState(measure=name, is_log=True)
    if low < 0 or any(value != int(value) for value in values):
        return AxisState(measure=name)
    margin = ceil((high - low) / 2) or 1
    first, last = int(max(low - margin, 0)), int(high + margin)
    step = ceil((last - first + 1) / DEFAULT_BINS)
    bins = ceil((last - first + 1) / step)
    return AxisState(measure=name, bins=bins, low=float(first), high=float(first + bins * step))
