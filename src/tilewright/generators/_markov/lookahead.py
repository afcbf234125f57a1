"""Lookahead: which tiles cells should prefer before the scan reaches a locked cell, so that the locked tile fits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.pieces import STEPS
from ...kernels.markov import Lookahead
from ...kernels.types import Int32_2D
from .contexts import ContextCounts
from .directions import MARGIN

REACH = 6
"""Number of steps from a locked cell that the lookahead covers."""
MAX_NUMBERS = 1 << 23
"""Maximum size of the array of probabilities. If it would be larger, the lookahead is shorter."""
NO_CHANCES = np.zeros((0, 0))


def make_lookahead(context_counts: ContextCounts, lock_labels: NDArray[np.int64], rank: NDArray[np.int64]) -> Lookahead:
    """Return the probability of the nearest locked tile, for every place of a flat map and every label there.

    `lock_labels` has the learned label of every locked cell, or -1; `rank` is the position of every cell in the scan.
    Probabilities are multiplied from neighbor to neighbor and scaled to a maximum of 1.
    """
    rows: Int32_2D = np.full(lock_labels.shape, -1, dtype=np.int32)
    free = np.pad(lock_labels < 0, 1)
    beside = free[:-2, 1:-1] | free[2:, 1:-1] | free[1:-1, :-2] | free[1:-1, 2:]
    shown = (lock_labels >= 0) & beside
    count = int(shown.sum())
    if count * len(context_counts.label_ids) > MAX_NUMBERS:
        return Lookahead(np.pad(rows, MARGIN, constant_values=-1).reshape(-1), NO_CHANCES)
    chances = np.zeros((count, len(context_counts.label_ids)))
    chances[np.arange(count), lock_labels[shown]] = 1.0
    rows[shown] = np.arange(count)
    ranks = rank[shown]
    frontier = np.argwhere(shown)
    for _ in range(REACH):
        if 5 * len(frontier) * len(context_counts.label_ids) + chances.size > MAX_NUMBERS:
            break
        found, chances, ranks = _spread(context_counts, lock_labels, rows, chances, ranks, frontier)
        frontier = found
    near = rows >= 0
    near[near] = ranks[rows[near]] > rank[near]  # false for locked cells, which have their own rank
    rows[~near] = -1
    return Lookahead(np.pad(rows, MARGIN, constant_values=-1).reshape(-1), np.ascontiguousarray(chances))


def _spread(
    context_counts: ContextCounts,
    lock_labels: NDArray[np.int64],
    rows: Int32_2D,
    chances: NDArray[np.float64],
    ranks: NDArray[np.int64],
    frontier: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Extend the probabilities to the neighbors of the frontier; the first direction that reaches a cell counts."""
    found = []
    for direction, step in enumerate(STEPS):
        there = frontier + step
        inside = ((there >= 0) & (there < rows.shape)).all(axis=1)
        there, here = there[inside], frontier[inside]
        free = (rows[tuple(there.T)] < 0) & (lock_labels[tuple(there.T)] < 0)
        there, here = there[free], here[free]
        before = rows[tuple(here.T)]
        now = np.zeros((len(there), len(context_counts.label_ids)))
        # A loop sums in a fixed order; the order of a BLAS product depends on the machine.
        for label in range(len(context_counts.label_ids)):
            now += chances[before, label][:, None] * context_counts.neighbor_probabilities[direction, label]
        highest = now.max(axis=1, initial=0.0)
        now /= np.where(highest > 0, highest, 1.0)[:, None]
        rows[tuple(there.T)] = len(chances) + np.arange(len(there))
        chances, ranks = np.concatenate([chances, now]), np.concatenate([ranks, ranks[before]])
        found.append(there)
    return np.concatenate(found), chances, ranks
