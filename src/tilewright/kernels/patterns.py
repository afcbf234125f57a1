"""Maps whose windows are counted while they change: what a change of a cell costs, in time that no map size enters.

A board is a map within a margin, flat. A window is known by its first cell; `slots` tells, for every size of windows
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

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .random import GAMMA

Cells: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.int32]
Keys: TypeAlias = NDArray[np.uint64]
Layout: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Board: TypeAlias = tuple[Any, ...]
"""cells; twins, the next copy of a cell behind a wrapped edge, and homes, the cell of which one is a copy (both empty
where nothing wraps); slots, keys, counts, which; terms, gains, firsts; layout, shifts, multipliers; log, new."""

BOARD = (
    "Tuple((uint16[::1], int32[::1], int32[::1], int32[:, ::1], uint64[::1], int32[::1], int32[::1], float64[:, ::1],"
    " float64[:, ::1], float64[::1], int64[:, ::1], int64[:, ::1], uint64[:, ::1], int32[:, ::1], uint64[::1]))"
)
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
FIRST, KNOWN, OTHERS, LACKING, GAINS, CELLS, USED = 0, 1, 2, 3, 4, 5, 6
"""Of a size's layout: its first slot; how many there are for patterns of the samples and how many follow for others,
powers of two if they are hashed, else 0; the row in `terms` of what samples lack; the first row in `gains`; cells of a
window; slots for others in use."""
ORIGIN, LEFT, ENTERED, MARK = 0, 1, 2, 3
"""Of an entry in the log of windows that change: twice the number of its size is the mark, one more for a new slot."""
HOPELESS = 3
"""A change that is so much too dear on the way, in patterns that the samples lack, is not looked at to its end."""
FULL = 0.5
"""Share of hashed slots in use at which they must be sorted out."""


@kernel
def _known(keys: Keys, layout: Layout, size: int, key: np.uint64) -> int:
    """Where a pattern of the samples is counted, -1 for any other one; with dense keys, where any is counted."""
    first, rest = layout[size, FIRST], layout[size, KNOWN] - 1
    if rest < 0:
        return int(first + np.int64(key))
    place = np.int64((key * GAMMA) >> np.uint64(33)) & rest
    while keys[first + place] != key:
        if keys[first + place] == EMPTY:
            return -1
        place = (place + 1) & rest
    return int(first + place)


@kernel
def _other(keys: Keys, counts: Numbers, which: Numbers, layout: Layout, size: int, key: np.uint64) -> int:
    """Where a pattern that the samples lack is counted; a new one takes a free slot, and its count is then -1."""
    first, rest = layout[size, FIRST] + layout[size, KNOWN], layout[size, OTHERS] - 1
    place = np.int64((key * GAMMA) >> np.uint64(33)) & rest
    while keys[first + place] != key:
        if keys[first + place] == EMPTY:
            keys[first + place] = key
            counts[first + place] = -1
            which[first + place] = layout[size, LACKING]
            layout[size, USED] += 1
            break
        place = (place + 1) & rest
    return int(first + place)


@kernel
def try_tile(board: Board, top: int, place: int, tile: int, limit: float) -> tuple[float, int]:
    """Count the windows that there would be if a cell, and its twins behind a wrapped edge, had another tile.

    Gives what that costs, and the log's new end. `keep` makes it so, `undo` takes it back. A cost that must be above
    the limit is not worked out to its end: patterns that the samples lack cost `firsts` at least, and looking for them
    takes longest.
    """
    cells, twins, _, slots, keys, counts, which, terms, gains, firsts, layout, shifts, multipliers, log, new = board
    cost, least, start = 0.0, 0.0, top
    step = np.uint64(np.int64(tile) - np.int64(cells[place]))
    while place >= 0:
        for size in range(len(layout)):
            row, lacking, fresh = layout[size, GAINS], layout[size, LACKING], firsts[size]
            for number in range(layout[size, CELLS]):
                origin = place - shifts[size, number]
                left = np.int64(slots[size, origin])
                if left < 0:
                    continue
                count = np.int64(counts[left]) - 1
                counts[left] = count
                pattern = which[left]
                if count == 0 and pattern == lacking:
                    cost -= fresh
                else:
                    cost -= gains[row + count, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[row + count, 1]
                key = keys[left] + step * multipliers[size, number]
                entered = _known(keys, layout, size, key)
                log[top, ORIGIN], log[top, LEFT], log[top, ENTERED], log[top, MARK] = origin, left, entered, 2 * size
                if entered < 0:
                    new[top] = key
                    least += fresh
                else:
                    count = np.int64(counts[entered])
                    counts[entered] = count + 1
                    pattern = which[entered]
                    if count == 0 and pattern == lacking:
                        cost += fresh
                    else:
                        cost += gains[row + count, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[row + count, 1]
                top += 1
                if cost + least > limit + HOPELESS * fresh:
                    return cost + least, top
        place = twins[place] if twins.size else -1
    if least == 0.0 or cost + least > limit:
        return cost + least, top
    for entry in range(start, top):
        if log[entry, ENTERED] >= 0:
            continue
        size = log[entry, MARK] >> 1
        entered = _other(keys, counts, which, layout, size, new[entry])
        count = np.int64(counts[entered])
        log[entry, ENTERED] = entered
        log[entry, MARK] += count < 0
        if count <= 0:
            cost += firsts[size]
            counts[entered] = 1
        else:
            row, lacking = layout[size, GAINS], layout[size, LACKING]
            cost += gains[row + count, 0] - terms[lacking, 0] - terms[lacking, 1] * gains[row + count, 1]
            counts[entered] = count + 1
    return cost, top


@kernel
def try_windows(board: Board, top: int, origin: int, around: Layout, lengths: Layout) -> tuple[float, int]:
    """Count the windows around a place whose cells have changed, by `write`, since they were counted.

    Gives what that costs, and the log's new end; `keep_windows` makes it so, `undo` takes it back. `around` is where,
    seen from the place, windows of every size begin, of which there are `lengths`.
    """
    cells, _, homes, slots, keys, counts, which, terms, gains, firsts, layout, shifts, multipliers, log, _ = board
    cost, start = 0.0, top
    for size in range(len(layout)):
        row, lacking, fresh = layout[size, GAINS], layout[size, LACKING], firsts[size]
        for number in range(lengths[size]):
            place = origin + around[size, number]
            if homes.size:
                place = np.int64(homes[place])
                met = False  # a small map that wraps has the same window on both sides
                for entry in range(start, top):
                    met |= log[entry, ORIGIN] == place and log[entry, MARK] >> 1 == size
                if met:
                    continue
            left = np.int64(slots[size, place])
            if left < 0:
                continue
            key = np.uint64(0)
            for cell in range(layout[size, CELLS]):
                key += np.uint64(cells[place + shifts[size, cell]]) * multipliers[size, cell]
            if key == keys[left]:
                continue
            count = np.int64(counts[left]) - 1
            counts[left] = count
            pattern = which[left]
            if count == 0 and pattern == lacking:
                cost -= fresh
            else:
                cost -= gains[row + count, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[row + count, 1]
            entered = _known(keys, layout, size, key)
            if entered < 0:
                entered = _other(keys, counts, which, layout, size, key)
            count = np.int64(counts[entered])
            log[top, ORIGIN], log[top, LEFT], log[top, ENTERED] = place, left, entered
            log[top, MARK] = 2 * size + (count < 0)
            top += 1
            count = count if count > 0 else np.int64(0)
            counts[entered] = count + 1
            pattern = which[entered]
            if count == 0 and pattern == lacking:
                cost += fresh
            else:
                cost += gains[row + count, 0] - terms[pattern, 0] - terms[pattern, 1] * gains[row + count, 1]
    return cost, top


@kernel
def keep_windows(board: Board, first: int, top: int) -> None:
    """Make what was counted so: the log from its entry `first` on."""
    slots, log = board[3], board[13]
    for entry in range(first, top):
        slots[log[entry, MARK] >> 1, log[entry, ORIGIN]] = log[entry, ENTERED]


@kernel
def keep(board: Board, first: int, top: int, place: int, tile: int) -> None:
    """Make what was tried so: the windows, and the cell with its twins."""
    keep_windows(board, first, top)
    write(board, place, tile)


@kernel
def write(board: Board, place: int, tile: int) -> None:
    """Give a cell and its twins a tile, and no more."""
    cells, twins = board[0], board[1]
    while place >= 0:
        cells[place] = tile
        place = twins[place] if twins.size else -1


@kernel
def undo(board: Board, top: int, kept: bool) -> None:
    """Take back all that the log holds, the last of it first; what cells held is for whoever wrote them to know."""
    slots, keys, counts, layout, log = board[3], board[4], board[5], board[10], board[13]
    for entry in range(top - 1, -1, -1):
        left, entered = log[entry, LEFT], log[entry, ENTERED]
        counts[left] += 1
        if entered < 0:  # it was not worked out to its end
            continue
        counts[entered] -= 1
        size = log[entry, MARK] >> 1
        if kept:
            slots[size, log[entry, ORIGIN]] = left
        if log[entry, MARK] & 1:  # taken last, so no other key was put behind it
            keys[entered] = EMPTY
            layout[size, USED] -= 1


@kernel
def is_full(board: Board) -> bool:
    """Whether `sort_out` is due."""
    layout = board[10]
    full = False
    for size in range(len(layout)):
        full |= layout[size, USED] > FULL * layout[size, OTHERS]
    return full


@kernel(f"void({BOARD})")
def count_windows(board: Board) -> None:
    """Count all windows, where `slots` is not -1, anew; counts are 0 before, and the samples' patterns are known."""
    cells, _, _, slots, keys, counts, which, _, _, _, layout, shifts, multipliers, _, _ = board
    for size in range(len(layout)):
        for origin in range(slots.shape[1]):
            if slots[size, origin] < 0:
                continue
            key = np.uint64(0)
            for number in range(layout[size, CELLS]):
                key += np.uint64(cells[origin + shifts[size, number]]) * multipliers[size, number]
            slot = _known(keys, layout, size, key)
            if slot < 0:
                slot = _other(keys, counts, which, layout, size, key)
            counts[slot] = max(0, counts[slot]) + 1
            slots[size, origin] = slot


@kernel(f"void({BOARD})")
def sort_out(board: Board) -> None:
    """Free the hashed slots of patterns that occur no more and that the samples lack."""
    slots, keys, counts, which, layout = board[3], board[4], board[5], board[6], board[10]
    for size in range(len(layout)):
        first, others = layout[size, FIRST] + layout[size, KNOWN], layout[size, OTHERS]
        if others == 0:
            continue
        old_keys = keys[first : first + others].copy()
        old_counts = counts[first : first + others].copy()
        keys[first : first + others] = EMPTY
        layout[size, USED] = 0
        moved = np.full(others, -1, dtype=np.int32)
        for place in range(others):
            if old_keys[place] != EMPTY and old_counts[place] > 0:
                moved[place] = _other(keys, counts, which, layout, size, old_keys[place])
                counts[moved[place]] = old_counts[place]
        for origin in range(slots.shape[1]):
            if slots[size, origin] >= first:
                slots[size, origin] = moved[slots[size, origin] - first]


@kernel(f"void({BOARD}, int64[::1], int64[::1], float64[::1])")
def change(board: Board, places: Layout, tiles: Layout, value: Reals) -> None:
    """Give cells other tiles, one after the other; what the divergence changes by is added to value[0]."""
    for number in range(places.size):
        if is_full(board):
            sort_out(board)
        place, tile = int(places[number]), int(tiles[number])
        cost, top = try_tile(board, 0, place, tile, np.inf)
        keep(board, 0, top, place, tile)
        value[0] += cost


@kernel(f"void({BOARD}, int64, uint64[::1], int64)")
def know(board: Board, size: int, known: Keys, row: int) -> None:
    """Give the samples' patterns their slots; the rows of their terms follow each other from this one on."""
    keys, counts, which, layout = board[4], board[5], board[6], board[10]
    first, rest = layout[size, FIRST], layout[size, KNOWN] - 1
    for number in range(known.size):
        place = np.int64(known[number])
        if rest >= 0:
            place = np.int64((known[number] * GAMMA) >> np.uint64(33)) & rest
            while keys[first + place] != EMPTY:
                place = (place + 1) & rest
            keys[first + place] = known[number]
        counts[first + place], which[first + place] = 0, row + number
