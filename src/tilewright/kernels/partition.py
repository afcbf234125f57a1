"""Binary space partition: cut a rectangle in two, again and again, and put a room into every part."""

from __future__ import annotations

import numpy as np

from . import kernel
from .corridors import EDGE, FLOOR, Kinds, Owners, Places, Stream
from .heap import sift_down, sift_up
from .random import below, random

DRAWS = 20
"""Rooms tried in a part where locked cells are in the way."""


@kernel("int64(int64[::1], float64, float64, boolean, uint64[::1], int64[:, ::1])")
def partition(sides: Places, ratio: float, jitter: float, small: bool, stream: Stream, parts: Places) -> int:
    """Cut the largest part in two until there are as many as `parts` holds, or none can be cut; how many there are.

    `sides` are the width and height of the whole, the least of a part, and the greatest that is not cut any more if
    `small` asks for no more than that. A part is cut across its longer side if that is `ratio` times as long, else
    across any; at its middle, or beside it by a share of at most `jitter`.
    """
    keys, places = np.empty(len(parts) + 1), np.empty(len(parts) + 1, dtype=np.int64)
    parts[0, 0], parts[0, 1], parts[0, 2], parts[0, 3] = 0, 0, sides[0], sides[1]
    keys[0], places[0] = 0.0, 0
    count, size = 1, 1
    while size > 0 and count < len(parts):
        number = int(places[0])
        size -= 1
        sift_down(keys, places, size)
        x, y, width, height = parts[number, 0], parts[number, 1], parts[number, 2], parts[number, 3]
        wide, high = width >= 2 * sides[2], height >= 2 * sides[3]
        if small:
            wide, high = wide and width > sides[4], high and height > sides[5]
        if not wide and not high:
            continue
        if wide and high:
            if width > height * ratio:
                upright = True
            elif height > width * ratio:
                upright = False
            else:
                upright = below(stream, 2) == 0
        else:
            upright = wide
        side, least = (width, sides[2]) if upright else (height, sides[3])
        at = int(side * (0.5 + jitter * (2 * random(stream) - 1)) + 0.5)
        at = max(least, min(side - least, at))
        if upright:
            parts[number, 2] = at
            parts[count, 0], parts[count, 1], parts[count, 2], parts[count, 3] = x + at, y, width - at, height
        else:
            parts[number, 3] = at
            parts[count, 0], parts[count, 1], parts[count, 2], parts[count, 3] = x, y + at, width, height - at
        for part in (number, count):
            keys[size], places[size] = -float(parts[part, 2] * parts[part, 3]), part
            sift_up(keys, places, size)
            size += 1
        count += 1
    return count


@kernel
def _drawn(stream: Stream, space: int, least: int, most: int, fill: float) -> int:
    """A room's side where there is space for so much."""
    most = min(most, space)
    least = max(min(least, most), min(most, int(fill * space + 0.5)))
    return least + below(stream, most - least + 1)


@kernel
def _placed(stream: Stream, slack: int, shift: float) -> int:
    """How far from the near side: in the middle, or off it by a share of what is to spare."""
    return int(slack * (0.5 + shift * (random(stream) - 0.5)) + 0.5)


@kernel(
    "int64(uint8[::1], int32[::1], int64, int64[:, ::1], int64, int64, int64[::1], int64, float64, float64,"
    " uint64[::1], int64[:, ::1], int64)"
)
def settle(
    kinds: Kinds, owners: Owners, columns: int, parts: Places, first: int, last: int, sizes: Places, spacing: int,
    fill: float, shift: float, stream: Stream, rooms: Places, count: int,
) -> int:  # fmt: skip
    """Put a room into each of the parts first..last-1 that has space for one, after `count` others; how many there are.

    `sizes` is the least and greatest width, then height; `fill` the least share of a part's side that a room takes.
    """
    for number in range(first, last):
        wide, high = parts[number, 2] - spacing, parts[number, 3] - spacing
        for _ in range(DRAWS):
            width = _drawn(stream, wide, sizes[0], sizes[1], fill)
            height = _drawn(stream, high, sizes[2], sizes[3], fill)
            x = 1 + parts[number, 0] + _placed(stream, wide - width, shift)
            y = 1 + parts[number, 1] + _placed(stream, high - height, shift)
            free = True
            for row in range(y, y + height):
                for cell in range(row * columns + x, row * columns + x + width):
                    free &= kinds[cell] != EDGE
            if free:
                for row in range(y, y + height):
                    for cell in range(row * columns + x, row * columns + x + width):
                        kinds[cell], owners[cell] = FLOOR, count + 1
                rooms[count, 0], rooms[count, 1], rooms[count, 2], rooms[count, 3] = x, y, width, height
                count += 1
                break
    return count
