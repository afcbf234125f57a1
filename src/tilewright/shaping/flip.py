"""Flip: mirror the map left to right or top to bottom.

Rooms, markers and locks move with the cells. Rivers, roads and other pieces are reoriented.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.entries import transform
from ..core.params import Params, param


class FlipParams(Params):
    axis: Literal["horizontal", "vertical"] = param("horizontal")
    """Axis of the flip: swap left and right (horizontal), or top and bottom (vertical)."""


@transform(FlipParams, reorients=lambda p: "x" if p.axis == "horizontal" else "y")
def flip(p: FlipParams, cells: NDArray[Any]) -> NDArray[Any]:
    return np.flip(cells, axis=-1 if p.axis == "horizontal" else -2)
