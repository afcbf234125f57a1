"""Targets of the shaper improve: measures and the values that they must reach, as parameters and for kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from ...analysis.map_group import MapGroup
from ...core.errors import InvalidRecipe, ProblemList, UnknownName, problem
from ...core.notation import read_requirement
from ...core.params import hint, limit_problems
from ...core.registry import measures
from ...core.require import Requirement, read_requirements
from ...core.tilemap import TileMap
from ...kernels import goals as kernel
from ...kernels.goals import Goals

MAX_TARGETS = 50
FIXED_MEASURES = ("cells", "markers", "room_count", "room_spread")
"""Measures that no change of a tile can change."""


def _read_targets(value: Any) -> Any:
    """Convert a mapping, a list of pairs, or strings such as `path_length=60..66` to pairs of a measure and a value."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        return value
    found: list[tuple[str, str]] = []
    problems = ProblemList()
    for pair in value[:MAX_TARGETS]:
        with problems.collect(kind=InvalidRecipe):
            found.append(_read_target(pair))
    if len(value) > MAX_TARGETS:
        problems.append(problem(f"must have at most {MAX_TARGETS} measures, got {len(value)}", rule="maximum_length"))
    if problems:
        raise InvalidRecipe(*limit_problems(problems))
    return tuple(found)


def _read_target(pair: Any) -> tuple[str, str]:
    if isinstance(pair, str):
        pair = read_requirement(pair, ())
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InvalidRecipe("must be a measure and its value, such as path_length: 60..66", got=pair)
    (found,) = read_requirements({pair[0].strip(): pair[1]})
    return found.measure, write_value(found)


def write_value(target: Requirement) -> str:
    """Return the value of a target as text: `1`, `60..66`, `>80` or `most`."""
    return str(target).removeprefix(target.measure).lstrip(": ").removeprefix("== ").replace(" ", "")


Target = tuple[Annotated[str, hint(initial="path_length")], Annotated[str, hint(initial=">=0")]]
Targets = Annotated[tuple[Target, ...], BeforeValidator(_read_targets)]
"""Pairs of a measure and the text of its requirement; see `core/require`."""


def parse_targets(targets: Sequence[tuple[str, str]]) -> list[Requirement]:
    """Return the requirements of validated targets."""
    return [requirement for name, text in targets for requirement in read_requirements({name: text})]


def check_measures(map: TileMap, targets: Sequence[Requirement]) -> None:
    """Raise InvalidRecipe if a target names an unknown tile, or compares the map with a sample."""
    problems = ProblemList()
    for target in targets:
        entry = measures.get(target.measure)
        if entry.compares:
            text = f"{entry.name} compares a map with a sample, which this shaper does not have"
            problems.append(problem(text, at="targets", rule="missing"))
        with problems.collect("targets", kind=UnknownName):
            entry.check_argument([map.tileset])
    problems.raise_all()


def check_reachable(targets: Sequence[Requirement], values: Mapping[str, float], fixed_tiles: Sequence[str]) -> None:
    """Raise InvalidRecipe if no change of tiles can reach a target.

    Parameters
    ----------
    targets
        The targets.
    values
        Values of their measures on the original map.
    fixed_tiles
        Tiles whose numbers of cells cannot change.
    """
    problems = ProblemList()
    for target in targets:
        if target.holds(values[target.measure]):
            continue
        kind, _, argument = target.measure.partition(".")
        if kind in FIXED_MEASURES:
            text = f"{target} cannot be reached, because only tiles are changed"
            problems.append(problem(text, at="targets", rule="conflict"))
        elif kind == "count" and argument in fixed_tiles:
            text = f"{target} cannot be reached, because the number of cells with this tile is kept"
            problems.append(problem(text, at="targets", rule="conflict"))
    problems.raise_all()


# -- goals of kernels --------------------------------------------------------------------------------------------


ROUTES = kernel.NEEDS_REGIONS | kernel.NEEDS_ROUTES
FORMULAS = {
    "floor_share": (kernel.PASSABLE, kernel.CELLS, 1.0, 0),
    "regions": (kernel.REGIONS, kernel.ONE, 1.0, kernel.NEEDS_REGIONS),
    "largest_region": (kernel.LARGEST, kernel.PASSABLE, 1.0, kernel.NEEDS_REGIONS),
    "path_length": (kernel.STEPS, kernel.ONE, 1.0, ROUTES),
    "dead_ends": (kernel.DEAD_ENDS, kernel.ONE, 1.0, kernel.NEEDS_NEIGHBORS),
    "openness": (kernel.NEIGHBORS, kernel.PASSABLE, 8.0, kernel.NEEDS_NEIGHBORS),
    "corridor_share": (kernel.CORRIDORS, kernel.PASSABLE, 1.0, kernel.NEEDS_NEIGHBORS),
    "junctions": (kernel.JUNCTIONS, kernel.ONE, 1.0, kernel.NEEDS_NEIGHBORS),
    "chokepoints": (kernel.CHOKEPOINTS, kernel.ONE, 1.0, ROUTES | kernel.NEEDS_CUTS),
    "linearity": (kernel.GATES, kernel.BETWEEN, 1.0, ROUTES | kernel.NEEDS_CUTS),
}
"""For each measure that kernels compute: its numerator, denominator, factor and surveys; see `kernels/goals`."""
PRIORITY = 100.0
"""Weight of a target with an end relative to a target without one, which must not outweigh it."""


def is_computed(target: Requirement) -> bool:
    """Return whether kernels compute the measure of a target."""
    return target.measure in FORMULAS or target.measure.startswith("count.")


def find_scale(target: Requirement, value: float, *, has_extreme: bool) -> float:
    """Return the difference that counts as a distance of 1: the size of the target, or else of the present value."""
    sizes = (abs(target.value), abs(target.high), abs(value) if value == value else 0.0)
    size = next((size for size in (max(sizes[:2]), sizes[2]) if size > 0), 1.0)
    return size / PRIORITY if has_extreme and not target.is_extreme else size


def find_distance(target: Requirement, value: float, scale: float) -> float:
    """Return the distance of a value from a target, as the kernels compute it."""
    if value != value:
        return kernel.MISSING
    if target.is_extreme:
        return (-value if target.rule == "most" else value) / scale
    if target.rule == "!=":
        return 0.0 if target.holds(value) else 1.0
    low, high = target.ends
    return max(low - value, value - high, 0.0) / scale


def build_goals(map: TileMap, targets: Sequence[tuple[Requirement, float]], *, limits_regions: bool) -> Goals:
    """Return the goals of targets that kernels compute, each with its scale. The number of regions has no limit yet."""
    rows = []
    needs = kernel.NEEDS_REGIONS if limits_regions else 0
    for target, scale in targets:
        if target.measure in FORMULAS:
            numerator, denominator, factor, surveys = FORMULAS[target.measure]
        else:
            tile = map.tileset.find(target.measure.partition(".")[2])
            assert tile is not None
            numerator, denominator, factor, surveys = kernel.FIRST_TILE + tile, kernel.ONE, 1.0, 0
        rules = {"most": kernel.MOST, "least": kernel.LEAST, "!=": kernel.NOT}
        rule = rules.get(target.rule, kernel.RANGE)
        rows.append((rule, numerator, denominator, factor, *target.ends, scale))
        needs |= surveys
    columns = list(zip(*rows, strict=True)) or [()] * 7
    indices = [np.array(column, dtype=np.int64) for column in columns[:3]]
    factors, low, high, sizes = (np.array(column, dtype=np.float64) for column in columns[3:])
    numbers = np.zeros(kernel.FIRST_TILE + len(map.tileset), dtype=np.int64)
    numbers[kernel.ONE], numbers[kernel.CELLS] = 1, map.cells.size
    return Goals(
        rules=indices[0],
        numerators=indices[1],
        denominators=indices[2],
        factors=factors,
        low=low,
        high=high,
        scales=sizes,
        numbers=numbers,
        marks=np.array(MapGroup((map,)).list_ends(0, map), dtype=np.int64).reshape(-1, 3),
        regions=np.full((1, 3), -1, dtype=np.int64),
        routes=np.zeros((1, 3), dtype=np.int64),
        neighbors=np.zeros((1, 4), dtype=np.int64),
        cuts=np.zeros((1, 2), dtype=np.int64),
        limits=np.array([needs, -1], dtype=np.int64),
    )
