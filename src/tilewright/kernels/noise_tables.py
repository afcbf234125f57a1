"""Parameters of noise as arrays, from which GPUs make maps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEIGHT, MOISTURE, SHIFT_X, SHIFT_Y = 0, 1, 2, 3
"""What an octave is added to: heights, moisture, or the displacement of heights along an axis."""
PERLIN, VALUE, SIMPLEX, CELLULAR = 0, 1, 2, 3
"""Kinds of noise."""
UNITS = 1 << 16
"""Position steps per cell. The width of a lattice cell is an integer number of steps."""


class NoiseTables(NamedTuple):
    """Octaves of noise, and the mapping of their sums to tiles. Octaves that displace others come first."""

    kinds: NDArray[np.int64]
    """(octave, 3) target, kind, and 1 if the octave is displaced."""
    axes: NDArray[np.int64]
    """(octave, 2, 8) for x and y: divisor of positions, number of lattice cells of a torus or 0, and twice the lattice
    cell, the remainder and the factor of the first position, without the random shift of the octave. Simplex noise has
    two coordinates on each axis.
    """
    scales: NDArray[np.float64]
    """(octave, 3) weight, and lattice cells per cell in x and y."""
    names: NDArray[np.uint8]
    """Names of the streams of all octaves, see `streams.pack_names`."""
    ends: NDArray[np.int64]
    """End of each name."""
    depths: NDArray[np.int64]
    """(octave,) number of names that lead to the stream of an octave."""
    fold: NDArray[np.float64]
    """(2,) factor and summand that fold the absolute value of an octave of heights; a factor of 0 folds nothing."""
    moments: NDArray[np.float64]
    """(2, 2) mean and deviation of the sums of heights and of moisture."""
    down: NDArray[np.float64]
    """(row,) height of the island's hump."""
    across: NDArray[np.float64]
    """(column,) height of the island's hump."""
    coast: float
    """Width of the coast as a fraction; 0 without an island."""
    limits: NDArray[np.float64]
    """(threshold, 3) threshold, and sums of octaves below and above which heights are surely below and above it."""
    bands: NDArray[np.int64]
    """(band, 2) first tile in `tiles`, and number of tiles from dry to wet."""
    tiles: NDArray[np.int64]
    """Tile numbers of all bands."""
