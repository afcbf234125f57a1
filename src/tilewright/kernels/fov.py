"""Field of view from a cell: symmetric shadowcasting with integers only."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Mask: TypeAlias = NDArray[np.uint8]
LINE = np.dtype(
    [
        ("depth", np.int64),
        ("low", np.int64),  # The low slope is low / low_parts.
        ("low_parts", np.int64),
        ("high", np.int64),  # The high slope is high / high_parts.
        ("high_parts", np.int64),
    ]
)
"""Line to scan, and the interval of it that is visible."""
Lines: TypeAlias = Annotated[NDArray[np.void], LINE]


@kernel
def _push_line(stack: Lines, size: int, depth: int, low: int, low_parts: int, high: int, high_parts: int) -> Lines:
    """Return the stack with one more line to scan; a larger stack if it was full."""
    if size == len(stack):
        larger = np.empty(2 * size, dtype=LINE)
        for place in range(size):
            larger[place] = stack[place]
        stack = larger
    line = stack[size]
    line["depth"] = depth
    line["low"], line["low_parts"] = low, low_parts
    line["high"], line["high_parts"] = high, high_parts
    return stack


@kernel("void(uint8[:, ::1], int64, int64, int64, uint8[:, ::1])")
def cast(clear: Mask, row: int, column: int, reach: int, seen: Mask) -> None:
    """Mark the cells visible from a cell. `clear` marks transparent cells; `reach` is the square of the radius.

    Each quarter is scanned line by line, away from the viewer. The visible part of a line is an interval between two
    slopes, stored as fractions, which walls split. The cell `across` of a line extends from (2 across - 1) / (2 depth)
    to (2 across + 1) / (2 depth). A clear cell is visible if its center is in the interval, which makes the result
    symmetric.
    """
    height, width = clear.shape
    cells, marks = clear.reshape(-1), seen.reshape(-1)
    here = row * width + column
    marks[here] = 1
    stack = np.empty(64, dtype=LINE)
    for quarter in range(4):
        # Up, down, left, right: shifts of a step in depth and of a step across, and the limits of each.
        upright = quarter < 2
        deeper, aside = (width, 1) if upright else (1, width)
        before, after = (row, height - 1 - row) if upright else (column, width - 1 - column)
        least, most = (-column, width - 1 - column) if upright else (-row, height - 1 - row)
        deepest = after
        if quarter % 2 == 0:
            deeper, deepest = -deeper, before
        stack = _push_line(stack, 0, 1, -1, 1, 1, 1)
        size = 1
        while size > 0:
            size -= 1
            line = stack[size]
            depth = line["depth"]
            low, low_parts = line["low"], line["low_parts"]
            high, high_parts = line["high"], line["high_parts"]
            if depth > deepest or depth * depth > reach:
                continue
            # Rounded to the nearest, halves inward.
            first = max((2 * depth * low + low_parts) // (2 * low_parts), least)
            last = min(-((high_parts - 2 * depth * high) // (2 * high_parts)), most)
            # Clear cells from `from_` to `to` are visible, rounded inward.
            from_, to = -((-depth * low) // low_parts), (depth * high) // high_parts
            start = here + depth * deeper
            was_wall, was_clear = False, False
            for across in range(first, last + 1):
                place = start + across * aside
                open_ = cells[place] != 0
                if (not open_ or from_ <= across <= to) and depth * depth + across * across <= reach:
                    marks[place] = 1
                if open_ and was_wall:
                    low, low_parts = 2 * across - 1, 2 * depth
                    from_ = across
                if not open_ and was_clear:
                    stack = _push_line(stack, size, depth + 1, low, low_parts, 2 * across - 1, 2 * depth)
                    size += 1
                was_wall, was_clear = not open_, open_
            if was_clear:
                stack = _push_line(stack, size, depth + 1, low, low_parts, high, high_parts)
                size += 1
