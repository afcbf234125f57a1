"""A wave: cells that may each hold any of some patterns, and the propagation of what cells can no longer hold.

A domain is the set of patterns that a cell may still hold, as bits. `allowed` has, for every direction and pattern, the
set of patterns that its neighbor there may hold. A cell whose domain shrinks makes its neighbors look for support:
patterns that no pattern of the cell allows are banned from theirs. Every change is written to a trail, a ring buffer,
so that choices can be undone; how far back depends on the length of the trail.

Undecided cells are in a heap, ordered by the heuristic that chooses the next cell.

Source: Mackworth, "Consistency in networks of relations", 1977, for looking for support until nothing changes.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel
from .types import Float64_1D, Int32_1D, Int32_2D, Int64_1D, Record, Uint64_1D, Uint64_2D, Uint64_3D

CELL = np.dtype(
    [
        ("sum_w_log_w", np.float64),  # of the patterns of the domain
        ("weight", np.int32),
        ("count", np.int32),
        ("removed_count", np.int32),  # patterns removed since the neighbors looked
        ("heap_place", np.int32),  # -1: not in the heap
        ("pending", np.uint8),  # directions of the neighbors that are to look for support, as bits
        ("touched", np.uint8),  # TOUCHED and CHANGED
    ],
    align=True,
)
"""What changes of a cell, beside the patterns of its domain."""
ENTRY = np.dtype(
    [("sum_w_log_w", np.float64), ("weight", np.int32), ("count", np.int32), ("cell", np.int32)], align=True
)
"""A cell before a change, on the trail; its domain is in `trail_domains`."""
UNDECIDED = np.dtype([("key", np.float64), ("cell", np.int32)], align=True)
"""A cell in the heap, the least key first."""
CHOICE = np.dtype([("top", np.int64), ("cell", np.int64), ("pattern", np.int64)], align=True)
"""A cell, the pattern that was chosen for it, and where the trail ended before."""


class WaveState(Record):
    heap_size: int
    queue_head: int
    queue_size: int
    touched_count: int
    changed_count: int
    top: int
    """Where the trail ends."""
    floor: int
    """Where the trail has been overwritten."""
    choices: int
    """Choices that hold."""
    oldest: int
    """The oldest choice that can be undone."""
    backtracks_left: int
    patience: int
    """`backtracks_left` after progress."""
    min_undecided: int
    """The fewest undecided cells so far."""
    contradiction: int
    """The last cell whose domain was empty."""
    cause: int
    """The global constraint that could not hold, or -1."""
    observed: int
    """How often a pattern was chosen."""
    backtracked: int
    """How often a choice was undone."""
    clean: int
    """Where the trail ended when everything was propagated."""
    dirty: int
    """Whether that was overwritten, so that not everything may be propagated."""


class WaveArrays(NamedTuple):
    """The domains of all cells, and what is known about them."""

    domains: Uint64_2D
    """(cell, word) patterns as bits."""
    cells: Annotated[NDArray[np.void], CELL]
    removed: Uint64_2D
    """(cell, word) patterns removed since the neighbors looked."""
    heap: Annotated[NDArray[np.void], UNDECIDED]
    queue: Int32_1D
    """A ring of cells whose neighbors are to look for support."""
    touched: Int32_1D
    """Cells that the heap and the global constraints have not seen since they changed."""
    changed: Int32_1D
    """The same for constraints in Python; of length 0 where there are none."""
    trail: Annotated[NDArray[np.void], ENTRY]
    """A ring of cells before they changed; its length is a power of two."""
    trail_domains: Uint64_2D
    choices: Annotated[NDArray[np.void], CHOICE]
    scratch: Uint64_1D
    """(word,) for `propagate`."""
    state: WaveState


class RuleArrays(NamedTuple):
    """What stays the same while a wave collapses."""

    neighbors: Int32_2D
    """(cell, direction) or -1: half of all directions, then those opposite."""
    allowed: Uint64_3D
    """(direction, pattern, word) patterns that may be there."""
    weights: Int64_1D
    w_log_w: Float64_1D
    """(pattern,)"""
    logarithms: Float64_1D
    """(weight,)"""
    noise: Float64_1D
    """(cell,) added to its key."""
    heuristic: int


ENTROPY, CONSTRAINED, SCANLINE = 0, 1, 2
NO_CELL = -1
ALL_DIRECTIONS = 255
TOUCHED, CHANGED = 1, 2

DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_PLACES = np.zeros(64, dtype=np.int64)
for _place in range(64):
    BIT_PLACES[(((1 << _place) * 0x03F79D71B4CB0A89) & 0xFFFFFFFFFFFFFFFF) >> 58] = _place
"""The place of a single bit, by the upper bits of its product with a de Bruijn sequence."""
ONE = np.uint64(1)
NONE = np.uint64(0)


@inline
def lowest_bit(bits: np.uint64) -> int:
    """Return the place of the lowest bit that is set."""
    return int(BIT_PLACES[np.int64(((bits & (~bits + ONE)) * DE_BRUIJN) >> np.uint64(58))])


@kernel
def touch(wave: WaveArrays, cell: int) -> None:
    """Remember that a cell has changed."""
    own, state = wave.cells[cell], wave.state
    if not own["touched"] & TOUCHED:
        own["touched"] |= TOUCHED
        wave.touched[state.touched_count] = cell
        state.touched_count += 1


@kernel
def write_trail(wave: WaveArrays, cell: int) -> None:
    """Write a cell to the trail before it changes."""
    state, own = wave.state, wave.cells[cell]
    place = state.top & (len(wave.trail) - 1)
    entry = wave.trail[place]
    entry["cell"], entry["count"] = cell, own["count"]
    entry["weight"], entry["sum_w_log_w"] = own["weight"], own["sum_w_log_w"]
    for word in range(wave.domains.shape[1]):
        wave.trail_domains[place, word] = wave.domains[cell, word]
    state.top += 1
    state.floor = max(state.floor, state.top - len(wave.trail))


@kernel
def restrict_cell(wave: WaveArrays, rules: RuleArrays, cell: int, kept: Uint64_1D, inverted: bool) -> bool:
    """Ban all patterns of a cell but some, or these where `inverted`; whether any pattern is left."""
    state, own = wave.state, wave.cells[cell]
    write_trail(wave, cell)
    left = NONE
    for word in range(wave.domains.shape[1]):
        banned = wave.domains[cell, word] & (kept[word] if inverted else ~kept[word])
        wave.domains[cell, word] ^= banned
        wave.removed[cell, word] |= banned
        left |= wave.domains[cell, word]
        while banned != NONE:
            pattern = 64 * word + lowest_bit(banned)
            banned &= banned - ONE
            own["removed_count"] += 1
            own["count"] -= 1
            own["weight"] -= rules.weights[pattern]
            own["sum_w_log_w"] -= rules.w_log_w[pattern]
    touch(wave, cell)
    if not own["pending"]:
        place = state.queue_head + state.queue_size
        wave.queue[place if place < len(wave.queue) else place - len(wave.queue)] = cell
        state.queue_size += 1
    own["pending"] = ALL_DIRECTIONS
    return bool(left != NONE)


@kernel
def propagate(wave: WaveArrays, rules: RuleArrays) -> int:
    """Let all neighbors of cells that changed look for support; the first cell without a pattern left, or -1."""
    domains, cells, removed, queue, missing = wave.domains, wave.cells, wave.removed, wave.queue, wave.scratch
    trail, trail_domains, state = wave.trail, wave.trail_domains, wave.state
    neighbors, allowed = rules.neighbors, rules.allowed
    words, directions, length = domains.shape[1], neighbors.shape[1], len(queue)
    half, last = directions // 2, len(trail) - 1
    head, queued, top, touched_count = state.queue_head, state.queue_size, state.top, state.touched_count
    contradiction = NO_CELL
    while queued > 0 and contradiction < 0:
        cell = queue[head]
        own = cells[cell]
        queued -= 1
        head = head + 1 if head + 1 < length else 0
        pending = own["pending"]
        own["pending"] = 0
        few = own["count"] <= 2 * own["removed_count"]
        for direction in range(directions):
            other = neighbors[cell, direction]
            if other < 0 or not pending >> direction & 1:
                continue
            back = direction + half if direction < half else direction - half
            rest = NONE
            if few:  # look at all patterns of the cell: what none of them allows
                for part in range(words):
                    missing[part] = domains[other, part]
                for word in range(words):
                    left = domains[cell, word]
                    while left != NONE:
                        pattern = 64 * word + lowest_bit(left)
                        left &= left - ONE
                        rest = NONE
                        for part in range(words):
                            missing[part] &= ~allowed[direction, pattern, part]
                            rest |= missing[part]
                        if rest == NONE:
                            break
                    if left != NONE:
                        break
            else:  # look only at what the removed patterns allowed
                for part in range(words):
                    missing[part] = NONE
                for word in range(words):
                    left = removed[cell, word]
                    while left != NONE:
                        pattern = 64 * word + lowest_bit(left)
                        left &= left - ONE
                        for part in range(words):
                            missing[part] |= allowed[direction, pattern, part]
                for word in range(words):
                    left = missing[word] & domains[other, word]
                    lacking = left
                    while left != NONE:
                        bit = left & (~left + ONE)
                        left ^= bit
                        pattern = 64 * word + lowest_bit(bit)
                        support = NONE
                        for part in range(words):
                            support |= allowed[back, pattern, part] & domains[cell, part]
                        if support != NONE:
                            lacking ^= bit
                    missing[word] = lacking
                    rest |= lacking
            if rest == NONE:
                continue
            there = cells[other]
            place = top & last
            entry = trail[place]
            entry["cell"], entry["count"] = other, there["count"]
            entry["weight"], entry["sum_w_log_w"] = there["weight"], there["sum_w_log_w"]
            top += 1
            count, weight, sum_w_log_w = 0, 0, there["sum_w_log_w"]
            for word in range(words):
                trail_domains[place, word] = domains[other, word]
                left = missing[word]
                domains[other, word] ^= left
                removed[other, word] |= left
                while left != NONE:
                    pattern = 64 * word + lowest_bit(left)
                    left &= left - ONE
                    count += 1
                    weight += rules.weights[pattern]
                    sum_w_log_w -= rules.w_log_w[pattern]
            there["removed_count"] += count
            there["count"] -= count
            there["weight"] -= weight
            there["sum_w_log_w"] = sum_w_log_w
            if not there["touched"] & TOUCHED:
                there["touched"] |= TOUCHED
                wave.touched[touched_count] = other
                touched_count += 1
            if not there["pending"]:
                place = head + queued
                queue[place if place < length else place - length] = other
                queued += 1
            # The patterns that the other lost supported nothing here: the cell itself need not look.
            there["pending"] |= ALL_DIRECTIONS ^ (1 << back)
            if there["count"] == 0:
                contradiction = int(other)
                break
        if not own["pending"]:  # a cell may be its own neighbor, on a map that wraps and is one cell long
            for word in range(words):
                removed[cell, word] = NONE
            own["removed_count"] = 0
    state.queue_head, state.queue_size, state.top, state.touched_count = head, queued, top, touched_count
    state.floor = max(state.floor, top - len(trail))
    if contradiction >= 0:
        state.cause = NO_CELL
        clear_queue(wave)
    return contradiction


@kernel
def clear_queue(wave: WaveArrays) -> None:
    """Drop all pending changes."""
    state = wave.state
    for step in range(state.queue_size):
        cell = wave.queue[(state.queue_head + step) % len(wave.queue)]
        own = wave.cells[cell]
        own["pending"], own["removed_count"] = 0, 0
        for word in range(wave.removed.shape[1]):
            wave.removed[cell, word] = NONE
    state.queue_size = 0


@kernel
def undo(wave: WaveArrays, top: int) -> None:
    """Undo all changes behind a place of the trail."""
    state = wave.state
    while state.top > top:
        state.top -= 1
        place = state.top & (len(wave.trail) - 1)
        entry = wave.trail[place]
        cell = entry["cell"]
        own = wave.cells[cell]
        own["count"], own["weight"], own["sum_w_log_w"] = entry["count"], entry["weight"], entry["sum_w_log_w"]
        for word in range(wave.domains.shape[1]):
            wave.domains[cell, word] = wave.trail_domains[place, word]
        touch(wave, cell)


@kernel
def undo_to_clean(wave: WaveArrays) -> None:
    """Undo all since everything was propagated, or mark the wave as dirty where the trail is too short for that."""
    state = wave.state
    if state.clean < state.floor:
        state.dirty = 1
    else:
        undo(wave, state.clean)


# -- the heap of undecided cells ----------------------------------------------------------------------------------


@kernel
def refresh_heap(wave: WaveArrays, rules: RuleArrays) -> None:
    """Give all touched cells their place in the heap."""
    cells, heap, state = wave.cells, wave.heap, wave.state
    for number in range(state.touched_count):
        cell = int(wave.touched[number])
        own = cells[cell]
        if len(wave.changed) and not own["touched"] & CHANGED:
            wave.changed[state.changed_count] = cell
            state.changed_count += 1
            own["touched"] = CHANGED
        own["touched"] &= CHANGED
        place = own["heap_place"]
        if own["count"] > 1:
            key = float(cell)
            if rules.heuristic == ENTROPY:
                key = rules.logarithms[own["weight"]] - own["sum_w_log_w"] / own["weight"] + rules.noise[cell]
            elif rules.heuristic == CONSTRAINED:
                key = own["count"] + rules.noise[cell]
            if place < 0:
                place = state.heap_size
                state.heap_size += 1
            _place_in_heap(cells, heap, state.heap_size, place, cell, key)
        elif place >= 0:
            own["heap_place"] = -1
            state.heap_size -= 1
            last = heap[state.heap_size]
            if last["cell"] != cell:
                _place_in_heap(cells, heap, state.heap_size, place, last["cell"], last["key"])
    state.touched_count = 0


@kernel
def _place_in_heap(
    cells: NDArray[np.void], heap: NDArray[np.void], size: int, place: int, cell: int, key: float
) -> None:
    """Put a cell into the heap at a place, or above or below it."""
    while place > 0 and heap[(place - 1) >> 1]["key"] > key:
        _move_in_heap(cells, heap, (place - 1) >> 1, place)
        place = (place - 1) >> 1
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and heap[child + 1]["key"] < heap[child]["key"]:
            child += 1
        if heap[child]["key"] >= key:
            break
        _move_in_heap(cells, heap, child, place)
        place = child
    heap[place]["key"], heap[place]["cell"] = key, cell
    cells[cell]["heap_place"] = place


@inline
def _move_in_heap(cells: NDArray[np.void], heap: NDArray[np.void], old: int, new: int) -> None:
    heap[new]["key"], heap[new]["cell"] = heap[old]["key"], heap[old]["cell"]
    cells[heap[new]["cell"]]["heap_place"] = new
