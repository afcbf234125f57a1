"""Choice of cells: farthest, evenly spread, or in random order, with a minimum distance."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...analysis.paths import farthest_cell, steps_from
from ...analysis.survey import Survey
from ...kernels.exact import log
from .candidates import Mask, Steps

Cell: TypeAlias = tuple[int, int]
Order: TypeAlias = NDArray[np.int64]
"""Flat indices of all cells, in the order in which they are tried."""
SHRINK = 0.85
"""Factor by which the distance between evenly spread cells is reduced when they do not fit."""
SMALLEST = 2.0**-54


def order_cells(random: NDArray[np.float64], progress: Steps | None, rise: float) -> Order:
    """Return all cells in random order. Cells are drawn with weights `progress ** rise`, if progress is given.

    Source of the weights: Efraimidis, Spirakis, "Weighted random sampling with a reservoir", 2006.
    """
    keys = random
    if progress is not None:
        # The cell with the smallest -log(random) / weight is first. The logarithm of this number has the same order.
        weights = np.maximum(progress, SMALLEST)
        keys = log(-log(np.clip(random, SMALLEST, 1.0 - 2 * SMALLEST))) - rise * log(weights)
    return np.argsort(keys, axis=None, kind="stable")


def choose_farthest(survey: Survey, free: Mask, sources: list[Cell], min_distance: int) -> Iterator[Cell]:
    """Yield cells one after the other, each with the most steps to the nearest source; cells become sources.

    Without sources, the first cell is an end of the longest path, or else the free cell farthest from it.
    """
    if not sources and survey.route is not None:
        first = (survey.route.start[0], survey.route.start[1])
        if not free[first]:
            steps = steps_from(survey.passable, np.array([first]))
            first = _farthest(steps, free & np.isfinite(steps)) or first
        if free[first]:
            yield first
            sources.append(first)
            clear(free, first, min_distance)
    while free.any():
        steps = steps_from(survey.passable, np.array(sources))
        cell = _farthest(steps, free & np.isfinite(steps))
        if cell is None:
            return
        yield cell
        sources.append(cell)
        clear(free, cell, min_distance)


def _farthest(steps: Steps, where: Mask) -> Cell | None:
    if not where.any():
        return None
    row, column = farthest_cell(steps, where)
    return row, column


def spread(free: Mask, order: Order, wanted: int, min_distance: int) -> list[Cell]:
    """Choose random cells with the largest minimum distance at which `wanted` cells fit.

    Return fewer cells if they do not fit at `min_distance`.
    """
    distance = max(float(min_distance), float(np.sqrt(free.sum() / wanted)))
    while True:
        chosen = list(islice(throw_darts(free.copy(), order, distance), wanted))
        if len(chosen) == wanted or distance <= min_distance:
            return chosen
        distance = max(float(min_distance), distance * SHRINK)


def throw_darts(free: Mask, order: Order, min_distance: float) -> Iterator[Cell]:
    """Yield free cells in the given order that are at least `min_distance` from all cells yielded before."""
    for place in order[free.reshape(-1)[order]].tolist():
        cell = place // free.shape[1], place % free.shape[1]
        if free[cell]:
            yield cell
            clear(free, cell, min_distance)


def clear(free: Mask, cell: Cell, min_distance: float) -> None:
    """Mark all cells closer than `min_distance` to a cell as not free."""
    reach = int(min_distance)
    (row, column), (height, width) = cell, free.shape
    top, left = max(0, row - reach), max(0, column - reach)
    lower, right = min(height, row + reach + 1), min(width, column + reach + 1)
    down, across = np.ogrid[top - row : lower - row, left - column : right - column]
    free[top:lower, left:right][down * down + across * across < max(1.0, min_distance * min_distance)] = False
