"""Markov contexts: counting which tiles occur with which neighbors, and drawing tiles from the counts.

A neighbor is a digit: 0 for no tile yet, one number for every tile, and one more for the outside of the map. A context
is a set of directions with the digits there. Its key is the base of the set plus the digits times their weights, which
are powers of the number of digits, so keys are unique. The first set is empty; its only context, with the key 0, holds
the overall tile counts. Maps are flat, with a margin that holds the digit of the outside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .exact import exact_power
from .random import GAMMA, random
from .types import (
    Float64_1D,
    Float64_2D,
    Int32_1D,
    Int32_2D,
    Int64_1D,
    Int64_2D,
    Record,
    Uint8_1D,
    Uint16_1D,
    Uint16_2D,
    Uint64_1D,
    Uint64_2D,
)


class ContextArrays(NamedTuple):
    """Counted contexts: a hash table of them, their entries, and the sets of directions.

    Related numbers are beside each other in memory, because reading them takes most of the time.
    """

    slots: Int64_2D
    """(slot, 2) key, or FREE, and the entries of the context: first << SIZE_BITS | count."""
    entries: Int32_2D
    """(entry, 4) tile, ascending within a context, number of its occurrences, and sum of these up to the entry."""
    masks: Int64_1D
    """(set of directions,) the set as bits."""
    bases: Int64_1D
    """(set of directions,) base of the keys of each set."""
    members: Int64_2D
    """(set of directions, number) the directions of the set in descending order, padded with -1."""
    blocks: Int64_1D
    """(slot,) hash table of the 2x2 blocks of the samples: their four digits by rows, as digits of one number, or FREE.
    Only for contexts of blocks, whose directions are the eight neighbors clockwise from the north."""
    digits: int
    """Number of digits."""


class Lookahead(NamedTuple):
    """Probability of the nearest locked cell, for every tile of the cells before it."""

    rows: Int32_1D
    """(place,) row of the place in `chances`, or -1."""
    chances: Float64_2D
    """(row, tile) probability of the nearest locked tile if the place holds the tile."""


class ScanArrays(NamedTuple):
    """A map that is drawn cell by cell, and the contexts that its cells are drawn from."""

    contexts: ContextArrays
    cells: Uint16_1D
    shifts: Int64_1D
    """Offsets of the neighbors."""
    steps: Int64_2D
    """Sets of directions, by index: of `draw_tiles` its backoff order, of which each row has the sets whose
    probabilities are multiplied, padded with -1; of `resample_tiles` the other cells of each 2x2 block that contains a
    cell, and the single neighbor that two blocks share."""
    scratch: Float64_2D
    """(3, tile) work space."""


class ContextTotals(Record):
    """Numbers of contexts and entries that `count_contexts` has found."""

    contexts: int
    entries: int


FREE = -1
SIZE_BITS = 20
"""Number of bits for the number of a context's entries."""
TILE, COUNT, SUM = 0, 1, 2
"""Columns of `ContextArrays.entries`."""
SOUTH = 4
"""Direction of the cell below, in contexts of 2x2 blocks."""
MIN_CHANCE = 1e-6
"""Minimum probability of a lock ahead. If no tile of a context reaches it, a smaller context is tried."""
MIN_SQUARE = 1e-4
"""Assumed count of a 2x2 block that was never seen. A smaller value makes other unseen blocks less likely."""


@inline
def _find_slot(keys: Int64_1D, key: int) -> int:
    """Return the slot of a key in a hash table, or the free slot for it."""
    rest = np.int64(len(keys) - 1)
    place = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & rest
    while keys[place] != FREE and keys[place] != key:
        place = (place + 1) & rest
    return int(place)


@kernel(allocates=False)
def rehash(keys: Int64_1D, values: Int64_1D, new_keys: Int64_1D, new_values: Int64_1D) -> None:
    """Move a hash table into a larger one, whose keys are FREE."""
    for place in range(len(keys)):
        if keys[place] != FREE:
            slot = _find_slot(new_keys, int(keys[place]))
            new_keys[slot], new_values[slot] = keys[place], values[place]


@kernel(allocates=False)
def hash_keys(keys: Int64_1D, table: Int64_1D) -> None:
    """Add keys to a hash table, of which more slots are free."""
    for key in keys:
        table[_find_slot(table, int(key))] = key


@kernel(allocates=False)
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
    """Count the tiles in each context, from a cell on, while there are free slots; return the next cell.

    `seen` has a row for every cell: its tile index and the digits of its neighbors. `keys` and `ids` are a hash table
    of contexts, numbered by first occurrence; `pairs` and `counts` are a hash table of context * tiles + tile. At most
    half of their slots are used.
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
def _find_context(scan: ScanArrays, place: int, number: int) -> int:
    """Return the entries of a cell's context in a set of directions, as in `slots`, or -1 if it was never seen."""
    contexts, cells, shifts, key = scan.contexts, scan.cells, scan.shifts, np.int64(0)
    for rank in range(contexts.members.shape[1]):
        direction = contexts.members[number, rank]
        if direction < 0:
            break
        key = key * contexts.digits + np.int64(cells[np.uint64(place + shifts[np.uint64(direction)])])
    key += contexts.bases[number]
    slots = contexts.slots
    # Unsigned, because numba checks signed indices for negative ones.
    rest = np.uint64(len(slots) - 1)
    slot = ((np.uint64(key) * GAMMA) >> np.uint64(20)) & rest
    while slots[slot, 0] != key:
        if slots[slot, 0] == FREE:
            return -1
        slot = (slot + np.uint64(1)) & rest
    return int(slots[slot, 1])


@inline
def _first_of(found: int) -> int:
    """Return the first entry of a context that `_find_context` returned."""
    return found >> SIZE_BITS


@inline
def _end_of(found: int) -> int:
    """Return the end of the entries of a context that `_find_context` returned."""
    return (found >> SIZE_BITS) + (found & ((1 << SIZE_BITS) - 1))


@inline
def _find_known_directions(scan: ScanArrays, place: int) -> int:
    """Return the directions in which there is a tile, as bits."""
    known = np.int64(0)
    for direction in range(len(scan.shifts)):
        known |= np.int64(scan.cells[place + scan.shifts[direction]] != 0) << direction
    return int(known)


@kernel(allocates=False)
def draw_tiles(
    scan: ScanArrays, locked: Uint8_1D, order: Int64_1D, lookahead: Lookahead, smoothing: float, temperature: float,
    state: Uint64_1D,
) -> int:  # fmt: skip
    """Draw a tile for every cell of `order` that is not locked; return the number of cells without a tile.

    A cell for which no step has a known context gets no tile: its digit is 0.

    With a `smoothing` of 0, the first known step gives the probabilities. Otherwise, those of each step are added to
    the counts of the step before, with a weight of `smoothing` occurrences.
    """
    contexts, cells, steps = scan.contexts, scan.cells, scan.steps
    lost = 0
    for place in order:
        if locked[place]:
            continue
        known = _find_known_directions(scan, place)
        context, first = -1, 0
        if smoothing == 0.0 and temperature == 1.0 and lookahead.rows[place] < 0:
            # Most cells need only the first known context.
            for step in range(len(steps)):
                number = steps[step, 0]
                if steps.shape[1] > 1 and steps[step, 1] >= 0:
                    first = step
                    break
                if contexts.masks[number] & known == contexts.masks[number]:
                    context = _find_context(scan, place, number)
                    if context >= 0:
                        break
        if context >= 0:
            entries = contexts.entries
            entry, end = _first_of(context), _end_of(context)
            mark = random(state) * np.float64(entries[end - 1, SUM])
            while mark >= entries[entry, SUM] and entry < end - 1:
                entry += 1
            cells[place] = 1 + entries[entry, TILE]
            continue
        if smoothing > 0.0:
            is_known = _blend(scan, place, known, lookahead, smoothing)
        else:
            is_known = _back_off(scan, place, known, lookahead, first)
        if is_known:
            cells[place] = 1 + _draw(scan.scratch[0], temperature, state)
        else:
            cells[place] = 0
            lost += 1
    return lost


@part
def _back_off(scan: ScanArrays, place: int, known: int, lookahead: Lookahead, first: int) -> bool:
    """Write the weights of tiles by the first known backoff step with a tile that allows the locked tile ahead."""
    row, fallback = lookahead.rows[place], -1
    step = first
    while step < len(scan.steps):
        if _combine(scan, place, known, step) > 0.0:
            if row < 0 or step == fallback or _weigh(scan.scratch[0], lookahead.chances[row]):
                return True
            fallback = step if fallback < 0 else fallback
        step += 1
        if step == len(scan.steps) and fallback >= 0:  # all exclude the locked tile: ignore the lookahead
            step = fallback
    return False


@part
def _weigh(shares: Float64_1D, chances: Float64_1D) -> bool:
    """Multiply weights of tiles by the probability of a lock ahead; return False, unchanged, if no tile allows it."""
    best = 0.0
    for tile in range(len(shares)):
        if shares[tile] > 0.0:
            best = max(best, chances[tile])
    if best < MIN_CHANCE:
        return False
    for tile in range(len(shares)):
        shares[tile] *= chances[tile]
    return True


@part
def _combine(scan: ScanArrays, place: int, known: int, number: int) -> float:
    """Write the weights of tiles by one backoff step to scratch[0]; return the context's count, 0 if it is unknown.

    Several sets of directions are treated as independent: weights are multiplied, and divided by the overall counts of
    the tiles for every set after the first. The lowest count is returned.
    """
    contexts, step = scan.contexts, scan.steps[number]
    entries, masks = contexts.entries, contexts.masks
    for index in range(len(step)):
        if step[index] >= 0 and masks[step[index]] & known != masks[step[index]]:
            return 0.0
    own, other = scan.scratch[0], scan.scratch[1]
    sightings = np.inf
    for index in range(len(step)):
        if step[index] < 0:
            break
        context = _find_context(scan, place, step[index])
        if context < 0:
            return 0.0
        target = own if index == 0 else other
        for tile in range(len(target)):
            target[tile] = 0.0
        total = 0.0
        for entry in range(_first_of(context), _end_of(context)):
            target[entries[entry, TILE]] = entries[entry, COUNT]
            total += entries[entry, COUNT]
        sightings = min(sightings, total)
        if index > 0:
            overall = _find_context(scan, place, 0)  # the first set is empty
            for entry in range(_first_of(overall), _end_of(overall)):
                tile = entries[entry, TILE]
                own[tile] *= other[tile] / entries[entry, COUNT]
    for tile in range(len(own)):
        if own[tile] > 0.0:
            return sightings
    return 0.0


@part
def _blend(scan: ScanArrays, place: int, known: int, lookahead: Lookahead, smoothing: float) -> bool:
    """Write the weights of tiles by all backoff steps to scratch[0], each blended into the step before it."""
    own, blend = scan.scratch[0], scan.scratch[2]
    is_known = False
    for step in range(len(scan.steps) - 1, -1, -1):
        sightings = _combine(scan, place, known, step)
        if sightings == 0.0:
            continue
        total = 0.0
        for tile in range(len(own)):
            total += own[tile]
        smaller = smoothing if is_known else 0.0
        for tile in range(len(own)):
            before = blend[tile] * smaller if is_known else 0.0
            blend[tile] = (before + own[tile] / total * sightings) / (sightings + smaller)
        is_known = True
    for tile in range(len(own) if is_known else 0):
        own[tile] = blend[tile]
    if is_known and lookahead.rows[place] >= 0:
        _weigh(own, lookahead.chances[lookahead.rows[place]])
    return is_known


@part
def _draw(shares: Float64_1D, temperature: float, state: Uint64_1D) -> int:
    """Return a random tile in proportion to its weight to the power 1 / temperature; with 0, the first maximum."""
    if temperature != 1.0:
        best = 0
        for tile in range(len(shares)):
            if shares[tile] > shares[best]:
                best = tile
        if temperature == 0.0:
            return best
        highest = shares[best]
        for tile in range(len(shares)):
            if shares[tile] > 0.0:
                shares[tile] = exact_power(shares[tile] / highest, 1.0 / temperature)
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


@kernel(allocates=False)
def resample_tiles(scan: ScanArrays, order: Int64_1D, temperature: float, state: Uint64_1D) -> None:
    """Draw the cells of `order` again, each given all its neighbors (Gibbs sampling).

    The weight of a tile is the product of the counts of its blocks, divided by the counts of its pairs, times its own
    count: in Kikuchi's approximation every pair and cell counts once. Blocks that were never seen have the count
    `MIN_SQUARE`.
    """
    own, below, common = scan.scratch[0], scan.scratch[1], scan.scratch[2]
    contexts, parts = scan.contexts, scan.steps
    entries = contexts.entries
    for tile in range(len(common)):
        common[tile], below[tile] = 0.0, 1.0
    overall = _find_context(scan, 0, 0)  # the first set is empty
    for entry in range(_first_of(overall), _end_of(overall)):
        common[entries[entry, TILE]] = entries[entry, COUNT]
    for place in order:
        known = _find_known_directions(scan, place)
        for tile in range(len(own)):
            own[tile] = common[tile]
        for column in range(2):
            target, least = (own, MIN_SQUARE) if column == 0 else (below, 1.0)
            for row in range(len(parts)):
                number = parts[row, column]
                if contexts.masks[number] & known != contexts.masks[number]:
                    continue  # a neighbor has no tile
                context = _find_context(scan, place, number)
                if context >= 0:
                    for entry in range(_first_of(context), _end_of(context)):
                        target[entries[entry, TILE]] *= entries[entry, COUNT] / least
        for tile in range(len(own)):
            own[tile] /= below[tile]
            below[tile] = 1.0
        scan.cells[place] = 1 + _draw(own, temperature, state)


@kernel
def find_unseen(scan: ScanArrays, order: Int64_1D, out: Int64_1D) -> int:
    """Write the cells of `order` in 2x2 blocks that were never seen to `out`; return their number.

    A block with a cell without a tile counts as seen. Each block is looked up once.
    """
    cells, south = scan.cells, scan.shifts[SOUTH]
    looked_up = np.zeros(len(cells), dtype=np.uint8)  # 1 if the block that starts here was seen, 2 if not
    count = 0
    for place in order:
        if cells[place] == 0:
            continue
        is_unseen = False
        for corner in (place, place - 1, place - south, place - south - 1):
            if looked_up[corner] == 0:
                looked_up[corner] = 1 if _is_seen(scan, corner, corner + south) else 2
            is_unseen |= looked_up[corner] == 2
        if is_unseen:
            out[count] = place
            count += 1
    return count


@inline
def _is_seen(scan: ScanArrays, above: int, below: int) -> bool:
    """Return whether a 2x2 block, given the first cells of its rows, is in a sample or has a cell without a tile."""
    digits, blocks = np.int64(scan.contexts.digits), scan.contexts.blocks
    key, is_full = np.int64(0), True
    for place in (above, above + 1, below, below + 1):
        digit = np.int64(scan.cells[np.uint64(place)])
        key = key * digits + digit
        is_full &= digit != 0
    return not is_full or blocks[_find_slot(blocks, int(key))] == key


@kernel
def draw_map(
    scan: ScanArrays, squares: ScanArrays, rounds: Uint16_2D, order: Int64_1D, temperature: float, state: Uint64_1D,
    streams: Uint64_2D, sweeps: int,
) -> None:  # fmt: skip
    """Draw a map without locks, then draw cells again in rounds: in all sweeps, then in repair passes.

    Parameters
    ----------
    scan
        The first of the rounds and its contexts, for `draw_tiles`.
    squares
        The same with the contexts of 2x2 blocks, for `resample_tiles`; not used if there are no rounds.
    rounds
        (1 + round, place) the map after the scan and after every round; written.
    order
        Places in the order of the scan.
    temperature
        Sampling temperature.
    state
        Random stream of tiles.
    streams
        (round,) random streams that shuffle the places of each round.
    sweeps
        Number of rounds that draw all places; the others draw the places of unseen blocks.
    """
    cells = scan.cells
    cells[:] = scan.contexts.digits - 1
    for place in order:
        cells[place] = 0
    nothing = Lookahead(np.full(len(cells), -1, dtype=np.int32), np.empty((0, 0)))
    locked = np.zeros(len(cells), dtype=np.uint8)
    draw_tiles(scan, locked, order, nothing, 0.0, temperature, state)
    found = np.empty(len(order), dtype=np.int64)
    for number in range(len(streams)):
        rounds[number + 1] = cells
        cells = rounds[number + 1]
        again = ScanArrays(squares.contexts, cells, squares.shifts, squares.steps, squares.scratch)
        places = order
        if number >= sweeps:
            places = found[: find_unseen(again, order, found)]
        shuffled = np.empty(len(places), dtype=np.float64)
        for position in range(len(places)):
            shuffled[position] = random(streams[number])
        places = places[np.argsort(shuffled, kind="mergesort")]
        resample_tiles(again, places, temperature, state)
