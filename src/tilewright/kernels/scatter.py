"""Random placement of rooms: rectangles and drawn layouts where there is space."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import kernel, part
from .corridors import DOOR, EDGE, FLOOR, ROCK, WALL, DungeonArrays
from .partition import RoomSizes, put_room, set_rectangle
from .random import below, random
from .types import Float64_1D, Record, Uint8_1D, Uint64_1D

VOID, DRAWN_WALL, DRAWN_FLOOR, DRAWN_DOOR, INNER_DOOR = 0, 1, 2, 3, 4
"""Cells of a drawing."""
TAKEN, DOORWAY = 1, 2
"""Marks of cells on which no floor may be placed. On a DOORWAY, the cell before a drawn door, no drawn wall may be
placed either.
"""
LAYOUT = np.dtype([("width", np.int64), ("height", np.int64), ("first", np.int64)])
"""Size of a drawing, and the start of its cells."""


class LayoutArrays(NamedTuple):
    """Drawn rooms and their weights."""

    weights: Float64_1D
    """Cumulative weights of plain rectangles and of every drawing."""
    cells: Uint8_1D
    """Cells of all drawings, concatenated."""
    layouts: Annotated[NDArray[np.void], LAYOUT]


class ScatterState(Record):
    """Progress of the placement."""

    count: int
    """Number of rooms placed."""
    failed: int
    """Number of failed attempts since the last room was placed."""


@part
def _is_free(kinds: Uint8_1D, taken: Uint8_1D, columns: int, x: int, y: int, width: int, height: int) -> bool:
    """Return whether a rectangle is free."""
    for row in range(y, y + height):
        for cell in range(row * columns + x, row * columns + x + width):
            if taken[cell] or kinds[cell] == EDGE:
                return False
    return True


@part
def _mark_taken(taken: Uint8_1D, columns: int, x: int, y: int, width: int, height: int, spacing: int) -> None:
    """Mark a rectangle and the spacing around it as taken."""
    rows = taken.size // columns
    for row in range(max(0, y - spacing), min(rows, y + height + spacing)):
        for column in range(max(0, x - spacing), min(columns, x + width + spacing)):
            taken[row * columns + column] = max(TAKEN, taken[row * columns + column])


@part
def _find_exit_step(drawing: Uint8_1D, number: int, width: int, columns: int) -> int:
    """Return the step that leads out of a drawn door, away from its floor."""
    if number >= width and drawing[number - width] == DRAWN_FLOOR:
        return columns
    if number + width < drawing.size and drawing[number + width] == DRAWN_FLOOR:
        return -columns
    return 1 if number % width > 0 and drawing[number - 1] == DRAWN_FLOOR else -1


@part
def _is_inside(drawn: int) -> bool:
    return bool(drawn in (DRAWN_FLOOR, INNER_DOOR))


@part
def _drawing_fits(kinds: Uint8_1D, taken: Uint8_1D, columns: int, drawing: Uint8_1D, place: int, width: int) -> bool:
    """Return whether a drawing fits at a place.

    Its floors must be on cells that are not taken, its walls on no floor or doorway, and no obstacle may be before its
    doors.
    """
    for number in range(drawing.size):
        cell = place + number // width * columns + number % width
        drawn = drawing[number]
        if _is_inside(drawn) and (kinds[cell] == EDGE or taken[cell]):
            return False
        if drawn == DRAWN_WALL and (kinds[cell] == FLOOR or taken[cell] == DOORWAY):
            return False
        if drawn == DRAWN_DOOR:
            if kinds[cell] == EDGE or kinds[cell] == WALL or kinds[cell] == FLOOR:
                return False
            beyond = kinds[cell + _find_exit_step(drawing, number, width, columns)]
            if beyond in (EDGE, WALL):
                return False
    return True


@part
def _is_beside_floor(drawing: Uint8_1D, number: int, width: int) -> bool:
    """Return whether a cell of a drawing is adjacent to its floor, including diagonally."""
    for row in range(max(0, number // width - 1), min(drawing.size // width, number // width + 2)):
        for column in range(max(0, number % width - 1), min(width, number % width + 2)):
            if _is_inside(drawing[row * width + column]):
                return True
    return False


@part
def _put_drawing(
    dungeon: DungeonArrays, taken: Uint8_1D, drawing: Uint8_1D, place: int, width: int, spacing: int, number: int
) -> None:
    """Place a drawing on the map.

    Corridors must not open WALL cells. If the drawing has doors, all its wall cells become WALL; otherwise, only the
    cells that are not beside its floor do.
    """
    kinds, owners, columns = dungeon.kinds, dungeon.owners, dungeon.columns
    doors = False
    for at in range(drawing.size):
        doors |= drawing[at] == DRAWN_DOOR
    left, top, right, bottom, run = columns, 1 << 40, -1, -1, 0
    for at in range(drawing.size):
        x, y = place % columns + at % width, place // columns + at // width
        cell, drawn = y * columns + x, drawing[at]
        if _is_inside(drawn):
            kinds[cell] = FLOOR if drawn == DRAWN_FLOOR else DOOR
            owners[cell] = number + 1
            left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
            run += 1
            if at % width == width - 1 or not _is_inside(drawing[at + 1]):
                _mark_taken(taken, columns, x - run + 1, y, run, 1, spacing)
                run = 0
        elif drawn == DRAWN_WALL:
            taken[cell] = max(taken[cell], TAKEN)
            if kinds[cell] == ROCK and (doors or not _is_beside_floor(drawing, at, width)):
                kinds[cell] = WALL
        elif drawn == DRAWN_DOOR:
            taken[cell], taken[cell + _find_exit_step(drawing, at, width, columns)] = DOORWAY, DOORWAY
    set_rectangle(dungeon.rooms, number, left, top, right - left + 1, bottom - top + 1)


@kernel(allocates=False)
def scatter(
    dungeon: DungeonArrays, taken: Uint8_1D, sizes: RoomSizes, spacing: int, drawings: LayoutArrays, stream: Uint64_1D,
    state: ScatterState, patience: int, budget: int,
) -> bool:  # fmt: skip
    """Place rooms on the map until there are enough rooms, or until `patience` attempts in a row have failed.

    Returns False when done. Returns True after about `budget` cells; it must then be called again.
    """
    columns, weights = dungeon.columns, drawings.weights
    rows = dungeon.kinds.size // columns
    while budget > 0:
        if state.count == len(dungeon.rooms) or state.failed == patience:
            return False
        state.failed += 1
        mark = random(stream) * weights[-1]
        kind = 0
        while kind < weights.size - 1 and mark >= weights[kind]:
            kind += 1
        if kind == 0:
            width = sizes.min_width + below(stream, sizes.max_width - sizes.min_width + 1)
            height = sizes.min_height + below(stream, sizes.max_height - sizes.min_height + 1)
            x, y = 1 + below(stream, columns - 1 - width), 1 + below(stream, rows - 1 - height)
            budget -= width * height
            if not _is_free(dungeon.kinds, taken, columns, x, y, width, height):
                continue
            put_room(dungeon, state.count, x, y, width, height)
            _mark_taken(taken, columns, x, y, width, height, spacing)
        else:
            layout = drawings.layouts[kind - 1]
            width, height, first = layout["width"], layout["height"], layout["first"]
            place = below(stream, rows - height + 1) * columns + below(stream, columns - width + 1)
            budget -= width * height
            drawing = drawings.cells[first : first + width * height]
            if not _drawing_fits(dungeon.kinds, taken, columns, drawing, place, width):
                continue
            _put_drawing(dungeon, taken, drawing, place, width, spacing, state.count)
        state.count += 1
        state.failed = 0
    return True
