"""Binary space partition: cut a rectangle in two, again and again, and put a room into every part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import kernel
from .corridors import EDGE, FLOOR, DungeonArrays, Rooms, Stream
from .heap import sift_down, sift_up
from .random import below, random
from .types import Float64_1D, Int64_1D

DRAWS = 20
"""Rooms tried in a part where locked cells are in the way."""


class PartSizes(NamedTuple):
    """Sizes of the parts of a rectangle."""

    width: int
    height: int
    """Of the whole."""
    min_width: int
    min_height: int
    max_width: int
    max_height: int
    """The greatest that is not cut any more if `small` asks for no more than that."""


class RoomSizes(NamedTuple):
    """The minimum and maximum size of a room's floor."""

    min_width: int
    max_width: int
    min_height: int
    max_height: int


class PartHeap(NamedTuple):
    """A heap of parts, the largest first; one longer than there can be parts."""

    keys: Float64_1D
    numbers: Int64_1D


def new_heap(parts: int) -> PartHeap:
    """Return a heap for that many parts."""
    return PartHeap(np.empty(parts + 1), np.empty(parts + 1, dtype=np.int64))


@kernel
def _set_rectangle(rooms: Rooms, number: int, x: int, y: int, width: int, height: int) -> None:
    room = rooms[number]
    room["x"], room["y"], room["width"], room["height"] = x, y, width, height


@kernel("int64(PartSizes, float64, float64, boolean, uint64[::1], Rooms, PartHeap)", allocates=False)
def partition(
    sizes: PartSizes, ratio: float, jitter: float, small: bool, stream: Stream, parts: Rooms, heap: PartHeap
) -> int:
    """Cut the largest part in two until there are as many as `parts` holds, or none can be cut; return how many.

    A part is cut across its longer side if that is `ratio` times as long, else across any; at its middle, or beside it
    by a fraction of at most `jitter`.
    """
    keys, numbers = heap.keys, heap.numbers
    _set_rectangle(parts, 0, 0, 0, sizes.width, sizes.height)
    keys[0], numbers[0] = 0.0, 0
    count, size = 1, 1
    while size > 0 and count < len(parts):
        number = int(numbers[0])
        size -= 1
        sift_down(keys, numbers, size)
        x, y = parts[number]["x"], parts[number]["y"]
        width, height = parts[number]["width"], parts[number]["height"]
        wide, high = width >= 2 * sizes.min_width, height >= 2 * sizes.min_height
        if small:
            wide, high = wide and width > sizes.max_width, high and height > sizes.max_height
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
        side, least = (width, sizes.min_width) if upright else (height, sizes.min_height)
        at = int(side * (0.5 + jitter * (2 * random(stream) - 1)) + 0.5)
        at = max(least, min(side - least, at))
        if upright:
            _set_rectangle(parts, number, x, y, at, height)
            _set_rectangle(parts, count, x + at, y, width - at, height)
        else:
            _set_rectangle(parts, number, x, y, width, at)
            _set_rectangle(parts, count, x, y + at, width, height - at)
        for part in (number, count):
            keys[size], numbers[size] = -float(parts[part]["width"] * parts[part]["height"]), part
            sift_up(keys, numbers, size)
            size += 1
        count += 1
    return count


@kernel
def _draw_size(stream: Stream, space: int, least: int, most: int, fill: float) -> int:
    """A room's side where there is space for so much."""
    most = min(most, space)
    least = max(min(least, most), min(most, int(fill * space + 0.5)))
    return least + below(stream, most - least + 1)


@kernel
def _draw_offset(stream: Stream, slack: int, shift: float) -> int:
    """How far from the near side: in the middle, or off it by a share of what is to spare."""
    return int(slack * (0.5 + shift * (random(stream) - 0.5)) + 0.5)


@kernel
def put_room(dungeon: DungeonArrays, number: int, x: int, y: int, width: int, height: int) -> None:
    """Make a rectangle of the map the floor of a room."""
    for row in range(y, y + height):
        for cell in range(row * dungeon.columns + x, row * dungeon.columns + x + width):
            dungeon.kinds[cell], dungeon.owners[cell] = FLOOR, number + 1
    _set_rectangle(dungeon.rooms, number, x, y, width, height)


@kernel(
    "int64(DungeonArrays, Rooms, int64, int64, RoomSizes, int64, float64, float64, uint64[::1], int64)",
    allocates=False,
)
def place_rooms(
    dungeon: DungeonArrays, parts: Rooms, first: int, last: int, sizes: RoomSizes, spacing: int,
    fill: float, shift: float, stream: Stream, count: int,
) -> int:  # fmt: skip
    """Put a room into each of the parts first..last-1 that has space for one, after `count` others; return how many.

    `fill` is the least fraction of a part's side that a room takes.
    """
    kinds, columns = dungeon.kinds, dungeon.columns
    for number in range(first, last):
        wide, high = parts[number]["width"] - spacing, parts[number]["height"] - spacing
        for _ in range(DRAWS):
            width = _draw_size(stream, wide, sizes.min_width, sizes.max_width, fill)
            height = _draw_size(stream, high, sizes.min_height, sizes.max_height, fill)
            x = 1 + parts[number]["x"] + _draw_offset(stream, wide - width, shift)
            y = 1 + parts[number]["y"] + _draw_offset(stream, high - height, shift)
            free = True
            for row in range(y, y + height):
                for cell in range(row * columns + x, row * columns + x + width):
                    free &= kinds[cell] != EDGE
            if free:
                put_room(dungeon, count, x, y, width, height)
                count += 1
                break
    return count
