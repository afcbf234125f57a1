"""One step of the cave automaton."""

from __future__ import annotations

import numpy as np

from . import kernel
from .types import Uint8_2D


@kernel
def smooth(old: Uint8_2D, new: Uint8_2D, birth: int, survive: int, first: int, last: int) -> None:
    """Compute rows first..last-1 of one step; 1 is wall. Both arrays have a border of one cell, which is not written.

    Counts are bytes and the threshold is selected by arithmetic, so that the inner loop has no branch and compiles to
    vector code. The sum of nine cells includes the cell itself; the threshold of walls compensates for it.
    """
    columns = old.shape[1] - 2
    sums = np.empty(columns + 2, dtype=np.uint8)
    born, more = np.uint8(birth), np.uint8(survive + 1 - birth)
    for row in range(first + 1, last + 1):
        above, here, below, target = old[row - 1], old[row], old[row + 1], new[row]
        for column in range(columns + 2):
            sums[column] = above[column] + here[column] + below[column]
        for column in range(columns):
            limit = np.uint8(born + np.uint8(here[column + 1] * more))
            target[column + 1] = np.uint8(sums[column] + sums[column + 1] + sums[column + 2]) >= limit
