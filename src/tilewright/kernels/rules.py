"""The rule automaton: filling rooms, one simulation, and tiles of which only so many may be placed."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .random import GAMMA, below, mix, row_key

Cells: TypeAlias = NDArray[np.uint8]
Table: TypeAlias = NDArray[np.int64]
Limits: TypeAlias = NDArray[np.uint64]

OUTSIDE = 255
"""What the margin around a board holds: no tile, so nobody counts it."""


@kernel
def _drawn(bits: np.uint64, limits: Limits, first: int, end: int) -> int:
    """One of the positions first..end-1: that of the first limit which 53 random bits stay below."""
    for position in range(first, end - 1):
        if (bits >> np.uint64(11)) < limits[position]:
            return position
    return end - 1


@kernel("void(uint8[:, ::1], uint8[:, ::1], int64[::1], int64[::1], uint64, uint8[::1], uint64[::1], int64[::1])")
def fill(
    cells: Cells,
    wanted: Cells,
    corner: Table,
    area: Table,
    key: np.uint64,
    tiles: Cells,
    limits: Limits,
    left: Table,
) -> None:
    """Draw a tile for every cell of an area (x, y, width, height), by position: `key` is `rng.level_key()`.

    `corner` is the board's (row, column) of the map's first cell. Tiles with a limit, of which `left` holds what may
    still be placed (-1: any number), are only wanted: the tile's number and one.
    """
    width, begin = area[2], corner[1] + area[0]
    drawn = np.empty(width, dtype=np.uint8)
    for row in range(area[1], area[1] + area[3]):
        # Every random number is made again for each limit: in vectors that is quicker than to keep it.
        start = row_key(key, row) + np.uint64(area[0]) * GAMMA
        for column in range(width):
            drawn[column] = 0
        for position in range(limits.size - 1):
            limit = limits[position]
            for column in range(width):
                drawn[column] += np.uint8((mix(start + np.uint64(column) * GAMMA) >> np.uint64(11)) >= limit)
        target = cells[corner[0] + row, begin : begin + width]
        if wanted.size == 1:
            for column in range(width):
                target[column] = tiles[drawn[column]]
        else:
            asked = wanted[corner[0] + row, begin : begin + width]
            for column in range(width):
                tile = tiles[drawn[column]]
                if left[tile] < 0:
                    target[column] = tile
                else:
                    asked[column] = tile + 1


@kernel
def _simulate_area(
    old: Cells,
    new: Cells,
    wanted: Cells,
    corner: Table,
    area: Table,
    first_row: int,
    end_row: int,
    key: np.uint64,
    offsets: Table,
    counters: Table,
    conditions: Table,
    rules: Table,
    tiles: Cells,
    limits: Limits,
    left: Table,
) -> None:
    """Counts, and whether a rule holds, are worked out for a whole row at once in loops without a branch, of which the
    compiler makes vector code; only what is drawn by chance, or has a limit, is looked at cell by cell."""
    width = area[2]
    begin = corner[1] + area[0]
    limited = wanted.size > 1
    counts = np.empty((len(counters), width), dtype=np.uint16)
    holds = np.empty(width, dtype=np.uint8)
    for row in range(corner[0] + area[1] + first_row, corner[0] + area[1] + min(end_row, area[3])):
        for counter in range(len(counters)):
            tile, count = np.uint8(counters[counter, 0]), counts[counter]
            for column in range(width):
                count[column] = 0
            for offset in range(counters[counter, 1], counters[counter, 2]):
                beside = begin + offsets[offset, 1]
                near = old[row + offsets[offset, 0], beside : beside + width]
                for column in range(width):
                    count[column] += np.uint16(near[column] == tile)
        here, target = old[row, begin : begin + width], new[row, begin : begin + width]
        for rule in range(len(rules)):
            tile, one_suffices = np.uint8(rules[rule, 0]), np.uint8(rules[rule, 3])
            for column in range(width):
                holds[column] = one_suffices ^ np.uint8(1)
            for condition in range(rules[rule, 1], rules[rule, 2]):
                count = counts[conditions[condition, 0]]
                low, span = np.uint16(conditions[condition, 1]), np.uint16(conditions[condition, 2])
                negated = np.uint8(conditions[condition, 3])
                if one_suffices:
                    for column in range(width):
                        holds[column] |= np.uint8(np.uint16(count[column] - low) <= span) ^ negated
                else:
                    for column in range(width):
                        holds[column] &= np.uint8(np.uint16(count[column] - low) <= span) ^ negated
            for column in range(width):
                holds[column] &= np.uint8(here[column] == tile)
            first, end = rules[rule, 4], rules[rule, 5]
            if end - first == 1 and not limited:
                only = tiles[first]
                for column in range(width):
                    target[column] = only if holds[column] else target[column]
                continue
            start = row_key(mix(key + np.uint64(rule) * GAMMA), row - corner[0]) + np.uint64(area[0]) * GAMMA
            for column in range(width):
                if holds[column]:
                    drawn = first
                    if end - first > 1:
                        drawn = _drawn(mix(start + np.uint64(column) * GAMMA), limits, first, end)
                    replacement = tiles[drawn]
                    if limited and left[replacement] >= 0 and here[column] != replacement:
                        wanted[row, begin + column] = replacement + 1
                    else:
                        target[column] = replacement
                        if limited:
                            wanted[row, begin + column] = 0


@kernel(
    "void(uint8[:, ::1], uint8[:, ::1], uint8[:, ::1], int64[::1], int64[:, ::1], int64, int64, uint64, int64[:, ::1], "
    "int64[:, ::1], int64[:, ::1], int64[:, ::1], uint8[::1], uint64[::1], int64[::1])"
)
def simulate(
    old: Cells,
    new: Cells,
    wanted: Cells,
    corner: Table,
    areas: Table,
    first_row: int,
    end_row: int,
    key: np.uint64,
    offsets: Table,
    counters: Table,
    conditions: Table,
    rules: Table,
    tiles: Cells,
    limits: Limits,
    left: Table,
) -> None:
    """Rows first_row..end_row-1 of areas, as far as they have them: every rule, in order, on what was there before.

    counters (tile, first and end of its offsets): how many neighbours hold the tile.
    conditions (counter, low, span, not): whether the counter lies in low..low+span, or not.
    rules (tile, first and end of its conditions, whether one suffices, first and end of its replacements).
    """
    for number in range(len(areas)):
        _simulate_area(
            old,
            new,
            wanted,
            corner,
            areas[number],
            first_row,
            end_row,
            key,
            offsets,
            counters,
            conditions,
            rules,
            tiles,
            limits,
            left,
        )


@kernel("void(uint8[:, ::1], uint8[:, ::1], int64[::1], uint64[::1])")
def grant(cells: Cells, wanted: Cells, left: Table, state: NDArray[np.uint64]) -> None:
    """Place wanted tiles as long as some are left, cells in random order; nothing is wanted any more afterwards."""
    places = np.empty(cells.size, dtype=np.int64)
    columns = cells.shape[1]
    for tile in range(left.size):
        if left[tile] < 0:
            continue
        count = 0
        for row in range(cells.shape[0]):
            for column in range(columns):
                if wanted[row, column] == tile + 1:
                    wanted[row, column] = 0
                    places[count] = row * columns + column
                    count += 1
        granted = min(count, left[tile])
        for number in range(granted):
            other = number + below(state, count - number)
            place = places[other]
            places[other] = places[number]
            cells[place // columns, place % columns] = tile
        left[tile] -= granted
