"""The plan of a search over seeds: which measures are computed for all seeds, and which only for some.

The plan does not change which seeds are found. It determines the seeds over which the histogram of each measure counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..batch import NoKernel, Scanner, open_scanner
from ..core.entries import Measure
from ..core.errors import pluralize
from ..core.require import Requirement
from ..core.tilemap import format_size
from .definition import SeekDefinition

CHEAP = frozenset(
    (
        *("cells", "count", "markers", "floor_share", "tiles_used", "tile_entropy", "room_count", "room_spread"),
        *("symmetry_x", "symmetry_y", "symmetry_turn", "player_count"),
        *("dead_ends", "corridor_share", "junctions", "openness", "misfits"),
        *("regions", "largest_region", "path_length"),
    )
)
"""Measures that take less time than most techniques. They are computed for all seeds, so that their histograms show
all maps of the recipe."""
COSTLY_GROUPS = ("similarity", "playing")
"""Groups of the most expensive measures, from cheap to expensive. Other measures that are not cheap come before."""


@dataclass(frozen=True)
class SeekStage:
    """Measures that are computed for the same seeds, and the requirements that these seeds must meet."""

    measures: tuple[str, ...]
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True)
class SeekPlan:
    """The stages of a search, in order. The seeds that pass a stage are tested by the next stage."""

    stages: tuple[SeekStage, ...]
    device: str
    """Device on which kernels make the maps of the first stage, `cpu` or `gpu`; `pipeline` if there are no kernels."""
    reason: str = ""
    """What has no kernel, if the pipeline makes all maps."""

    def format_lines(self, definition: SeekDefinition) -> Iterator[str]:
        """Yield lines that describe the search."""
        recipe = definition.recipe
        size = format_size(recipe.shape)
        yield f"{recipe.title} {size}, seeds {definition.first:,} to {definition.last:,}"
        if self.reason:
            yield f"no kernels: {self.reason}"
        makers = {"cpu": "kernels on the CPU", "gpu": "kernels on the GPU", "pipeline": "the pipeline on the CPU"}
        for number, stage in enumerate(self.stages):
            seeds = pluralize(definition.count, "seed") if number == 0 else f"the seeds that pass stage {number}"
            maker = makers[self.device if number == 0 else "pipeline"]
            yield f"stage {number + 1}: {maker}, {seeds}"
            yield f"  measures: {', '.join(stage.measures)}"
            if stage.requirements:
                yield f"  requires: {', '.join(map(str, stage.requirements))}"
        yield f"result: {_describe_result(definition)}"


def make_seek_plan(definition: SeekDefinition, device: str = "auto") -> SeekPlan:
    """Divide the measures of a search into stages, cheap measures first.

    The first stage has the measures that kernels compute or, without kernels, all cheap measures.
    """
    try:
        scanner, known = find_scanner(definition, definition.measures, device)
    except NoKernel as error:
        error.refuse_gpu(device)
        cheap = [entry.name for entry in definition.entries if rank_cost(entry) == 0]
        return SeekPlan(_make_stages(definition, cheap), "pipeline", str(error))
    return SeekPlan(_make_stages(definition, known), scanner.device)


def find_scanner(definition: SeekDefinition, measures: Sequence[str], device: str) -> tuple[Scanner, tuple[str, ...]]:
    """Return a scanner with kernels for as many of the measures as possible, and these measures.

    Raises
    ------
    NoKernel
        If there are no kernels for the recipe, or for none of the measures.
    InvalidRecipe
        If there is no such device, or if the device is `gpu` and no GPU can be used.
    """

    def open_for(names: Sequence[str]) -> Scanner:
        return open_scanner(definition.recipe, select_requirements(definition, names), tuple(names), device)

    def is_known(name: str) -> bool:
        try:
            open_for([name])
        except NoKernel:
            return False
        return True

    try:
        return open_for(measures), tuple(measures)
    except NoKernel:
        known = tuple(name for name in measures if is_known(name))
        if not known:
            raise
        return open_for(known), known


def select_requirements(definition: SeekDefinition, names: Sequence[str]) -> tuple[Requirement, ...]:
    """Return the requirements for some measures."""
    return tuple(one for one in definition.requirements if one.measure in names)


def rank_cost(entry: Measure) -> int:
    """Return the rank of a measure by the time that it takes; 0 for the measures that are computed for all seeds."""
    name = entry.name if entry.value is None else entry.name.removesuffix(f".{entry.value}")
    if name in CHEAP:
        return 0
    return 2 + COSTLY_GROUPS.index(entry.group) if entry.group in COSTLY_GROUPS else 1


def stages_from_names(definition: SeekDefinition, names: Sequence[Sequence[str]]) -> tuple[SeekStage, ...]:
    """Return the stages with these measures. Raise ValueError if they are not the measures of the search."""
    if sorted(name for some in names for name in some) != sorted(definition.measures):
        raise ValueError("stages of another search")
    return tuple(SeekStage(tuple(some), select_requirements(definition, some)) for some in names)


def _make_stages(definition: SeekDefinition, first: Sequence[str]) -> tuple[SeekStage, ...]:
    """Return a stage with some measures, then the other measures by cost. Measures that nothing requires come last."""
    required = {one.measure for one in definition.requirements}
    others = [entry for entry in definition.entries if entry.name not in first]
    ranks = {entry.name: (entry.name not in required, rank_cost(entry)) for entry in others}
    groups = [[entry.name for entry in others if ranks[entry.name] == rank] for rank in sorted(set(ranks.values()))]
    return stages_from_names(definition, [group for group in (list(first), *groups) if group])


def _describe_result(definition: SeekDefinition) -> str:
    extreme, keep = definition.extreme, f"{definition.keep:,} seeds"
    if extreme is not None:
        return f"the {keep} with the {extreme.rule} {extreme.measure}; of equal ones, the smaller seed"
    return f"the first {keep}" + (", and no further seed is tested" if definition.stops_early else "")
