"""The rule automaton: filling of rooms, one simulation step, and placing of tiles with a maximum."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .random import GAMMA, below, mix, row_key
from .types import Int64_1D, Int64_2D, Uint8_1D, Uint8_2D, Uint64, Uint64_1D

OUTSIDE = 255
"""Value of the margin around a board: no tile, so that no rule counts it."""
COUNTER = np.dtype(
    [
        ("tile", np.int64),
        ("first", np.int64),  # First of its offsets.
        ("end", np.int64),
    ]
)
"""Counter of the neighbors that have a tile."""
CONDITION = np.dtype(
    [
        ("counter", np.int64),
        ("low", np.int64),  # Smallest allowed count.
        ("span", np.int64),  # Number of further allowed counts.
        ("negated", np.int64),  # Whether the range is negated.
    ]
)
RULE = np.dtype(
    [
        ("tile", np.int64),
        ("first_condition", np.int64),
        ("end_condition", np.int64),
        ("one_suffices", np.int64),  # Whether one condition suffices.
        ("first_replacement", np.int64),
        ("end_replacement", np.int64),
    ]
)
Counters: TypeAlias = Annotated[NDArray[np.void], COUNTER]
Conditions: TypeAlias = Annotated[NDArray[np.void], CONDITION]
RuleList: TypeAlias = Annotated[NDArray[np.void], RULE]


class BoardArea(NamedTuple):
    """Rectangle of the map, and its first cell on the board."""

    x: int
    y: int
    width: int
    height: int
    left: int
    top: int


class RuleTables(NamedTuple):
    """Rules of a layer."""

    offsets: Int64_2D
    """Row and column of neighbors as (offset, 2)."""
    counters: Counters
    conditions: Conditions
    rules: RuleList
    tiles: Uint8_1D
    limits: Uint64_1D
    """Replacements of all rules, and the cumulative limits for random bits that select each."""


@inline
def _area_of(area: Int64_1D, corner: Int64_1D) -> BoardArea:
    x, y, width, height = area[0], area[1], area[2], area[3]
    return BoardArea(x, y, width, height, corner[1] + x, corner[0] + y)


@part
def _draw_position(bits: np.uint64, limits: Uint64_1D, first: int, end: int) -> int:
    """Return one of the positions first..end-1: the first whose limit is above 53 random bits."""
    for position in range(first, end - 1):
        if (bits >> np.uint64(11)) < limits[position]:
            return position
    return end - 1


@kernel
def fill(
    cells: Uint8_2D,
    wanted: Uint8_2D,
    corner: Int64_1D,
    area: Int64_1D,
    key: Uint64,
    tiles: Uint8_1D,
    limits: Uint64_1D,
    left: Int64_1D,
) -> None:
    """Draw a tile for every cell of an area (x, y, width, height), by position; `key` is `rng.level_key()`.

    `corner` is the position (row, column) of the map's first cell on the board. Tiles with a limit (`left` holds the
    remaining number, -1 for no limit) are only recorded in `wanted`, as their number plus one.
    """
    place = _area_of(area, corner)
    width, begin = place.width, place.left
    positions = np.empty(width, dtype=np.uint8)
    for row in range(place.height):
        # Each random number is computed again for each limit, which in vector code is faster than storing it.
        start = row_key(key, place.y + row) + np.uint64(place.x) * GAMMA
        for column in range(width):
            positions[column] = 0
        for position in range(limits.size - 1):
            limit = limits[position]
            for column in range(width):
                positions[column] += np.uint8((mix(start + np.uint64(column) * GAMMA) >> np.uint64(11)) >= limit)
        target = cells[place.top + row, begin : begin + width]
        if wanted.size == 1:
            for column in range(width):
                target[column] = tiles[positions[column]]
        else:
            row_wanted = wanted[place.top + row, begin : begin + width]
            for column in range(width):
                tile = tiles[positions[column]]
                if left[tile] < 0:
                    target[column] = tile
                else:
                    row_wanted[column] = tile + 1


@part
def _simulate_area(
    old: Uint8_2D, new: Uint8_2D, wanted: Uint8_2D, left: Int64_1D, area: BoardArea, first_row: int, end_row: int,
    key: np.uint64, tables: RuleTables,
) -> None:  # fmt: skip
    """Apply the rules of a layer to rows of an area.

    `wanted` holds the numbers of the wanted tiles plus one, for tiles with a limit; its size is 1 if no tile has one.
    `left` holds the remaining number of each tile; -1 for no limit.

    Counts and conditions are computed for a complete row in loops without branches, which compile to vector code. Only
    random replacements and tiles with a limit are handled cell by cell.
    """
    width, begin = area.width, area.left
    counters, conditions, rules, tiles = tables.counters, tables.conditions, tables.rules, tables.tiles
    limited = wanted.size > 1
    counts = np.empty((len(counters), width), dtype=np.uint16)
    holds = np.empty(width, dtype=np.uint8)
    for row in range(area.top + first_row, area.top + min(end_row, area.height)):
        for number in range(len(counters)):
            counter = counters[number]
            tile, count = np.uint8(counter["tile"]), counts[number]
            for column in range(width):
                count[column] = 0
            for offset in range(counter["first"], counter["end"]):
                beside = begin + tables.offsets[offset, 1]
                near = old[row + tables.offsets[offset, 0], beside : beside + width]
                for column in range(width):
                    count[column] += np.uint16(near[column] == tile)
        here, target = old[row, begin : begin + width], new[row, begin : begin + width]
        for number in range(len(rules)):
            rule = rules[number]
            tile, one_suffices = np.uint8(rule["tile"]), np.uint8(rule["one_suffices"])
            for column in range(width):
                holds[column] = one_suffices ^ np.uint8(1)
            for position in range(rule["first_condition"], rule["end_condition"]):
                condition = conditions[position]
                count = counts[condition["counter"]]
                low, span = np.uint16(condition["low"]), np.uint16(condition["span"])
                negated = np.uint8(condition["negated"])
                if one_suffices:
                    for column in range(width):
                        holds[column] |= np.uint8(np.uint16(count[column] - low) <= span) ^ negated
                else:
                    for column in range(width):
                        holds[column] &= np.uint8(np.uint16(count[column] - low) <= span) ^ negated
            for column in range(width):
                holds[column] &= np.uint8(here[column] == tile)
            first, end = rule["first_replacement"], rule["end_replacement"]
            if end - first == 1 and not limited:
                only = tiles[first]
                for column in range(width):
                    target[column] = only if holds[column] else target[column]
                continue
            start = row_key(mix(key + np.uint64(number) * GAMMA), area.y + row - area.top) + np.uint64(area.x) * GAMMA
            for column in range(width):
                if holds[column]:
                    drawn = first
                    if end - first > 1:
                        drawn = _draw_position(mix(start + np.uint64(column) * GAMMA), tables.limits, first, end)
                    replacement = tiles[drawn]
                    if limited and left[replacement] >= 0 and here[column] != replacement:
                        wanted[row, begin + column] = replacement + 1
                    else:
                        target[column] = replacement
                        if limited:
                            wanted[row, begin + column] = 0


@kernel
def simulate(
    old: Uint8_2D,
    new: Uint8_2D,
    wanted: Uint8_2D,
    corner: Int64_1D,
    areas: Int64_2D,
    first_row: int,
    end_row: int,
    key: Uint64,
    offsets: Int64_2D,
    counters: Counters,
    conditions: Conditions,
    rules: RuleList,
    tiles: Uint8_1D,
    limits: Uint64_1D,
    left: Int64_1D,
) -> None:
    """Apply every rule, in order, to the rows first_row..end_row-1 of each area, based on the previous cells."""
    tables = RuleTables(offsets, counters, conditions, rules, tiles, limits)
    for number in range(len(areas)):
        area = _area_of(areas[number], corner)
        _simulate_area(old, new, wanted, left, area, first_row, end_row, np.uint64(key), tables)


@kernel
def place_wanted(cells: Uint8_2D, wanted: Uint8_2D, left: Int64_1D, state: Uint64_1D) -> None:
    """Place wanted tiles at cells in random order while some are left, and clear `wanted`."""
    positions = np.empty(cells.size, dtype=np.int64)
    columns = cells.shape[1]
    for tile in range(left.size):
        if left[tile] < 0:
            continue
        count = 0
        for row in range(cells.shape[0]):
            for column in range(columns):
                if wanted[row, column] == tile + 1:
                    wanted[row, column] = 0
                    positions[count] = row * columns + column
                    count += 1
        granted = min(count, left[tile])
        for number in range(granted):
            other = number + below(state, count - number)
            position = positions[other]
            positions[other] = positions[number]
            cells[position // columns, position % columns] = tile
        left[tile] -= granted
