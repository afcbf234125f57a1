"""Maps whose patterns are counted while they change: the cost of changing a cell, in time independent of map size.

A counter has a map within a margin, flat. A window is known by its first cell; `slots` has, for every size of windows
and every first cell, where its pattern is counted (-1: no window begins here). A pattern has a key, the sum of its
tiles times multipliers, so that a cell that changes adds to the keys of the windows around it. Keys are either all
numbers below a bound, and slots follow from them, or any, and slots are found by hashing: those of the samples'
patterns in a small table that never changes, others in one that is sorted out from time to time. `which` names a
pattern's row in `terms`, the last of its size for all patterns that the samples lack.

Counting another window of a pattern that has c of them already changes the divergence by
`gains[c, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[c, 1]`, where everything is worked out beforehand; the
first one of a pattern that the samples lack by `firsts`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel
from .random import GAMMA
from .types import (
    Float64_1D,
    Float64_2D,
    Int32_1D,
    Int32_2D,
    Int64_1D,
    Int64_2D,
    Uint16_1D,
    Uint64_1D,
    Uint64_2D,
)

Cells: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.int32]

LAYOUT = np.dtype(
    [
        ("first", np.int64),  # the first slot of this size of windows
        ("known", np.int64),  # slots of the samples' patterns, a power of two; 0 where keys are dense
        ("others", np.int64),  # slots of other patterns, which follow; the same
        ("used", np.int64),  # slots of other patterns in use
        ("lacking", np.int64),  # the row in `terms` of patterns that the samples lack
        ("gains", np.int64),  # the first row in `gains`
        ("cells", np.int64),  # cells of a window
    ]
)
"""Where a size of windows is in the arrays of a counter."""
CHANGE = np.dtype(
    [
        ("origin", np.int32),
        ("left", np.int32),  # the slot of the pattern before
        ("entered", np.int32),  # the slot of the pattern now; -1: not looked up
        ("size", np.int16),
        ("is_new", np.int16),  # whether the slot was taken for it
    ]
)
"""A window whose pattern changes, in the log."""


class CounterArrays(NamedTuple):
    """A map, and the counts of its patterns."""

    cells: Uint16_1D
    next_copies: Int32_1D
    """(place,) the next copy of a cell behind a wrapped edge, or -1; empty where nothing wraps."""
    originals: Int32_1D
    """(place,) the cell that it is a copy of; empty where nothing wraps."""
    slots: Int32_2D
    """(size, place)"""
    keys: Uint64_1D
    counts: Int32_1D
    term_rows: Int32_1D
    """(slot,)"""
    terms: Float64_2D
    gains: Float64_2D
    firsts: Float64_1D
    layout: Annotated[NDArray[np.void], LAYOUT]
    """(size,)"""
    shifts: Int64_2D
    multipliers: Uint64_2D
    """(size, cell of the window)"""
    log: Annotated[NDArray[np.void], CHANGE]
    new: Uint64_1D
    """(entry of the log,) keys that are not looked up yet."""


EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
GIVE_UP_EXCESS = 3
"""A change that costs this much too much on the way, in patterns that the samples lack, is not looked at to its end."""
MAX_LOAD = 0.5
"""Fraction of hashed slots in use at which they must be sorted out."""


@inline
def _find_known(counter: CounterArrays, size: int, key: np.uint64) -> int:
    """Return where a pattern of the samples is counted, -1 for any other; with dense keys, where any is counted."""
    keys, layout = counter.keys, counter.layout[size]
    first, rest = layout["first"], layout["known"] - 1
    if rest < 0:
        return int(first + np.int64(key))
    place = np.int64((key * GAMMA) >> np.uint64(33)) & rest
    while keys[first + place] != key:
        if keys[first + place] == EMPTY:
            return -1
        place = (place + 1) & rest
    return int(first + place)


@kernel
def _find_other(counter: CounterArrays, size: int, key: np.uint64) -> int:
    """Return where a pattern that the samples lack is counted; a new one takes a free slot, and its count is -1."""
    keys, layout = counter.keys, counter.layout[size]
    first, rest = layout["first"] + layout["known"], layout["others"] - 1
    place = np.int64((key * GAMMA) >> np.uint64(33)) & rest
    while keys[first + place] != key:
        if keys[first + place] == EMPTY:
            keys[first + place] = key
            counter.counts[first + place] = -1
            counter.term_rows[first + place] = layout["lacking"]
            layout["used"] += 1
            break
        place = (place + 1) & rest
    return int(first + place)


@inline
def _gain(counter: CounterArrays, size: int, pattern: int, count: int) -> float:
    """Return what another window of a pattern costs that has `count` of them already."""
    if count == 0 and pattern == counter.layout[size]["lacking"]:
        return float(counter.firsts[size])
    row = counter.layout[size]["gains"] + count
    return float(counter.gains[row, 0] - counter.terms[pattern, 0] - counter.terms[pattern, 1] * counter.gains[row, 1])


@inline
def _remove_window(counter: CounterArrays, size: int, slot: int) -> float:
    """Count one window less; return what that saves."""
    count = int(np.int64(counter.counts[slot])) - 1
    counter.counts[slot] = count
    return _gain(counter, size, counter.term_rows[slot], count)


@inline
def _add_window(counter: CounterArrays, size: int, slot: int) -> float:
    """Count one window more; return what that costs."""
    count = max(int(np.int64(counter.counts[slot])), 0)
    counter.counts[slot] = count + 1
    return _gain(counter, size, counter.term_rows[slot], count)


@kernel
def try_tile(counter: CounterArrays, top: int, place: int, tile: int, limit: float) -> tuple[float, int]:
    """Count the windows that there would be if a cell, and its twins behind a wrapped edge, had another tile.

    Return what that costs, and the log's new end. `keep` makes it so, `undo` reverts it. A cost that must be above
    the limit is not worked out to its end: patterns that the samples lack cost `firsts` at least, and looking for them
    takes longest.
    """
    keys, layout, log = counter.keys, counter.layout, counter.log
    cost, least, start = 0.0, 0.0, top
    step = np.uint64(np.int64(tile) - np.int64(counter.cells[place]))
    while place >= 0:
        for size in range(len(layout)):
            fresh = counter.firsts[size]
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
                    least += fresh
                else:
                    cost += _add_window(counter, size, entered)
                top += 1
                if cost + least > limit + GIVE_UP_EXCESS * fresh:
                    return cost + least, top
        place = counter.next_copies[place] if counter.next_copies.size else -1
    if least == 0.0 or cost + least > limit:
        return cost + least, top
    for number in range(start, top):
        entry = log[number]
        if entry["entered"] < 0:
            size = int(np.int64(entry["size"]))
            entered = _find_other(counter, size, counter.new[number])
            entry["entered"], entry["is_new"] = entered, counter.counts[entered] < 0
            cost += _add_window(counter, size, entered)
    return cost, top


@kernel
def try_windows(
    counter: CounterArrays, top: int, origin: int, around: Int64_2D, lengths: Int64_1D
) -> tuple[float, int]:
    """Count the windows around a place whose cells have changed, by `write`, since they were counted.

    Return what that costs, and the log's new end; `keep_windows` makes it so, `undo` reverts it. `around` is where,
    relative to the place, windows of every size begin, of which there are `lengths`.
    """
    keys, layout, log = counter.keys, counter.layout, counter.log
    cost, start = 0.0, top
    for size in range(len(layout)):
        for number in range(lengths[size]):
            place = origin + around[size, number]
            if counter.originals.size:
                place = np.int64(counter.originals[place])
                met = False  # a small map that wraps has the same window on both sides
                for entry in range(start, top):
                    met |= log[entry]["origin"] == place and log[entry]["size"] == size
                if met:
                    continue
            left = int(np.int64(counter.slots[size, place]))
            if left < 0:
                continue
            key = _key_at(counter, size, place)
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
    return cost, top


@inline
def _key_at(counter: CounterArrays, size: int, place: int) -> np.uint64:
    """Return the key of the pattern in the window that begins at a place."""
    key = np.uint64(0)
    for cell in range(counter.layout[size]["cells"]):
        key += np.uint64(counter.cells[place + counter.shifts[size, cell]]) * counter.multipliers[size, cell]
    return key


@kernel
def keep_windows(counter: CounterArrays, first: int, top: int) -> None:
    """Make what was counted so: the log from its entry `first` on."""
    for number in range(first, top):
        entry = counter.log[number]
        counter.slots[entry["size"], entry["origin"]] = entry["entered"]


@kernel
def keep(counter: CounterArrays, first: int, top: int, place: int, tile: int) -> None:
    """Make what was tried so: the windows, and the cell with its twins."""
    keep_windows(counter, first, top)
    write(counter, place, tile)


@kernel
def write(counter: CounterArrays, place: int, tile: int) -> None:
    """Give a cell and its twins a tile, and no more."""
    while place >= 0:
        counter.cells[place] = tile
        place = counter.next_copies[place] if counter.next_copies.size else -1


@kernel
def undo(counter: CounterArrays, top: int, kept: bool) -> None:
    """Revert all that the log holds, the last of it first, but not the cells."""
    for number in range(top - 1, -1, -1):
        entry = counter.log[number]
        left, entered = entry["left"], entry["entered"]
        counter.counts[left] += 1
        if entered < 0:  # it was not worked out to its end
            continue
        counter.counts[entered] -= 1
        if kept:
            counter.slots[entry["size"], entry["origin"]] = left
        if entry["is_new"]:  # taken last, so no other key was put behind it
            counter.keys[entered] = EMPTY
            counter.layout[entry["size"]]["used"] -= 1


@kernel
def is_full(layout: NDArray[np.void]) -> bool:
    """Whether `sort_out` is due."""
    full = False
    for size in range(len(layout)):
        full |= layout[size]["used"] > MAX_LOAD * layout[size]["others"]
    return full


@kernel("void(CounterArrays)", allocates=False)
def count_windows(counter: CounterArrays) -> None:
    """Count all windows, where `slots` is not -1, again; counts are 0 before, and the samples' patterns are known."""
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


@kernel("void(CounterArrays, uint64[::1], int32[::1], int32[::1])", allocates=False)
def rebuild_slots(counter: CounterArrays, old_keys: Uint64_1D, old_counts: Int32_1D, moved: Int32_1D) -> None:
    """Free the hashed slots of patterns that no longer occur and that the samples lack.

    `old_keys` and `old_counts` are copies of the counter's, `moved` is scratch of the same length.
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


@kernel("int64(CounterArrays, int64[::1], int64[::1], int64, float64[::1])", allocates=False)
def change_tiles(counter: CounterArrays, places: Int64_1D, tiles: Int64_1D, first: int, value: Float64_1D) -> int:
    """Give cells from the one numbered `first` on other tiles; the next one, earlier where hashed slots are used up.

    What the divergence changes by is added to value[0].
    """
    for number in range(first, places.size):
        if is_full(counter.layout):
            return number
        place, tile = int(places[number]), int(tiles[number])
        cost, top = try_tile(counter, 0, place, tile, np.inf)
        keep(counter, 0, top, place, tile)
        value[0] += cost
    return places.size


@kernel("void(CounterArrays, int64, uint64[::1], int64)", allocates=False)
def add_known(counter: CounterArrays, size: int, known: Uint64_1D, row: int) -> None:
    """Give the samples' patterns their slots; the rows of their terms follow each other from this one on."""
    layout = counter.layout[size]
    first, rest = layout["first"], layout["known"] - 1
    for number in range(known.size):
        place = np.int64(known[number])
        if rest >= 0:
            place = np.int64((known[number] * GAMMA) >> np.uint64(33)) & rest
            while counter.keys[first + place] != EMPTY:
                place = (place + 1) & rest
            counter.keys[first + place] = known[number]
        counter.counts[first + place], counter.term_rows[first + place] = 0, row + number
