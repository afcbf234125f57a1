"""Goals for the measures of a map, and how far the map is away from them.

The measures are computed by the kernels that `analysis` uses, so that their values are equal to those of `tw.measure`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .canvas import EditCanvas
from .surveys import survey_cuts, survey_neighbors, survey_regions, survey_routes
from .types import Float64_1D, Int64_1D, Int64_2D

ONE, CELLS, PASSABLE, REGIONS, LARGEST, STEPS, BETWEEN = range(7)
DEAD_ENDS, NEIGHBORS, CORRIDORS, JUNCTIONS, CHOKEPOINTS, GATES = range(7, 13)
FIRST_TILE = 13
"""Numbers of a map. They are followed by the number of cells with each tile."""
NEEDS_REGIONS, NEEDS_ROUTES, NEEDS_NEIGHBORS, NEEDS_CUTS = 1, 2, 4, 8
"""Surveys from which the numbers are taken."""
RANGE, NOT, MOST, LEAST = range(4)
"""Rules of goals: a range, any value except the low end, and the highest or lowest value."""
MISSING = 8.0
"""Distance of a goal whose measure does not apply to the map."""
MISSING_REGION = 0.01
"""Further distance for each region, because joining regions may lead to the exit."""


class Goals(NamedTuple):
    """Goals for measures of the form numerator / (factor * denominator), and the numbers of the map."""

    rules: Int64_1D
    numerators: Int64_1D
    denominators: Int64_1D
    factors: Float64_1D
    low: Float64_1D
    high: Float64_1D
    scales: Float64_1D
    """Differences that count as a distance of 1."""
    numbers: Int64_1D
    """Numbers of the map."""
    marks: Int64_2D
    """Markers of starts and exits, as `survey_routes` reads them."""
    regions: Int64_2D
    """(1, 3) as `survey_regions` writes it."""
    routes: Int64_2D
    """(1, 3) as `survey_routes` writes it."""
    neighbors: Int64_2D
    """(1, 4) as `survey_neighbors` writes it."""
    cuts: Int64_2D
    """(1, 2) as `survey_cuts` writes it."""
    limits: Int64_1D
    """Needed surveys, and the maximum number of regions or -1."""


@part
def _survey(canvas: EditCanvas, goals: Goals) -> bool:
    """Compute the numbers of the map. Return False, with incomplete numbers, if the map is outside of the limits."""
    numbers, needs, most = goals.numbers, goals.limits[0], goals.limits[1]
    for tile in range(canvas.counts.size):
        if canvas.kept[tile] >= 0 and canvas.counts[tile] != canvas.kept[tile]:
            return False
        numbers[FIRST_TILE + tile] = canvas.counts[tile]
    if canvas.state.is_surveyed:
        return True
    passable = 0
    for tile in range(canvas.counts.size):
        passable += canvas.counts[tile] if canvas.walkable[tile] else 0
    numbers[PASSABLE] = passable
    if needs & NEEDS_REGIONS:
        survey_regions(canvas.passable, goals.regions)
        numbers[REGIONS], numbers[LARGEST] = goals.regions[0, 0], goals.regions[0, 1]
        if most >= 0 and numbers[REGIONS] > most:
            return False
    if needs & NEEDS_NEIGHBORS:
        survey_neighbors(canvas.passable, goals.neighbors)
        numbers[DEAD_ENDS], numbers[NEIGHBORS] = goals.neighbors[0, 0], goals.neighbors[0, 1]
        numbers[CORRIDORS], numbers[JUNCTIONS] = goals.neighbors[0, 2], goals.neighbors[0, 3]
    if needs & NEEDS_ROUTES:
        survey_routes(canvas.passable, goals.regions, goals.marks, goals.routes)
        numbers[STEPS] = goals.routes[0, 2]
        numbers[BETWEEN] = numbers[STEPS] - 1
    if needs & NEEDS_CUTS:
        survey_cuts(canvas.passable, goals.routes, goals.cuts)
        numbers[CHOKEPOINTS], numbers[GATES] = goals.cuts[0, 0], goals.cuts[0, 1]
    canvas.state.is_surveyed = 1
    return True


@inline
def _find_value(goals: Goals, goal: int) -> float:
    """Return the value of a goal's measure; NaN if it does not apply."""
    above, under = goals.numbers[goals.numerators[goal]], goals.numbers[goals.denominators[goal]]
    if above < 0 or under <= 0:
        return np.nan
    return float(above / (goals.factors[goal] * under))


@kernel
def find_distance(canvas: EditCanvas, goals: Goals) -> float:
    """Return the distance of the map from the goals, or infinity if the map is outside of the limits.

    The distance is the sum of the relative differences. A value to maximize or minimize adds to it, so that it may be
    negative.
    """
    if not _survey(canvas, goals):
        return np.inf
    total = 0.0
    for goal in range(goals.rules.size):
        value, rule, scale = _find_value(goals, goal), goals.rules[goal], goals.scales[goal]
        if value != value:
            total += MISSING + MISSING_REGION * goals.numbers[REGIONS]
        elif rule == RANGE:
            if value < goals.low[goal]:
                total += (goals.low[goal] - value) / scale
            elif value > goals.high[goal]:
                total += (value - goals.high[goal]) / scale
        elif rule == NOT:
            total += 1.0 if value == goals.low[goal] else 0.0
        elif rule == MOST:
            total -= value / scale
        else:
            total += value / scale
    return total
