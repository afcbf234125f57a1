"""Filling of open cells in random order, while all open cells stay connected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import Rng
from ..kernels.filling import MAX_DETOUR, OPEN, SPARED, thicken_cells

BLOCK = 4096
"""Number of cells to check between two frames."""


def fill_cells(
    is_open: NDArray[np.bool_], is_spared: NDArray[np.bool_], goal: int, rng: Rng
) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """Fill open cells until `goal` are left, or no more can be filled; yield the open cells and the progress.

    A cell is filled only if its open neighbors stay connected without it. Spared cells are never filled.
    """
    marks = np.pad(np.where(is_open, np.where(is_spared, SPARED, OPEN), 0).astype(np.uint8), 1)
    flat = marks.reshape(-1)
    seen = np.zeros(flat.size, dtype=np.int32)
    queue = np.empty(MAX_DETOUR + 4, dtype=np.int64)
    excess = total = int(np.count_nonzero(is_open)) - goal
    filled = 1
    while excess > 0 and filled:
        # What a pass leaves because it is on the only path to a dead end can be filled after the dead end.
        cells = np.flatnonzero(flat == OPEN)
        order = cells[np.argsort(rng.randoms(len(cells)), kind="stable")]
        seen[:] = 0
        filled = 0
        for start in range(0, len(order), BLOCK):
            stop = min(start + BLOCK, len(order))
            filled += thicken_cells(flat, marks.shape[1], order, start, stop, seen, queue, excess - filled)
            yield marks[1:-1, 1:-1] > 0, min(1.0, 1 - (excess - filled) / total)
            if filled == excess:
                break
        excess -= filled
