"""Contexts: which tile stands beside which neighbours, counted, looked up, and drawn from.

What stands in the directions that count are digits: 0 nothing yet, then a number for every tile, and one more for what
lies beyond the edge. A context is a set of directions with what stands there. Its key is the set's own base and, above
that, its digits times their weights, powers of the number of digits, so that no two contexts share a key. The first set
is the empty one: its only context is how common tiles are anywhere, and has the key 0. Maps lie flat within a margin
that holds the digit of the edge.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .exact import raised
from .random import GAMMA, random

Digits: TypeAlias = NDArray[np.uint16]
Numbers: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.int32]
Contexts: TypeAlias = tuple[Any, ...]
"""Keys in a hash table, -1 where it is free, and which context stands there; for every context where its entries begin
(and where the last ones end); for every entry a tile, in order, how often it was seen, and how often with all before it
in its context; for every set of directions its bits, its base, and the weights of the directions."""
Shares: TypeAlias = NDArray[np.float64]
"""(3, tile) room for how common tiles are."""

SETS = "int64[::1], int64[::1], int64[:, ::1]"
FOUND = "int64[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]"
CONTEXTS = f"Tuple(({FOUND}, {SETS}))"
FREE = -1
LEAST_HINT = 1e-6
"""Tiles that a lock ahead makes less likely than this are no answer, while another one may be."""
LEAST_SQUARE = 1e-4
"""How often a square was seen at least: the less, the harder for a wrong one to turn into another on the way."""
FIRST_ROOM = 1 << 16
"""Places in a hash table at most, before it is known how many are needed."""


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


@kernel(f"Tuple(({FOUND}))(uint16[:, ::1], {SETS}, int64)")
def count_contexts(
    seen: Digits, masks: Numbers, bases: Numbers, weights: Numbers, tiles: int
) -> tuple[Numbers, Table, Table, Table, Table, Table]:
    """How often each tile was seen in each context: the first six parts of `Contexts`.

    `seen` has a row for every cell: its tile, numbered from 0, then the digits of its neighbours. Contexts are numbered
    in the order in which they were first seen.
    """
    room = 1 << 10
    while room < 4 * len(masks) or (room < FIRST_ROOM and 2 * room < len(seen) * len(masks)):
        room *= 2
    keys, which = np.full(room, FREE, np.int64), np.zeros(room, np.int64)
    pairs, counts = np.full(room, FREE, np.int64), np.zeros(room, np.int64)
    found = np.zeros(2, np.int64)
    cell = 0
    while cell < len(seen):
        # Tables grow between calls: in a loop that may exchange its arrays every step takes twice the time.
        cell = _counted(seen, cell, bases, weights, tiles, keys, which, pairs, counts, found)
        if 2 * (found[0] + len(masks)) > len(keys):
            keys, which = _roomier(keys, which)
        if 2 * (found[1] + len(masks)) > len(pairs):
            pairs, counts = _roomier(pairs, counts)
    firsts, entries, times, sums = _grouped(pairs, counts, int(found[0]), int(found[1]), tiles)
    return keys, which.astype(np.int32), firsts, entries, times, sums


@kernel
def _counted(
    seen: Digits,
    cell: int,
    bases: Numbers,
    weights: Numbers,
    tiles: int,
    keys: Numbers,
    which: Numbers,
    pairs: Numbers,
    counts: Numbers,
    found: Numbers,
) -> int:
    """Count from a cell on as long as there is room: the cell to go on with. `found` has contexts and entries."""
    contexts, entries = found[0], found[1]
    while cell < len(seen) and 2 * (contexts + len(bases)) <= len(keys) and 2 * (entries + len(bases)) <= len(pairs):
        for number in range(len(bases)):
            key = bases[number]
            for direction in range(weights.shape[1]):
                key += weights[number, direction] * np.int64(seen[cell, direction + 1])
            slot = _slot(keys, key)
            if keys[slot] == FREE:
                keys[slot], which[slot] = key, contexts
                contexts += 1
            pair = which[slot] * tiles + np.int64(seen[cell, 0])
            place = _slot(pairs, pair)
            entries += pairs[place] == FREE
            pairs[place] = pair
            counts[place] += 1
        cell += 1
    found[0], found[1] = contexts, entries
    return cell


@kernel
def _grouped(
    pairs: Numbers, counts: Numbers, contexts: int, entries: int, tiles: int
) -> tuple[Table, Table, Table, Table]:
    """Where each context's entries begin, their tiles, counts and sums, by context and in it by tile."""
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
    seen, numbers, sums = np.empty(entries, np.int32), np.empty(entries, np.int32), np.empty(entries, np.int32)
    for place in range(entries):
        own = by_tile[place]
        context = pairs[own] // tiles
        entry = fill[context]
        seen[entry], numbers[entry] = pairs[own] % tiles, counts[own]
        sums[entry] = counts[own] + (sums[entry - 1] if entry > firsts[context] else 0)
        fill[context] += 1
    return firsts.astype(np.int32), seen, numbers, sums


@kernel
def _context(contexts: Contexts, cells: Digits, place: int, number: int, shifts: Numbers) -> int:
    """The context of a cell in a set of directions, -1 for one that was never seen."""
    keys, which, bases, weights = contexts[0], contexts[1], contexts[7], contexts[8]
    key = bases[number]
    for direction in range(len(shifts)):
        key += weights[number, direction] * np.int64(cells[place + shifts[direction]])
    slot = _slot(keys, key)
    return int(which[slot]) if keys[slot] == key else -1


@kernel
def _known(cells: Digits, place: int, shifts: Numbers) -> int:
    """The directions in which something stands, as bits."""
    known = np.int64(0)
    for direction in range(len(shifts)):
        if cells[place + shifts[direction]] != 0:
            known |= np.int64(1) << direction
    return int(known)


@kernel(
    f"int64({CONTEXTS}, uint16[::1], uint8[::1], int64[::1], int64[::1], int64[:, ::1], int32[::1], float64[:, ::1],"
    " float64, float64, uint64[::1], float64[:, ::1])"
)
def draw_tiles(
    contexts: Contexts,
    cells: Digits,
    held: NDArray[np.uint8],
    order: Numbers,
    shifts: Numbers,
    steps: Numbers,
    hinted: Table,
    hints: Shares,
    smoothing: float,
    temperature: float,
    state: NDArray[np.uint64],
    room: Shares,
) -> int:
    """Give the cells of `order` that are not held tiles by what stands around them; how many got none.

    `shifts` lead from a cell to its neighbour in each direction. `steps` is the order of backing off: in each row sets
    of directions, by number, whose shares are multiplied, -1 behind the last. With smoothing, the shares of each step
    are mixed into those of the one before, as if they had been seen that many times. A cell about which no step knows
    anything gets none: its digit stays 0. `hinted` names the row of `hints` that tells how likely a lock ahead is
    beside each tile of a cell; -1 where none is near.
    """
    # Taken apart once: each array that is taken from a tuple costs as much as looking a context up.
    keys, which, firsts, tiles, _, sums, masks, bases, weights = contexts
    simple = temperature == 1.0 and smoothing == 0.0
    lost = 0
    for place in order:
        if held[place]:
            continue
        known = np.int64(0)
        for direction in range(len(shifts)):
            known |= np.int64(cells[place + shifts[direction]] != 0) << direction
        hint, asked = hinted[place], 0
        if simple and hint < 0:
            # Most cells need no more than the first context that is known. Written out: calls would double the time.
            context = -1
            for step in range(len(steps)):
                number = steps[step, 0]
                if steps.shape[1] > 1 and steps[step, 1] >= 0:
                    asked = step
                    break
                if masks[number] & known == masks[number]:
                    key = bases[number]
                    for direction in range(len(shifts)):
                        key += weights[number, direction] * np.int64(cells[place + shifts[direction]])
                    slot = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & (len(keys) - 1)
                    while keys[slot] != FREE and keys[slot] != key:
                        slot = (slot + 1) & (len(keys) - 1)
                    if keys[slot] == key:
                        context = which[slot]
                        break
            if context >= 0:
                entry, end = firsts[context], firsts[context + 1]
                mark = random(state) * np.float64(sums[end - 1])
                while mark >= sums[entry] and entry < end - 1:
                    entry += 1
                cells[place] = 1 + tiles[entry]
                continue
        if smoothing > 0.0:
            found = _blended(contexts, cells, place, int(known), shifts, steps, smoothing, room)
            if found and hint >= 0:
                _weighed(room[0], hints[hint])
        else:
            found = _backed_off(contexts, cells, place, int(known), shifts, steps[asked:], hinted, hints, room)
        if found:
            cells[place] = 1 + _drawn(room[0], temperature, state)
        else:
            cells[place] = 0
            lost += 1
    return lost


@kernel
def _backed_off(
    contexts: Contexts,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    steps: Numbers,
    hinted: Table,
    hints: Shares,
    room: Shares,
) -> bool:
    """How common the tiles are by the first step that knows, and whose tiles do not shut a lock ahead out."""
    first = -1
    for step in range(len(steps)):
        if _shared(contexts, cells, place, known, shifts, steps[step], room) == 0.0:
            continue
        if hinted[place] < 0 or _weighed(room[0], hints[hinted[place]]):
            return True
        first = step if first < 0 else first
    if first < 0:
        return False
    _shared(contexts, cells, place, known, shifts, steps[first], room)
    return True


@kernel
def _weighed(shares: NDArray[np.float64], hint: NDArray[np.float64]) -> bool:
    """Weigh tiles by how likely a lock ahead is beside them; False, and all stays, where it is beside none."""
    best = 0.0
    for tile in range(len(shares)):
        if shares[tile] > 0.0:
            best = max(best, hint[tile])
    if best < LEAST_HINT:
        return False
    for tile in range(len(shares)):
        shares[tile] *= hint[tile]
    return True


@kernel
def _shared(
    contexts: Contexts, cells: Digits, place: int, known: int, shifts: Numbers, step: Numbers, room: Shares
) -> float:
    """How common the tiles are by one step of backing off, in the first row of the room: 0 if it knows nothing.

    Else, in how many sightings. Several sets of directions are taken for independent of each other: shares are
    multiplied, and divided by those of the tiles anywhere for every set after the first; the fewest sightings count.
    """
    firsts, tiles, counts, masks = contexts[2], contexts[3], contexts[4], contexts[6]
    for number in step:
        if number >= 0 and masks[number] & known != masks[number]:
            return 0.0
    own, other = room[0], room[1]
    sightings = np.inf
    for part in range(len(step)):
        if step[part] < 0:
            break
        context = _context(contexts, cells, place, step[part], shifts)
        if context < 0:
            return 0.0
        target = own if part == 0 else other
        target[:] = 0.0
        total = 0.0
        for entry in range(firsts[context], firsts[context + 1]):
            target[tiles[entry]] = counts[entry]
            total += counts[entry]
        sightings = min(sightings, total)
        if part > 0:
            for entry in range(firsts[0], firsts[1]):  # the first context of all is that of no direction
                own[tiles[entry]] *= other[tiles[entry]] / counts[entry]
    return sightings if own.max() > 0.0 else 0.0


@kernel
def _blended(
    contexts: Contexts,
    cells: Digits,
    place: int,
    known: int,
    shifts: Numbers,
    steps: Numbers,
    smoothing: float,
    room: Shares,
) -> bool:
    """How common the tiles are by all steps of backing off, each mixed into the one before it."""
    own, blend = room[0], room[2]
    found = False
    for step in range(len(steps) - 1, -1, -1):
        sightings = _shared(contexts, cells, place, known, shifts, steps[step], room)
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
    if found:
        own[:] = blend
    return found


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


@kernel(f"void({CONTEXTS}, uint16[::1], int64[::1], int64[::1], int64[:, ::1], float64, uint64[::1], float64[:, ::1])")
def resample_tiles(
    contexts: Contexts,
    cells: Digits,
    order: Numbers,
    shifts: Numbers,
    parts: Numbers,
    temperature: float,
    state: NDArray[np.uint64],
    room: Shares,
) -> None:
    """Draw the cells of `order` again, each given all its neighbours (Gibbs sampling).

    The first column of `parts` holds the sets of directions, by number, of the other cells of each square that a cell
    is part of, the second those of single neighbours that two squares share. A tile is as likely as the product of how
    often its squares were seen, by that of its pairs, times how often it was seen itself: in Kikuchi's approximation
    every pair and cell counts once. Squares that were never seen are as rare as `LEAST_SQUARE` says.
    """
    keys, which, firsts, tiles, counts, _, masks, bases, weights = contexts
    own, below, common = room[0], room[1], room[2]
    common[:] = 0.0
    for entry in range(firsts[0], firsts[1]):
        common[tiles[entry]] = counts[entry]
    for place in order:
        known = np.int64(0)
        for direction in range(len(shifts)):
            known |= np.int64(cells[place + shifts[direction]] != 0) << direction
        for tile in range(len(own)):
            own[tile], below[tile] = common[tile], 1.0
        for part in range(2):
            target, least = (own, LEAST_SQUARE) if part == 0 else (below, 1.0)
            for row in range(len(parts)):
                number = parts[row, part]
                if masks[number] & known != masks[number]:
                    continue  # nothing stands there, so that nothing is to be learned from it
                key = bases[number]
                for direction in range(len(shifts)):
                    key += weights[number, direction] * np.int64(cells[place + shifts[direction]])
                slot = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & (len(keys) - 1)
                while keys[slot] != FREE and keys[slot] != key:
                    slot = (slot + 1) & (len(keys) - 1)
                if keys[slot] == key:
                    for entry in range(firsts[which[slot]], firsts[which[slot] + 1]):
                        target[tiles[entry]] *= counts[entry] / least
        for tile in range(len(own)):
            own[tile] /= below[tile]
        cells[place] = 1 + _drawn(own, temperature, state)


@kernel(f"int64({CONTEXTS}, uint16[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1])")
def find_strange(
    contexts: Contexts, cells: Digits, order: Numbers, shifts: Numbers, parts: Numbers, out: Numbers
) -> int:
    """Write those cells of `order` to `out` that are part of a square that was never seen: how many there are."""
    keys, which, firsts, tiles, _, _, masks, bases, weights = contexts
    count = 0
    for place in order:
        own = np.int64(cells[place]) - 1
        strange = False
        for row in range(len(parts)):
            number = parts[row, 0]
            key = bases[number]
            known = True
            for direction in range(len(shifts)):
                digit = np.int64(cells[place + shifts[direction]])
                key += weights[number, direction] * digit
                known = known and (digit != 0 or masks[number] >> direction & 1 == 0)
            if not known or own < 0:
                continue
            slot = np.int64((np.uint64(key) * GAMMA) >> np.uint64(20)) & (len(keys) - 1)
            while keys[slot] != FREE and keys[slot] != key:
                slot = (slot + 1) & (len(keys) - 1)
            seen = False
            if keys[slot] == key:
                for entry in range(firsts[which[slot]], firsts[which[slot] + 1]):
                    seen = seen or tiles[entry] == own
            if not seen:
                strange = True
                break
        if strange:
            out[count] = place
            count += 1
    return count
