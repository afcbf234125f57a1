"""Goals of the kernels from the targets of a map: measures that kernels compute, and all others."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter

import numpy as np

from ...analysis.map_group import MapGroup
from ...core.require import Requirement
from ...core.tilemap import TileMap
from ...kernels import goals as kernel
from ...kernels.goals import Goals

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


def find_ends(target: Requirement) -> tuple[float, float]:
    """Return the lowest and highest value that meet a target."""
    match target.rule:
        case ">=":
            return target.value, inf
        case ">":
            return nextafter(target.value, inf), inf
        case "<=":
            return -inf, target.value
        case "<":
            return -inf, nextafter(target.value, -inf)
        case "..":
            return target.value, target.high
    return target.value, target.value


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
    low, high = find_ends(target)
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
        rows.append((rule, numerator, denominator, factor, *find_ends(target), scale))
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
