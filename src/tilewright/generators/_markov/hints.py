"""Hints: what the cells before a locked one should hold, so that it fits when the scan comes to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.pieces import STEPS
from ...kernels.markov import Shares, Table
from .contexts import MARGIN
from .lesson import Lesson

REACH = 6
"""Steps from a locked cell that are foreseen."""
MOST_NUMBERS = 1 << 23
"""Where hints would hold more numbers than this, they reach less far."""
NO_HINTS = np.zeros((0, 0))


def hints_for(lesson: Lesson, held: NDArray[np.int64], rank: NDArray[np.int64]) -> tuple[Table, Shares]:
    """For every place of a flat map within its margin a row of hints, -1 for none; and the hints themselves.

    `held` has the locked cells as learned words, -1 elsewhere; `rank` is a cell's place in the scan. A hint is how
    likely the nearest locked cell is, for every word that may stand here, going from neighbour to neighbour.
    """
    rows: Table = np.full(held.shape, -1, dtype=np.int32)
    free = np.pad(held < 0, 1)
    beside = free[:-2, 1:-1] | free[2:, 1:-1] | free[1:-1, :-2] | free[1:-1, 2:]
    shown = (held >= 0) & beside
    count = int(shown.sum())
    if count * len(lesson.words) > MOST_NUMBERS:
        return np.pad(rows, MARGIN, constant_values=-1).reshape(-1), NO_HINTS
    hints = np.zeros((count, len(lesson.words)))
    hints[np.arange(count), held[shown]] = 1.0
    rows[shown] = np.arange(count)
    ranks = rank[shown]
    frontier = np.argwhere(shown)
    for _ in range(REACH):
        if 5 * len(frontier) * len(lesson.words) + hints.size > MOST_NUMBERS:
            break
        found, hints, ranks = _spread(lesson, held, rows, hints, ranks, frontier)
        frontier = found
    near = rows >= 0
    near[near] = ranks[rows[near]] > rank[near]  # a cell's own rank is never above itself: locked ones have no hint
    rows[~near] = -1
    return np.pad(rows, MARGIN, constant_values=-1).reshape(-1), np.ascontiguousarray(hints)


def _spread(
    lesson: Lesson,
    held: NDArray[np.int64],
    rows: Table,
    hints: Shares,
    ranks: NDArray[np.int64],
    frontier: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Shares, NDArray[np.int64]]:
    """Hints for the neighbours of cells that have some; of several ways to a cell the first direction counts."""
    found = []
    for direction, step in enumerate(STEPS):
        there = frontier + step
        inside = ((there >= 0) & (there < rows.shape)).all(axis=1)
        there, here = there[inside], frontier[inside]
        free = (rows[tuple(there.T)] < 0) & (held[tuple(there.T)] < 0)
        there, here = there[free], here[free]
        before = rows[tuple(here.T)]
        now = np.zeros((len(there), len(lesson.words)))
        for word in range(len(lesson.words)):  # in a fixed order: BLAS takes one that depends on the machine
            now += hints[before, word][:, None] * lesson.beside[direction, word]
        most = now.max(axis=1, initial=0.0)
        now /= np.where(most > 0, most, 1.0)[:, None]
        rows[tuple(there.T)] = len(hints) + np.arange(len(there))
        hints, ranks = np.concatenate([hints, now]), np.concatenate([ranks, ranks[before]])
        found.append(there)
    return np.concatenate(found), hints, ranks
