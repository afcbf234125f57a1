"""Rooms at random: rectangles and drawn shapes, put wherever they have space."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .corridors import DOOR, EDGE, FLOOR, ROCK, WALL, Kinds, Owners, Places, Stream
from .random import below, random

State: TypeAlias = NDArray[np.int64]

VOID, DRAWN_WALL, DRAWN_FLOOR, DRAWN_DOOR, INNER_DOOR = 0, 1, 2, 3, 4
"""The cells of a drawing."""
TAKEN, DOORWAY = 1, 2
"""Where no floor may be: DOORWAY is where a drawn door leads, so that no drawn wall may be there either."""
COUNT, FAILED = 0, 1
"""Of the state: rooms so far, and tries since the last one."""


@kernel
def _free(kinds: Kinds, taken: Kinds, columns: int, x: int, y: int, width: int, height: int) -> bool:
    for row in range(y, y + height):
        for cell in range(row * columns + x, row * columns + x + width):
            if taken[cell] or kinds[cell] == EDGE:
                return False
    return True


@kernel
def _take(taken: Kinds, columns: int, x: int, y: int, width: int, height: int, spacing: int) -> None:
    rows = taken.size // columns
    for row in range(max(0, y - spacing), min(rows, y + height + spacing)):
        for column in range(max(0, x - spacing), min(columns, x + width + spacing)):
            taken[row * columns + column] = max(TAKEN, taken[row * columns + column])


@kernel
def _ahead(drawing: Kinds, number: int, width: int, columns: int) -> int:
    """The step that leads out of a drawn door: away from its floor."""
    if number >= width and drawing[number - width] == DRAWN_FLOOR:
        return columns
    if number + width < drawing.size and drawing[number + width] == DRAWN_FLOOR:
        return -columns
    return 1 if number % width > 0 and drawing[number - 1] == DRAWN_FLOOR else -1


@kernel
def _drawing_fits(kinds: Kinds, taken: Kinds, columns: int, drawing: Kinds, place: int, width: int) -> bool:
    """Whether its floors are free, its walls on no floor and before no door, and its doors before nothing solid."""
    for number in range(drawing.size):
        cell = place + number // width * columns + number % width
        drawn = drawing[number]
        if drawn in (DRAWN_FLOOR, INNER_DOOR) and (kinds[cell] == EDGE or taken[cell]):
            return False
        if drawn == DRAWN_WALL and (kinds[cell] == FLOOR or taken[cell] == DOORWAY):
            return False
        if drawn == DRAWN_DOOR:
            if kinds[cell] in (EDGE, WALL, FLOOR):
                return False
            if kinds[cell + _ahead(drawing, number, width, columns)] in (EDGE, WALL):
                return False
    return True


@kernel
def _beside_floor(drawing: Kinds, number: int, width: int) -> bool:
    for row in range(max(0, number // width - 1), min(drawing.size // width, number // width + 2)):
        for column in range(max(0, number % width - 1), min(width, number % width + 2)):
            if drawing[row * width + column] in (DRAWN_FLOOR, INNER_DOOR):
                return True
    return False


@kernel
def _draw(
    kinds: Kinds, owners: Owners, taken: Kinds, columns: int, drawing: Kinds, place: int, width: int,
    spacing: int, room: int, rooms: Places,
) -> None:  # fmt: skip
    """Put a drawing onto the map. Where it has doors its other walls are not to be broken, else only thick ones."""
    doors = False
    for drawn in drawing:
        doors |= drawn == DRAWN_DOOR
    left, top, right, bottom, run = columns, 1 << 40, -1, -1, 0
    for number in range(drawing.size):
        x, y = place % columns + number % width, place // columns + number // width
        cell, drawn = y * columns + x, drawing[number]
        if drawn in (DRAWN_FLOOR, INNER_DOOR):
            kinds[cell] = FLOOR if drawn == DRAWN_FLOOR else DOOR
            owners[cell] = room + 1
            left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
            run += 1
            if number % width == width - 1 or drawing[number + 1] not in (DRAWN_FLOOR, INNER_DOOR):
                _take(taken, columns, x - run + 1, y, run, 1, spacing)
                run = 0
        elif drawn == DRAWN_WALL:
            taken[cell] = max(taken[cell], TAKEN)
            if kinds[cell] == ROCK and (doors or not _beside_floor(drawing, number, width)):
                kinds[cell] = WALL
        elif drawn == DRAWN_DOOR:
            taken[cell], taken[cell + _ahead(drawing, number, width, columns)] = DOORWAY, DOORWAY
    rooms[room, 0], rooms[room, 1], rooms[room, 2], rooms[room, 3] = left, top, right - left + 1, bottom - top + 1


@kernel(
    "boolean(uint8[::1], int32[::1], uint8[::1], int64, int64[::1], int64, float64[::1], uint8[::1], int64[:, ::1],"
    " uint64[::1], int64[:, ::1], int64[::1], int64, int64)"
)
def scatter(
    kinds: Kinds, owners: Owners, taken: Kinds, columns: int, sizes: Places, spacing: int,
    weights: NDArray[np.float64], drawings: Kinds, layouts: Places, stream: Stream, rooms: Places, state: State,
    patience: int, budget: int,
) -> bool:  # fmt: skip
    """Put rooms onto the map until there are enough of them or `patience` tries in a row have failed.

    `sizes` is the least and greatest width, then height. `weights` are summed up: of plain rectangles, then of every
    layout, whose width, height and first cell in `drawings` are in `layouts`. False when it is done; to be called
    again while it is not, which is after about `budget` cells.
    """
    rows = kinds.size // columns
    while budget > 0:
        if state[COUNT] == len(rooms) or state[FAILED] == patience:
            return False
        state[FAILED] += 1
        mark = random(stream) * weights[-1]
        kind = 0
        while kind < weights.size - 1 and mark >= weights[kind]:
            kind += 1
        room = int(state[COUNT])
        if kind == 0:
            width = sizes[0] + below(stream, sizes[1] - sizes[0] + 1)
            height = sizes[2] + below(stream, sizes[3] - sizes[2] + 1)
            x, y = 1 + below(stream, columns - 1 - width), 1 + below(stream, rows - 1 - height)
            budget -= width * height
            if not _free(kinds, taken, columns, x, y, width, height):
                continue
            for row in range(y, y + height):
                for cell in range(row * columns + x, row * columns + x + width):
                    kinds[cell], owners[cell] = FLOOR, room + 1
            _take(taken, columns, x, y, width, height, spacing)
            rooms[room, 0], rooms[room, 1], rooms[room, 2], rooms[room, 3] = x, y, width, height
        else:
            width, height, first = layouts[kind - 1, 0], layouts[kind - 1, 1], layouts[kind - 1, 2]
            place = below(stream, rows - height + 1) * columns + below(stream, columns - width + 1)
            budget -= width * height
            drawing = drawings[first : first + width * height]
            if not _drawing_fits(kinds, taken, columns, drawing, place, width):
                continue
            _draw(kinds, owners, taken, columns, drawing, place, width, spacing, room, rooms)
        state[COUNT] += 1
        state[FAILED] = 0
    return True
