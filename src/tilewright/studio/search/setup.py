"""Definition of the search that a state describes, with the limits of this studio, and suggested measures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ...core.errors import Fix, InvalidRecipe, TilewrightError, TooLarge, errors_within
from ...core.recipe import Recipe
from ...core.seeds import Rng
from ...search.definition import Definition
from ...search.emitters import breed
from ...search.genes import Units
from ...search.genome import Genome
from .. import operations
from ..limits import check_recipe_size
from ..settings import Settings
from ..state import State
from .options import apply_values, build_recipe_data, choose_vary, find_search
from .state import MAPS, MAX_CANDIDATES, SearchViewState, Spec

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
