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


EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
GIVE_UP_EXCESS = 3
"""Excess over the limit, in patterns that are not in the samples, at which `try_tile` stops counting."""
MAX_LOAD = 0.5
"""Fraction of used hash slots at which they must be rebuilt."""


@inline
def _find_known(counter: CounterArrays, size: int, key: np.uint64) -> int:
    """Return the slot of a pattern of the samples, or -1 for any other pattern.

    With dense keys, return the slot of any pattern.
    """
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
    """Return the slot of a pattern that is not in the samples; a new pattern gets a free slot and the count -1."""
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


@kernel
def try_tile(counter: CounterArrays, top: int, place: int, tile: int, limit: float) -> tuple[float, int]:
    """Update the counts as if a cell, and its copies beyond wrapped edges, had another tile.

    Return the cost and the new end of the log. `keep` applies the change, `undo` reverts it. Counting stops when the
    cost is certain to exceed the limit: a pattern that is not in the samples costs at least `firsts`, and its lookup
    takes the longest.
    """
    keys, layout, log = counter.keys, counter.layout, counter.log
    cost, min_rest, start = 0.0, 0.0, top
    step = np.uint64(np.int64(tile) - np.int64(counter.cells[place]))
    while place >= 0:
        for size in range(len(layout)):
            first = counter.firsts[size]
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
                    min_rest += first
                else:
                    cost += _add_window(counter, size, entered)
                top += 1
                if cost + min_rest > limit + GIVE_UP_EXCESS * first:
                    return cost + min_rest, top
        place = counter.next_copies[place] if counter.next_copies.size else -1
    if min_rest == 0.0 or cost + min_rest > limit:
        return cost + min_rest, top
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
    """Update the counts of the windows around a place after its cells were changed by `write`.

    Return the cost and the new end of the log. `keep_windows` applies the change, `undo` reverts it. `around` has the
    offsets of the first cells of windows of every size from the place, and `lengths` their numbers.
    """
    keys, layout, log = counter.keys, counter.layout, counter.log
    cost, start = 0.0, top
    for size in range(len(layout)):
        for number in range(lengths[size]):
            place = origin + around[size, number]
            if counter.originals.size:
                place = np.int64(counter.originals[place])
                is_counted = False  # in a small map that wraps, the same window can be listed twice
                for entry in range(start, top):
                    is_counted |= log[entry]["origin"] == place and log[entry]["size"] == size
                if is_counted:
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
    """Return the key of the pattern in the window that starts at a place."""
    key = np.uint64(0)
    for cell in range(counter.layout[size]["cells"]):
        key += np.uint64(counter.cells[place + counter.shifts[size, cell]]) * counter.multipliers[size, cell]
    return key


@kernel
def keep_windows(counter: CounterArrays, first: int, top: int) -> None:
    """Apply the log, from its entry `first` on, to `slots`."""
    for number in range(first, top):
        entry = counter.log[number]
        counter.slots[entry["size"], entry["origin"]] = entry["entered"]


@kernel
def keep(counter: CounterArrays, first: int, top: int, place: int, tile: int) -> None:
    """Apply a tried change to `slots`, and to the cell and its copies."""
    keep_windows(counter, first, top)
    write(counter, place, tile)


@kernel
def write(counter: CounterArrays, place: int, tile: int) -> None:
    """Set the tile of a cell and its copies, without counting."""
    while place >= 0:
        counter.cells[place] = tile
        place = counter.next_copies[place] if counter.next_copies.size else -1


@kernel
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


@kernel
def is_full(layout: NDArray[np.void]) -> bool:
    """Return whether `rebuild_slots` is needed."""
    full = False
    for size in range(len(layout)):
        full |= layout[size]["used"] > MAX_LOAD * layout[size]["others"]
    return full


@kernel("void(CounterArrays)", allocates=False)
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


@kernel("void(CounterArrays, uint64[::1], int32[::1], int32[::1])", allocates=False)
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


@kernel("int64(CounterArrays, int64[::1], int64[::1], int64, float64[::1])", allocates=False)
def change_tiles(counter: CounterArrays, places: Int64_1D, tiles: Int64_1D, first: int, value: Float64_1D) -> int:
    """Change the tiles of cells from index `first` on; return the next index, earlier if the hash slots are full.

    The change of the divergence is added to value[0].
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
    """Assign slots to the samples' patterns, whose rows in `terms` start at `row`."""
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
