"""Connectivity repair of an area of a board: its regions, and tunnels between them, in as few calls as possible.

The algorithms are those of `flood` and `bridges`. For small areas, a single call runs them all, so that repairing a
room of a hundred cells takes a few microseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .bridges import dig_shortest, dig_straight, follow_back, span_parts, spread_waves, spread_waves_by_row
from .flood import BLOCKED, FREE, UNLABELED, NumberingState, label_cells
from .types import Int32_1D, Int64_1D, Int64_2D, Uint8_1D, Uint8_2D, Uint64

MARKED, NUMBERED, DONE = 1, 2, 3


class RepairArea(NamedTuple):
    """Area of a map on a board, and its layout in a flat array of labels.

    Entry points take arrays and build this tuple from them, because passing a NamedTuple takes longer than repairing a
    small area.
    """

    board: Uint8_2D
    taken: Uint8_2D
    """(row, column) 1 for cells of the map that must not change; an array of size 1 if there are no such cells."""
    top: int
    left: int
    """Position of the area on the board."""
    y: int
    x: int
    """Position of the area in the map."""
    height: int
    width: int
    down: int
    across: int
    """Margin around the area in the labels, as wide as the shifts."""
    initial: int
    """Tile of cells that may be dug."""


@part
def _area_of(
    board: Uint8_2D, taken: Uint8_2D, corner: Int64_1D, area: Int64_1D, reach: Int64_1D, initial: int
) -> RepairArea:
    """Return the area with its positions on the board and in the labels."""
    x, y, width, height = area[0], area[1], area[2], area[3]
    return RepairArea(board, taken, corner[0] + y, corner[1] + x, y, x, height, width, reach[0], reach[1], initial)


@inline
def _columns(area: RepairArea) -> int:
    """Return the number of columns of the labels."""
    return area.width + 2 * area.across


@inline
def _row_start(area: RepairArea, row: int) -> int:
    """Return the flat index of a row of the area in the labels."""
    return (area.down + row) * (area.width + 2 * area.across) + area.across


@inline
def _are_unit_steps(shifts: Int64_1D, columns: int) -> bool:
    """Return whether shifts, which include the opposite of each, are the four steps along the axes."""
    across, down = False, False
    for number in range(shifts.size):
        across |= shifts[number] == 1
        down |= shifts[number] == columns
    return shifts.size == 4 and across and down


@part
def _mark_parts(area: RepairArea, labels: Int32_1D) -> None:
    """Write an area to flat labels: UNLABELED in regions, FREE for cells that may be dug, BLOCKED for others."""
    board, taken, width = area.board, area.taken, area.width
    first, filled = area.left, np.uint8(area.initial)
    for cell in range(labels.size):
        labels[cell] = BLOCKED
    for row in range(area.height):
        start = _row_start(area, row)
        target = labels[start : start + width]
        source = board[area.top + row, first : first + width]
        for column in range(width):
            target[column] = FREE if source[column] == filled else UNLABELED
        if taken.size > 1:
            locked = taken[area.y + row, area.x : area.x + width]
            for column in range(width):
                if locked[column] and target[column] == FREE:
                    target[column] = BLOCKED


@part
def _drop_smaller(area: RepairArea, labels: Int32_1D, queue: Int32_1D, numbering: np.void) -> None:
    """Fill all regions except the largest and those with taken cells; renumber and requeue the remaining regions."""
    board, taken = area.board, area.taken
    kept = np.zeros(numbering["count"] + 1, dtype=np.int32)
    kept[numbering["largest"]] = 1
    for row in range(area.height if taken.size > 1 else 0):
        start = _row_start(area, row)
        for column in range(area.width):
            region = labels[start + column]
            if region > FREE and taken[area.y + row, area.x + column]:
                kept[region] = 1
    count = 0
    for region in range(1, kept.size):
        if kept[region]:
            count += 1
            kept[region] = count
    edges = 0
    for place in range(numbering["edges"]):
        if kept[labels[queue[place]]]:
            queue[edges] = queue[place]
            edges += 1
    for row in range(area.height):
        start = _row_start(area, row)
        for cell in range(start, start + area.width):
            if labels[cell] > FREE:
                labels[cell] = kept[labels[cell]]
                if labels[cell] == FREE:
                    column = area.left + cell - start
                    board[area.top + row, column] = area.initial
    numbering["count"], numbering["edges"] = count, edges


@kernel
def find_parts(
    board: Uint8_2D,
    taken: Uint8_2D,
    corner: Int64_1D,
    area: Int64_1D,
    initial: int,
    largest_alone: bool,
    reach: Int64_1D,
    shifts: Int64_1D,
    labels: Int32_1D,
    distance: Int32_1D,
    queue: Int32_1D,
    numbering: NumberingState,
    budget: int,
) -> bool:
    """Label an area's regions and run waves from them; return whether work remains after the budget is spent.

    `board` holds the map from `corner` on; `area` is x, y, width, height in the map. `labels`, `distance` and `queue`
    have an entry for every cell of the area within a margin of `reach`. `numbering.count` is the number of regions to
    connect.
    """
    place, state = _area_of(board, taken, corner, area, reach, initial), numbering[0]
    in_rows = taken.size == 1 and _are_unit_steps(shifts, _columns(place))
    if state["phase"] == 0:
        _mark_parts(place, labels)
        state["phase"] = MARKED
    if state["phase"] == MARKED:
        # Waves by row need no queue.
        if label_cells(labels, shifts, distance, queue[:0] if in_rows else queue, numbering, budget):
            return True
        state["phase"] = NUMBERED
        if largest_alone and state["count"] > 1:
            _drop_smaller(place, labels, queue, state)
        if state["count"] > 1:
            for cell in range(distance.size):
                distance[cell] = 0
            state["end"] = 2 * place.height if in_rows else state["edges"]
    if state["phase"] == NUMBERED and state["count"] > 1:
        while state["spread"] < state["end"]:
            if budget <= 0:
                return True
            if in_rows:
                last = min(state["spread"] + max(1, budget // place.width), state["end"])
                budget -= (last - state["spread"]) * place.width
                start, columns = _row_start(place, 0), _columns(place)
                spread_waves_by_row(labels, distance, start, columns, place.height, place.width, state["spread"], last)
            else:
                last = min(state["spread"] + budget, state["end"])
                budget -= last - state["spread"]
                state["end"] = spread_waves(labels, distance, shifts, queue, state["spread"], last, state["end"])
            state["spread"] = last
    state["phase"] = DONE
    return False


@part
def _widen(labels: Int32_1D, marks: Uint8_1D, columns: int, rim: Int64_1D, shifts: Int64_1D, thickness: int) -> None:
    """Widen tunnels to `thickness`: each tunnel cell gets a square of that size within the rim.

    Cells of a square are dug only if they can be reached from the tunnel by unblocked shifts, so that all dug cells are
    connected.
    """
    wanted, queue = np.zeros(marks.size, dtype=np.uint8), np.empty(marks.size, dtype=np.int64)
    first_column, first_row, end_column, end_row = rim[0], rim[1], rim[2], rim[3]
    end = 0
    for cell in range(marks.size):
        if marks[cell]:
            queue[end] = cell
            end += 1
            top = max(min(cell // columns - (thickness - 1) // 2, end_row - thickness), first_row)
            left = max(min(cell % columns - (thickness - 1) // 2, end_column - thickness), first_column)
            for row in range(top, min(top + thickness, end_row)):
                for column in range(left, min(left + thickness, end_column)):
                    wanted[row * columns + column] = 1
    first = 0
    while first < end:
        for number in range(shifts.size):
            near = queue[first] + shifts[number]
            if wanted[near] and not marks[near] and labels[near] != BLOCKED:
                marks[near] = 1
                queue[end] = near
                end += 1
        first += 1


@kernel
def dig_tunnels(
    board: Uint8_2D,
    corner: Int64_1D,
    area: Int64_1D,
    initial: int,
    dig: int,
    reach: Int64_1D,
    shifts: Int64_1D,
    straight: bool,
    thickness: int,
    rim: Int64_1D,
    labels: Int32_1D,
    distance: Int32_1D,
    numbering: NumberingState,
    key: Uint64,
) -> Int64_2D:
    """Dig tunnels where waves have met until all regions are joined; return (tunnel, 2) the region cells at their ends.

    Among equally short tunnels, `key` selects a random one. If blocked cells separate regions, nothing is dug, and the
    result has fewer rows than are needed to join all regions. `straight` tunnels have one corner; others follow the
    shifts. `rim` is the left, top, right and bottom limit for widening, in the labels.
    """
    place, parts = _area_of(board, board, corner, area, reach, initial), numbering[0]["count"]
    bridges = np.empty((parts - 1, 2), dtype=np.int64)
    found = span_parts(labels, distance, shifts, parts, key, bridges)
    if found < parts - 1:
        return bridges[:found]
    marks = np.zeros(labels.size, dtype=np.uint8)
    if straight:
        strides = np.empty(2, dtype=np.int64)
        strides[0], strides[1] = _columns(place), 1
        dig_straight(labels, distance, shifts, strides, bridges, marks)
    else:
        dig_shortest(labels, distance, shifts, bridges, marks)
    if thickness > 1:
        _widen(labels, marks, _columns(place), rim, shifts, thickness)
    for row in range(place.height):
        start = _row_start(place, row)
        for column in range(place.width):
            if marks[start + column]:
                y, x = place.top + row, place.left + column
                if board[y, x] == place.initial:
                    board[y, x] = dig
    follow_back(labels, distance, shifts, bridges)
    return bridges
