"""Parameters of mazes, from which GPUs make maps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BACKTRACKER, PRIM, KRUSKAL, WILSON, DIVISION = range(5)
"""Methods that choose the links between places."""


class MazeTables(NamedTuple):
    """Parameters of mazes of one size."""

    method: int
    braid: float
    """Fraction of dead ends that are opened."""
    possible: NDArray[np.uint8]
    """(place,) possible links of each place, as bits."""
    layout: NDArray[np.int64]
    """Rows and columns of places, first row and column of the first place, height and width of a place, and width of a
    wall.
    """
    stride: int
    """Distance between the starts of Wilson's walks, in places."""
    steps: int
    """Maximum number of steps of Wilson's walks."""
    height: int
    width: int
