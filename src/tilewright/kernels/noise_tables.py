"""Plain parts of noise: parameters as arrays, from which GPUs make maps, and heights.

The functions of heights are for arrays of numpy and, as device functions, for single numbers on a GPU. Only + - * / and
sqrt are used, in a fixed order, so that results are identical on all machines.
"""

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
HALF_PI = 1.5707963267948966
LIFT = 0.4
"""Height added to the middle of an island, to compensate for the land lost at its coast."""


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


def equalize_sum(total: NDArray[np.float64], mean: float, deviation: float) -> NDArray[np.float64]:
    """Return a sum of octaves as heights between 0 and 1 that are approximately uniform.

    Sums of noise are almost normally distributed, with lighter tails. The cumulative distribution at z deviations is
    close to w = z / sqrt(z^2 + pi / 2), corrected by w^5 (1 - w^2) / 2. This function is increasing, stays within -1..1
    and needs no exp.
    """
    z = (total - mean) / deviation
    w = z / np.sqrt(z * z + HALF_PI)
    w_2 = w * w
    heights: NDArray[np.float64] = 0.5 + 0.5 * (w + 0.5 * (w_2 * w_2 * w) * (1.0 - w_2))
    return heights


def sink_land(heights: NDArray[np.float64], hump: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return heights sunk toward the edges of a world, where `hump` is 0; it is 1 in the middle.

    `share` is the width of the coast, as a fraction of the distance from edge to center.
    """
    shore = np.minimum(hump, share) / share
    shore = shore * shore * (3.0 - 2.0 * shore)
    return (heights + (1.0 - heights) * (LIFT * share) * hump) * shore
