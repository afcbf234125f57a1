"""Binary space partition: split a rectangle recursively, and place a room in every part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import kernel, part
from .corridors import EDGE, FLOOR, DungeonArrays, Rooms
from .heap import pop, push
from .random import below, random
from .types import Uint64_1D

DRAWS = 20
"""Number of rooms tried in a part if locked cells are in it."""


class PartSizes(NamedTuple):
    """Sizes of the parts of a rectangle."""

    width: int
    height: int
    """Size of the complete rectangle."""
    min_width: int
    min_height: int
    max_width: int
    max_height: int
    """Maximum size of a part that is not split any more if `small` is set."""


class RoomSizes(NamedTuple):
    """Minimum and maximum size of a room's floor."""

    min_width: int
    max_width: int
    min_height: int
    max_height: int


@part
def set_rectangle(rooms: Rooms, number: int, x: int, y: int, width: int, height: int) -> None:
    """Set the position and size of a room."""
    room = rooms[number]
    room["x"], room["y"], room["width"], room["height"] = x, y, width, height


@part
def find_cuts(sizes: PartSizes, room: np.void, small: bool) -> tuple[bool, bool]:
    """Return whether a part can be split across its width, and whether across its height."""
    width, height = room["width"], room["height"]
    can_cut_x, can_cut_y = width >= 2 * sizes.min_width, height >= 2 * sizes.min_height
    if small:
        can_cut_x, can_cut_y = can_cut_x and width > sizes.max_width, can_cut_y and height > sizes.max_height
    return can_cut_x, can_cut_y


@kernel
def partition(sizes: PartSizes, ratio: float, jitter: float, small: bool, stream: Uint64_1D, parts: Rooms) -> int:
    """Split the largest part until there are as many as `parts` holds, or none can be split; return their number.

    A part is split across its longer side if that side is more than `ratio` times as long as the other side, otherwise
    in a random direction. The distance of the cut from the middle is at most the fraction `jitter` of the side.
    """
    keys, numbers = np.empty(len(parts) + 1), np.empty(len(parts) + 1, dtype=np.int64)  # Heap, the largest part first.
    set_rectangle(parts, 0, 0, 0, sizes.width, sizes.height)
    keys[0], numbers[0] = 0.0, 0
    count, size = 1, 1
    can_cut_x, can_cut_y = find_cuts(sizes, parts[0], small)
    pending = int(can_cut_x or can_cut_y)  # Number of parts in the heap that can be split.
    while pending > 0 and count < len(parts):
        number = int(numbers[0])
        size = pop(keys, numbers, size)
        x, y = parts[number]["x"], parts[number]["y"]
        width, height = parts[number]["width"], parts[number]["height"]
        can_cut_x, can_cut_y = find_cuts(sizes, parts[number], small)
        if not can_cut_x and not can_cut_y:
            continue
        pending -= 1
        if can_cut_x and can_cut_y:
            if width > height * ratio:
                upright = True
            elif height > width * ratio:
                upright = False
            else:
                upright = below(stream, 2) == 0
        else:
            upright = can_cut_x
        side, minimum = (width, sizes.min_width) if upright else (height, sizes.min_height)
        at = int(side * (0.5 + jitter * (2 * random(stream) - 1)) + 0.5)
        at = max(minimum, min(side - minimum, at))
        if upright:
            set_rectangle(parts, number, x, y, at, height)
            set_rectangle(parts, count, x + at, y, width - at, height)
        else:
            set_rectangle(parts, number, x, y, width, at)
            set_rectangle(parts, count, x, y + at, width, height - at)
        for half in (number, count):
            size = push(keys, numbers, size, -float(parts[half]["width"] * parts[half]["height"]), half)
            can_cut_x, can_cut_y = find_cuts(sizes, parts[half], small)
            pending += int(can_cut_x or can_cut_y)
        count += 1
    return count


@part
def _draw_size(stream: Uint64_1D, space: int, minimum: int, maximum: int, fill: float) -> int:
    """Draw a room's side for the given space."""
    maximum = min(maximum, space)
    minimum = max(min(minimum, maximum), min(maximum, int(fill * space + 0.5)))
    return minimum + below(stream, maximum - minimum + 1)


@part
def _draw_offset(stream: Uint64_1D, slack: int, shift: float) -> int:
    """Draw a room's distance from the near side: in the middle, or off it by a fraction of the slack."""
    return int(slack * (0.5 + shift * (random(stream) - 0.5)) + 0.5)


@part
def put_room(dungeon: DungeonArrays, number: int, x: int, y: int, width: int, height: int) -> None:
    """Make a rectangle of the map the floor of a room."""
    for row in range(y, y + height):
        for cell in range(row * dungeon.columns + x, row * dungeon.columns + x + width):
            dungeon.kinds[cell], dungeon.owners[cell] = FLOOR, number + 1
    set_rectangle(dungeon.rooms, number, x, y, width, height)


@kernel(allocates=False)
def place_rooms(
    dungeon: DungeonArrays, parts: Rooms, first: int, last: int, sizes: RoomSizes, spacing: int,
    fill: float, shift: float, stream: Uint64_1D, count: int,
) -> int:  # fmt: skip
    """Place a room in each of the parts first..last-1 that has space; return the number of rooms.

    `count` rooms have already been placed. `fill` is the minimum fraction of a part's side that a room fills.
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
