"""Induced paths: paths of exact length without shortcuts, in which no two cells touch except consecutive ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import Rng
from ..kernels.snakes import NONE, start_path, wind

MAX_MOVES = 100_000


def grow_path(is_free: NDArray[np.bool_], length: int, rng: Rng) -> list[tuple[int, int]] | None:
    """Return the cells of a random path of exact length without shortcuts; None if none was found."""
    padded = np.pad(is_free, 1)
    starts = np.flatnonzero(padded)
    if length > len(starts):
        return None
    path = start_path(padded, int(starts[rng.below(len(starts))]))
    if wind(rng.state, path, length, MAX_MOVES) != length:
        return None
    places = [int(path.span[0])]
    while (place := int(path.following[places[-1]])) != NONE:
        places.append(place)
    return [(place // path.columns - 1, place % path.columns - 1) for place in places]
