"""Field of view from a cell: symmetric shadowcasting with integers only."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel
from .types import Uint8_1D, Uint8_2D

LINE = np.dtype(
    [
        ("depth", np.int64),
        ("low", np.int64),  # The low slope is low / low_parts.
        ("low_parts", np.int64),
        ("low_floor", np.int64),  # Where it crosses the line: low_floor + low_rest / low_parts.
        ("low_rest", np.int64),
        ("high", np.int64),  # The high slope is high / high_parts.
        ("high_parts", np.int64),
        ("high_floor", np.int64),
        ("high_rest", np.int64),
    ]
)
"""Line to scan, and the interval of it that is visible."""
Lines: TypeAlias = Annotated[NDArray[np.void], LINE]
CHUNK = 64
"""Number of cells of a row that are tested together."""


@inline
def _advance(slope: int, parts: int, floor: int, rest: int) -> tuple[int, int]:
    """Return where a slope of -1 to 1 crosses the next line, given where it crosses this one."""
    rest += slope
    if rest < 0:
        return floor - 1, rest + parts
    if rest >= parts:
        return floor + 1, rest - parts
    return floor, rest


@inline
def _start_edge(across: int, depth: int) -> tuple[int, int]:
    """Return where the slope (2 across - 1) / (2 depth) of a cell's edge crosses the line after the cell's."""
    floor, rest = across, 2 * across - 1 - depth
    while rest < 0:
        floor -= 1
        rest += 2 * depth
    return floor, rest


@inline
def _mark_chunk(cells: Uint8_1D, marks: Uint8_1D, place: int) -> bool:
    """Mark `CHUNK` adjacent cells if all of them are clear; return whether they are. Both loops are vector code."""
    chunk, target = cells[place : place + CHUNK], marks[place : place + CHUNK]
    clear = np.uint8(1)
    for number in range(CHUNK):
        clear &= chunk[number]
    if clear:
        for number in range(CHUNK):
            target[number] = 1
    return bool(clear)


@kernel
def cast(clear: Uint8_2D, row: int, column: int, reach: int, seen: Uint8_2D) -> None:
    """Mark the cells visible from a cell. `clear` is 1 for transparent cells; `reach` is the square of the radius.

    Each quarter is scanned line by line, away from the viewer. The visible part of a line is an interval between two
    slopes, stored as fractions, which walls split. The cell `across` of a line extends from (2 across - 1) / (2 depth)
    to (2 across + 1) / (2 depth). A clear cell is visible if its center is in the interval, which makes the result
    symmetric. From line to line, the ends of an interval move by their slopes, without a division.
    """
    height, width = clear.shape
    cells, marks = clear.reshape(-1), seen.reshape(-1)
    here = row * width + column
    marks[here] = 1
    stack = np.empty(64, dtype=LINE)
    for quarter in range(4):
        # Up, down, left, right: shifts of a step in depth and of a step across, and the limits of each.
        upright = quarter < 2
        deeper, aside = (width, 1) if upright else (1, width)
        before, after = (row, height - 1 - row) if upright else (column, width - 1 - column)
        least, most = (-column, width - 1 - column) if upright else (-row, height - 1 - row)
        deepest = after
        if quarter % 2 == 0:
            deeper, deepest = -deeper, before
        first_line = stack[0]
        first_line["depth"] = 1
        first_line["low"], first_line["low_parts"], first_line["low_floor"], first_line["low_rest"] = -1, 1, -1, 0
        first_line["high"], first_line["high_parts"], first_line["high_floor"], first_line["high_rest"] = 1, 1, 1, 0
        size = 1
        while size > 0:
            size -= 1
            line = stack[size]
            depth = line["depth"]
            low, low_parts, low_floor, low_rest = line["low"], line["low_parts"], line["low_floor"], line["low_rest"]
            high, high_parts = line["high"], line["high_parts"]
            high_floor, high_rest = line["high_floor"], line["high_rest"]
            is_open = True
            while is_open and depth <= deepest and depth * depth <= reach:
                # Rounded to the nearest, halves inward.
                across = max(low_floor + int(2 * low_rest >= low_parts), least)
                last = min(high_floor + int(2 * high_rest > high_parts), most)
                # Clear cells from `from_` to `to` are visible, rounded inward, and walls within the radius.
                from_, to = low_floor + int(low_rest > 0), high_floor
                radius = max(most, -least)
                if reach - depth * depth < radius * radius:
                    radius = int(np.sqrt(np.float64(reach - depth * depth)))
                from_, to = max(from_, -radius), min(to, radius, last)
                low_floor, low_rest = _advance(low, low_parts, low_floor, low_rest)
                high_floor, high_rest = _advance(high, high_parts, high_floor, high_rest)
                place = here + depth * deeper + across * aside
                is_open = False
                while across <= last:
                    if cells[place] == 0:
                        if -radius <= across <= radius:
                            marks[place] = 1
                        across += 1
                        place += aside
                        if across <= last and cells[place] != 0:
                            low, low_parts, from_ = 2 * across - 1, 2 * depth, max(across, -radius)
                            low_floor, low_rest = _start_edge(across, depth)
                        continue
                    while across <= last and cells[place] != 0:
                        if aside == 1 and from_ <= across and across + CHUNK - 1 <= to:
                            if _mark_chunk(cells, marks, place):
                                across += CHUNK
                                place += CHUNK
                                continue
                            while cells[place] != 0:  # There is a wall in the chunk.
                                marks[place] = 1
                                across += 1
                                place += 1
                            break
                        if from_ <= across <= to:
                            marks[place] = 1
                        across += 1
                        place += aside
                    is_open = across > last
                    if not is_open:
                        if size == len(stack):
                            larger = np.empty(2 * size, dtype=LINE)
                            for number in range(size):
                                larger[number] = stack[number]
                            stack = larger
                        line = stack[size]
                        line["depth"] = depth + 1
                        line["low"], line["low_parts"] = low, low_parts
                        line["low_floor"], line["low_rest"] = low_floor, low_rest
                        line["high"], line["high_parts"] = 2 * across - 1, 2 * depth
                        line["high_floor"], line["high_rest"] = _start_edge(across, depth)
                        size += 1
                depth += 1
