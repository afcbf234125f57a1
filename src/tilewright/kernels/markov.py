"""Contexts: which tile stands beside which neighbours, counted, looked up, and drawn from.

What stands in the directions that count are digits: 0 nothing yet, then a number for every tile, and one more for what
lies beyond the edge. A context is a set of directions with what stands there. Its key is the set's own base and, above
that, its digits times their weights, powers of the number of digits, so that no two contexts share a key. The first set
is the empty one: its only context is how common tiles are anywhere, and has the key 0. Maps lie flat within a margin
that holds the digit of the edge.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel
from .exact import exact_power
from .random import GAMMA, random
from .types import Float64_2D, Int32_1D, Int64_1D, Int64_2D, Record, Uint8_1D, Uint16_1D, Uint16_2D, Uint64_1D

Digits: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.int32]


class ContextArrays(NamedTuple):
    """Counted contexts: a hash table of them, their entries, and the sets of directions."""

    keys: Int64_1D
    """(slot,) FREE where there is none."""
    ids: Int32_1D
    """(slot,) the number of the context."""
    firsts: Int32_1D
    """(context + 1,) where its entries begin."""
    tiles: Int32_1D
    """(entry,) in ascending order within a context."""
    counts: Int32_1D
    """(entry,) how often the tile was seen in the context."""
    sums: Int32_1D
    """(entry,) the counts up to this one within the context."""
    masks: Int64_1D
    """(set of directions,) the set as bits."""
    bases: Int64_1D
    """(set of directions,)"""
    weights: Int64_2D
    """(set of directions, direction)"""


class Lookahead(NamedTuple):
    """How likely the next locked cell is, by the tile that is drawn before it."""

    rows: Int32_1D
    """(place,) a row of the chances, or -1."""
    chances: Float64_2D
    """(row, tile)"""


class ContextTotals(Record):
    """How much `count_contexts` has found."""

    contexts: int
    entries: int


FREE = -1
MIN_CHANCE = 1e-6
"""Tiles that make a lock ahead less likely than this are not drawn, while another one may be."""
MIN_SQUARE = 1e-4
"""Assumed count of a square that was never seen: the less, the harder for a wrong one to turn into another."""


@inline
def _find_slot(keys: Numbers, key: int) -> int:
    """Where a key stands in a hash table, or the free place where it should."""
    rest = np.int64(len(keys) - 1)
    place = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & rest
    while keys[place] != FREE and keys[place] != key:
        place = (place + 1) & rest
    return int(place)


@kernel("void(int64[::1], int64[::1], int64[::1], int64[::1])", allocates=False)
def rehash(keys: Int64_1D, values: Int64_1D, new_keys: Int64_1D, new_values: Int64_1D) -> None:
    """Move a hash table into a larger one, whose keys are FREE."""
    for place in range(len(keys)):
        if keys[place] != FREE:
            slot = _find_slot(new_keys, int(keys[place]))
            new_keys[slot], new_values[slot] = keys[place], values[place]


@kernel(
    "int64(uint16[:, ::1], int64, int64[::1], int64[:, ::1], int64, int64[::1], int64[::1], int64[::1], int64[::1],"
    " ContextTotals)",
    allocates=False,
)
def count_contexts(
    seen: Uint16_2D,
    cell: int,
    bases: Int64_1D,
    weights: Int64_2D,
    tiles: int,
    keys: Int64_1D,
    ids: Int64_1D,
    pairs: Int64_1D,
    counts: Int64_1D,
    found: ContextTotals,
) -> int:
    """Count how often each tile was seen in each context, from a cell on while there are free slots: the next cell.

    `seen` has a row for every cell: its tile, numbered from 0, then the digits of its neighbors. `keys` and `which` are
    a hash table of contexts, numbered in the order in which they were first seen; `pairs` and `counts` are one of
    context * tiles + tile. At most half of their slots are used.
    """
    contexts, entries = found.contexts, found.entries
    while cell < len(seen) and 2 * (contexts + len(bases)) <= len(keys) and 2 * (entries + len(bases)) <= len(pairs):
        for number in range(len(bases)):
            key = bases[number]
            for direction in range(weights.shape[1]):
                key += weights[number, direction] * np.int64(seen[cell, direction + 1])
            slot = _find_slot(keys, key)
            if keys[slot] == FREE:
                keys[slot], ids[slot] = key, contexts
                contexts += 1
            pair = ids[slot] * tiles + np.int64(seen[cell, 0])
            place = _find_slot(pairs, pair)
            entries += pairs[place] == FREE
            pairs[place] = pair
            counts[place] += 1
        cell += 1
    found.contexts, found.entries = contexts, entries
    return cell


@inline
def _find_context(contexts: ContextArrays, cells: Digits, place: int, number: int, shifts: Numbers) -> int:
    """Return the context of a cell in a set of directions, -1 for one that was never seen."""
    key = contexts.bases[number]
    for direction in range(len(shifts)):
        key += contexts.weights[number, direction] * np.int64(cells[place + shifts[direction]])
    slot = _find_slot(contexts.keys, key)
    return int(contexts.ids[slot]) if contexts.keys[slot] == key else -1


@inline
def _find_known_directions(cells: Digits, place: int, shifts: Numbers) -> int:
    """Return the directions in which there is a tile, as bits."""
    known = np.int64(0)
    for direction in range(len(shifts)):
        known |= np.int64(cells[place + shifts[direction]] != 0) << direction
    return int(known)


@kernel(
    "int64(ContextArrays, uint16[::1], uint8[::1], int64[::1], int64[::1], int64[:, ::1], Lookahead, float64,"
    " uint64[::1], float64[:, ::1])",
    allocates=False,
)
def draw_tiles(
    contexts: ContextArrays,
    cells: Uint16_1D,
    locked: Uint8_1D,
    order: Int64_1D,
    shifts: Int64_1D,
    steps: Int64_2D,
    lookahead: Lookahead,
    temperature: float,
    state: Uint64_1D,
    scratch: Float64_2D,
) -> int:
    """Give the cells of `order` that are not held tiles by their neighbors; return how many got none.

    `shifts` lead from a cell to its neighbor in each direction. `steps` is the order of backing off: in each row sets
    of directions, by number, whose shares are multiplied, -1 behind the last. A cell about which no step knows anything
    gets none: its digit stays 0. `scratch` is (3, tile).
    """
    lost = 0
    for place in order:
        if locked[place]:
            continue
        known = _find_known_directions(cells, place, shifts)
        context, first = -1, 0
        if temperature == 1.0 and lookahead.rows[place] < 0:
            # Most cells need only the first context that is known.
            for step in range(len(steps)):
                number = steps[step, 0]
                if steps.shape[1] > 1 and steps[step, 1] >= 0:
                    first = step
                    break
                if contexts.masks[number] & known == contexts.masks[number]:
                    context = _find_context(contexts, cells, place, number, shifts)
                    if context >= 0:
                        break
        if context >= 0:
            entry, end = contexts.firsts[context], contexts.firsts[context + 1]
            mark = random(state) * np.float64(contexts.sums[end - 1])
            while mark >= contexts.sums[entry] and entry < end - 1:
                entry += 1
            cells[place] = 1 + contexts.tiles[entry]
        elif _back_off(contexts, cells, place, known, shifts, steps, first, lookahead, scratch):
            cells[place] = 1 + _draw(scratch[0], temperature, state)
        else:
            cells[place] = 0
            lost += 1
    return lost


@kernel(
    "int64(ContextArrays, uint16[::1], uint8[::1], int64[::1], int64[::1], int64[:, ::1], Lookahead, float64, float64,"
    " uint64[::1], float64[:, ::1])",
    allocates=False,
)
def draw_smoothed(
    contexts: ContextArrays,
    cells: Uint16_1D,
    locked: Uint8_1D,
    order: Int64_1D,
    shifts: Int64_1D,
    steps: Int64_2D,
    lookahead: Lookahead,
    smoothing: float,
    temperature: float,
    state: Uint64_1D,
    scratch: Float64_2D,
) -> int:
    """Do the same with the shares of each step mixed into those of the one before, as if seen `smoothing` times."""
    lost = 0
    for place in order:
        if locked[place]:
            continue
        known = _find_known_directions(cells, place, shifts)
        if _blend(contexts, cells, place, known, shifts, steps, smoothing, scratch):
            if lookahead.rows[place] >= 0:
                _weigh(scratch[0], lookahead.chances[lookahead.rows[place]])
            cells[place] = 1 + _draw(scratch[0], temperature, state)
        else:
            cells[place] = 0
            lost += 1
    return lost


@kernel
def _back_off(
    contexts: ContextArrays,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    steps: Numbers,
    first: int,
    lookahead: Lookahead,
    scratch: Float64_2D,
) -> bool:
    """Write the shares of tiles by the first step that knows, and whose tiles do not rule out a lock ahead."""
    row, answered = lookahead.rows[place], -1
    step = first
    while step < len(steps):
        if _combine(contexts, cells, place, known, shifts, steps[step], scratch) > 0.0:
            if row < 0 or step == answered or _weigh(scratch[0], lookahead.chances[row]):
                return True
            answered = step if answered < 0 else answered
        step += 1
        if step == len(steps) and answered >= 0:  # all rule it out: take the first that knows, as it is
            step = answered
    return False


@kernel
def _weigh(shares: NDArray[np.float64], chances: NDArray[np.float64]) -> bool:
    """Weigh tiles by how likely they make a lock ahead; False, without a change, where none of them allows it."""
    best = 0.0
    for tile in range(len(shares)):
        if shares[tile] > 0.0:
            best = max(best, chances[tile])
    if best < MIN_CHANCE:
        return False
    for tile in range(len(shares)):
        shares[tile] *= chances[tile]
    return True


@kernel
def _combine(
    contexts: ContextArrays,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    step: Numbers,
    scratch: Float64_2D,
) -> float:
    """Write the shares of tiles by one step of backing off to scratch[0]; return how often it was seen, 0 if never.

    Several sets of directions are taken as independent: shares are multiplied, and divided by those of the tiles
    anywhere for every set after the first; the lowest count is returned.
    """
    firsts, tiles, counts, masks = contexts.firsts, contexts.tiles, contexts.counts, contexts.masks
    for part in range(len(step)):
        if step[part] >= 0 and masks[step[part]] & known != masks[step[part]]:
            return 0.0
    own, other = scratch[0], scratch[1]
    sightings = np.inf
    for part in range(len(step)):
        if step[part] < 0:
            break
        context = _find_context(contexts, cells, place, step[part], shifts)
        if context < 0:
            return 0.0
        target = own if part == 0 else other
        for tile in range(len(target)):
            target[tile] = 0.0
        total = 0.0
        for entry in range(firsts[context], firsts[context + 1]):
            target[tiles[entry]] = counts[entry]
            total += counts[entry]
        sightings = min(sightings, total)
        if part > 0:
            for entry in range(firsts[0], firsts[1]):  # the first context of all is that of no direction
                own[tiles[entry]] *= other[tiles[entry]] / counts[entry]
    for tile in range(len(own)):
        if own[tile] > 0.0:
            return sightings
    return 0.0


@kernel
def _blend(
    contexts: ContextArrays,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    steps: Numbers,
    smoothing: float,
    scratch: Float64_2D,
) -> bool:
    """Write the shares of tiles by all steps of backing off, each mixed into the one before it, to scratch[0]."""
    own, blend = scratch[0], scratch[2]
    found = False
    for step in range(len(steps) - 1, -1, -1):
        sightings = _combine(contexts, cells, place, known, shifts, steps[step], scratch)
        if sightings == 0.0:
            continue
        total = 0.0
        for tile in range(len(own)):
            total += own[tile]
        smaller = smoothing if found else 0.0
        for tile in range(len(own)):
            before = blend[tile] * smaller if found else 0.0
            blend[tile] = (before + own[tile] / total * sightings) / (sightings + smaller)
        found = True
    for tile in range(len(own) if found else 0):
        own[tile] = blend[tile]
    return found


@kernel
def _draw(shares: NDArray[np.float64], temperature: float, state: Uint64_1D) -> int:
    """Return a tile at random, in proportion to its share; with a low temperature rather the most common, the first."""
    if temperature != 1.0:
        best = 0
        for tile in range(len(shares)):
            if shares[tile] > shares[best]:
                best = tile
        if temperature == 0.0:
            return best
        most = shares[best]
        for tile in range(len(shares)):
            if shares[tile] > 0.0:
                shares[tile] = exact_power(shares[tile] / most, 1.0 / temperature)
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
    "void(ContextArrays, uint16[::1], int64[::1], int64[::1], int64[:, ::1], float64, uint64[::1], float64[:, ::1])",
    allocates=False,
)
def resample_tiles(
    contexts: ContextArrays,
    cells: Uint16_1D,
    order: Int64_1D,
    shifts: Int64_1D,
    parts: Int64_2D,
    temperature: float,
    state: Uint64_1D,
    scratch: Float64_2D,
) -> None:
    """Draw the cells of `order` again, each given all its neighbors (Gibbs sampling).

    The first column of `parts` holds the sets of directions, by number, of the other cells of each square that a cell
    is part of, the second those of single neighbors that two squares share. A tile is as likely as the product of how
    often its squares were seen, by that of its pairs, times how often it was seen itself: in Kikuchi's approximation
    every pair and cell counts once. Squares that were never seen count as `MIN_SQUARE`.
    """
    own, below, common = scratch[0], scratch[1], scratch[2]
    for tile in range(len(common)):
        common[tile] = 0.0
    for entry in range(contexts.firsts[0], contexts.firsts[1]):
        common[contexts.tiles[entry]] = contexts.counts[entry]
    for place in order:
        known = _find_known_directions(cells, place, shifts)
        for tile in range(len(own)):
            own[tile], below[tile] = common[tile], 1.0
        for part in range(2):
            target, least = (own, MIN_SQUARE) if part == 0 else (below, 1.0)
            for row in range(len(parts)):
                number = parts[row, part]
                if contexts.masks[number] & known != contexts.masks[number]:
                    continue  # there is nothing, so that nothing can be learned from it
                context = _find_context(contexts, cells, place, number, shifts)
                if context >= 0:
                    for entry in range(contexts.firsts[context], contexts.firsts[context + 1]):
                        target[contexts.tiles[entry]] *= contexts.counts[entry] / least
        for tile in range(len(own)):
            own[tile] /= below[tile]
        cells[place] = 1 + _draw(own, temperature, state)


@kernel("int64(ContextArrays, uint16[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1])", allocates=False)
def find_unseen(
    contexts: ContextArrays,
    cells: Uint16_1D,
    order: Int64_1D,
    shifts: Int64_1D,
    parts: Int64_2D,
    out: Int64_1D,
) -> int:
    """Write those cells of `order` to `out` that are part of a square that was never seen: how many there are."""
    count = 0
    for place in order:
        own = np.int64(cells[place]) - 1
        for row in range(len(parts) if own >= 0 else 0):
            number = parts[row, 0]
            context = _find_context(contexts, cells, place, number, shifts)
            seen = False
            if context >= 0:
                for entry in range(contexts.firsts[context], contexts.firsts[context + 1]):
                    seen = seen or contexts.tiles[entry] == own
            # A square with a cell without a tile was never seen either.
            if not seen and contexts.masks[number] & ~_find_known_directions(cells, place, shifts) == 0:
                out[count] = place
                count += 1
                break
    return count
