"""Heights of noise: plain functions for arrays of numpy and, as device functions, for single numbers on a GPU.

Only + - * / and sqrt are used, in a fixed order, so that results are identical on all machines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HALF_PI = 1.5707963267948966
LIFT = 0.4
"""Height added to the middle of an island, to compensate for the land lost at its coast."""


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
