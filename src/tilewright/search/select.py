"""`tw.search.variety`: a set of maps in which every two differ, and map k meets target k.

The candidates are maps of one recipe with different seeds and, on request, different parameters. A candidate depends
only on its number, so that any number of processes makes the same candidates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import count as count_from
from math import inf, isfinite
from typing import Any

from ..analysis.similarity import Similarity, find_similarity
from ..analysis.survey import measure_map
from ..core.errors import (
    ANOTHER_SEED,
    Fix,
    GaveUp,
    InvalidRecipe,
    Problem,
    TilewrightError,
    describe_failure,
    format_number,
    pluralize,
    problem,
)
from ..core.keywords import with_keywords
from ..core.params import Params, SeedValue, param
from ..core.pipeline import run, shape_map
from ..core.plan import make_plan
from ..core.recipe import Recipe, collect_tiles
from ..core.seeds import Rng, Seed, number_seed, read_seed
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats._resolver import RecipeLike, read_recipe
from ..jobs.cluster import RunParams, Team
from ..jobs.definition import read_measures
from ..jobs.progress import OnProgress, Progress, check_callback
from .distances import BoundDistance, DistanceValue
from .gate import Gate, Target, Targets, find_possible_distance
from .genome import Genome, Vary
from .mapset import Variety, describe_need, with_tileset


@dataclass(frozen=True)
class Candidate:
    """A map that may enter a set."""

    number: int
    map: TileMap | None
    """The map; None if it could not be made."""
    measures: Mapping[str, float]
    """Values of the measures of all targets; NaN where a measure does not apply."""
    reason: str = ""
    """Reason for which there is no map."""


@dataclass(frozen=True)
class CandidateSource:
    """Makes and measures candidates by number."""

    recipe: Recipe
    seed: Seed
    """Candidate k has the seed SEED-k, unless the seed is among the varied parameters."""
    measures: tuple[str, ...] = ()
    vary: Any = None
    """Parameters to draw at random for each candidate, as for an archive; None for no parameters."""
    improves: bool = False
    """Whether maps that meet no open target are changed until they meet one, by the shaper `improve`."""

    def check(self) -> None:
        """Raise InvalidRecipe if the recipe, a measure or a varied parameter is invalid."""
        make_plan(self.recipe)
        read_measures(self.recipe, self.measures)
        _ = self.genome  # reads the varied parameters

    @cached_property
    def genome(self) -> Genome | None:
        return None if self.vary is None else Genome(self.recipe, self.vary)

    @cached_property
    def _similarity(self) -> Similarity | None:
        return find_similarity(self.recipe)

    def recipe_of(self, number: int) -> Recipe:
        """Return the recipe of a candidate."""
        if self.genome is None:
            return self.recipe.with_seed(number_seed(self.seed, number))
        rng = Rng.of(self.seed).child("variety", number)
        (values,) = self.genome.decode(rng.randoms(self.genome.slots).reshape(1, -1))
        recipe = self.genome.apply(values)
        return recipe if self.genome.has_seed else recipe.with_seed(number_seed(self.seed, number))

    def make(self, number: int, open_targets: Sequence[Target] = ()) -> Candidate:
        """Make a candidate. If that fails, the candidate has the reason instead of a map.

        Parameters
        ----------
        number : int
            Number of the candidate.
        open_targets : sequence of Target
            Targets that still need a map. If maps are improved and this one meets none of them, it is changed to meet
            one, which its number determines.
        """
        try:
            recipe = self.recipe_of(number)
            map = run(recipe)
        except TilewrightError as error:
            return Candidate(number, None, {}, describe_failure(error))
        found = self._measure(number, map, recipe)
        if not self.improves or not open_targets or any(target.holds(found.measures) for target in open_targets):
            return found
        target = open_targets[number % len(open_targets)]
        try:
            return self._measure(number, shape_map(map, target.to_stage()), recipe)
        except GaveUp:
            return found

    def _measure(self, number: int, map: TileMap, recipe: Recipe) -> Candidate:
        similarity = self._similarity if self.genome is None else find_similarity(recipe)
        return Candidate(number, map, measure_map(map, self.measures, similarity) if self.measures else {})

    # -- in worker processes --------------------------------------------------------------------------------------

    @cached_property
    def text(self) -> str:
        """The source as a string, from which a worker process builds it."""
        recipe = {**self.recipe.to_data()}
        if self.recipe.knobs:
            recipe["knobs"] = {knob.name: knob.to_data() for knob in self.recipe.knobs}
        vary = None if self.genome is None else self.genome.to_data()
        own = {"seed": self.seed, "measures": self.measures, "vary": vary, "improves": self.improves}
        return json.dumps({"recipe": recipe, **own})

    @classmethod
    def from_text(cls, text: str) -> CandidateSource:
        data = json.loads(text)
        recipe, measures = Recipe.of(data["recipe"]), tuple(data["measures"])
        return cls(recipe, data["seed"], measures, data["vary"], data["improves"])


def make_task(text: str, number: int, open_targets: Sequence[Target]) -> tuple[int, Candidate]:
    """Make a candidate in a worker process, and return its number with it."""
    return number, _source_of(text).make(number, open_targets)


@lru_cache(maxsize=4)
def _source_of(text: str) -> CandidateSource:
    return CandidateSource.from_text(text)


MAX_COUNT = 4096
CANDIDATES_PER_MAP = 50
MAX_CANDIDATES = 10**7
BATCH = 64
"""Number of candidates that worker processes make at a time, and that know the same open targets."""
MAX_REPORTED = 3
"""Maximum number of targets that an error describes."""
MAX_OFFERS = 1000
"""Maximum number of candidates that are kept to find a possible minimum distance after a failure."""


class VarietyParams(Params):
    """Parameters of a set of maps that differ."""

    count: int = param(20, ge=1, le=MAX_COUNT, metavar="N")
    """Number of maps."""
    distance: DistanceValue = param("hamming", metavar="NAME[,SETTING=VALUE]")
    """Name of a distance from `tilewright list distances`, such as hamming, patterns, path, visits or rooms, with its
    parameters, as in patterns,pattern_size=2.

    Or a mapping such as `{"patterns": {"pattern_size": 2}}`."""
    min_distance: float = param(0.2, ge=0, le=1, metavar="X")
    """Minimum distance between every two maps."""
    targets: Targets = param(None, flags=("--target",), metavar="MEASURE=RANGE,...", repeated=True)
    """Requirements that maps must meet, such as path_length=60..66,regions=1. Of several targets, map k meets target k,
    and fewer targets than maps are repeated.

    Requirements by measure, such as `{"path_length": "60..66"}`, or a list of them."""
    vary: Vary = param(None, metavar="NAME[=RANGE]", repeated=True)
    """Parameters to draw at random for each map, such as walls=0.3..0.6. By default, only the seed varies.

    As for `tw.search.make`."""
    improve: bool = param(False, flags=("--reach-targets",))
    """Whether to change maps that meet no open target until they meet one, by the shaper `improve`. Use it for targets
    that few seeds meet."""
    candidates: int | None = param(None, ge=1, le=MAX_CANDIDATES, metavar="N")
    """Maximum number of maps to try. By default, 50 per map."""
    seed: SeedValue = param(None, metavar="SEED")
    """Seed of the set; candidate k has the seed SEED-k. By default, the seed of the recipe, or a random one."""

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        if len(self.targets) > self.count:
            text = f"must be at most one per map, got {len(self.targets):,} for {self.count:,} maps"
            fixes = [Fix("set", ("count",), len(self.targets))]
            yield problem(text, at="targets", rule="maximum", fixes=fixes)
        if self.improve and not self.targets[0].requirements:
            yield problem("needs targets, which the maps are changed to meet", at="improve", rule="missing")


class VarietyOptions(RunParams, VarietyParams):
    """Parameters of `tw.search.variety` and `tilewright search variety`."""


@with_keywords(VarietyOptions)
def variety(
    given: RecipeLike,
    /,
    *,
    knobs: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
    **params: Any,
) -> Variety:
    """Make a set of maps in which every two differ by a minimum distance, and map k meets target k.

    Candidates are made one after the other, with the seeds SEED-0, SEED-1 and so on. A candidate enters the set if it
    meets a target that still needs a map, and differs enough from all maps of the set. The result does not depend on
    the number of workers.

    Parameters
    ----------
    given
        A recipe, as for `tw.run`, or the name of a technique.
    knobs
        Values of the recipe's knobs by name.
    on_progress
        Function called with a `Progress` after each candidate.

    Returns
    -------
    Variety
        The maps and their distances.

    Raises
    ------
    UnknownName
        If no distance has that name.
    InvalidRecipe
        If the recipe or an argument is invalid, or the distance applies to no map.
    GaveUp
        If there are too few maps after all candidates. The error suggests a minimum distance that suffices.

    Examples
    --------
    >>> found = variety("caves", count=4, min_distance=0.3, targets={"path_length": ">=60"}, seed=7)
    >>> len(found), found.min_distance >= 0.3
    (4, True)
    """
    return make_variety(read_recipe(given, knobs), VarietyOptions.validate(params), on_progress)


def make_variety(recipe: Recipe, options: VarietyOptions, on_progress: OnProgress | None) -> Variety:
    """Make a set of maps in which every two differ."""
    report, count = check_callback(on_progress), options.count
    names = dict.fromkeys(one.measure for target in options.targets for one in target.requirements)
    seed = read_seed(options.seed if options.seed is not None else recipe.seed)
    bare = replace(recipe, attempt=None)  # The number of a try belongs to the map of one seed.
    source = CandidateSource(bare, seed, tuple(names), options.vary, options.improve)
    source.check()
    gate = Gate(options.distance, options.min_distance, options.targets, count)
    selection = _Selection(gate, options.candidates or CANDIDATES_PER_MAP * count)
    with options.connect(0) as team:
        for candidate in _iter_candidates(source, gate, team):
            selection.consider(candidate)
            report(Progress(len(selection.kept), count, values={"candidates": selection.made}))
            if selection.is_finished:
                break
    return selection.finish()


def _iter_candidates(source: CandidateSource, gate: Gate, team: Team) -> Iterator[Candidate]:
    """Yield candidates in the order of their numbers, made in this process or by workers.

    Candidates of a batch know the targets that were open before the batch, so that workers do not change the result.
    """
    for first in count_from(0, BATCH):
        numbers = range(first, first + BATCH)
        targets = tuple(gate.open_targets) if source.improves else ()
        if not team.threads:
            yield from (source.make(number, targets) for number in numbers)
        else:
            found = dict(team.run_tasks(make_task, ((source.text, number, targets) for number in numbers)))
            yield from (found[number] for number in numbers)


@dataclass
class _Selection:
    """The maps found so far, and why other candidates were not taken."""

    gate: Gate
    limit: int
    """Maximum number of candidates."""
    made: int = 0
    kept: list[Candidate] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)
    """Number of candidates that could not be made or compared, by reason."""
    inapplicable: int = 0
    """Number of maps to which the distance does not apply."""
    too_similar: int = 0
    """Number of maps that met a target, but not the minimum distance."""
    met: dict[Target, int] = field(default_factory=dict)
    """Number of maps that met each target."""
    nearest: dict[Target, tuple[float, str]] = field(default_factory=dict)
    """For each target, how far the best map that missed it was off, and the values of that map."""
    offers: list[tuple[Any, Mapping[str, float]]] = field(default_factory=list)
    """Descriptions and measures of the first maps that met a target."""
    tileset: Tileset | None = None

    @property
    def distance(self) -> BoundDistance:
        return self.gate.distance

    @property
    def is_finished(self) -> bool:
        """Whether no further candidates are needed, or none will help."""
        is_hopeless = self.inapplicable >= BATCH and not self.kept
        return self.gate.is_full or self.made == self.limit or is_hopeless

    def consider(self, candidate: Candidate) -> None:
        """Add the next candidate to the set, or count why it is not added."""
        self.made += 1
        if candidate.map is None:
            self.failures[candidate.reason] = self.failures.get(candidate.reason, 0) + 1
            return
        if not self._count_targets(candidate):
            return
        if self.tileset is None:
            self.tileset = candidate.map.tileset
            if candidate.map.recipe is not None:
                self.tileset = self.tileset.with_tiles(collect_tiles(candidate.map.recipe))
        if candidate.map.tileset.names != self.tileset.names[: len(candidate.map.tileset)]:
            self.tileset = self.tileset.with_tiles(candidate.map.tileset)
        description = self.distance.describe(with_tileset(candidate.map, self.tileset))
        if description is None:
            self.inapplicable += 1
            return
        if len(self.offers) < MAX_OFFERS:
            self.offers.append((description, candidate.measures))
        before = len(self.gate.places)
        found = self.gate.offer(description, candidate.measures)
        if len(self.gate.places) > before:
            self.kept.append(candidate)
        elif found is not None:
            self.too_similar += 1

    def _count_targets(self, candidate: Candidate) -> bool:
        """Return whether a candidate meets any target."""
        meets_any = False
        for target in self.gate.targets:
            if target.holds(candidate.measures):
                self.met[target] = self.met.get(target, 0) + 1
                meets_any = True
                continue
            missed = _miss(target, candidate.measures)
            if missed < self.nearest.get(target, (inf, ""))[0]:
                values = ", ".join(
                    f"{one.measure} {format_number(candidate.measures[one.measure])}"
                    for one in target.requirements
                    if isfinite(candidate.measures[one.measure])
                )
                self.nearest[target] = missed, values
        return meets_any

    def finish(self) -> Variety:
        """Return the set. Raise an error if it is not full."""
        gate = self.gate
        if not gate.is_full:
            raise self._explain()
        order = sorted(range(len(self.kept)), key=gate.places.__getitem__)
        kept = [self.kept[number] for number in order]
        return Variety(
            tuple(one.map for one in kept if one.map is not None),
            str(self.distance),
            gate.find_matrix(),
            tuple(str(gate.targets[place % len(gate.targets)]) for place in range(gate.count)),
            tuple(one.measures for one in kept),
            self.made,
            dict(self.failures),
        )

    def _explain(self) -> InvalidRecipe | GaveUp:
        """Return the error of a set that is not full."""
        gate, made = self.gate, self.made
        name = self.distance.entry.name
        if self.inapplicable and not self.kept:
            text = f"applies to none of {pluralize(self.inapplicable, 'map')}{describe_need(self.distance)}"
            return InvalidRecipe(text, at="distance", place=f"distance {name}", value=name, rule="missing")
        parts = [f"found {len(gate.places):,} of {pluralize(gate.count, 'map')}"]
        unmet = sorted(dict.fromkeys(gate.open_targets), key=lambda target: self.met.get(target, 0))
        for target in unmet[:MAX_REPORTED]:
            if target.requirements and not self.met.get(target):
                missed = self.nearest.get(target)
                near = f", the nearest has {missed[1]}" if missed is not None and missed[1] else ""
                parts.append(f"no map meets {target}{near}")
            elif target.requirements:
                parts.append(f"{self.met[target]:,} of {made:,} maps meet {target}")
        if len(unmet) > MAX_REPORTED:
            parts.append(f"{len(unmet) - MAX_REPORTED} more targets need maps")
        fixes = []
        if self.too_similar:
            text = f"{pluralize(self.too_similar, 'other')} differ by less than {gate.min_distance:g} from one of them"
            possible = find_possible_distance(gate, self.offers)
            if possible is not None:
                text += f"; min_distance {possible:g} is enough for these maps"
                fixes.append(Fix("set", ("min_distance",), possible))
            parts.append(text)
        parts += [f"{reason} ({number:,} of {made:,})" for reason, number in self.failures.items()]
        if self.inapplicable:
            parts.append(f"{name} does not apply to {pluralize(self.inapplicable, 'map')}")
        fixes += [Fix("set", ("candidates",), min(MAX_CANDIDATES, 4 * self.limit)), ANOTHER_SEED]
        return GaveUp("; ".join(parts), tries=made, at="variety", place="", fixes=fixes)


def _miss(target: Target, measures: Mapping[str, float]) -> float:
    """Return how far a map is from a target, as the sum of relative distances; infinity where a measure is NaN."""
    total = 0.0
    for one in target.requirements:
        off = one.find_distance(measures[one.measure])
        total += off / (1 + abs(one.value)) if isfinite(off) else inf
    return total
