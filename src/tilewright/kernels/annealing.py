"""Simulated annealing of maps with pattern counts.

A step changes one cell, or pastes a box of a sample. Both are guided by what the map has already: a window of the map
that also occurs in a sample is chosen, and one of its occurrences. The step then sets a cell beside the window to the
tile at the same distance from the occurrence, or it pastes the surroundings of the occurrence around the window, so
that the structure which the window belongs to grows. A step that would copy a large block of a sample is rejected.

Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .optimizers import Edits, revert
from .patterns import (
    CounterArrays,
    Geometry,
    find_cell,
    find_key,
    find_starts,
    is_full,
    keep,
    keep_windows,
    try_box,
    try_tile,
    undo,
    wrap_start,
    write,
)
from .random import below, random
from .types import Float64_1D, Int32_1D, Int32_2D, Int64_1D, Int64_2D, Uint8_1D, Uint16_1D, Uint64_1D


class SampleArrays(NamedTuple):
    """Views of the samples."""

    cells: Uint16_1D
    """Tiles of all views, one after the other."""
    views: Int64_2D
    """(view, 7) first cell; number of levels, rows and columns; and for each of these axes, whether it wraps."""


class WindowIndex(NamedTuple):
    """Places where windows of one size occur in the samples."""

    multipliers: Uint64_1D
    """(cell of the window,) multiplier of the tile in the key."""
    shifts: Int64_1D
    """(cell of the window,) offset from the first cell in the flat map."""
    starts: Int64_2D
    """(axis, 3) as in Geometry."""
    keys: Uint64_1D
    """(slot,) key of the window, or EMPTY."""
    ranges: Int32_2D
    """(slot, 2) first occurrence, and number of occurrences."""
    occurrences: Int32_2D
    """(occurrence, 4) view, level, row and column of the first cell; negative at edges that are compared."""


class CopyArrays(NamedTuple):
    """Large blocks of the map, to recognize copies of the samples."""

    keys: Uint64_1D
    """(place,) key of the block that starts there; empty if copies have no limit."""
    multipliers: Uint64_1D
    """(cell of the block,) multiplier of the tile in the key."""
    known: Uint64_1D
    """(slot,) keys of the samples' blocks with at least two different tiles, or EMPTY."""


class Moves(NamedTuple):
    """Moves of annealing."""

    grow: float
    """Fraction of steps that paste a box of a sample."""
    reach: int
    """Maximum distance of the box's edges from the window."""
    focus: int
    """Maximum number of windows that are drawn to find one that no sample has, beside which a box is pasted."""
    temperatures: Float64_1D
    """Temperatures at equal intervals from the first step to the last."""
    quantiles: Float64_1D
    """Quantiles of the accepted increase of the divergence, in units of the temperature."""


class PasteArrays(NamedTuple):
    """A map, and the samples that parts are pasted from."""

    counter: CounterArrays
    geometry: Geometry
    sample: SampleArrays
    copies: CopyArrays
    frozen: Uint8_1D
    """(place,) 1 for cells that never change."""
    stream: Uint64_1D
    """State of the random stream."""
    edits: Edits
    """Work space."""


GUIDE_DRAWS = 4
"""Maximum number of neighbor windows that are drawn for one cell."""


@inline
def _find_window(counter: CounterArrays, index: WindowIndex, place: int) -> int:
    """Return the slot in the index of the window that starts at a place, or -1 if no sample has it."""
    key = np.uint64(0)
    for cell in range(index.shifts.size):
        key += np.uint64(counter.cells[place + index.shifts[cell]]) * index.multipliers[cell]
    slot = find_key(index.keys, 0, index.keys.size - 1, key)
    return slot if index.keys[slot] == key else -1


@inline
def _read_sample(sample: SampleArrays, view: int, level: int, row: int, column: int) -> int:
    """Return the tile at a place of a view, or -1 outside of it."""
    shape = sample.views[view]
    level, row, column = wrap_sample(shape, 0, level), wrap_sample(shape, 1, row), wrap_sample(shape, 2, column)
    if not (0 <= level < shape[1] and 0 <= row < shape[2] and 0 <= column < shape[3]):
        return -1
    return int(np.int64(sample.cells[shape[0] + (level * shape[2] + row) * shape[3] + column]))


@inline
def wrap_cell(geometry: Geometry, axis: int, at: int) -> int:
    """Return any coordinate, wrapped if the axis wraps."""
    return int(at % geometry.sides[axis] if geometry.wraps[axis] else at)


@inline
def wrap_sample(shape: Int64_1D, axis: int, at: int) -> int:
    """Return any coordinate in a view, wrapped if the axis wraps; `shape` is the view's row in `views`."""
    return int(at % shape[1 + axis] if shape[4 + axis] else at)


@inline
def find_line(geometry: Geometry, level: int, row: int) -> int:
    """Return the place of the first cell of a row; coordinates may wrap."""
    line = geometry.first + wrap_cell(geometry, 0, level) * geometry.strides[0]
    return int(line + wrap_cell(geometry, 1, row) * geometry.strides[1])


@inline
def find_sample_line(shape: Int64_1D, level: int, row: int) -> int:
    """Return the first cell of a row of a view in `SampleArrays.cells`; coordinates may wrap."""
    return int(shape[0] + (wrap_sample(shape, 0, level) * shape[2] + wrap_sample(shape, 1, row)) * shape[3])


@inline
def _find_place(geometry: Geometry, index: WindowIndex, level: int, row: int, column: int) -> int:
    """Return the place of a window that starts at this cell, or -1 if there is none; coordinates may wrap."""
    place = geometry.first
    for axis in range(3):
        at = level if axis == 0 else row if axis == 1 else column
        if geometry.wraps[axis]:
            at %= geometry.sides[axis]
        elif at < index.starts[axis, 0] or at >= index.starts[axis, 1]:
            return -1
        place += at * geometry.strides[axis]
    return int(place)


@part
def _draw_tile(
    counter: CounterArrays, geometry: Geometry, sample: SampleArrays, guide: WindowIndex, stream: Uint64_1D, place: int
) -> int:
    """Return the tile that has the same position beside an occurrence of a window as a cell beside that window.

    The window is next to the cell. If no sample has any of the windows that are drawn, return a random tile of the
    samples.
    """
    level, row, column = find_cell(geometry, place)
    deep, down, across = guide.starts[0, 2], guide.starts[1, 2], guide.starts[2, 2]
    for _ in range(GUIDE_DRAWS):
        rise = below(stream, deep + 2) - deep if geometry.sides[0] > 1 else 0
        fall, shift = below(stream, down + 2) - down, below(stream, across + 2) - across
        if -deep < rise <= 0 and -down < fall <= 0 and -across < shift <= 0:
            continue
        start = _find_place(geometry, guide, level + rise, row + fall, column + shift)
        slot = _find_window(counter, guide, start) if start >= 0 else -1
        if slot < 0:
            continue
        chosen = guide.occurrences[guide.ranges[slot, 0] + below(stream, int(np.int64(guide.ranges[slot, 1])))]
        tile = _read_sample(
            sample, int(chosen[0]), int(chosen[1]) - rise, int(chosen[2]) - fall, int(chosen[3]) - shift
        )
        if tile >= 0:
            return tile
    return int(np.int64(sample.cells[below(stream, sample.cells.size)]))


@inline
def _clip_box(
    geometry: Geometry, shape: Int64_1D, axis: int, start: int, origin: int, first: int, end: int
) -> tuple[int, int]:
    """Return the part first..end-1 of a box along an axis that is inside the map and the view.

    The box is relative to a window that starts at `start` in the map and at `origin` in the view.
    """
    if geometry.wraps[axis]:
        end = min(end, first + geometry.sides[axis])
    else:
        first, end = max(first, -start), min(end, geometry.sides[axis] - start)
    if not shape[4 + axis]:
        first, end = max(first, -origin), min(end, shape[1 + axis] - origin)
    return int(first), int(end)


@part
def _shift_to_defect(
    counter: CounterArrays, geometry: Geometry, index: WindowIndex, stream: Uint64_1D, focus: int,
    level: int, row: int, column: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Return the start of a window near one that no sample has, if one is found in some draws."""
    size = 0
    for other in range(1, len(counter.layout)):
        if counter.layout[other]["cells"] > counter.layout[size]["cells"]:
            size = other
    lacking = counter.layout[size]["lacking"]
    for _ in range(focus):
        if counter.term_rows[counter.slots[size, _place_of(geometry, level, row, column)]] == lacking:
            extent = index.starts[2, 2]
            if geometry.sides[0] > 1:
                level = _shift_start(geometry, index, 0, level + below(stream, 2 * extent + 1) - extent)
            row = _shift_start(geometry, index, 1, row + below(stream, 2 * extent + 1) - extent)
            column = _shift_start(geometry, index, 2, column + below(stream, 2 * extent + 1) - extent)
            return level, row, column
        level, row, column = _draw_start(index, stream)
    return level, row, column


@inline
def _draw_start(index: WindowIndex, stream: Uint64_1D) -> tuple[int, int, int]:
    """Return the start of a random window."""
    level = index.starts[0, 0] + below(stream, index.starts[0, 1] - index.starts[0, 0])
    row = index.starts[1, 0] + below(stream, index.starts[1, 1] - index.starts[1, 0])
    column = index.starts[2, 0] + below(stream, index.starts[2, 1] - index.starts[2, 0])
    return int(level), int(row), int(column)


@inline
def _place_of(geometry: Geometry, level: int, row: int, column: int) -> int:
    return int(geometry.first + level * geometry.strides[0] + row * geometry.strides[1] + column)


@inline
def _shift_start(geometry: Geometry, index: WindowIndex, axis: int, at: int) -> int:
    if geometry.wraps[axis]:
        return int(at % geometry.sides[axis])
    return int(min(max(at, index.starts[axis, 0]), index.starts[axis, 1] - 1))


@part
def _paste(
    paste: PasteArrays, index: WindowIndex, reach: int, focus: int
) -> tuple[int, tuple[int, int, int], tuple[int, int, int]]:
    """Write the surroundings of an occurrence of a random window around it.

    Return the number of edits, and the first cell and shape of the box that contains them. A window that no sample has
    is replaced by a random window of the samples.
    """
    counter, geometry, sample, stream = paste.counter, paste.geometry, paste.sample, paste.stream
    level, row, column = _draw_start(index, stream)
    if focus > 0:
        level, row, column = _shift_to_defect(counter, geometry, index, stream, focus, level, row, column)
    slot = _find_window(counter, index, _place_of(geometry, level, row, column))
    if slot < 0:
        number, reach = below(stream, len(index.occurrences)), 0
    else:
        number = int(np.int64(index.ranges[slot, 0])) + below(stream, int(np.int64(index.ranges[slot, 1])))
    chosen = index.occurrences[number]
    view, origin_level, origin_row, origin_column = int(chosen[0]), int(chosen[1]), int(chosen[2]), int(chosen[3])
    shape = sample.views[view]
    up = below(stream, reach + 1) if geometry.sides[0] > 1 else 0
    above = below(stream, reach + 1) if geometry.sides[0] > 1 else 0
    z0, z1 = _clip_box(geometry, shape, 0, level, origin_level, -up, index.starts[0, 2] + above)
    before, after = below(stream, reach + 1), below(stream, reach + 1)
    y0, y1 = _clip_box(geometry, shape, 1, row, origin_row, -before, index.starts[1, 2] + after)
    left, right = below(stream, reach + 1), below(stream, reach + 1)
    x0, x1 = _clip_box(geometry, shape, 2, column, origin_column, -left, index.starts[2, 2] + right)
    count = 0
    first_z, last_z, first_y, last_y, first_x, last_x = z1, z0, y1, y0, x1, x0
    for z in range(z0, z1):
        for y in range(y0, y1):
            line = find_line(geometry, level + z, row + y)
            source = find_sample_line(shape, origin_level + z, origin_row + y)
            for x in range(x0, x1):
                at = line + wrap_cell(geometry, 2, column + x)
                tile = int(np.int64(sample.cells[source + wrap_sample(shape, 2, origin_column + x)]))
                if counter.cells[at] == tile or paste.frozen[at]:
                    continue
                edit = paste.edits[count]
                edit["place"], edit["before"], edit["after"] = at, counter.cells[at], tile
                count += 1
                write(counter, int(at), tile)
                first_z, last_z = min(first_z, z), max(last_z, z)
                first_y, last_y = min(first_y, y), max(last_y, y)
                first_x, last_x = min(first_x, x), max(last_x, x)
    corner = int(level + first_z), int(row + first_y), int(column + first_x)
    return count, corner, (last_z - first_z + 1, last_y - first_y + 1, last_x - first_x + 1)


@part
def _change_blocks(copies: CopyArrays, geometry: Geometry, size: int, place: int, step: np.uint64) -> None:
    """Add a change of a cell's tile to the keys of its blocks."""
    level, row, column = find_cell(geometry, place)
    levels = find_starts(geometry, size, 0, level, 1)
    rows = find_starts(geometry, size, 1, row, 1)
    columns = find_starts(geometry, size, 2, column, 1)
    down, across = geometry.starts[size, 1, 2], geometry.starts[size, 2, 2]
    for z in range(levels[0], levels[0] + levels[1]):
        at_level = wrap_start(geometry, 0, z)
        in_level = level - at_level + (geometry.sides[0] if at_level > level else 0)
        for y in range(rows[0], rows[0] + rows[1]):
            at_row = wrap_start(geometry, 1, y)
            in_row = row - at_row + (geometry.sides[1] if at_row > row else 0)
            start = geometry.first + at_level * geometry.strides[0] + at_row * geometry.strides[1]
            number = (in_level * down + in_row) * across
            for x in range(columns[0], columns[0] + columns[1]):
                at_column = wrap_start(geometry, 2, x)
                in_column = column - at_column + (geometry.sides[2] if at_column > column else 0)
                copies.keys[start + at_column] += step * copies.multipliers[number + in_column]


@part
def _has_copy(
    copies: CopyArrays, geometry: Geometry, size: int, corner: tuple[int, int, int], box: tuple[int, int, int]
) -> bool:
    """Return whether any block that overlaps a box of cells is a copy."""
    known = copies.known
    levels = find_starts(geometry, size, 0, corner[0], box[0])
    rows = find_starts(geometry, size, 1, corner[1], box[1])
    columns = find_starts(geometry, size, 2, corner[2], box[2])
    for z in range(levels[0], levels[0] + levels[1]):
        for y in range(rows[0], rows[0] + rows[1]):
            start = geometry.first + wrap_start(geometry, 0, z) * geometry.strides[0]
            start += wrap_start(geometry, 1, y) * geometry.strides[1]
            for x in range(columns[0], columns[0] + columns[1]):
                key = copies.keys[start + wrap_start(geometry, 2, x)]
                if known[find_key(known, 0, known.size - 1, key)] == key:
                    return True
    return False


@part
def makes_copy(
    copies: CopyArrays, geometry: Geometry, edits: Edits, count: int,
    corner: tuple[int, int, int], box: tuple[int, int, int],
) -> bool:  # fmt: skip
    """Update the blocks after edits inside a box; return whether any is a copy. In that case, nothing is updated."""
    size = len(geometry.starts) - 1  # blocks follow the windows of all sizes
    if copies.keys.size == 0:
        return False
    for sign in (1, -1):
        for number in range(count):
            edit = edits[number]
            step = np.uint64(sign * (np.int64(edit["after"]) - np.int64(edit["before"])))
            _change_blocks(copies, geometry, size, int(np.int64(edit["place"])), step)
        if sign > 0 and not _has_copy(copies, geometry, size, corner, box):
            return False
    return True


@kernel(allocates=False)
def anneal(
    paste: PasteArrays, index: WindowIndex, guide: WindowIndex, moves: Moves, free: Int32_1D, total: Float64_1D,
    first: int, last: int, steps: int,
) -> int:  # fmt: skip
    """Run steps first..last-1 of simulated annealing; return the next step, earlier if the hash slots are full.

    The change is accepted if the divergence increases by at most a random threshold, which is proportional to the
    temperature, and no block of the map becomes a copy. The change of the divergence is added to total[0].
    """
    counter, geometry, copies, edits = paste.counter, paste.geometry, paste.copies, paste.edits
    stream, heat = paste.stream, moves.temperatures
    for step in range(first, last):
        if is_full(counter.layout):
            return step
        moment = step / steps * (heat.size - 1)
        stage = int(moment)
        now = heat[stage] + (heat[stage + 1] - heat[stage]) * (moment - stage)
        limit = now * moves.quantiles[below(stream, moves.quantiles.size)]
        if random(stream) < moves.grow:
            count, corner, box = _paste(paste, index, moves.reach, moves.focus)
            if count == 0:
                continue
            cost, top = try_box(counter, geometry, 0, corner, box, limit)
            if cost <= limit and not makes_copy(copies, geometry, edits, count, corner, box):
                total[0] += cost
                keep_windows(counter, 0, top)
            else:
                revert(counter, top, edits, count)
            continue
        place = int(np.int64(free[below(stream, free.size)]))
        tile = _draw_tile(counter, geometry, paste.sample, guide, stream, place)
        if tile == counter.cells[place]:
            continue
        cost, top = try_tile(counter, 0, place, tile, limit)
        edit = edits[0]
        edit["place"], edit["before"], edit["after"] = place, counter.cells[place], tile
        cell = find_cell(geometry, place)
        if cost <= limit and not makes_copy(copies, geometry, edits, 1, cell, (1, 1, 1)):
            total[0] += cost
            keep(counter, 0, top, place, tile)
        else:
            undo(counter, top, False)
    return last


@kernel(allocates=False)
def fill_block_keys(copies: CopyArrays, geometry: Geometry, cells: Uint16_1D) -> None:
    """Compute the keys of all blocks of a map."""
    starts = geometry.starts[-1]
    for level in range(starts[0, 0], starts[0, 1]):
        for row in range(starts[1, 0], starts[1, 1]):
            for column in range(starts[2, 0], starts[2, 1]):
                key, number = np.uint64(0), 0
                for z in range(level, level + starts[0, 2]):
                    for y in range(row, row + starts[1, 2]):
                        line = find_line(geometry, z, y)
                        for x in range(column, column + starts[2, 2]):
                            key += np.uint64(cells[line + wrap_cell(geometry, 2, x)]) * copies.multipliers[number]
                            number += 1
                copies.keys[_place_of(geometry, level, row, column)] = key
