"""Binary heap in two arrays: keys, smallest first, and their cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import kernel


@kernel
def sift_up(keys: NDArray[np.float64], cells: NDArray[np.int64], place: int) -> None:
    """Move the entry at a position up to its place."""
    key, cell = keys[place], cells[place]
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place], cells[place] = keys[parent], cells[parent]
        place = parent
    keys[place], cells[place] = key, cell


@kernel
def sift_down(keys: NDArray[np.float64], cells: NDArray[np.int64], size: int) -> None:
    """Replace the first of `size + 1` entries by the last, and move it down to its place."""
    key, cell = keys[size], cells[size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], cells[place] = keys[child], cells[child]
        place = child
    keys[place], cells[place] = key, cell
