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
    """Return where a slope of -1 to 1 crosses the next line, given where it crosses this one.

    Without branches, because a processor cannot predict them.
    """
    rest += slope
    shift = int(rest >= parts) - int(rest < 0)
    return floor + shift, rest - shift * parts


@inline
def _start_edge(across: int, depth: int) -> tuple[int, int]:
    """Return where the slope (2 across - 1) / (2 depth) of a cell's edge crosses the line after the cell's."""
    floor, rest = across, 2 * across - 1 - depth
    while rest < 0:
        floor -= 1
        rest += 2 * depth
    return floor, rest


@inline
def _mark_cells(cells: Uint8_1D, marks: Uint8_1D, first: int, count: int, aside: int) -> bool:
    """Mark `count` cells of a line, clear or not; return whether all of them are clear."""
    all_clear, number = np.uint8(1), 0
    # Unsigned, because numba checks signed indices for negative ones.
    place, step = np.uint64(first), np.uint64(aside)
    if aside == 1:
        while number + CHUNK <= count:  # Both loops are vector code.
            start = first + number
            chunk, target = cells[start : start + CHUNK], marks[start : start + CHUNK]
            for offset in range(CHUNK):
                all_clear &= chunk[offset]
            for offset in range(CHUNK):
                target[offset] = 1
            number += CHUNK
        place += np.uint64(number)
    while number < count:
        all_clear &= cells[place]
        marks[place] = 1
        place += step
        number += 1
    return bool(all_clear)


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
            while depth <= deepest and depth * depth <= reach:
                radius = max(most, -least)
                if reach - depth * depth < radius * radius:
                    radius = int(np.sqrt(np.float64(reach - depth * depth)))
                # The cells of the interval, rounded to the nearest, halves inward. Walls outside the radius hide
                # nothing inside it, neither on this line nor on the following ones.
                first = max(low_floor + int(2 * low_rest >= low_parts), least, -radius)
                last = min(high_floor + int(2 * high_rest > high_parts), most, radius)
                if first > last:
                    break
                # The cells from `from_` to `to`, rounded inward, are visible; so are the first and the last if they are
                # walls.
                from_, to = max(first, low_floor + int(low_rest > 0)), min(last, high_floor)
                low_floor, low_rest = _advance(low, low_parts, low_floor, low_rest)
                high_floor, high_rest = _advance(high, high_parts, high_floor, high_rest)
                line_start = here + depth * deeper
                place, end = line_start + first * aside, line_start + last * aside
                is_open = _mark_cells(cells, marks, line_start + from_ * aside, to - from_ + 1, aside)
                is_open = is_open and cells[place] != 0 and cells[end] != 0
                marks[place] |= 1 - cells[place]
                marks[end] |= 1 - cells[end]
                # Most lines have no wall.
                for across in range(first, first if is_open else last + 1):
                    was_open, is_open = is_open, cells[place] != 0
                    place += aside
                    if is_open and not was_open and across > first:
                        low, low_parts = 2 * across - 1, 2 * depth
                        low_floor, low_rest = _start_edge(across, depth)
                    if was_open and not is_open:
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
                if not is_open:
                    break
                depth += 1
