"""Pieces: choosing, for rivers, roads and the like, the one that fits its neighbours.

Sides are counted clockwise from north, and sets of them are bits. Maps lie flat within a margin of one cell that holds
the edge, a tile after the last. The tables:

- `tiles` (tile, 3): its kind, the sides where it goes on, its group (kind and country) or -1 if it is no piece;
- `pieces` (group, 19): the tile that goes on at each set of sides, or -1; then whether it lacks some sets of two sides
  and more, whether a dead end of it may be drawn on, and the least number of sides;
- `relation` (kind, kind): what the first may do at the second, as bits;
- `gives` (kind, number): kinds that take its place, -1 after the last; `stands` (kind,): a tile of each kind.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Numbers: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.uint8]

KIND, SIDES, GROUP = 0, 1, 2
LIMITED, EXTENDS, LEAST = 16, 17, 18
JOINS, UNDER, MEETS, LOOSE, EDGE = 1, 2, 4, 8, 16
NEVER = 1 << 30
BROKEN = 1000
"""What a link costs that a piece leaves out; all else is small beside it."""
LONGEST = 60
"""Cells that a dead end is drawn on by at most."""
MOST_LOOKS = 64
"""How often a cell is looked at in a round, on average, at most."""
MOST_CHANGES = 6
"""How often something is tried in a round for a piece that fits nowhere; then it gives way to what is none."""


@kernel
def count(sides: int) -> int:
    """How many sides a set has."""
    return (sides & 1) + (sides >> 1 & 1) + (sides >> 2 & 1) + (sides >> 3 & 1)


@kernel
def shift(side: int, width: int) -> int:
    """From a cell to its neighbour at a side."""
    if side == 0:
        return -width
    if side == 1:
        return 1
    return width if side == 2 else -1


@kernel
def fits(relation: int, back: int) -> bool:
    """Whether a piece may go on at a neighbour that goes on towards it, or does not."""
    if relation & (MEETS | LOOSE | EDGE):
        return True
    return relation & JOINS != 0 if back else relation & UNDER != 0


@kernel
def price(relation: int, back: int) -> int:
    """What it costs to go on at a neighbour that is not linked."""
    if relation & UNDER and not back:
        return -5
    if relation & MEETS:
        return 15
    if relation & EDGE:
        return 30
    return 35 if relation & LOOSE else NEVER


@kernel
def linked(
    cell: int, side: int, width: int, cells: Numbers, frozen: Marks, tiles: Table, relation: Table, keep: int
) -> bool:
    """Whether a free piece and its neighbour should go on towards each other."""
    other = cell + shift(side, width)
    mine, its = cells[cell], cells[other]
    if not relation[tiles[mine, KIND], tiles[its, KIND]] & JOINS:
        return False
    there, back = tiles[mine, SIDES] >> side & 1, tiles[its, SIDES] >> (side + 2 & 3) & 1
    if frozen[other] or tiles[its, GROUP] < 0:
        return bool(back)
    if not relation[tiles[its, KIND], tiles[mine, KIND]] & JOINS:
        return False
    if not keep or (there and back):
        return True
    if there:
        return not fits(relation[tiles[mine, KIND], tiles[its, KIND]], back)
    return back != 0 and not fits(relation[tiles[its, KIND], tiles[mine, KIND]], there)


@kernel
def chosen(
    cell: int, width: int, cells: Numbers, frozen: Marks, links: Numbers,
    tiles: Table, pieces: Table, relation: Table, keep: int, prices: Table,
) -> int:  # fmt: skip
    """The best set of sides for a free piece, or -1 where none fits; `prices` (2, 4) is overwritten."""
    tile = cells[cell]
    kind, now, group = tiles[tile, KIND], tiles[tile, SIDES], tiles[tile, GROUP]
    wanted = links[cell]
    if keep and wanted & ~now == 0:
        good = True
        for side in range(4):
            if now >> side & 1:
                its = cells[cell + shift(side, width)]
                good = good and fits(relation[kind, tiles[its, KIND]], tiles[its, SIDES] >> (side + 2 & 3) & 1)
        if good:
            return int(now)
    # What each side costs where the piece goes on there, and where it does not.
    going, closed = prices[0], prices[1]
    limited = pieces[group, LIMITED]
    reachable, alike = 0, 0
    for side in range(4):
        other = cell + shift(side, width)
        its = cells[other]
        way = relation[kind, tiles[its, KIND]]
        held = now >> side & 1
        cost = 0
        if wanted >> side & 1:
            going[side] = 0
            cost = BROKEN + (30 if keep else 3) * held
            if frozen[other] or tiles[its, GROUP] < 0:
                cost += 4 * BROKEN
            else:
                needed = count(links[other]) <= pieces[tiles[its, GROUP], LEAST]
                cost += 20 * needed + 15 * (1 - pieces[tiles[its, GROUP], LIMITED])
        else:
            extra = price(way, tiles[its, SIDES] >> (side + 2 & 3) & 1)
            going[side] = 0 if keep and held and extra < NEVER else extra
            if keep and held:
                cost = 25
            elif limited:
                # A side that stays closed: rather towards what it could not go on at anyway, or to what runs under it.
                if way & (JOINS | MEETS | LOOSE):
                    cost += 6
                    reachable |= 1 << side
                if relation[tiles[its, KIND], kind] & UNDER:
                    cost -= 6
                alike |= (tiles[its, KIND] == kind) << side
        closed[side] = cost
    best, least = -1, NEVER // 2  # some costs are below 0
    for sides in range(16):
        if pieces[group, sides] < 0:
            continue
        cost = -1 if sides == now else 0
        for side in range(4):
            cost += going[side] if sides >> side & 1 else closed[side]
        if sides == 5 or sides == 10:
            cost -= 10
        elif limited and count(sides) == 1:
            # A beach has water in front of it, and runs on beside the next one.
            across = (sides << 2 | sides >> 2) & 15
            cost += 6 * (reachable & across != 0) - 3 * count(alike & ~(sides | across)) - 2 * (sides & 10 != 0)
        if cost < least:
            best, least = sides, cost
    return best


@kernel
def pushed(cell: int, queue: Numbers, waiting: Marks, ends: Numbers) -> None:
    """Queue a cell, unless it waits already."""
    if not waiting[cell]:
        waiting[cell] = 1
        queue[ends[1]] = cell
        ends[1] = (ends[1] + 1) % queue.size


@kernel
def pushed_around(cell: int, width: int, queue: Numbers, waiting: Marks, ends: Numbers) -> None:
    for side in range(4):
        pushed(cell + shift(side, width), queue, waiting, ends)


@kernel
def replacement(cell: int, width: int, cells: Numbers, tiles: Table, gives: Table, stands: Numbers, plain: bool) -> int:
    """The tile that a cell gives way to: of the commonest kind around it, else the first; -1 if there is none."""
    kind = tiles[cells[cell], KIND]
    best, most = -1, -1
    for number in range(gives.shape[1]):
        other = gives[kind, number]
        if other < 0:
            break
        if plain and tiles[stands[other], GROUP] >= 0:
            continue
        tile, votes = stands[other], 0
        for side in range(4):
            its = cells[cell + shift(side, width)]
            if tiles[its, KIND] == other:
                votes += 1
                if tiles[its, GROUP] < 0:
                    tile = its
        if votes > most:
            best, most = tile, votes
    return best


@kernel
def linked_anew(
    cell: int, width: int, cells: Numbers, frozen: Marks, links: Numbers, tiles: Table, pieces: Table, relation: Table
) -> bool:
    """Link a piece that fits nowhere to one more neighbour that can take it, straight on if possible."""
    kind = tiles[cells[cell], KIND]
    best, most = -1, -1
    for side in range(4):
        its = cells[cell + shift(side, width)]
        if (
            links[cell] >> side & 1
            or frozen[cell + shift(side, width)]
            or tiles[its, GROUP] < 0
            or pieces[tiles[its, GROUP], LIMITED]
        ):
            continue
        if relation[kind, tiles[its, KIND]] & JOINS and relation[tiles[its, KIND], kind] & JOINS:
            straight = links[cell] >> (side + 2 & 3) & 1
            if straight > most:
                best, most = side, straight
    if best < 0:
        return False
    links[cell] |= 1 << best
    links[cell + shift(best, width)] |= 1 << (best + 2 & 3)
    return True


@kernel
def branch(
    cell: int, width: int, cells: Numbers, frozen: Marks, links: Numbers, tiles: Table, seen: Numbers, stamp: int
) -> int:
    """How many cells a dead end has up to the next fork, each of them marked as seen."""
    length, here = 0, cell
    while True:
        seen[here] = stamp
        length += 1
        onward = -1
        for side in range(4):
            other = here + shift(side, width)
            if links[here] >> side & 1 and seen[other] != stamp:
                onward = other
        if onward < 0 or frozen[onward] or tiles[cells[onward], GROUP] < 0 or count(links[onward]) > 2:
            return length
        here = onward


@kernel
def open_ground(
    cell: int, before: int, kind: int, width: int, cells: Numbers, frozen: Marks,
    tiles: Table, relation: Table, gives: Table, seen: Numbers, stamp: int,
) -> bool:  # fmt: skip
    """Whether a dead end of this kind may be drawn on over a cell, coming from the one before."""
    ground = tiles[cells[cell], KIND]
    if frozen[cell] or tiles[cells[cell], GROUP] >= 0 or seen[cell] >= stamp:
        return False
    given = False
    for number in range(gives.shape[1]):
        given = given or (gives[kind, number] == ground and ground >= 0)
    if not given:
        return False
    for side in range(4):
        other = cell + shift(side, width)
        its = cells[other]
        if other == before:
            continue
        if seen[other] == stamp:
            return False  # back to where it comes from
        if tiles[its, SIDES] >> (side + 2 & 3) & 1 and not relation[tiles[its, KIND], kind] & (JOINS | MEETS | LOOSE):
            return False  # what ends here would not fit any more
    return True


@kernel
def way_out(
    cell: int, before: int, kind: int, width: int, cells: Numbers, frozen: Marks,
    tiles: Table, relation: Table,
) -> int:  # fmt: skip
    """The side at which something of this kind could go on from a cell, the best there is; -1 if there is none."""
    best, least = -1, NEVER
    for side in range(4):
        other = cell + shift(side, width)
        if other == before:
            continue
        its = cells[other]
        back = tiles[its, SIDES] >> (side + 2 & 3) & 1
        cost = price(relation[kind, tiles[its, KIND]], back)
        free = tiles[its, GROUP] >= 0 and not frozen[other]
        if relation[kind, tiles[its, KIND]] & JOINS and (tiles[its, KIND] == kind if free else back != 0):
            cost = -10
        if cost < least:
            best, least = side, cost
    return best


@kernel
def extended(
    cell: int, width: int, cells: Numbers, frozen: Marks, links: Numbers,
    tiles: Table, pieces: Table, relation: Table, gives: Table, stands: Numbers,
    seen: Numbers, origin: Numbers, ground: Numbers, stamp: int,
    queue: Numbers, waiting: Marks, ends: Numbers,
) -> bool:  # fmt: skip
    """Draw a dead end on to the nearest way out, if that is not much longer than the dead end itself."""
    kind = tiles[cells[cell], KIND]
    if not links[cell] and way_out(cell, -1, kind, width, cells, frozen, tiles, relation) < 0:
        return False  # a pond, not a river that ends
    limit = min(LONGEST, (3 * branch(cell, width, cells, frozen, links, tiles, seen, stamp) + 2) // 2)
    ahead = 0
    for side in range(4):
        if links[cell] >> side & 1:
            ahead = side + 2 & 3
    ground[0] = cell
    head, tail, level, level_end = 0, 1, 0, 1
    while head < tail:
        if head == level_end:
            level, level_end = level + 1, tail
        if level == limit:
            return False
        here = ground[head]
        head += 1
        for turn in range(4):
            there = here + shift(ahead + turn & 3, width)
            if not open_ground(there, here, kind, width, cells, frozen, tiles, relation, gives, seen, stamp):
                continue
            seen[there] = stamp + 1
            origin[there] = here
            ground[tail] = there
            tail += 1
            side = way_out(there, here, kind, width, cells, frozen, tiles, relation)
            if side < 0:
                continue
            other = there + shift(side, width)
            if relation[kind, tiles[cells[other], KIND]] & JOINS:
                links[there] |= 1 << side
                links[other] |= 1 << (side + 2 & 3)
                pushed(other, queue, waiting, ends)
            while there != cell:
                cells[there] = stands[kind]
                before = origin[there]
                for back in range(4):
                    if there + shift(back, width) == before:
                        links[there] |= 1 << back
                        links[before] |= 1 << (back + 2 & 3)
                pushed(there, queue, waiting, ends)
                pushed_around(there, width, queue, waiting, ends)
                there = before
            pushed(cell, queue, waiting, ends)
            return True
    return False


@kernel
def gave_way(
    cell: int, width: int, cells: Numbers, frozen: Marks, links: Numbers,
    tiles: Table, relation: Table, gives: Table, stands: Numbers,
    queue: Numbers, waiting: Marks, ends: Numbers, keep: int, plain: bool,
) -> None:  # fmt: skip
    """Put something else where no piece fits."""
    tile = replacement(cell, width, cells, tiles, gives, stands, plain)
    if tile < 0:
        return
    cells[cell] = tile
    for side in range(4):
        links[cell + shift(side, width)] &= ~(1 << (side + 2 & 3))
    links[cell] = 0
    if tiles[tile, GROUP] >= 0:
        for side in range(4):
            other = cell + shift(side, width)
            if linked(cell, side, width, cells, frozen, tiles, relation, keep):
                links[cell] |= 1 << side
                links[other] |= 1 << (side + 2 & 3)
        pushed(cell, queue, waiting, ends)
    pushed_around(cell, width, queue, waiting, ends)


@kernel(
    "boolean(int64[::1], uint8[::1], int64, int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1],"
    " int64, int64)"
)
def fit(
    cells: Numbers, frozen: Marks, width: int,
    tiles: Table, pieces: Table, relation: Table, gives: Table, stands: Numbers,
    keep: int, extend: int,
) -> bool:  # fmt: skip
    """One round: link what joins, choose every piece, and let those give way that fit nowhere; whether any changed.

    Pieces that lack some sets of sides choose first, as they must drop links. A cell is looked at again when something
    beside it changes; what fits nowhere waits until all others have chosen.
    """
    size = cells.size
    before = cells.copy()
    links = np.zeros(size, dtype=np.int64)
    queue = np.empty(size + 1, dtype=np.int64)
    waiting = np.zeros(size, dtype=np.uint8)
    waited = np.zeros(size, dtype=np.uint8)
    ends = np.zeros(2, dtype=np.int64)
    for limited in (1, 0):
        for cell in range(width, size - width):
            group = tiles[cells[cell], GROUP]
            if group >= 0 and not frozen[cell] and pieces[group, LIMITED] == limited:
                for side in range(4):
                    if linked(cell, side, width, cells, frozen, tiles, relation, keep):
                        links[cell] |= 1 << side
                pushed(cell, queue, waiting, ends)
    if ends[1] == 0:
        return False
    seen = np.zeros(size if extend else 1, dtype=np.int64)
    origin = np.empty(size if extend else 1, dtype=np.int64)
    ground = np.empty(size if extend else 1, dtype=np.int64)
    prices = np.zeros((2, 4), dtype=np.int64)
    stamp = 1
    looks = MOST_LOOKS * size
    while ends[0] != ends[1] and looks:
        looks -= 1
        cell = queue[ends[0]]
        ends[0] = (ends[0] + 1) % queue.size
        waiting[cell] = 0
        group = tiles[cells[cell], GROUP]
        if group < 0 or frozen[cell]:
            continue
        sides = chosen(cell, width, cells, frozen, links, tiles, pieces, relation, keep, prices)
        if sides < 0:
            waited[cell] += 1
            if waited[cell] == 1:
                pushed(cell, queue, waiting, ends)
                continue
            if waited[cell] <= MOST_CHANGES and linked_anew(cell, width, cells, frozen, links, tiles, pieces, relation):
                pushed(cell, queue, waiting, ends)
                pushed_around(cell, width, queue, waiting, ends)
                continue
            if extend and pieces[group, EXTENDS] and waited[cell] <= MOST_CHANGES:
                stamp += 2
                if extended(
                    cell, width, cells, frozen, links, tiles, pieces, relation, gives, stands,
                    seen, origin, ground, stamp, queue, waiting, ends,
                ):  # fmt: skip
                    continue
            gave_way(
                cell, width, cells, frozen, links, tiles, relation, gives, stands,
                queue, waiting, ends, keep, waited[cell] > MOST_CHANGES,
            )  # fmt: skip
            continue
        lost = links[cell] & ~sides
        for side in range(4):
            if lost >> side & 1:
                other = cell + shift(side, width)
                links[other] &= ~(1 << (side + 2 & 3))
                pushed(other, queue, waiting, ends)
        links[cell] &= sides
        if sides != tiles[cells[cell], SIDES]:
            cells[cell] = pieces[group, sides]
            pushed_around(cell, width, queue, waiting, ends)
    return bool((cells != before).any())


@kernel("void(int64[::1], uint8[::1], int64, int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1])")
def clear(
    cells: Numbers, frozen: Marks, width: int, tiles: Table, relation: Table, gives: Table, stands: Numbers
) -> None:
    """Let every piece that does not fit give way to what is none, until all that may do so have done."""
    changed = True
    while changed:
        changed = False
        for cell in range(width, cells.size - width):
            tile = cells[cell]
            kind, sides, group = tiles[tile, KIND], tiles[tile, SIDES], tiles[tile, GROUP]
            if group < 0 or frozen[cell]:
                continue
            good = True
            for side in range(4):
                if sides >> side & 1:
                    its = cells[cell + shift(side, width)]
                    good = good and fits(relation[kind, tiles[its, KIND]], tiles[its, SIDES] >> (side + 2 & 3) & 1)
            tile = -1 if good else replacement(cell, width, cells, tiles, gives, stands, True)
            if tile >= 0:
                cells[cell] = tile
                changed = True
