"""Division of a map into rooms, (room, 4) x, y, width and height: by a grid, or by recursive splitting."""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .random import below
from .types import Int64_2D, Uint64_1D


@kernel
def divide_equally(width: int, height: int, columns: int, rows: int, state: Uint64_1D, rooms: Int64_2D) -> None:
    """Fill `rooms` with cells of a grid in random order, each without its outermost ring."""
    wide, high = width // columns, height // rows
    order = np.empty(columns * rows, dtype=np.int64)
    for cell in range(order.size):
        order[cell] = cell
    for number in range(len(rooms)):
        other = number + below(state, order.size - number)
        order[number], order[other] = order[other], order[number]
        rooms[number, 0] = order[number] % columns * wide + 1
        rooms[number, 1] = order[number] // columns * high + 1
        rooms[number, 2], rooms[number, 3] = wide - 2, high - 2


@part
def _choose_cut(state: Uint64_1D, long: int, least: int, across: int, spare: int) -> int:
    """Draw the position of a cut through a side; each part keeps at least the minimum length.

    Together, both halves have space for `long // least` rows of rooms, or for one row (`across` rooms) less. Any
    position is possible only if that many rooms are to spare.
    """
    if spare >= across:
        return least + below(state, long - 2 * least + 1)
    rest = long % least + 1
    place = below(state, (long // least - 1) * rest)
    return (1 + place // rest) * least + place % rest


@kernel
def divide_tree(width: int, height: int, wide: int, high: int, state: Uint64_1D, rooms: Int64_2D) -> None:
    """Fill `rooms` with the parts of a recursive split in random order, each without its outermost ring.

    Each part, including the ring, is at least `wide` x `high`.

    The part to split is drawn by area. It is split across its longer side if that is long enough. There must be at most
    (width // wide) * (height // high) rooms; the cuts are then placed so that all fit.
    """
    rooms[0, 0], rooms[0, 1], rooms[0, 2], rooms[0, 3] = 0, 0, width, height
    spare = (width // wide) * (height // high) - len(rooms)
    for count in range(1, len(rooms)):
        area = 0
        for number in range(count):
            if rooms[number, 2] >= 2 * wide or rooms[number, 3] >= 2 * high:
                area += rooms[number, 2] * rooms[number, 3]
        mark = below(state, area)
        chosen = -1
        while mark >= 0:
            chosen += 1
            if rooms[chosen, 2] >= 2 * wide or rooms[chosen, 3] >= 2 * high:
                mark -= rooms[chosen, 2] * rooms[chosen, 3]
        w, h = rooms[chosen, 2], rooms[chosen, 3]
        upright = w > h or (w == h and below(state, 2) == 0)
        if w < 2 * wide:
            upright = False
        elif h < 2 * high:
            upright = True
        axis = 0 if upright else 1
        long, least, across = (w, wide, h // high) if upright else (h, high, w // wide)
        cut = _choose_cut(state, long, least, across, spare)
        spare -= (long // least - cut // least - (long - cut) // least) * across
        for side in range(4):
            rooms[count, side] = rooms[chosen, side]
        rooms[chosen, 2 + axis] = cut
        rooms[count, axis] += cut
        rooms[count, 2 + axis] -= cut
    for number in range(len(rooms)):
        other = number + below(state, len(rooms) - number)
        for side in range(4):
            rooms[number, side], rooms[other, side] = rooms[other, side], rooms[number, side]
        rooms[number, 0] += 1
        rooms[number, 1] += 1
        rooms[number, 2] -= 2
        rooms[number, 3] -= 2
