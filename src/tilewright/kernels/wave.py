"""A wave: cells that may each hold any of some patterns, and what follows when they may hold fewer.

A domain is the set of patterns that a cell may still hold, as bits. `allowed` has, for every direction and pattern, the
set of patterns that its neighbour there may hold. A cell whose domain shrinks makes its neighbours look for support:
patterns that no pattern of the cell allows leave theirs. Every change is written to a trail, which goes round, so that
a choice that leads nowhere can be taken back; how far back depends on the length of the trail.

Undecided cells stand in a heap by how soon they should be decided.

Source: Mackworth, "Consistency in networks of relations", 1977, for looking for support until nothing changes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Wave: TypeAlias = tuple[Any, ...]
"""What changes, by the numbers below."""
Rules: TypeAlias = tuple[Any, ...]
"""What stays, by the numbers below."""

DOMAINS, NUMBERS, SPREADS = 0, 1, 2
"""Of every cell: its patterns as bits; how many they are and their weight; the sum of their w log w."""
HEAP, PLACES, KEYS = 3, 4, 5
"""Undecided cells; where each stands among them, or -1; and by what."""
QUEUE, WAITING = 6, 7
"""A ring of cells whose neighbours are to look for support, and in which directions these are, as bits."""
NEWS, CHANGED = 8, 9
"""Cells that heap and claims do not know the latest of, and marks of them."""
TRAIL, TRAIL_DOMAINS, TRAIL_NUMBERS, TRAIL_SPREADS = 10, 11, 12, 13
"""A ring of cells as they were before they changed; its length is a power of two."""
CHOICES_MADE, STATE = 14, 15
GONE, GONE_COUNTS = 16, 17
"""Of every cell that waits: the patterns that it lost since its neighbours looked, and how many."""
NEIGHBOURS, ALLOWED, WEIGHTS, PRODUCTS, LOGARITHMS, NOISE, HOW = range(7)
"""Neighbours of every cell by direction, or -1: half of all directions, then those opposite; patterns allowed there, by
direction and pattern, as bits; weights of patterns, and w log w; logarithms of weights; noise of cells; how to choose.
"""

WAVE = (
    "Tuple((uint64[:, ::1], int64[:, ::1], float64[::1], int32[::1], int32[::1], float64[::1], int32[::1], uint8[::1],"
    " int32[::1], uint8[::1], int32[::1], uint64[:, ::1], int64[:, ::1], float64[::1], int64[:, ::1], int64[::1],"
    " uint64[:, ::1], int64[::1]))"
)
RULES = "Tuple((int32[:, ::1], uint64[:, :, ::1], int64[::1], float64[::1], float64[::1], float64[::1], int64[::1]))"
COUNT, WEIGHT = 0, 1
HEAPED, QUEUED, HEAD, TOUCHED, TOP, FLOOR, CHOICES, OLDEST, LEFT, PATIENCE, FEWEST, TROUBLE = range(12)
OBSERVED, TAKEN_BACK, CLEAN, DIRTY, CAUSE, STATES = 12, 13, 14, 15, 16, 17
"""Of the state: cells in heap and queue, and where that begins; cells with news; where the trail ends, and where it was
cut off; choices that stand, and the oldest that can be taken back; how many more may be, and how many at first; the
fewest undecided cells so far; the cell that had nothing left; how often was chosen and taken back; where the trail was
when all had followed that can; whether that place is lost, so that not all may have followed; and the claim that could
not hold, or -1.
"""
ENTROPY, CONSTRAINED, SCANLINE = 0, 1, 2
NOWHERE = -1
EVERYWHERE = 255

DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_PLACES = np.zeros(64, dtype=np.int64)
for _place in range(64):
    BIT_PLACES[(((1 << _place) * 0x03F79D71B4CB0A89) & 0xFFFFFFFFFFFFFFFF) >> 58] = _place
"""The place of a single bit, by the upper bits of its product with a de Bruijn sequence."""
ONE = np.uint64(1)
NONE = np.uint64(0)


@kernel
def lowest(bits: np.uint64) -> int:
    """The place of the lowest bit that is set."""
    return int(BIT_PLACES[np.int64(((bits & (~bits + ONE)) * DE_BRUIJN) >> np.uint64(58))])


@kernel
def touch(wave: Wave, cell: int) -> None:
    """Remember that the heap does not know the latest of a cell."""
    touched, marks, state = wave[NEWS], wave[CHANGED], wave[STATE]
    if not marks[cell]:
        marks[cell] = 1
        touched[state[TOUCHED]] = cell
        state[TOUCHED] += 1


@kernel
def line_up(wave: Wave, cell: int) -> None:
    """Let a cell's neighbours look for support, when it is its turn."""
    queue, marks, state = wave[QUEUE], wave[WAITING], wave[STATE]
    if not marks[cell]:
        place = state[HEAD] + state[QUEUED]
        queue[place if place < len(queue) else place - len(queue)] = cell
        state[QUEUED] += 1
    marks[cell] = EVERYWHERE


@kernel
def note(wave: Wave, cell: int) -> None:
    """Write a cell to the trail before it changes."""
    domains, numbers, spreads = wave[DOMAINS], wave[NUMBERS], wave[SPREADS]
    cells, words, counts, sums, state = (
        wave[TRAIL],
        wave[TRAIL_DOMAINS],
        wave[TRAIL_NUMBERS],
        wave[TRAIL_SPREADS],
        wave[STATE],
    )
    place = state[TOP] & (len(cells) - 1)
    cells[place] = cell
    for word in range(domains.shape[1]):
        words[place, word] = domains[cell, word]
    counts[place, COUNT], counts[place, WEIGHT] = numbers[cell, COUNT], numbers[cell, WEIGHT]
    sums[place] = spreads[cell]
    state[TOP] += 1
    if state[TOP] - state[FLOOR] > len(cells):
        state[FLOOR] = state[TOP] - len(cells)


@kernel
def forbid(wave: Wave, rules: Rules, cell: int, word: int, gone: np.uint64) -> None:
    """Take patterns, all in one word, out of a domain that holds them."""
    domains, numbers, spreads = wave[DOMAINS], wave[NUMBERS], wave[SPREADS]
    weights, products = rules[WEIGHTS], rules[PRODUCTS]
    domains[cell, word] &= ~gone
    wave[GONE][cell, word] |= gone
    while gone != NONE:
        pattern = 64 * word + lowest(gone)
        gone &= gone - ONE
        wave[GONE_COUNTS][cell] += 1
        numbers[cell, COUNT] -= 1
        numbers[cell, WEIGHT] -= weights[pattern]
        spreads[cell] -= products[pattern]


@kernel
def propagate(wave: Wave, rules: Rules, missing: NDArray[np.uint64]) -> int:
    """Let all neighbours of cells that changed look for support; the first cell that nothing is left for, or -1.

    `missing` is room for a domain. Written out in one piece: calls with so many arrays would take most of the time.
    """
    domains, numbers, spreads, queue, marks, state = (
        *(wave[DOMAINS], wave[NUMBERS], wave[SPREADS]),
        *(wave[QUEUE], wave[WAITING], wave[STATE]),
    )
    fresh, news, touched, changed = wave[GONE], wave[GONE_COUNTS], wave[NEWS], wave[CHANGED]
    trail, old_domains, old_numbers, old_spreads = (
        *(wave[TRAIL], wave[TRAIL_DOMAINS]),
        *(wave[TRAIL_NUMBERS], wave[TRAIL_SPREADS]),
    )
    neighbours, allowed, weights, products = rules[NEIGHBOURS], rules[ALLOWED], rules[WEIGHTS], rules[PRODUCTS]
    words, directions, length = domains.shape[1], neighbours.shape[1], len(queue)
    half, last = directions // 2, len(trail) - 1
    head, queued, top, news_count = state[HEAD], state[QUEUED], state[TOP], state[TOUCHED]
    trouble = NOWHERE
    while queued > 0 and trouble < 0:
        cell = queue[head]
        queued -= 1
        head = head + 1 if head + 1 < length else 0
        ways = marks[cell]
        marks[cell] = 0
        few = numbers[cell, COUNT] <= 2 * news[cell]
        for direction in range(directions):
            other = neighbours[cell, direction]
            if other < 0 or not ways >> direction & 1:
                continue
            back = direction + half if direction < half else direction - half
            rest = NONE
            if few:  # what no pattern of the cell allows, all of them looked at
                for part in range(words):
                    missing[part] = domains[other, part]
                for word in range(words):
                    left = domains[cell, word]
                    while left != NONE:
                        pattern = 64 * word + lowest(left)
                        left &= left - ONE
                        rest = NONE
                        for part in range(words):
                            missing[part] &= ~allowed[direction, pattern, part]
                            rest |= missing[part]
                        if rest == NONE:
                            break
                    if left != NONE:
                        break
            else:  # only what those allowed that have just left the cell
                for part in range(words):
                    missing[part] = NONE
                for word in range(words):
                    left = fresh[cell, word]
                    while left != NONE:
                        pattern = 64 * word + lowest(left)
                        left &= left - ONE
                        for part in range(words):
                            missing[part] |= allowed[direction, pattern, part]
                for word in range(words):
                    left = missing[word] & domains[other, word]
                    lacking = left
                    while left != NONE:
                        bit = left & (~left + ONE)
                        left ^= bit
                        pattern = 64 * word + lowest(bit)
                        support = NONE
                        for part in range(words):
                            support |= allowed[back, pattern, part] & domains[cell, part]
                        if support != NONE:
                            lacking ^= bit
                    missing[word] = lacking
                    rest |= lacking
            if rest == NONE:
                continue
            place = top & last
            trail[place] = other
            old_numbers[place, COUNT], old_numbers[place, WEIGHT] = numbers[other, COUNT], numbers[other, WEIGHT]
            old_spreads[place] = spreads[other]
            top += 1
            count, weight, spread = 0, 0, spreads[other]
            for word in range(words):
                old_domains[place, word] = domains[other, word]
                left = missing[word]
                domains[other, word] ^= left
                fresh[other, word] |= left
                while left != NONE:
                    pattern = 64 * word + lowest(left)
                    left &= left - ONE
                    count += 1
                    weight += weights[pattern]
                    spread -= products[pattern]
            news[other] += count
            numbers[other, COUNT] -= count
            numbers[other, WEIGHT] -= weight
            spreads[other] = spread
            if not changed[other]:
                changed[other] = 1
                touched[news_count] = other
                news_count += 1
            if not marks[other]:
                place = head + queued
                queue[place if place < length else place - length] = other
                queued += 1
            # What the other lost supported nothing here: the cell itself need not look.
            marks[other] |= EVERYWHERE ^ (1 << back)
            if numbers[other, COUNT] == 0:
                trouble = int(other)
                break
        if not marks[cell]:  # a cell may be its own neighbour, on a map that wraps and is one cell long
            for word in range(words):
                fresh[cell, word] = NONE
            news[cell] = 0
    state[HEAD], state[QUEUED], state[TOP], state[TOUCHED] = head, queued, top, news_count
    state[FLOOR] = max(state[FLOOR], top - len(trail))
    if trouble >= 0:
        state[CAUSE] = NOWHERE
        clear_queue(wave)
    return trouble


@kernel
def clear(fresh: NDArray[np.uint64], news: NDArray[np.int64], cell: int) -> None:
    for word in range(fresh.shape[1]):
        fresh[cell, word] = NONE
    news[cell] = 0


@kernel
def clear_queue(wave: Wave) -> None:
    queue, marks, state = wave[QUEUE], wave[WAITING], wave[STATE]
    for step in range(state[QUEUED]):
        cell = queue[(state[HEAD] + step) % len(queue)]
        marks[cell] = 0
        clear(wave[GONE], wave[GONE_COUNTS], cell)
    state[QUEUED] = 0


@kernel
def take_back(wave: Wave, end: int) -> None:
    """Undo all changes behind a place of the trail."""
    domains, numbers, spreads = wave[DOMAINS], wave[NUMBERS], wave[SPREADS]
    cells, words, counts, sums, state = (
        wave[TRAIL],
        wave[TRAIL_DOMAINS],
        wave[TRAIL_NUMBERS],
        wave[TRAIL_SPREADS],
        wave[STATE],
    )
    while state[TOP] > end:
        state[TOP] -= 1
        place = state[TOP] & (len(cells) - 1)
        cell = cells[place]
        for word in range(domains.shape[1]):
            domains[cell, word] = words[place, word]
        numbers[cell, COUNT], numbers[cell, WEIGHT] = counts[place, COUNT], counts[place, WEIGHT]
        spreads[cell] = sums[place]
        touch(wave, cell)


@kernel
def forget(wave: Wave) -> None:
    """Undo all since everything had followed that can, or say that the trail is too short for that."""
    state = wave[STATE]
    if state[CLEAN] < state[FLOOR]:
        state[DIRTY] = 1
    else:
        take_back(wave, state[CLEAN])


# -- the heap of undecided cells ----------------------------------------------------------------------------------


@kernel
def _urgency(wave: Wave, rules: Rules, cell: int) -> float:
    """Cells with the least of it are decided first."""
    numbers, spreads = wave[NUMBERS], wave[SPREADS]
    logarithms, noise, how = rules[LOGARITHMS], rules[NOISE], rules[HOW]
    if how[0] == ENTROPY:
        weight = numbers[cell, WEIGHT]
        return float(logarithms[weight] - spreads[cell] / weight + noise[cell])
    if how[0] == CONSTRAINED:
        return float(numbers[cell, COUNT] + noise[cell])
    return float(cell)


@kernel
def settle(wave: Wave, rules: Rules) -> None:
    """Tell the heap what changed."""
    numbers, heap, places, keys, touched, marks, state = (
        *(wave[NUMBERS], wave[HEAP], wave[PLACES], wave[KEYS]),
        *(wave[NEWS], wave[CHANGED], wave[STATE]),
    )
    for number in range(state[TOUCHED]):
        cell = touched[number]
        marks[cell] = 0
        if numbers[cell, COUNT] > 1:
            if places[cell] < 0:
                places[cell] = state[HEAPED]
                heap[state[HEAPED]] = cell
                state[HEAPED] += 1
            place = places[cell]
            keys[cell] = _urgency(wave, rules, cell)
            _lift(heap, places, keys, place)
            if places[cell] == place:
                _sink(heap, places, keys, place, state[HEAPED])
        elif places[cell] >= 0:
            place = places[cell]
            places[cell] = -1
            state[HEAPED] -= 1
            last = heap[state[HEAPED]]
            if last != cell:
                heap[place], places[last] = last, place
                _lift(heap, places, keys, place)
                _sink(heap, places, keys, places[last], state[HEAPED])
    state[TOUCHED] = 0


@kernel
def _lift(heap: NDArray[np.int32], places: NDArray[np.int32], keys: NDArray[np.float64], place: int) -> None:
    cell = heap[place]
    while place > 0:
        parent = (place - 1) >> 1
        if keys[heap[parent]] <= keys[cell]:
            break
        heap[place] = heap[parent]
        places[heap[place]] = place
        place = parent
    heap[place] = cell
    places[cell] = place


@kernel
def _sink(heap: NDArray[np.int32], places: NDArray[np.int32], keys: NDArray[np.float64], place: int, size: int) -> None:
    cell = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[heap[child + 1]] < keys[heap[child]]:
            child += 1
        if keys[heap[child]] >= keys[cell]:
            break
        heap[place] = heap[child]
        places[heap[place]] = place
        place = child
    heap[place] = cell
    places[cell] = place
