"""Waves: the possible patterns of every cell, and constraint propagation.

A domain is the set of patterns that a cell can still hold, as bits. The rules have, for every direction and pattern,
the patterns that the neighbor in this direction can hold: as bits (`allowed`) or, if there are many patterns, as lists.
When the domain of a cell shrinks, those patterns of its neighbors are banned that no remaining pattern of the cell
allows. Bits and lists give the same result in the same order. Every change is recorded in a trail, a ring buffer, so
that choices can be undone as far back as the trail reaches.

Undecided cells are in a heap, ordered by the heuristic that chooses the next cell.

Source: Mackworth, "Consistency in networks of relations", 1977, for arc consistency.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, part
from .bit_rows import count_bits, lowest_index
from .types import Float64_1D, Int32_1D, Int32_2D, Int64_1D, Record, Uint64_1D, Uint64_2D, Uint64_3D

CELL = np.dtype(
    [
        ("sum_w_log_w", np.int64),  # of the patterns of the domain
        ("weight", np.int32),
        ("count", np.int32),
        ("removed_count", np.int32),  # patterns removed since the last propagation to the neighbors
        ("heap_place", np.int32),  # -1: not in the heap
        ("pending", np.uint8),  # directions of the neighbors to propagate to, as bits
        ("touched", np.uint8),  # TOUCHED and CHANGED
    ],
    align=True,
)
"""State of a cell, except its domain."""
ENTRY = np.dtype([("sum_w_log_w", np.int64), ("weight", np.int32), ("count", np.int32), ("cell", np.int32)], align=True)
"""State of a cell before a change, in the trail; its domain is in `trail_domains`."""
UNDECIDED = np.dtype([("key", np.float64), ("cell", np.int32)], align=True)
"""Entry of the heap, in ascending order of keys."""
CHOICE = np.dtype([("top", np.int64), ("cell", np.int64), ("pattern", np.int64)], align=True)
"""Collapsed cell, its pattern, and the end of the trail before the choice."""


class WaveState(Record):
    """Counters of a search."""

    heap_size: int
    queue_head: int
    queue_size: int
    touched_count: int
    changed_count: int
    top: int
    """End of the trail."""
    floor: int
    """Position up to which the trail has been overwritten."""
    choices: int
    """Number of choices in effect."""
    oldest: int
    """Oldest choice that can be undone."""
    backtracks_left: int
    patience: int
    """Value of `backtracks_left` after progress."""
    min_undecided: int
    """Smallest number of undecided cells so far."""
    contradiction: int
    """Last cell whose domain was empty."""
    cause: int
    """Global constraint that was violated, or -1."""
    observed: int
    """Number of choices made."""
    backtracked: int
    """Number of choices undone."""
    clean: int
    """End of the trail when everything was last propagated."""
    dirty: int
    """Whether the trail was overwritten beyond `clean`, so that some changes may not be propagated."""
    stamp: int
    """Number of searches for unsupported patterns in lists."""


class WaveArrays(NamedTuple):
    """Domains of all cells, and the state of the search."""

    domains: Uint64_2D
    """(cell, word) patterns as bits."""
    cells: Annotated[NDArray[np.void], CELL]
    removed: Uint64_2D
    """(cell, word) patterns removed since the last propagation to the neighbors."""
    heap: Annotated[NDArray[np.void], UNDECIDED]
    queue: Int32_1D
    """Ring buffer of cells whose changes are not yet propagated."""
    touched: Int32_1D
    """Changed cells for which the heap and the global constraints are not yet updated."""
    changed: Int32_1D
    """Changed cells for user constraints; of length 0 without any."""
    trail: Annotated[NDArray[np.void], ENTRY]
    """Ring buffer of cells before their changes; its length is a power of two."""
    trail_domains: Uint64_2D
    choices: Annotated[NDArray[np.void], CHOICE]
    scratch: Uint64_1D
    """(word,) patterns to keep; work space of `collapse`."""
    banned: Uint64_1D
    """(word,) patterns to remove; work space of `propagate` and `restrict_cell`."""
    stamps: Int64_1D
    """(list,) last search that used the list, negated if it contained no pattern of the cell; see `state.stamp`."""
    state: WaveState


class RuleArrays(NamedTuple):
    """Constant data of a wave."""

    neighbors: Int32_2D
    """(cell, direction) neighbor or -1: half of the directions, then their opposites."""
    allowed: Uint64_3D
    """(direction, pattern, word) patterns that the neighbor of the pattern in that direction may hold, as bits."""
    lists: Int32_2D
    """(direction, pattern) list of the patterns that the neighbor may hold; empty if `allowed` is used."""
    list_starts: Int32_1D
    """(list + 1,) start of each list in `members`."""
    members: Int32_1D
    """Patterns of all lists."""
    list_inverses: Int32_1D
    """(list,) list of the opposite direction that all members of the list have, or -1 if they have several."""
    weights: Int64_1D
    """(pattern,) weight."""
    w_log_w: Int64_1D
    """(pattern,) weight times its logarithm, in units of 1 / LOG_SCALE."""
    logarithms: Float64_1D
    """(weight,) logarithm."""
    noise: Float64_1D
    """(cell,) amount added to the heap key of each cell."""
    heuristic: int


ENTROPY, CONSTRAINED, SCANLINE = 0, 1, 2
NO_CELL = -1
ALL_DIRECTIONS = 255
TOUCHED, CHANGED = 1, 2

LOG_SCALE = 1 << 36
"""Units per 1 of weights times logarithms. The sum of a domain is an integer, so that its order does not matter."""
ONE = np.uint64(1)
NONE = np.uint64(0)


@part
def touch(wave: WaveArrays, cell: int) -> None:
    """Mark a cell as changed."""
    own, state = wave.cells[cell], wave.state
    if not own["touched"] & TOUCHED:
        own["touched"] |= TOUCHED
        wave.touched[state.touched_count] = cell
        state.touched_count += 1


@part
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


@inline
def _ban(wave: WaveArrays, rules: RuleArrays, cell: int) -> None:
    """Remove the patterns in `wave.banned` from the domain of a cell and update its sums."""
    domains, removed, cells, banned = wave.domains, wave.removed, wave.cells, wave.banned
    weights, w_log_w = rules.weights, rules.w_log_w
    own, words, count = cells[cell], domains.shape[1], 0
    for word in range(words):
        gone = banned[word]
        domains[cell, word] ^= gone
        removed[cell, word] |= gone
        count += count_bits(gone)
    remaining = own["count"] - count
    own["removed_count"] += count
    own["count"] = remaining
    # The sums are those of the remaining patterns; the smaller of the two sets is added up.
    fewer_left = remaining < count
    weight, sum_w_log_w = 0, 0
    for word in range(words):
        left = domains[cell, word] if fewer_left else banned[word]
        while left != NONE:
            pattern = 64 * word + lowest_index(left)
            left &= left - ONE
            weight += weights[pattern]
            sum_w_log_w += w_log_w[pattern]
    own["weight"] = weight if fewer_left else own["weight"] - weight
    own["sum_w_log_w"] = sum_w_log_w if fewer_left else own["sum_w_log_w"] - sum_w_log_w


@part
def restrict_cell(wave: WaveArrays, rules: RuleArrays, cell: int, kept: Uint64_1D, inverted: bool) -> bool:
    """Ban all patterns of a cell except `kept` or, if `inverted`, ban only `kept`; return whether any is left."""
    state, own, banned = wave.state, wave.cells[cell], wave.banned
    write_trail(wave, cell)
    for word in range(wave.domains.shape[1]):
        banned[word] = wave.domains[cell, word] & (kept[word] if inverted else ~kept[word])
    _ban(wave, rules, cell)
    touch(wave, cell)
    if not own["pending"]:
        place = state.queue_head + state.queue_size
        wave.queue[place if place < len(wave.queue) else place - len(wave.queue)] = cell
        state.queue_size += 1
    own["pending"] = ALL_DIRECTIONS
    return bool(own["count"] > 0)


@inline
def _find_unsupported_by_bits(
    wave: WaveArrays, rules: RuleArrays, cell: int, other: int, direction: int, back: int, few: bool
) -> bool:
    """Write the patterns of a neighbor that no pattern of a cell allows to `wave.banned`; return whether any exist."""
    domains, removed, missing, allowed = wave.domains, wave.removed, wave.banned, rules.allowed
    words = domains.shape[1]
    if words == 1:
        missing[0] = _find_unsupported_in_word(
            *(domains[cell, 0], removed[cell, 0], domains[other, 0], allowed, direction, back, few)
        )
        return bool(missing[0] != NONE)
    rest = NONE
    if few:  # few patterns are left in the cell: ban all patterns of the neighbor that none of them allows
        for index in range(words):
            missing[index] = domains[other, index]
        for word in range(words):
            left = domains[cell, word]
            while left != NONE:
                pattern = 64 * word + lowest_index(left)
                left &= left - ONE
                rest = NONE
                for index in range(words):
                    missing[index] &= ~allowed[direction, pattern, index]
                    rest |= missing[index]
                if rest == NONE:
                    return False
        return bool(rest != NONE)
    for index in range(words):  # check only the patterns of the neighbor that removed patterns allowed
        missing[index] = NONE
    for word in range(words):
        left = removed[cell, word]
        while left != NONE:
            pattern = 64 * word + lowest_index(left)
            left &= left - ONE
            for index in range(words):
                missing[index] |= allowed[direction, pattern, index]
    for word in range(words):
        left = missing[word] & domains[other, word]
        lacking = left
        while left != NONE:
            bit = left & (~left + ONE)
            left ^= bit
            pattern = 64 * word + lowest_index(bit)
            support = NONE
            for index in range(words):
                support |= allowed[back, pattern, index] & domains[cell, index]
            if support != NONE:
                lacking ^= bit
        missing[word] = lacking
        rest |= lacking
    return bool(rest != NONE)


@inline
def _find_unsupported_in_word(
    own: np.uint64, removed: np.uint64, other: np.uint64, allowed: Uint64_3D, direction: int, back: int, few: bool
) -> np.uint64:
    """Return the patterns that `_find_unsupported_by_bits` writes, for domains of one word."""
    if few:
        missing, left = other, own
        while left != NONE and missing != NONE:
            missing &= ~allowed[direction, lowest_index(left), 0]
            left &= left - ONE
        return missing
    left, lost, missing = removed, NONE, NONE
    while left != NONE:
        lost |= allowed[direction, lowest_index(left), 0]
        left &= left - ONE
    left = lost & other
    while left != NONE:
        if allowed[back, lowest_index(left), 0] & own == NONE:
            missing |= left & (~left + ONE)
        left &= left - ONE
    return missing


@inline
def _find_unsupported_by_lists(
    wave: WaveArrays, rules: RuleArrays, cell: int, other: int, direction: int, back: int, few: bool
) -> bool:
    """Return the same as `_find_unsupported_by_bits`, from lists of allowed neighbors."""
    domains, removed, missing = wave.domains, wave.removed, wave.banned
    lists, starts, members, inverses = rules.lists, rules.list_starts, rules.members, rules.list_inverses
    wave.state.stamp += 1
    stamps, stamp = wave.stamps, wave.state.stamp
    words = domains.shape[1]
    for index in range(words):
        missing[index] = NONE
    for word in range(words):
        left = domains[cell, word] if few else removed[cell, word]
        while left != NONE:
            pattern = 64 * word + lowest_index(left)
            left &= left - ONE
            own = lists[direction, pattern]
            if stamps[own] == stamp:
                continue
            stamps[own] = stamp
            shared = inverses[own]
            if not few and shared >= 0 and _has_any(domains, cell, members, starts, shared):
                continue
            for place in range(starts[own], starts[own + 1]):
                member = members[place]
                bit = ONE << np.uint64(member & 63)
                if few or shared >= 0:
                    missing[member >> 6] |= bit
                elif domains[other, member >> 6] & bit:
                    support = lists[back, member]
                    if abs(stamps[support]) != stamp:
                        stamps[support] = stamp if _has_any(domains, cell, members, starts, support) else -stamp
                    if stamps[support] < 0:
                        missing[member >> 6] |= bit
    rest = NONE
    for index in range(words):
        missing[index] = domains[other, index] & (~missing[index] if few else missing[index])
        rest |= missing[index]
    return bool(rest != NONE)


@inline
def _has_any(domains: Uint64_2D, cell: int, members: Int32_1D, starts: Int32_1D, list_: int) -> bool:
    """Return whether the domain of a cell contains a pattern of a list."""
    for place in range(starts[list_], starts[list_ + 1]):
        if domains[cell, members[place] >> 6] >> np.uint64(members[place] & 63) & ONE:
            return True
    return False


@part
def propagate(wave: WaveArrays, rules: RuleArrays) -> int:
    """Propagate all changes to neighbors; return the first cell that has no pattern left, or -1."""
    domains, cells, removed, queue = wave.domains, wave.cells, wave.removed, wave.queue
    trail, trail_domains, state = wave.trail, wave.trail_domains, wave.state
    neighbors, has_lists = rules.neighbors, len(rules.lists) > 0
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
            if has_lists:
                found = _find_unsupported_by_lists(wave, rules, cell, other, direction, back, few)
            else:
                found = _find_unsupported_by_bits(wave, rules, cell, other, direction, back, few)
            if not found:
                continue
            there = cells[other]
            place = top & last
            entry = trail[place]
            entry["cell"], entry["count"] = other, there["count"]
            entry["weight"], entry["sum_w_log_w"] = there["weight"], there["sum_w_log_w"]
            top += 1
            for word in range(words):
                trail_domains[place, word] = domains[other, word]
            _ban(wave, rules, other)
            if not there["touched"] & TOUCHED:
                there["touched"] |= TOUCHED
                wave.touched[touched_count] = other
                touched_count += 1
            if not there["pending"]:
                place = head + queued
                queue[place if place < length else place - length] = other
                queued += 1
            # The patterns removed from the neighbor supported no pattern of this cell, so nothing is propagated back.
            there["pending"] |= ALL_DIRECTIONS ^ (1 << back)
            if there["count"] == 0:
                contradiction = int(other)
                break
        if not own["pending"]:  # on a wrapped axis of one cell, a cell is its own neighbor and pending again
            for word in range(words):
                removed[cell, word] = NONE
            own["removed_count"] = 0
    state.queue_head, state.queue_size, state.top, state.touched_count = head, queued, top, touched_count
    state.floor = max(state.floor, top - len(trail))
    if contradiction >= 0:
        state.cause = NO_CELL
        clear_queue(wave)
    return contradiction


@part
def clear_queue(wave: WaveArrays) -> None:
    """Discard all pending propagation."""
    state = wave.state
    for step in range(state.queue_size):
        cell = wave.queue[(state.queue_head + step) % len(wave.queue)]
        own = wave.cells[cell]
        own["pending"], own["removed_count"] = 0, 0
        for word in range(wave.removed.shape[1]):
            wave.removed[cell, word] = NONE
    state.queue_size = 0


@part
def undo(wave: WaveArrays, top: int) -> None:
    """Undo all changes after a position of the trail."""
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


@part
def undo_to_clean(wave: WaveArrays) -> None:
    """Undo all changes since the last complete propagation, or mark the wave as dirty if the trail is too short."""
    state = wave.state
    if state.clean < state.floor:
        state.dirty = 1
    else:
        undo(wave, state.clean)


# -- heap of undecided cells --------------------------------------------------------------------------------------


@part
def refresh_heap(wave: WaveArrays, rules: RuleArrays) -> None:
    """Update the positions of all touched cells in the heap."""
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
                mean = own["sum_w_log_w"] / LOG_SCALE / own["weight"]
                key = rules.logarithms[own["weight"]] - mean + rules.noise[cell]
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


@part
def _place_in_heap(
    cells: NDArray[np.void], heap: NDArray[np.void], size: int, place: int, cell: int, key: float
) -> None:
    """Put a cell into the heap at a position, and sift it up or down."""
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
