"""Rotate: turn the map by quarter turns, clockwise.

Rooms, markers and locks move along, and rivers, roads and other pieces turn with the map.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.params import Params, param
from ..core.registry import transform


class RotateParams(Params):
    turns: int = param(1, ge=1, le=3)
    """How many quarter turns, clockwise."""


@transform(RotateParams, reorients=lambda p: ("dx", "xy", "dy")[p.turns - 1])
def rotate(p: RotateParams, cells: NDArray[Any]) -> NDArray[Any]:
    return np.rot90(cells, -p.turns, axes=(-2, -1))
