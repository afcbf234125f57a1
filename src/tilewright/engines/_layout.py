"""Places of levels in the world of an editor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import isqrt


def arrange_levels(sizes: Sequence[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    """Return the place x, y of each level, in rows of a grid that is about as wide as it is high.

    Parameters
    ----------
    sizes : sequence of (int, int)
        Width and height of each level.
    gap : int
        Distance between two levels.

    Returns
    -------
    list of (int, int)
        Left and top edge of each level, in the unit of the sizes.

    Examples
    --------
    >>> arrange_levels([(10, 5), (12, 5), (8, 6)], 2)
    [(0, 0), (12, 0), (0, 7)]
    """
    columns = isqrt(len(sizes) - 1) + 1
    widths = [max(width for width, _ in sizes[column::columns]) for column in range(columns) if column < len(sizes)]
    heights = [max(height for _, height in sizes[first : first + columns]) for first in range(0, len(sizes), columns)]
    left = [0, *accumulate(width + gap for width in widths)]
    top = [0, *accumulate(height + gap for height in heights)]
    return [(left[number % columns], top[number // columns]) for number in range(len(sizes))]
