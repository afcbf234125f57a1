"""Mending an area of a board: its parts, and tunnels between them, in as few calls as can be.

The pieces are those of `flood` and `bridges`; here they follow each other within one call where the area is small, so
that a room of a hundred cells is mended in a few microseconds.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .bridges import dig_shortest, dig_straight, follow_back, span_parts, spread_waves
from .flood import BLOCKED, COUNT, EDGES, END, FREE, LARGEST, UNNUMBERED, Labels, Places, number_parts

Bytes: TypeAlias = NDArray[np.uint8]
PHASE, SPREAD, STATES = EDGES + 1, EDGES + 2, EDGES + 3
"""Beside what a numbering remembers: what is being done, and how many cells have spread."""
MARKED, NUMBERED, DONE = 1, 2, 3


@kernel
def _mark_parts(
    board: Bytes, taken: Bytes, corner: Places, area: Places, initial: int, reach: Places, field: Labels
) -> None:
    """Lay an area flat: parts not numbered yet, free cells, and blocked ones: taken, or the margin around it."""
    width, columns = area[2], area[2] + 2 * reach[1]
    first, filled = corner[1] + area[0], np.uint8(initial)
    for cell in range(field.size):
        field[cell] = BLOCKED
    for row in range(area[3]):
        start = (reach[0] + row) * columns + reach[1]
        target = field[start : start + width]
        source = board[corner[0] + area[1] + row, first : first + width]
        for column in range(width):
            target[column] = FREE if source[column] == filled else UNNUMBERED
        if taken.size > 1:
            held = taken[area[1] + row, area[0] : area[0] + width]
            for column in range(width):
                if held[column] and target[column] == FREE:
                    target[column] = BLOCKED


@kernel
def _drop_smaller(
    board: Bytes,
    taken: Bytes,
    corner: Places,
    area: Places,
    initial: int,
    reach: Places,
    field: Labels,
    queue: Places,
    state: Places,
) -> None:
    """Refill all parts but the largest and those with taken cells, and number and queue those that stay anew."""
    columns = area[2] + 2 * reach[1]
    kept = np.zeros(state[COUNT] + 1, dtype=np.int32)
    kept[state[LARGEST]] = 1
    for row in range(area[3] if taken.size > 1 else 0):
        for column in range(area[2]):
            part = field[(reach[0] + row) * columns + reach[1] + column]
            if part > FREE and taken[area[1] + row, area[0] + column]:
                kept[part] = 1
    count = 0
    for part in range(1, kept.size):
        if kept[part]:
            count += 1
            kept[part] = count
    edges = 0
    for place in range(state[EDGES]):
        if kept[field[queue[place]]]:
            queue[edges] = queue[place]
            edges += 1
    for row in range(area[3]):
        for column in range(area[2]):
            cell = (reach[0] + row) * columns + reach[1] + column
            if field[cell] > FREE:
                field[cell] = kept[field[cell]]
                if field[cell] == FREE:
                    board[corner[0] + area[1] + row, corner[1] + area[0] + column] = initial
    state[COUNT], state[EDGES] = count, edges


@kernel(
    "boolean(uint8[:, ::1], uint8[:, ::1], int64[::1], int64[::1], int64, boolean, int64[::1], int64[::1], int32[::1], "
    "int32[::1], int64[::1], int64[::1], int64)"
)
def find_parts(
    board: Bytes,
    taken: Bytes,
    corner: Places,
    area: Places,
    initial: int,
    largest_alone: bool,
    reach: Places,
    shifts: Places,
    field: Labels,
    distance: Labels,
    queue: Places,
    state: Places,
    budget: int,
) -> bool:
    """Number an area's parts, and let waves run from them; whether there is more to do than the budget allows.

    `board` holds the map from its `corner` on, `taken` marks what must not be changed (of size 1: nothing), `area` is
    x, y, width, height of the map. `field`, `distance` and `queue` have a place for every cell of the area within a
    margin as wide as the shifts `reach`. state[COUNT] is the number of parts that are to be joined.
    """
    if state[PHASE] == 0:
        _mark_parts(board, taken, corner, area, initial, reach, field)
        state[PHASE] = MARKED
    if state[PHASE] == MARKED:
        if number_parts(field, shifts, queue, state, budget):
            return True
        state[PHASE] = NUMBERED
        if largest_alone and state[COUNT] > 1:
            _drop_smaller(board, taken, corner, area, initial, reach, field, queue, state)
        if state[COUNT] > 1:
            for cell in range(distance.size):
                distance[cell] = 0
            state[END] = state[EDGES]
    if state[PHASE] == NUMBERED and state[COUNT] > 1:
        while state[SPREAD] < state[END]:
            if budget <= 0:
                return True
            last = min(state[SPREAD] + budget, state[END])
            budget -= last - state[SPREAD]
            state[END] = spread_waves(field, distance, shifts, queue, state[SPREAD], last, state[END])
            state[SPREAD] = last
    state[PHASE] = DONE
    return False


@kernel
def _widen(field: Labels, marks: Bytes, columns: int, rim: Places, shifts: Places, thickness: int) -> None:
    """Make tunnels so many cells wide: every cell of them is somewhere in a square of that size within the rim.

    What of the squares cannot be reached from the tunnel, because blocked cells are in the way or because the shifts do
    not lead there, stays as it is: so all that is dug hangs together.
    """
    wanted, queue = np.zeros(marks.size, dtype=np.uint8), np.empty(marks.size, dtype=np.int64)
    end = 0
    for cell in range(marks.size):
        if marks[cell]:
            queue[end] = cell
            end += 1
            top = max(min(cell // columns - (thickness - 1) // 2, rim[3] - thickness), rim[1])
            left = max(min(cell % columns - (thickness - 1) // 2, rim[2] - thickness), rim[0])
            for row in range(top, min(top + thickness, rim[3])):
                for column in range(left, min(left + thickness, rim[2])):
                    wanted[row * columns + column] = 1
    first = 0
    while first < end:
        for number in range(shifts.size):
            near = queue[first] + shifts[number]
            if wanted[near] and not marks[near] and field[near] != BLOCKED:
                marks[near] = 1
                queue[end] = near
                end += 1
        first += 1


@kernel(
    "int64[:, ::1](uint8[:, ::1], int64[::1], int64[::1], int64, int64, int64[::1], int64[::1], boolean, int64, "
    "int64[::1], int32[::1], int32[::1], int64[::1], uint64)"
)
def dig_tunnels(
    board: Bytes,
    corner: Places,
    area: Places,
    initial: int,
    dig: int,
    reach: Places,
    shifts: Places,
    straight: bool,
    thickness: int,
    rim: Places,
    field: Labels,
    distance: Labels,
    state: Places,
    key: int,
) -> Places:
    """Dig where waves have met, until all parts are one; (tunnel, 2) the cells of the parts where tunnels end.

    Of equally short tunnels, one is taken by chance, by `key`. Fewer than there are parts less one, and nothing dug,
    where blocked cells keep parts asunder. `straight` tunnels have a corner, others lead along the shifts. `rim` is the
    left, top, right and lower end in the field of where they may be widened.
    """
    columns = area[2] + 2 * reach[1]
    bridges = np.empty((state[COUNT] - 1, 2), dtype=np.int64)
    found = span_parts(field, distance, shifts, state[COUNT], key, bridges)
    if found < state[COUNT] - 1:
        return bridges[:found]
    marks = np.zeros(field.size, dtype=np.uint8)
    if straight:
        strides = np.empty(2, dtype=np.int64)
        strides[0], strides[1] = columns, 1
        dig_straight(field, distance, shifts, strides, bridges, marks)
    else:
        dig_shortest(field, distance, shifts, bridges, marks)
    if thickness > 1:
        _widen(field, marks, columns, rim, shifts, thickness)
    for row in range(area[3]):
        for column in range(area[2]):
            if marks[(reach[0] + row) * columns + reach[1] + column]:
                y, x = corner[0] + area[1] + row, corner[1] + area[0] + column
                if board[y, x] == initial:
                    board[y, x] = dig
    follow_back(field, distance, shifts, bridges)
    return bridges
