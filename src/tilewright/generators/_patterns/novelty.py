"""Novelty: break up large blocks of the map that are copies of a sample."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...analysis.novelty import find_copied
from ...core.seeds import Rng
from .pattern_counter import PatternCounter

MAX_COPY_SIZE = 3
"""Maximum edge length, in patterns, of a block copied from a sample."""
STEP_RATIO = 10
"""At most one in STEP_RATIO steps of the search is used to break copies."""
STEPS_PER_SUM = 1 << 17
"""Annealing steps between two updates of the counter's divergence."""
CELLS_PER_BLOCK = 1 << 16
"""Cells restored between two yields."""
STEPS_PER_CELL = 150
LOW_HEAT = (0.4, 0.3, 0.2, 0.1, 0.02)
"""Temperatures as in HEAT, so low that annealing makes only small changes."""
ROUNDS = 4
TRIES = 16
"""Number of patterns tried in the middle of a block, of which the best is kept."""


def break_copies(counter: PatternCounter, steps: int, rng: Rng) -> Iterator[float]:
    """Insert other patterns of the samples into copied blocks that are too large; yield the fraction of rounds done.

    Inserted patterns are kept while all other cells are annealed at low heat to restore the balance. If the annealing
    of the last round makes copies again, it is undone.
    """
    size = max(counter.target.sizes)
    side, kept = MAX_COPY_SIZE * size + 1, np.zeros(counter.grid.shape, dtype=np.bool_)
    max_blocks = steps // STEP_RATIO // (TRIES * side**counter.target.axes * STEPS_PER_CELL)
    if min(counter.grid.shape) < side or max_blocks == 0:
        return
    for turn in range(ROUNDS):
        number, own = 0, rng.child("turn", turn)
        while number < max_blocks and len(copied := _find_copies(counter, side)):
            kept |= yield from _insert_window(counter, own.choice(copied.tolist()), side, own, share=turn / ROUNDS)
            number += 1
        if number == 0:
            return
        before, total = counter.tiles(0).copy(), steps // STEP_RATIO
        for first in range(0, total, STEPS_PER_SUM):
            last = min(total, first + STEPS_PER_SUM)
            for reached in counter.anneal(own, first, last, total, only=~kept, heat=LOW_HEAT):
                yield (turn + reached / total) / ROUNDS
    if len(_find_copies(counter, side)) > 0:
        for end in range(CELLS_PER_BLOCK, before.size + CELLS_PER_BLOCK, CELLS_PER_BLOCK):
            behind = np.arange(before.size).reshape(before.shape) >= end
            counter.set_map(np.where(behind, counter.tiles(0), before))
            yield 1.0


def _find_copies(counter: PatternCounter, side: int) -> NDArray[np.int64]:
    """Return (block, axis) the first cells of blocks with this edge length that occur in a sample."""
    return np.argwhere(find_copied(counter.tiles(0), counter.grid.wrap, counter.target.views, side))


def _index_block(corner: Sequence[int], side: int, shape: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
    """Return an index of the cells of a block, which may extend over the edge of a map that wraps."""
    return np.ix_(*(np.arange(at, at + side) % length for at, length in zip(corner, shape, strict=True)))


def _insert_window(
    counter: PatternCounter, corner: Sequence[int], side: int, rng: Rng, share: float
) -> Generator[float, None, NDArray[np.bool_]]:
    """Try random patterns in the middle of a block, keep the one that fits best, and return the mask of its cells."""
    size, before = max(counter.target.sizes), counter.tiles(0).copy()
    windows, _ = counter.target.list_stamps(counter.target.sizes.index(size))
    best, kept = (float("inf"), before), np.zeros(before.shape, dtype=np.bool_)
    for _ in range(TRIES):
        first = [at + size // 2 + rng.below(side - 2 * size + 1) for at in corner]
        core = _index_block(first, size, before.shape)
        window = windows[rng.below(len(windows))].reshape((size,) * before.ndim)
        free: NDArray[np.bool_] = np.zeros(before.shape, dtype=np.bool_)
        free[_index_block(corner, side, before.shape)] = True
        free[core] = False
        changed = before.copy()
        changed[core] = window
        if np.array_equal(changed, before):
            continue
        counter.set_map(changed)
        count = int(free.sum()) * STEPS_PER_CELL
        for _ in counter.anneal(rng, 0, count, count, only=free):
            yield share
        if counter.value < best[0]:
            best = counter.value, counter.tiles(0).copy()
            kept[...] = False
            kept[core] = True
    counter.set_map(best[1])
    yield share
    return kept
