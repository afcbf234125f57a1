"""What can be seen from a cell: symmetric shadowcasting, in whole numbers only."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Mask: TypeAlias = NDArray[np.uint8]
LINE = np.dtype(
    [
        ("depth", np.int64),
        ("low", np.int64),  # the low slope is low / low_parts
        ("low_parts", np.int64),
        ("high", np.int64),  # the high slope is high / high_parts
        ("high_parts", np.int64),
    ]
)
"""A line to scan, and what of it is in sight."""
Lines: TypeAlias = Annotated[NDArray[np.void], LINE]


@kernel
def _push_line(stack: Lines, size: int, depth: int, low: int, low_parts: int, high: int, high_parts: int) -> Lines:
    """The stack with one more line to scan; a larger one, where it was full."""
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
    """Mark what is seen from a cell. `clear` are the cells one sees through; `reach` is the square of the radius.

    Each quarter is scanned line by line, away from the viewer. What of a line is in sight is an interval between two
    slopes, kept as fractions; walls part it. The line's cell `across` stands between (2 across - 1) / (2 depth) and
    (2 across + 1) / (2 depth), and a clear cell is seen if its middle is in the interval: that makes it symmetric.
    """
    height, width = clear.shape
    cells, marks = clear.reshape(-1), seen.reshape(-1)
    here = row * width + column
    marks[here] = 1
    stack = np.empty(64, dtype=LINE)
    for quarter in range(4):
        # Up, down, left, right: shifts of a step in depth and of one across, and the room for each.
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
            # Rounded to the nearest, halves inwards.
            first = max((2 * depth * low + low_parts) // (2 * low_parts), least)
            last = min(-((high_parts - 2 * depth * high) // (2 * high_parts)), most)
            # The clear cells in sight are those from `from_` to `to`, rounded inwards.
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
