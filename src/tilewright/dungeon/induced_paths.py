"""Induced paths: paths of exact length without shortcuts, in which no two cells touch except consecutive ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import Rng
from ..kernels.snakes import BLOCKED, FREE, TAKEN, grow_snake

MAX_STEPS = 100_000


def grow_path(is_free: NDArray[np.bool_], length: int, rng: Rng) -> list[tuple[int, int]] | None:
    """Return the cells of a random path of exact length without shortcuts; None if none was found."""
    cells = np.pad(np.where(is_free, FREE, BLOCKED).astype(np.uint8), 1, constant_values=BLOCKED)
    flat, columns = cells.reshape(-1), cells.shape[1]
    starts = np.flatnonzero(flat == FREE)
    if length > len(starts):
        return None
    ring = np.zeros(flat.size, dtype=np.int64)
    ring[0] = starts[rng.below(len(starts))]
    flat[ring[0]] = TAKEN
    span = grow_snake(rng.state, flat, columns, ring, 1, length, MAX_STEPS)
    first, count = span >> 32, span & 0xFFFFFFFF
    if count != length:
        return None
    places = [int(ring[(first + number) % ring.size]) for number in range(count)]
    return [(place // columns - 1, place % columns - 1) for place in places]
