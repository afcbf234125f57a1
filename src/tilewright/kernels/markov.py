"""Contexts: which tile stands beside which neighbours, counted, looked up, and drawn from.

What stands in the directions that count are digits: 0 nothing yet, then a number for every tile, and one more for what
lies beyond the edge. A context is some of the directions with their digits; its key is the sum of digits times the
directions' weights, powers of the number of digits, so that no two contexts share a key, whatever their directions.
Maps lie flat within a margin that holds the digit of the edge.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .exact import raised
from .random import GAMMA, random

Digits: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.int64]
Contexts: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Numbers]
"""Keys in a hash table, -1 where it is free, and which context stands there; for every context where its entries begin
(and where the last ones end); for every entry a tile, in order, and how often it was seen."""

Shares: TypeAlias = NDArray[np.float64]
"""(2, tile) room for how common tiles are."""

CONTEXTS = "Tuple((int64[::1], int64[::1], int64[::1], int64[::1], int64[::1]))"
FREE = -1
LEAST = 1e-9
"""How likely a locked cell is at least beside whatever tile: what was never seen is rare, not impossible."""
LEAST_SQUARE = 1e-4
"""How often a square was seen at least: the less, the harder for a wrong one to turn into another on the way."""


@kernel
def _slot(keys: Numbers, key: int) -> int:
    """Where a key stands in a hash table, or the free place where it should."""
    rest = np.int64(len(keys) - 1)
    place = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & rest
    while keys[place] != FREE and keys[place] != key:
        place = (place + 1) & rest
    return int(place)


@kernel
def _roomier(keys: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """A hash table of twice the size."""
    more, moved = np.full(2 * len(keys), FREE, np.int64), np.zeros(2 * len(keys), np.int64)
    for place in range(len(keys)):
        if keys[place] != FREE:
            slot = _slot(more, int(keys[place]))
            more[slot], moved[slot] = keys[place], values[place]
    return more, moved


@kernel(f"{CONTEXTS}(uint16[:, ::1], int64[::1], int64[::1], int64)")
def count_contexts(seen: Digits, masks: Numbers, weights: Numbers, tiles: int) -> Contexts:
    """How often each tile was seen in each context.

    `seen` has a row for every cell: its tile, numbered from 0, then the digits of its neighbours. `masks` are the sets
    of directions that are contexts, as bits. Contexts are numbered in the order in which they were first seen.
    """
    keys, which = np.full(1 << 10, FREE, np.int64), np.zeros(1 << 10, np.int64)
    pairs, counts = np.full(1 << 10, FREE, np.int64), np.zeros(1 << 10, np.int64)
    contexts = entries = 0
    for cell in range(len(seen)):
        for mask in masks:
            key = np.int64(0)
            for direction in range(len(weights)):
                if mask >> direction & 1:
                    key += weights[direction] * np.int64(seen[cell, direction + 1])
            slot = _slot(keys, int(key))
            if keys[slot] == FREE:
                keys[slot], which[slot] = key, contexts
                contexts += 1
            pair = which[slot] * tiles + np.int64(seen[cell, 0])
            place = _slot(pairs, int(pair))
            entries += pairs[place] == FREE
            pairs[place] = pair
            counts[place] += 1
            if 2 * contexts > len(keys):
                keys, which = _roomier(keys, which)
            if 2 * entries > len(pairs):
                pairs, counts = _roomier(pairs, counts)
    return keys, which, *_grouped(pairs, counts, contexts, entries, tiles)


@kernel
def _grouped(
    pairs: Numbers, counts: Numbers, contexts: int, entries: int, tiles: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Where each context's entries begin, their tiles and their counts, by context and in it by tile."""
    firsts = np.zeros(contexts + 1, np.int64)
    common = np.zeros(tiles + 1, np.int64)
    for pair in pairs:
        if pair != FREE:
            firsts[pair // tiles + 1] += 1
            common[pair % tiles + 1] += 1
    for number in range(contexts):
        firsts[number + 1] += firsts[number]
    for tile in range(tiles):
        common[tile + 1] += common[tile]
    by_tile = np.empty(entries, np.int64)
    for place in range(len(pairs)):
        if pairs[place] != FREE:
            tile = pairs[place] % tiles
            by_tile[common[tile]] = place
            common[tile] += 1
    fill = firsts[:-1].copy()
    seen, numbers = np.empty(entries, np.int64), np.empty(entries, np.int64)
    for place in range(entries):
        own = by_tile[place]
        context = pairs[own] // tiles
        seen[fill[context]], numbers[fill[context]] = pairs[own] % tiles, counts[own]
        fill[context] += 1
    return firsts, seen, numbers


@kernel
def _context(contexts: Contexts, key: int) -> int:
    """Which context has this key, -1 for one that was never seen."""
    slot = _slot(contexts[0], key)
    return int(contexts[1][slot]) if contexts[0][slot] == key else -1


@kernel
def _likely(contexts: Contexts, context: int, tile: int) -> float:
    """The share of a tile in a context."""
    if context < 0:
        return LEAST
    _, _, firsts, tiles, counts = contexts
    total, found = 0, 0
    for entry in range(firsts[context], firsts[context + 1]):
        total += int(counts[entry])
        if tiles[entry] == tile:
            found = int(counts[entry])
    return max(LEAST, found / total)


@kernel(
    f"int64({CONTEXTS}, uint16[::1], uint8[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1], float64, float64,"
    " uint64[::1], float64[:, ::1])"
)
def draw_tiles(
    contexts: Contexts,
    cells: Digits,
    ahead: NDArray[np.uint8],
    order: Numbers,
    shifts: Numbers,
    weights: Numbers,
    steps: Numbers,
    smoothing: float,
    temperature: float,
    state: NDArray[np.uint64],
    room: Shares,
) -> int:
    """Give the cells of `order`, one after the other, tiles by what stands around them; how many got none.

    `shifts` lead from a cell to its neighbour in each direction. `steps` is the order of backing off: in each row sets
    of directions, as bits, whose shares are multiplied, -1 behind the last. With smoothing, the shares of each step
    are mixed into those of the one before, as if they had been seen that many times. A cell about which no step knows
    anything gets none: its digit stays 0. `ahead` marks locked cells that are yet to come, and tiles are preferred
    beside which those are likely. `room` has two rows of a number for every tile.
    """
    lost = 0
    for place in order:
        if ahead[place]:
            ahead[place] = 0
            continue
        known = np.int64(0)
        for direction in range(len(shifts)):
            if cells[place + shifts[direction]] != 0:
                known |= np.int64(1) << direction
        if temperature == 1.0 and smoothing == 0.0 and not _has_locks_ahead(ahead, place, shifts):
            context = _known_context(contexts, cells, place, int(known), shifts, weights, steps)
            if context >= 0:
                cells[place] = 1 + _drawn_from(contexts, context, state)
                continue
        found = False
        if smoothing > 0.0:
            found = _blended(contexts, cells, place, int(known), shifts, weights, steps, smoothing, room)
            _foreseen(contexts, cells, ahead, place, shifts, weights, room[0])
        else:
            last = -1
            for step in range(len(steps)):
                if _shared(contexts, cells, place, int(known), shifts, weights, steps[step], room):
                    found, last = True, step
                    # What no lock ahead can stand beside is no answer while something else may be.
                    if _foreseen(contexts, cells, ahead, place, shifts, weights, room[0]):
                        break
                elif found and step == len(steps) - 1:  # it may have left half an answer in the room
                    _shared(contexts, cells, place, int(known), shifts, weights, steps[last], room)
                    _foreseen(contexts, cells, ahead, place, shifts, weights, room[0])
        if found and room[0].max() > 0.0:
            cells[place] = 1 + _drawn(room[0], temperature, state)
        else:
            cells[place] = 0
            lost += 1
    return lost


@kernel
def _has_locks_ahead(ahead: NDArray[np.uint8], place: int, shifts: Numbers) -> bool:
    found = 0
    for direction in range(len(shifts)):
        found += ahead[place - shifts[direction]]
    return found > 0


@kernel
def _known_context(
    contexts: Contexts, cells: Digits, place: int, known: int, shifts: Numbers, weights: Numbers, steps: Numbers
) -> int:
    """The first context that is known, if it is a single one, and -1 otherwise: most cells need no more than this."""
    for step in range(len(steps)):
        if steps.shape[1] > 1 and steps[step, 1] >= 0:
            return -1
        mask = steps[step, 0]
        if mask & known == mask:
            context = _context(contexts, _key(cells, place, int(mask), shifts, weights))
            if context >= 0:
                return context
    return -1


@kernel
def _drawn_from(contexts: Contexts, context: int, state: NDArray[np.uint64]) -> int:
    """A tile by chance, as often as it was seen in a context: what `_drawn` gives, without a look at other tiles."""
    _, _, firsts, tiles, counts = contexts
    total = np.int64(0)
    for entry in range(firsts[context], firsts[context + 1]):
        total += counts[entry]
    mark = random(state) * np.float64(total)
    entry = firsts[context]
    while entry < firsts[context + 1] - 1 and mark >= counts[entry]:
        mark -= counts[entry]
        entry += 1
    return int(tiles[entry])


@kernel
def _key(cells: Digits, place: int, mask: int, shifts: Numbers, weights: Numbers) -> int:
    """The key of a cell's context in some of the directions."""
    key = np.int64(0)
    for direction in range(len(shifts)):
        if mask >> direction & 1:
            key += weights[direction] * np.int64(cells[place + shifts[direction]])
    return int(key)


@kernel
def _knows(cells: Digits, place: int, mask: int, shifts: Numbers) -> bool:
    """Whether something stands in all of these directions."""
    for direction in range(len(shifts)):
        if mask >> direction & 1 and cells[place + shifts[direction]] == 0:
            return False
    return True


@kernel
def _shared(
    contexts: Contexts,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    weights: Numbers,
    step: Numbers,
    room: Shares,
) -> bool:
    """How common the tiles are by one step of backing off, in the first row of the room; False if it knows nothing.

    Several sets of directions are taken for independent of each other: shares are multiplied, and divided by those of
    the tiles anywhere for every set after the first.
    """
    _, _, firsts, tiles, counts = contexts
    for mask in step:
        if mask >= 0 and mask & known != mask:
            return False
    own, other = room[0], room[1]
    for number in range(len(step)):
        if step[number] < 0:
            break
        context = _context(contexts, _key(cells, place, int(step[number]), shifts, weights))
        if context < 0:
            return False
        target = own if number == 0 else other
        target[:] = 0.0
        for entry in range(firsts[context], firsts[context + 1]):
            target[tiles[entry]] = counts[entry]
        if number > 0:
            anywhere = _context(contexts, 0)
            for entry in range(firsts[anywhere], firsts[anywhere + 1]):
                own[tiles[entry]] *= other[tiles[entry]] / counts[entry]
    return bool(own.max() > 0.0)


@kernel
def _blended(
    contexts: Contexts,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    weights: Numbers,
    steps: Numbers,
    smoothing: float,
    room: Shares,
) -> bool:
    """How common the tiles are by all steps of backing off, each mixed into the one before it."""
    _, _, firsts, tiles, counts = contexts
    own = room[0]
    own[:] = 0.0
    found = False
    for step in range(len(steps) - 1, -1, -1):
        mask = steps[step, 0]
        if mask & known != mask or (steps.shape[1] > 1 and steps[step, 1] >= 0):
            continue  # products hold nothing that their factors do not tell
        context = _context(contexts, _key(cells, place, int(mask), shifts, weights))
        if context < 0:
            continue
        smaller = smoothing if found else 0.0
        found = True
        total = np.int64(0)
        for entry in range(firsts[context], firsts[context + 1]):
            total += counts[entry]
        for tile in range(len(own)):
            own[tile] *= smaller / (total + smaller)
        for entry in range(firsts[context], firsts[context + 1]):
            own[tiles[entry]] += counts[entry] / (total + smaller)
    return found


@kernel
def _foreseen(
    contexts: Contexts,
    cells: Digits,
    ahead: NDArray[np.uint8],
    place: int,
    shifts: Numbers,
    weights: Numbers,
    shares: NDArray[np.float64],
) -> bool:
    """Weigh the tiles by how likely each locked cell ahead is beside them; False where one was never seen so."""
    fits = True
    for direction in range(len(shifts)):
        other = place - shifts[direction]
        if ahead[other] and cells[other] != 0:
            best = 0.0
            for tile in range(len(shares)):
                if shares[tile] > 0.0:
                    context = _context(contexts, int(weights[direction]) * (1 + tile))
                    likely = _likely(contexts, context, int(cells[other]) - 1)
                    shares[tile] *= likely
                    best = max(best, likely)
            fits = fits and best > LEAST
    return fits


@kernel
def _drawn(shares: NDArray[np.float64], temperature: float, state: NDArray[np.uint64]) -> int:
    """A tile by chance, in proportion to its share; the colder, the rather the most common one, of equals the first."""
    if temperature != 1.0:
        best = int(np.argmax(shares))
        if temperature == 0.0:
            return best
        most = shares[best]
        for tile in range(len(shares)):
            if shares[tile] > 0.0:
                shares[tile] = raised(shares[tile] / most, 1.0 / temperature)
    total = 0.0
    for tile in range(len(shares)):
        total += shares[tile]
    mark = random(state) * total
    last = 0
    for tile in range(len(shares)):
        if shares[tile] > 0.0:
            if mark < shares[tile]:
                return tile
            mark -= shares[tile]
            last = tile
    return last


@kernel(
    f"void({CONTEXTS}, uint16[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1], float64, uint64[::1],"
    " float64[:, ::1])"
)
def resample_tiles(
    contexts: Contexts,
    cells: Digits,
    order: Numbers,
    shifts: Numbers,
    weights: Numbers,
    steps: Numbers,
    temperature: float,
    state: NDArray[np.uint64],
    room: Shares,
) -> None:
    """Draw the cells of `order` again, each given all its neighbours (Gibbs sampling).

    The first column of `steps` holds the directions of the other cells of each square that a cell is part of, the
    second those of single neighbours that two squares share. A tile is as likely as the product of how often its
    squares were seen, by that of its pairs, times how often it was seen itself: in Kikuchi's approximation every cell
    and pair counts once. Squares that were never seen are as rare as `LEAST_SQUARE` says.
    """
    _, _, firsts, tiles, counts = contexts
    own, other = room[0], room[1]
    for place in order:
        anywhere = _context(contexts, 0)
        own[:] = 0.0
        for entry in range(firsts[anywhere], firsts[anywhere + 1]):
            own[tiles[entry]] = counts[entry]
        for part in range(2):
            for mask in steps[:, part]:
                if not _knows(cells, place, mask, shifts):
                    continue
                context = _context(contexts, _key(cells, place, int(mask), shifts, weights))
                other[:] = LEAST_SQUARE if part == 0 else 1.0
                if context >= 0:
                    for entry in range(firsts[context], firsts[context + 1]):
                        other[tiles[entry]] = counts[entry]
                for tile in range(len(own)):
                    own[tile] = own[tile] * other[tile] if part == 0 else own[tile] / other[tile]
        cells[place] = 1 + _drawn(own, temperature, state)
