"""Novelty: blocks that have come out as they stand in a sample get something else into their midst."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...analysis.novelty import find_copied
from ...core.seeds import Rng
from .pattern_counter import PatternCounter

MAX_COPY_SIZE = 3
"""The longest side of a block, in windows, that may stand in a sample as it is."""
STEP_RATIO = 10
"""One in so many steps, at most, is spent on it."""
STEPS_PER_SUM = 1 << 17
"""Steps of annealing after which the counter's divergence is known again."""
CELLS_PER_BLOCK = 1 << 16
"""Cells that are put back between two yields."""
STEPS_PER_CELL = 150
LOW_HEAT = (0.4, 0.3, 0.2, 0.1, 0.02)
"""As in counter.HEAT: too cool for anything but small changes."""
ROUNDS = 4
TRIES = 16
"""Windows of the samples that are planted in a block, of which the best is kept."""


def break_copies(counter: PatternCounter, steps: int, rng: Rng) -> Iterator[float]:
    """Plant other windows of the samples in blocks that are too large a copy; gives the share of rounds done.

    What was planted is kept, and all else anneals a little more, so that the whole is in balance again. If that keeps
    making copies, it is left out at last.
    """
    size = max(counter.target.sizes)
    side, kept = MAX_COPY_SIZE * size + 1, np.zeros(counter.grid.shape, dtype=np.bool_)
    most = steps // STEP_RATIO // (TRIES * side**counter.target.axes * STEPS_PER_CELL)
    if min(counter.grid.shape) < side or most == 0:
        return
    for turn in range(ROUNDS):
        number, own = 0, rng.child("turn", turn)
        while number < most and len(copied := _find_copies(counter, side)):
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
    """(block, axis) where blocks of a side begin that stand in a sample."""
    return np.argwhere(find_copied(counter.tiles(0), counter.grid.wrap, counter.target.views, side))


def _index_block(corner: Sequence[int], side: int, shape: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
    """The cells of a block, for an array to be indexed by; around the edge of a map that wraps."""
    return np.ix_(*(np.arange(at, at + side) % length for at, length in zip(corner, shape, strict=True)))


def _insert_window(
    counter: PatternCounter, corner: Sequence[int], side: int, rng: Rng, share: float
) -> Generator[float, None, NDArray[np.bool_]]:
    """Try some windows of the samples in the middle of a block, and keep the one that fits in best: its cells."""
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
        planted = before.copy()
        planted[core] = window
        if np.array_equal(planted, before):
            continue
        counter.set_map(planted)
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
