"""Claims: what is wanted of the whole map while a wave collapses: how many cells hold some tiles, and that these join.

A claim is about a set of tiles. For every cell of the map it knows whether the cell cannot, may or must hold one of
them; the cell of the wave that decides that, its owner, has the patterns to tell. Where a claim leaves no choice, it
forbids patterns as a neighbour would.

Source of joining by what a wave must not lose: Newgas, "Path constraints in DeBroglie", 2019; Hopcroft and Tarjan,
"Efficient algorithms for graph manipulation", 1973, for the cells that every way leads over.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from . import kernel
from .wave import CAUSE, DOMAINS, NEWS, NONE, NOWHERE, STATE, TOUCHED, Rules, Wave, forbid, line_up, note, touch

Claims: TypeAlias = tuple[Any, ...]

OWNERS, OFFSETS, FIRSTS, OWNED = 0, 1, 2, 3
"""Of every cell of the map: its owner and its place in the owner's window; of every owner: where its cells begin in the
list of all of them."""
MASKS, STATUS, TALLY, BOUNDS, KINDS, ENDS, AROUND, ROOM = 4, 5, 6, 7, 8, 9, 10, 11
"""Of every claim: patterns that hold one of its tiles, by place in the window; for every cell CANNOT, MAY or MUST; how
many may and must; least and most; its kind; cells that must be joined. Then the neighbours of every cell of the map,
and room to look for ways.
"""
CLAIMS = (
    "Tuple((int32[::1], int32[::1], int32[::1], int32[::1], uint64[:, :, ::1], uint8[:, ::1], int64[:, ::1],"
    " int64[:, ::1], int64[::1], uint8[:, ::1], int32[:, ::1], int32[:, ::1]))"
)
CANNOT, MAY, MUST = 0, 1, 2
COUNTED, REGION, PATH = 0, 1, 2
ORDER, LOW, PARENT, NEXT, WANTED, STACK, FORCED = 0, 1, 2, 3, 4, 5, 6
ROOMS = 7


@kernel
def recount(wave: Wave, claims: Claims) -> None:
    """Learn what changed since the last time."""
    domains, news, state = wave[DOMAINS], wave[NEWS], wave[STATE]
    firsts, owned, offsets = claims[FIRSTS], claims[OWNED], claims[OFFSETS]
    masks, status, tally = claims[MASKS], claims[STATUS], claims[TALLY]
    for claim in range(len(masks)):
        for number in range(state[TOUCHED]):
            owner = news[number]
            for place in range(firsts[owner], firsts[owner + 1]):
                cell = owned[place]
                mask = masks[claim, offsets[cell]]
                some, others = NONE, NONE
                for word in range(domains.shape[1]):
                    some |= domains[owner, word] & mask[word]
                    others |= domains[owner, word] & ~mask[word]
                now = CANNOT if some == NONE else MAY if others != NONE else MUST
                before = status[claim, cell]
                if now != before:
                    if before != CANNOT:
                        tally[claim, before - 1] -= 1
                    if now != CANNOT:
                        tally[claim, now - 1] += 1
                    status[claim, cell] = now


@kernel
def _restrict(wave: Wave, rules: Rules, claims: Claims, claim: int, cell: int, hold: bool) -> bool:
    """A cell must hold one of a claim's tiles, or none of them; False where its owner has no pattern left."""
    domains = wave[DOMAINS]
    owner = claims[OWNERS][cell]
    mask = claims[MASKS][claim, claims[OFFSETS][cell]]
    note(wave, owner)
    left = NONE
    for word in range(domains.shape[1]):
        gone = domains[owner, word] & (~mask[word] if hold else mask[word])
        if gone != NONE:
            forbid(wave, rules, owner, word, gone)
        left |= domains[owner, word]
    touch(wave, owner)
    line_up(wave, owner)
    return bool(left != NONE)


@kernel
def keep_counts(wave: Wave, rules: Rules, claims: Claims) -> int:
    """Forbid what would make too many or too few; a cell where that cannot be, or -1."""
    status, tally, bounds = claims[STATUS], claims[TALLY], claims[BOUNDS]
    for claim in range(len(bounds)):
        may, must = tally[claim, 0], tally[claim, 1]
        wave[STATE][CAUSE] = claim
        if must > bounds[claim, 1] or may + must < bounds[claim, 0]:
            return int(wave[NEWS][0]) if wave[STATE][TOUCHED] else 0
        if may == 0 or (must < bounds[claim, 1] and may + must > bounds[claim, 0]):
            continue
        hold = may + must == bounds[claim, 0]
        for cell in range(status.shape[1]):
            if status[claim, cell] == MAY and not _restrict(wave, rules, claims, claim, cell, hold):
                return int(claims[OWNERS][cell])
    return NOWHERE


@kernel
def keep_joined(wave: Wave, rules: Rules, claims: Claims, claim: int) -> int:
    """Forbid what would part the cells that a claim wants joined; a cell where that cannot be, or -1.

    A cell without which those that must be joined would not be must hold one of the claim's tiles. Of a region, cells
    that it cannot reach must hold none of them.
    """
    status, kinds, ends, around, room = claims[STATUS], claims[KINDS], claims[ENDS], claims[AROUND], claims[ROOM]
    order, low, parent, next_ = room[ORDER], room[LOW], room[PARENT], room[NEXT]
    wanted, stack, forced = room[WANTED], room[STACK], room[FORCED]
    wave[STATE][CAUSE] = claim
    root = -1
    for cell in range(status.shape[1]):
        is_wanted = status[claim, cell] == MUST if kinds[claim] == REGION else ends[claim, cell] == 1
        if is_wanted and status[claim, cell] == CANNOT:
            return int(claims[OWNERS][cell])
        order[cell], forced[cell], wanted[cell] = 0, 0, is_wanted
        if is_wanted and root < 0:
            root = cell
    if root < 0:
        return NOWHERE
    time, top = 1, 1
    order[root] = low[root] = 1
    parent[root], next_[root], stack[0] = -1, 0, root
    while top > 0:
        cell = stack[top - 1]
        if next_[cell] < around.shape[1]:
            other = around[cell, next_[cell]]
            next_[cell] += 1
            if other < 0 or status[claim, other] == CANNOT:
                continue
            if order[other] == 0:
                time += 1
                order[other] = low[other] = time
                parent[other], next_[other] = cell, 0
                stack[top] = other
                top += 1
            elif other != parent[cell] and order[other] < low[cell]:
                low[cell] = order[other]
            continue
        top -= 1
        above = parent[cell]
        if above >= 0:
            low[above] = min(low[above], low[cell])
            if low[cell] >= order[above] and wanted[cell] > 0:
                forced[above] = 1  # every way from the root to something wanted leads over the cell above
            wanted[above] += wanted[cell]
    for cell in range(status.shape[1]):
        if status[claim, cell] == CANNOT:
            continue
        if order[cell] == 0 and wanted[cell] > 0:
            return int(claims[OWNERS][cell])
        lost = order[cell] == 0 and kinds[claim] == REGION
        concerns = (lost or forced[cell]) and status[claim, cell] == MAY
        if concerns and not _restrict(wave, rules, claims, claim, cell, not lost):
            return int(claims[OWNERS][cell])
    return NOWHERE
