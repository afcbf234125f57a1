"""Pattern counts of maps, updated with every changed cell in time independent of the map size.

A counter has a flat map with a margin. A window is an N x N block of the map, identified by its first cell; the tiles
in it are its pattern. `slots` has, for every window size and first cell, the slot where its pattern is counted (-1: no
window). A pattern has a key, the sum of its tiles times multipliers, so a changed cell adds to the keys of the windows
around it. Keys are either dense, all integers below a bound, and give the slots directly, or they are hashed: patterns
of the samples in a small table that never changes, others in a table that is rebuilt when it is half full. `term_rows`
has a pattern's row in `terms`; all patterns that are not in the samples share the last row of their size.

One more window of a pattern that has c windows changes the divergence by
`gains[c, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[c, 1]`. The first window of a pattern that is not in the
samples changes it by `firsts`. All these tables are computed in advance.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .random import GAMMA
from .types import (
    Float64_1D,
    Float64_2D,
    Int32_1D,
    Int32_2D,
    Int64_1D,
    Int64_2D,
    Int64_3D,
    Uint16_1D,
    Uint64_1D,
    Uint64_2D,
)

LAYOUT = np.dtype(
    [
        ("first", np.int64),  # first slot
        ("known", np.int64),  # number of slots for the samples' patterns, a power of two; 0 with dense keys
        ("others", np.int64),  # number of following slots for other patterns, a power of two; 0 with dense keys
        ("used", np.int64),  # number of used slots of other patterns
        ("lacking", np.int64),  # row in `terms` of patterns that are not in the samples
        ("gains", np.int64),  # first row in `gains`
        ("cells", np.int64),  # number of cells of a window
    ]
)
"""Layout of the data of one window size in the arrays of a counter."""
CHANGE = np.dtype(
    [
        ("origin", np.int32),
        ("left", np.int32),  # slot of the old pattern
        ("entered", np.int32),  # slot of the new pattern; -1: not looked up
        ("size", np.int16),
        ("is_new", np.int16),  # whether the slot was free before
    ]
)
"""Entry of the log: a window whose pattern changes."""


class CounterArrays(NamedTuple):
    """A map, and the counts of its patterns."""

    cells: Uint16_1D
    next_copies: Int32_1D
    """(place,) the next copy of a cell beyond a wrapped edge, or -1; empty if no axis wraps."""
    originals: Int32_1D
    """(place,) the cell of which each place is a copy; empty if no axis wraps."""
    slots: Int32_2D
    """(size, place) slot of the window that starts there, or -1."""
    keys: Uint64_1D
    """(slot,) key of the pattern, or EMPTY."""
    counts: Int32_1D
    """(slot,) number of windows."""
    term_rows: Int32_1D
    """(slot,) row in `terms`."""
    terms: Float64_2D
    gains: Float64_2D
    firsts: Float64_1D
    layout: Annotated[NDArray[np.void], LAYOUT]
    """(size,) layout."""
    shifts: Int64_2D
    """(size, cell of the window) offset from the first cell."""
    multipliers: Uint64_2D
    """(size, cell of the window) multiplier of the tile in the key."""
    log: Annotated[NDArray[np.void], CHANGE]
    new: Uint64_1D
    """(entry of the log,) keys that are not looked up yet."""


class Geometry(NamedTuple):
    """Shape of a map as levels, rows and columns; a flat map has one level."""

    sides: Int64_1D
    """(axis,) number of cells."""
    strides: Int64_1D
    """(axis,) distance of neighbors in flat arrays; 0 for the levels of a flat map."""
    wraps: Int64_1D
    """(axis,) 1 if the map wraps, otherwise 0."""
    starts: Int64_3D
    """(size, axis, 3) first start of a window, the start after the last, and the window's number of cells."""
    first: int
    """Place of the first cell in flat arrays."""


EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
GIVE_UP_EXCESS = 3
"""Excess over the limit, in patterns that are not in the samples, at which `try_tile` stops counting."""
BOX_EXCESS = 4
"""The same for `try_box`."""
MAX_LOAD = 0.5
"""Fraction of used hash slots at which they must be rebuilt."""


@inline
def find_key(keys: Uint64_1D, first: int, rest: int, key: np.uint64) -> int:
    """Return the slot of a key in a hash table, or the free slot for it.

    The table starts at the slot `first` and has `rest` + 1 slots, a power of two.
    """
    place = np.int64((key * GAMMA) >> np.uint64(33)) & rest
    while keys[first + place] != key and keys[first + place] != EMPTY:
        place = (place + 1) & rest
    return int(first + place)


@inline
def _find_known(counter: CounterArrays, size: int, key: np.uint64) -> int:
    """Return the slot of a pattern of the samples, or -1 for any other pattern.

    With dense keys, return the slot of any pattern.
    """
    keys, layout = counter.keys, counter.layout[size]
    first, rest = layout["first"], layout["known"] - 1
    if rest < 0:
        return int(first + np.int64(key))
    slot = find_key(keys, int(first), int(rest), key)
    return slot if keys[slot] == key else -1


@part
def _find_other(counter: CounterArrays, size: int, key: np.uint64) -> int:
    """Return the slot of a pattern that is not in the samples; a new pattern gets a free slot and the count -1."""
    keys, layout = counter.keys, counter.layout[size]
    slot = find_key(keys, int(layout["first"] + layout["known"]), int(layout["others"] - 1), key)
    if keys[slot] != key:
        keys[slot], counter.counts[slot], counter.term_rows[slot] = key, -1, layout["lacking"]
        layout["used"] += 1
    return slot


@inline
def _gain(counter: CounterArrays, size: int, pattern: int, count: int) -> float:
    """Return the cost of one more window of a pattern that has `count` windows."""
    if count == 0 and pattern == counter.layout[size]["lacking"]:
        return float(counter.firsts[size])
    row = counter.layout[size]["gains"] + count
    return float(counter.gains[row, 0] - counter.terms[pattern, 0] - counter.terms[pattern, 1] * counter.gains[row, 1])


@inline
def _remove_window(counter: CounterArrays, size: int, slot: int) -> float:
    """Subtract a window from the counts; return the saved cost."""
    count = int(np.int64(counter.counts[slot])) - 1
    counter.counts[slot] = count
    return _gain(counter, size, counter.term_rows[slot], count)


@inline
def _add_window(counter: CounterArrays, size: int, slot: int) -> float:
    """Add a window to the counts; return its cost."""
    count = max(int(np.int64(counter.counts[slot])), 0)
    counter.counts[slot] = count + 1
    return _gain(counter, size, counter.term_rows[slot], count)


@part
def try_tile(counter: CounterArrays, top: int, place: int, tile: int, limit: float) -> tuple[float, int]:
    """Update the counts as if a cell, and its copies beyond wrapped edges, had another tile.

    Return the cost and the new end of the log. `keep` applies the change, `undo` reverts it. Counting stops when the
    cost is certain to exceed the limit: a pattern that is not in the samples costs at least `firsts`, and its lookup
    takes the longest.
    """
    keys, layout, log = counter.keys, counter.layout, counter.log
    cost, min_rest, unknown, start = 0.0, 0.0, 0, top
    step = np.uint64(np.int64(tile) - np.int64(counter.cells[place]))
    while place >= 0:
        for size in range(len(layout)):
            # With inter_weight 0, a pattern that is not in the samples may even save something.
            margin = GIVE_UP_EXCESS * max(0.0, counter.firsts[size])
            for number in range(layout[size]["cells"]):
                origin = place - counter.shifts[size, number]
                left = int(np.int64(counter.slots[size, origin]))
                if left < 0:
                    continue
                cost -= _remove_window(counter, size, left)
                key = keys[left] + step * counter.multipliers[size, number]
                entered = _find_known(counter, size, key)
                entry = log[top]
                entry["origin"], entry["left"], entry["entered"] = origin, left, entered
                entry["size"], entry["is_new"] = size, 0
                if entered < 0:
                    counter.new[top] = key
                    unknown += 1
                    min_rest += counter.firsts[size]
                else:
                    cost += _add_window(counter, size, entered)
                top += 1
                if cost + min_rest > limit + margin:
                    return cost + min_rest, top
        place = counter.next_copies[place] if counter.next_copies.size else -1
    if unknown == 0 or cost + min_rest > limit:
        return cost + min_rest, top
    for number in range(start, top):
        entry = log[number]
        if entry["entered"] < 0:
            size = int(np.int64(entry["size"]))
            entered = _find_other(counter, size, counter.new[number])
            entry["entered"], entry["is_new"] = entered, counter.counts[entered] < 0
            cost += _add_window(counter, size, entered)
    return cost, top


@inline
def find_starts(geometry: Geometry, size: int, axis: int, first: int, count: int) -> tuple[int, int]:
    """Return the first start, along an axis, of windows that overlap `count` cells from `first` on, and their number.

    Starts are coordinates of cells. Along an axis that wraps, the first start is inside the map; `wrap_start` returns
    the others.
    """
    extent, side = geometry.starts[size, axis, 2], geometry.sides[axis]
    low, number = first - extent + 1, count + extent - 1
    if geometry.wraps[axis]:
        return int(low % side), int(min(number, side))
    begin = max(low, geometry.starts[size, axis, 0])
    return int(begin), int(max(0, min(low + number, geometry.starts[size, axis, 1]) - begin))


@inline
def wrap_start(geometry: Geometry, axis: int, at: int) -> int:
    """Return a coordinate below twice the number of cells along an axis, wrapped if the axis wraps."""
    return int(at - geometry.sides[axis] if geometry.wraps[axis] and at >= geometry.sides[axis] else at)


@inline
def find_cell(geometry: Geometry, place: int) -> tuple[int, int, int]:
    """Return the level, row and column of a cell by its place in flat arrays."""
    rest, level = place - geometry.first, 0
    if geometry.strides[0] > 0:
        level = rest // geometry.strides[0]
        rest -= level * geometry.strides[0]
    return int(level), int(rest // geometry.strides[1]), int(rest % geometry.strides[1])


@part
def try_box(
    counter: CounterArrays,
    geometry: Geometry,
    top: int,
    corner: tuple[int, int, int],
    box: tuple[int, int, int],
    limit: float,
) -> tuple[float, int]:
    """Update the counts of the windows that overlap a box of cells after `write` has changed some of its cells.

    Return the cost and the new end of the log. `keep_windows` applies the change, `undo` reverts it. Counting stops at
    the end of a row of windows if the cost is so far above the limit that the rest is unlikely to make up for it.
    """
    keys, layout, log, strides = counter.keys, counter.layout, counter.log, geometry.strides
    cost = 0.0
    for size in range(len(layout)):
        levels = find_starts(geometry, size, 0, corner[0], box[0])
        rows = find_starts(geometry, size, 1, corner[1], box[1])
        columns = find_starts(geometry, size, 2, corner[2], box[2])
        for level in range(levels[0], levels[0] + levels[1]):
            level_place = geometry.first + wrap_start(geometry, 0, level) * strides[0]
            for row in range(rows[0], rows[0] + rows[1]):
                row_place = level_place + wrap_start(geometry, 1, row) * strides[1]
                for column in range(columns[0], columns[0] + columns[1]):
                    place = row_place + wrap_start(geometry, 2, column)
                    left = int(np.int64(counter.slots[size, place]))
                    if left < 0:
                        continue
                    key = _key_at(counter, size, int(place))
                    if key == keys[left]:
                        continue
                    cost -= _remove_window(counter, size, left)
                    entered = _find_known(counter, size, key)
                    if entered < 0:
                        entered = _find_other(counter, size, key)
                    change = log[top]
                    change["origin"], change["left"], change["entered"] = place, left, entered
                    change["size"], change["is_new"] = size, counter.counts[entered] < 0
                    top += 1
                    cost += _add_window(counter, size, entered)
                if cost > limit + BOX_EXCESS * max(0.0, counter.firsts[size]):
                    return cost, top
    return cost, top


@inline
def _key_at(counter: CounterArrays, size: int, place: int) -> np.uint64:
    """Return the key of the pattern in the window that starts at a place."""
    key = np.uint64(0)
    for cell in range(counter.layout[size]["cells"]):
        key += np.uint64(counter.cells[place + counter.shifts[size, cell]]) * counter.multipliers[size, cell]
    return key


@part
def keep_windows(counter: CounterArrays, first: int, top: int) -> None:
    """Apply the log, from its entry `first` on, to `slots`."""
    for number in range(first, top):
        entry = counter.log[number]
        counter.slots[entry["size"], entry["origin"]] = entry["entered"]


@part
def keep(counter: CounterArrays, first: int, top: int, place: int, tile: int) -> None:
    """Apply a tried change to `slots`, and to the cell and its copies."""
    keep_windows(counter, first, top)
    write(counter, place, tile)


@part
def write(counter: CounterArrays, place: int, tile: int) -> None:
    """Set the tile of a cell and its copies, without counting."""
    while place >= 0:
        counter.cells[place] = tile
        place = counter.next_copies[place] if counter.next_copies.size else -1


@part
def undo(counter: CounterArrays, top: int, kept: bool) -> None:
    """Revert the counts, and if `kept` the slots, of all entries of the log, but not the cells."""
    for number in range(top - 1, -1, -1):
        entry = counter.log[number]
        left, entered = entry["left"], entry["entered"]
        counter.counts[left] += 1
        if entered < 0:  # counting stopped before the lookup
            continue
        counter.counts[entered] -= 1
        if kept:
            counter.slots[entry["size"], entry["origin"]] = left
        if entry["is_new"]:  # this key was added last, so no later key depends on its slot
            counter.keys[entered] = EMPTY
            counter.layout[entry["size"]]["used"] -= 1


@part
def is_full(layout: NDArray[np.void]) -> bool:
    """Return whether `rebuild_slots` is needed."""
    full = False
    for size in range(len(layout)):
        full |= layout[size]["used"] > MAX_LOAD * layout[size]["others"]
    return full


@kernel(allocates=False)
def count_windows(counter: CounterArrays) -> None:
    """Count all windows, where `slots` is not -1. Counts must be 0, and the samples' patterns must have slots."""
    slots, counts = counter.slots, counter.counts
    for size in range(len(counter.layout)):
        for origin in range(slots.shape[1]):
            if slots[size, origin] < 0:
                continue
            key = _key_at(counter, size, origin)
            slot = _find_known(counter, size, key)
            if slot < 0:
                slot = _find_other(counter, size, key)
            counts[slot] = max(0, counts[slot]) + 1
            slots[size, origin] = slot


@kernel(allocates=False)
def rebuild_slots(counter: CounterArrays, old_keys: Uint64_1D, old_counts: Int32_1D, moved: Int32_1D) -> None:
    """Free the hash slots of patterns that no longer occur and are not in the samples.

    `old_keys` and `old_counts` are copies of the counter's arrays, `moved` is work space of the same length.
    """
    for size in range(len(counter.layout)):
        layout = counter.layout[size]
        first, others = layout["first"] + layout["known"], layout["others"]
        for slot in range(first, first + others):
            counter.keys[slot] = EMPTY
        layout["used"] = 0
        for slot in range(first, first + others):
            if old_keys[slot] != EMPTY and old_counts[slot] > 0:
                moved[slot] = _find_other(counter, size, old_keys[slot])
                counter.counts[moved[slot]] = old_counts[slot]
        for origin in range(counter.slots.shape[1] if others else 0):
            old = counter.slots[size, origin]
            if old >= first:
                counter.slots[size, origin] = moved[old]


@kernel(allocates=False)
def change_tile(counter: CounterArrays, place: int, tile: int) -> float:
    """Change the tile of a cell; return the change of the divergence."""
    cost, top = try_tile(counter, 0, place, tile, np.inf)
    keep(counter, 0, top, place, tile)
    return float(cost)


@kernel(allocates=False)
def add_known(counter: CounterArrays, size: int, known: Uint64_1D, row: int) -> None:
    """Assign slots to the samples' patterns, whose rows in `terms` start at `row`."""
    layout = counter.layout[size]
    first, rest = layout["first"], layout["known"] - 1
    for number in range(known.size):
        slot = first + np.int64(known[number])
        if rest >= 0:
            slot = find_key(counter.keys, int(first), int(rest), known[number])
            counter.keys[slot] = known[number]
        counter.counts[slot], counter.term_rows[slot] = 0, row + number


@kernel(allocates=False)
def fill_table(table: Uint64_1D, keys: Uint64_1D, slots: Int64_1D) -> None:
    """Assign slots of a hash table, whose length is a power of two, to different keys."""
    for number in range(keys.size):
        slot = find_key(table, 0, table.size - 1, keys[number])
        table[slot], slots[number] = keys[number], slot
