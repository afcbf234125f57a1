"""Rotate: rotate the map clockwise by quarter turns.

Rooms, markers and locks move with the cells. Rivers, roads and other pieces are reoriented.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.entries import transform
from ..core.params import Params, param


class RotateParams(Params):
    turns: int = param(1, ge=1, le=3)
    """Number of clockwise quarter turns."""


@transform(RotateParams, reorients=lambda p: ("dx", "xy", "dy")[p.turns - 1])
def rotate(p: RotateParams, cells: NDArray[Any]) -> NDArray[Any]:
    return np.rot90(cells, -p.turns, axes=(-2, -1))
