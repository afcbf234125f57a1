"""Definition of the search that a state describes, with the limits of this studio, and suggested measures."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import ceil, floor, isfinite, prod
from typing import Any

import numpy as np

from ...core.errors import Fix, InvalidRecipe, TilewrightError, TooLarge, errors_within
from ...core.recipe import Recipe
from ...core.registry import measures
from ...core.seeds import Rng
from ...search.definition import Definition
from ...search.emitters import breed
from ...search.genome import Genome, Units
from .. import operations
from ..jobs import CancelToken
from ..limits import check_recipe_size
from ..settings import Settings
from ..state import State
from .options import apply_values, build_recipe_data, choose_vary, find_search
from .state import DEFAULT_BINS, MAPS, MAX_CANDIDATES, AxisState, SearchViewState, Spec

BATCH, SLOW_BATCH = 64, 16
"""Number of maps of a round. Rounds of slow recipes are smaller, so that the heatmap changes more often."""
SLOW_SECONDS = 0.05
"""Estimated seconds of a map from which a recipe is slow."""
CELLS_PER_SEARCH = 1 << 10
"""Maximum number of cells of all maps of a search, as a multiple of the limit for one map."""


@dataclass(frozen=True)
class SearchSetup:
    """A validated search."""

    definition: Definition
    base: State
    """State whose recipe is searched."""
    key: str
    """Result of `find_key`."""


def build_definition(state: State, settings: Settings) -> SearchSetup:
    """Return the search of a state, whose measures are all chosen.

    Parameters
    ----------
    state : State
        The state.
    settings : Settings
        Limits of this studio.

    Returns
    -------
    SearchSetup

    Raises
    ------
    TilewrightError
        If the recipe or a setting is invalid, or if all maps together exceed the limits. The paths of problems start
        with the setting: `vary`, `measures`, `objective` or `evaluations`.
    """
    search = find_search(state)
    recipe = operations.check_recipe(build_recipe_data(state), settings)
    weights = {search.objective: -1.0 if search.is_least else 1.0}
    if search.second and search.weight:
        weights[search.second] = weights.get(search.second, 0.0) + search.weight
    vary = choose_vary(state)
    _check_vary(recipe, vary)
    definition = Definition.of(
        recipe,
        vary=vary,
        measures={axis.measure: axis.to_spec() for axis in (search.x, search.y)},
        objective=weights,
        evaluations=search.evaluations,
        seed=str(search.seed),
        batch=_choose_batch(recipe),
    )
    if len(definition.axes) < 2:
        raise InvalidRecipe("must be two different measures", at="measures", rule="duplicate")
    check_search_size(definition.genome, search.evaluations, settings)
    return SearchSetup(definition, state, find_key(state))


def build_genome(state: State, settings: Settings) -> Genome:
    """Return the genes of a state's recipe, for maps to pick from."""
    recipe, vary = operations.check_recipe(build_recipe_data(state), settings), choose_vary(state)
    _check_vary(recipe, vary)
    genome = Genome(recipe, vary)
    check_search_size(genome, MAPS, settings)
    return genome


def check_search_size(genome: Genome, evaluations: int, settings: Settings) -> None:
    """Raise TooLarge if a map, or all maps of a search together, exceed the limits of this studio."""
    cells = 0
    for unit in (0.0, 0.5, float(np.nextafter(1.0, 0.0))):
        with suppress(InvalidRecipe):  # Some combinations of bounds make no map.
            recipe = genome.apply(genome.decode(np.full((1, genome.slots), unit))[0])
            with errors_within("vary", place="", kind=TooLarge):
                check_recipe_size(recipe, settings)
            cells = max(cells, prod(recipe.shape))
    allowed = CELLS_PER_SEARCH * settings.cells // max(1, cells)
    if evaluations > allowed:
        text = f"must be at most {allowed:,} for maps of {cells:,} cells, got {evaluations:,}"
        fix = Fix("set", ("evaluations",), allowed)
        raise TooLarge(text, at="evaluations", value=evaluations, rule="size", fixes=[fix])


def _check_vary(recipe: Recipe, vary: Mapping[str, Spec]) -> None:
    """Raise InvalidRecipe if the recipe refuses a range or choices. The path of the problem is `vary` and that of the
    parameter.
    """
    for path, spec in vary.items():
        try:
            Genome(recipe, {path: spec})
        except InvalidRecipe as error:
            problems = [
                replace(one, path=("vary", path), place=str(one).partition(one.text)[0].rstrip(": "))
                for one in error.problems
            ]
            raise error.replace(problems) from None


def _choose_batch(recipe: Recipe) -> int:
    return BATCH if operations.estimate_seconds(recipe) < SLOW_SECONDS else SLOW_BATCH


def find_key(state: State) -> str:
    """Return a string that is equal for states with the same search, whatever its number of evaluations.

    Opening an elite changes the varied parameters of the recipe, which have no effect on the search.
    """
    search, vary = find_search(state), choose_vary(state)
    fixed = {path: spec.get("from", next(iter(spec.get("values", ())), 0)) for path, spec in vary.items()}
    settings = [search.x, search.y, search.objective, search.is_least, search.second, search.weight, search.seed]
    try:
        recipe = build_recipe_data(apply_values(state, fixed))
    except TilewrightError:  # Starting the search reports the error.
        recipe = build_recipe_data(state)
    return json.dumps([recipe, vary, [str(one) for one in settings]], default=str)


# -- generations ------------------------------------------------------------------------------------------------


def breed_candidates(genome: Genome, search: SearchViewState) -> Units:
    """Return the genomes of the shown generation: each is bred from the picks of the one before.

    There are more than are shown, so that maps that fail or repeat others can be left out.
    """
    root = Rng.of(search.seed).child("pick by eye")
    units = breed(genome, np.empty((0, genome.slots)), MAX_CANDIDATES, root.child("generation"))
    for number, picks in enumerate(search.picks[: search.generation]):
        picked = units[list(picks)]
        kept = picked if search.keeps_picked else picked[:0]
        bred = breed(genome, picked, MAX_CANDIDATES - len(kept), root.child("generation", number + 1))
        units = np.concatenate([kept, bred])
    return units


def choose_shown(digests: Mapping[int, str | None], count: int = MAX_CANDIDATES) -> list[int]:
    """Return the numbers of the candidates to show: the first maps that differ.

    Parameters
    ----------
    digests : mapping
        Digests of the maps by number of the candidate; None for a map that failed.
    count : int
        Number of candidates. If all are known and too few differ, the others follow.

    Returns
    -------
    list of int
        At most `MAPS` numbers. Those that are found do not change when further candidates are known.
    """
    shown: list[int] = []
    seen: set[str] = set()
    for number in range(count):
        if number not in digests:
            return shown
        digest = digests[number]
        if digest is not None and digest not in seen and len(shown) < MAPS:
            seen.add(digest)
            shown.append(number)
    others = [number for number in range(count) if number not in shown]
    return [*shown, *others][:MAPS]


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
    units = breed(genome, np.empty((0, genome.slots)), count, Rng.of(0).child("probe"))
    for number, values in enumerate(genome.decode(units)):
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
