"""A heap in two arrays: keys, the least of them first, and the cells that they belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import kernel


@kernel
def sift_up(keys: NDArray[np.float64], cells: NDArray[np.int64], place: int) -> None:
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
    """Let the last of `size + 1` entries take the place of the first."""
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
