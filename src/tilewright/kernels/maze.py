"""Mazes as links between places of a grid: five ways to choose them, loops, carving, and the longest way.

A place is a number, row by row. A byte holds its directions: 1 north, 2 east, 4 south, 8 west. `possible` says where a
link may be, which also keeps everybody inside the grid; `links` says where one is. As an edge a link is a number,
`2 * place` to the east, `2 * place + 1` to the south. `above` is a forest of places that hang together (union-find), or
empty where no link was given at the start: then a new place never hangs together with the old ones.
All that go on until a budget is spent give back whether there is more to do; the budget changes nothing else.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .directions import shift_of
from .random import GAMMA, below, mix, row_key

Bytes: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.int32]
State: TypeAlias = NDArray[np.int64]
Stream: TypeAlias = NDArray[np.uint64]

FRESH, INSIDE, FRONTIER = 0, 1, 2
"""What a place is to a maze that grows: not met yet, part of it, or beside it. Places of no use are INSIDE at first."""
DONE = 0
"""How far the work is, in its own unit: the first number of every state."""
SIZE, SCANNED = 1, 2
"""Growing: places on the stack or frontier; places looked at for a new beginning."""
PLACE, START, PHASE, LEFT = 3, 4, 5, 6
"""Walking: where it is, where it began, what it does, and how many steps it may still take."""
CHOOSE, WALK, FOLLOW = 0, 1, 2
FLOOR, WALL, MET, MET_AGAIN = 0, 1, 2, 3
"""What a cell is; MET and MET_AGAIN are floors that one or two floods have reached."""


@kernel
def _ways(mask: int) -> int:
    """How many directions are in a mask."""
    return (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + (mask >> 3)


@kernel
def _picked(stream: Stream, mask: int) -> int:
    """One of the directions in a mask that is not empty, by chance; a single one costs no draw."""
    count = _ways(mask)
    left = below(stream, count) if count > 1 else 0
    for direction in range(4):
        if (mask >> direction) & 1:
            if left == 0:
                return direction
            left -= 1
    return 0


@kernel
def _root(above: Places, place: int) -> int:
    while above[place] != place:
        above[place] = above[above[place]]
        place = above[place]
    return place


@kernel
def _joined(above: Places, one: int, other: int) -> bool:
    """Join what two places belong to; False where it is the same already."""
    if above.size == 0:
        return True
    first, second = _root(above, one), _root(above, other)
    if first == second:
        return False
    if first < second:
        above[second] = first
    else:
        above[first] = second
    return True


@kernel
def _link(links: Bytes, place: int, direction: int, columns: int) -> None:
    links[place] |= np.uint8(1 << direction)
    links[place + shift_of(direction, columns)] |= np.uint8(1 << (direction ^ 2))


@kernel
def _around(possible: Bytes, seen: Bytes, place: int, wanted: int, columns: int) -> int:
    """The directions in which a neighbour is as wanted."""
    mask, open_ = 0, int(possible[place])
    for direction in range(4):
        if (open_ >> direction) & 1 and seen[place + shift_of(direction, columns)] == wanted:
            mask |= 1 << direction
    return mask


@kernel("void(uint8[::1], int32[::1], int64)")
def gather(links: Bytes, above: Places, columns: int) -> None:
    """Make a forest of places that hang together by links; its roots are their first places."""
    for place in range(links.size):
        above[place] = place
    for place in range(links.size):
        if links[place] & 2:
            _joined(above, place, place + 1)
        if links[place] & 4:
            _joined(above, place, place + columns)


@kernel("boolean(uint8[::1], uint8[::1], uint8[::1], int32[::1], int32[::1], uint64[::1], int64[::1], int64, int64)")
def backtrack(
    possible: Bytes, links: Bytes, seen: Bytes, above: Places, stack: Places, stream: Stream, state: State,
    columns: int, budget: int,
) -> bool:  # fmt: skip
    """Walk on to any fresh neighbour, and back along the stack where there is none."""
    size, scanned = state[SIZE], state[SCANNED]
    more = True
    while budget > 0:
        budget -= 1
        if size == 0:
            while scanned < seen.size and seen[scanned] != FRESH:
                scanned += 1
            if scanned == seen.size:
                more = False
                break
            seen[scanned] = INSIDE
            stack[0] = scanned
            size = 1
        place = int(stack[size - 1])
        fresh = _around(possible, seen, place, FRESH, columns)
        if fresh == 0:
            size -= 1
            continue
        direction = _picked(stream, fresh)
        other = place + shift_of(direction, columns)
        if _joined(above, place, other):
            _link(links, place, direction, columns)
        seen[other] = INSIDE
        stack[size] = other
        size += 1
        state[DONE] += 1
    state[SIZE], state[SCANNED] = size, scanned
    return more


@kernel("boolean(uint8[::1], uint8[::1], uint8[::1], int32[::1], int32[::1], uint64[::1], int64[::1], int64, int64)")
def prim(
    possible: Bytes, links: Bytes, seen: Bytes, above: Places, frontier: Places, stream: Stream, state: State,
    columns: int, budget: int,
) -> bool:  # fmt: skip
    """Take any place of the frontier, and link it to any neighbour inside."""
    size, scanned = state[SIZE], state[SCANNED]
    more = True
    while budget > 0:
        budget -= 1
        if size == 0:
            while scanned < seen.size and seen[scanned] != FRESH:
                scanned += 1
            if scanned == seen.size:
                more = False
                break
            place = int(scanned)
        else:
            position = below(stream, size)
            place = int(frontier[position])
            size -= 1
            frontier[position] = frontier[size]
            inside = _around(possible, seen, place, INSIDE, columns)
            if inside:  # the very first one has none
                direction = _picked(stream, inside)
                if _joined(above, place, place + shift_of(direction, columns)):
                    _link(links, place, direction, columns)
        seen[place] = INSIDE
        state[DONE] += 1
        fresh = _around(possible, seen, place, FRESH, columns)
        for direction in range(4):
            if (fresh >> direction) & 1:
                other = place + shift_of(direction, columns)
                seen[other] = FRONTIER
                frontier[size] = other
                size += 1
    state[SIZE], state[SCANNED] = size, scanned
    return more


@kernel("int64(uint8[::1], int32[::1])")
def list_edges(possible: Bytes, edges: Places) -> int:
    """Write all possible edges, by place; how many there are."""
    count = 0
    for place in range(possible.size):
        if possible[place] & 2:
            edges[count] = 2 * place
            count += 1
        if possible[place] & 4:
            edges[count] = 2 * place + 1
            count += 1
    return count


@kernel("boolean(int32[::1], uint64[::1], int64[::1], int64)")
def shuffle(edges: Places, stream: Stream, state: State, budget: int) -> bool:
    """Bring edges into random order, from the end on."""
    first = edges.size - 1 - state[DONE]
    last = max(0, first - budget)
    for position in range(first, last, -1):
        other = below(stream, position + 1)
        edges[position], edges[other] = edges[other], edges[position]
    state[DONE] += first - last
    return bool(last > 0)


@kernel("boolean(uint8[::1], int32[::1], int32[::1], int64[::1], int64, int64)")
def kruskal(links: Bytes, above: Places, edges: Places, state: State, columns: int, budget: int) -> bool:
    """Take the edges in their order, and link what does not hang together yet."""
    last = min(edges.size, state[DONE] + budget)
    for position in range(state[DONE], last):
        place, direction = int(edges[position] >> 1), 1 + int(edges[position] & 1)
        if _joined(above, place, place + shift_of(direction, columns)):
            _link(links, place, direction, columns)
    state[DONE] = last
    return bool(last < edges.size)


@kernel(
    "boolean(uint8[::1], uint8[::1], uint8[::1], int32[::1], uint8[::1], uint64[::1], int64[::1], int64, int64, int64)"
)
def wilson(
    possible: Bytes, links: Bytes, seen: Bytes, above: Places, way: Bytes, stream: Stream, state: State,
    stride: int, columns: int, budget: int,
) -> bool:  # fmt: skip
    """Walk from a fresh place at random until the maze is met, then add the way without its loops.

    Every place remembers how it was left last, so that following this from the start leaves the loops out. Something
    must be INSIDE wherever a walk can begin. Starts are taken `stride` apart, which must have no factor in common with
    the number of places. Ends early when state[LEFT] steps are taken, which is then 0.
    """
    place, phase = state[PLACE], state[PHASE]
    more = True
    while budget > 0:
        budget -= 1
        if phase == WALK:
            if state[LEFT] == 0:
                more = False
                break
            state[LEFT] -= 1
            direction = _picked(stream, int(possible[place]))
            way[place] = direction
            place += shift_of(direction, columns)
            if seen[place] == INSIDE:
                place, phase = state[START], FOLLOW
        elif phase == FOLLOW:
            if seen[place] == INSIDE:
                phase = CHOOSE
                continue
            seen[place] = INSIDE
            state[DONE] += 1
            direction = int(way[place])
            other = place + shift_of(direction, columns)
            if _joined(above, place, other):
                _link(links, place, direction, columns)
            place = other
        else:
            if state[SCANNED] == seen.size:
                more = False
                break
            place = (state[SCANNED] * stride) % seen.size
            state[SCANNED] += 1
            if seen[place] == FRESH:
                state[START] = place
                phase = WALK
    state[PLACE], state[PHASE] = place, phase
    return more


@kernel("boolean(uint8[::1], int32[:, ::1], uint64[::1], int64[::1], int64, int64)")
def divide(links: Bytes, stack: Places, stream: Stream, state: State, columns: int, budget: int) -> bool:
    """Cut a field in two along its shorter side, but for one link, and then the two, until all are one place wide.

    `stack` holds row, column, rows and columns of the fields to cut, state[SIZE] of them.
    """
    while budget > 0 and state[SIZE] > 0:
        state[SIZE] -= 1
        field = stack[state[SIZE]]
        row, column, height, width = int(field[0]), int(field[1]), int(field[2]), int(field[3])
        budget -= 1
        if height == 1 or width == 1:
            state[DONE] += height * width - 1
            continue
        upright = width > height or (width == height and below(stream, 2) == 0)
        at = 1 + below(stream, (width if upright else height) - 1)
        length = height if upright else width
        first = row * columns + column + at - 1 if upright else (row + at - 1) * columns + column
        step = columns if upright else 1
        here = np.uint8(2 if upright else 4)
        there = np.uint8(8 if upright else 1)
        across = 1 if upright else columns
        count = 0
        for number in range(length):
            count += (links[first + number * step] & here) != 0
        gap = below(stream, count) if count else 0
        for number in range(length):
            place = first + number * step
            if links[place] & here:
                if gap != 0:
                    links[place] ^= here
                    links[place + across] ^= there
                gap -= 1
        budget -= length
        state[DONE] += length
        top = state[SIZE]
        stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = row, column, height, width
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2], stack[top + 1, 3] = row, column, height, width
        if upright:
            stack[top, 1], stack[top, 3], stack[top + 1, 3] = column + at, width - at, at
        else:
            stack[top, 0], stack[top, 2], stack[top + 1, 2] = row + at, height - at, at
        state[SIZE] += 2
    return bool(state[SIZE] > 0)


@kernel
def _chosen(key: np.uint64, place: int, columns: int, share: float) -> bool:
    """Whether a dead end here is to be opened, by position alone."""
    number = mix(row_key(key, place // columns) + np.uint64(place % columns) * GAMMA)
    return bool(np.float64(number >> np.uint64(11)) * 2.0**-53 < share)


@kernel
def _frees_a_post(links: Bytes, place: int, direction: int, columns: int) -> bool:
    """Whether a link here would be the fourth around a corner of walls, which then stands alone."""
    other = place + shift_of(direction, columns)
    for turn in (1, 3):
        side = (direction + turn) & 3
        both = (links[place] >> side) & (links[other] >> side) & 1  # so that there is something on that side
        if both and (links[place + shift_of(side, columns)] >> direction) & 1:
            return True
    return False


@kernel("boolean(uint8[::1], uint8[::1], uint64, float64, uint64[::1], int64[::1], int64, int64)")
def braid(
    possible: Bytes, links: Bytes, key: int, share: float, stream: Stream, state: State, columns: int, budget: int
) -> bool:
    """Give a share of the dead ends a second way out: best into another one that is to be opened as well.

    Loops around a single post are made only where there is no other way, and dead ends that are to stay are spared.
    """
    last = min(links.size, state[DONE] + budget)
    for place in range(state[DONE], last):
        if _ways(int(links[place])) != 1 or not _chosen(np.uint64(key), place, columns, share):
            continue
        best, mask = 0, 0
        closed = int(possible[place]) & ~int(links[place])
        for direction in range(4):
            if (closed >> direction) & 1:
                other = place + shift_of(direction, columns)
                worth = 2 if _frees_a_post(links, place, direction, columns) else 4
                if _ways(int(links[other])) == 1:
                    worth = worth + 1 if _chosen(np.uint64(key), other, columns, share) else 1
                if worth > best:
                    best, mask = worth, 0
                if worth == best:
                    mask |= 1 << direction
        if mask:
            _link(links, place, _picked(stream, mask), columns)
    state[DONE] = last
    return bool(last < links.size)


@kernel("void(uint8[::1], uint8[::1], int64[::1], uint8[:, ::1], int64, int64)")
def carve(links: Bytes, shown: Bytes, layout: State, cells: Bytes, first: int, last: int) -> None:
    """Write FLOOR into the cells of the places in rows first..last-1 that are shown, and of their links.

    `layout` is columns of places, the first cell's row and column, a place's height and width, and the walls' width.
    """
    columns, top, left, height, width, wall = layout[0], layout[1], layout[2], layout[3], layout[4], layout[5]
    for row in range(first, last):
        y = top + row * (height + wall)
        for column in range(columns):
            place = row * columns + column
            if not shown[place]:
                continue
            x = left + column * (width + wall)
            deep = height + wall if links[place] & 4 else height
            for v in range(y, y + deep):
                for u in range(x, x + width):
                    cells[v, u] = FLOOR
            if links[place] & 2:
                for v in range(y, y + height):
                    for u in range(x + width, x + width + wall):
                        cells[v, u] = FLOOR


@kernel("boolean(uint8[::1], int64, uint8, uint8, int64[::1], int64[::1], int64)")
def flood(cells: Bytes, stride: int, old: int, new: int, queue: State, state: State, budget: int) -> bool:
    """Turn old into new from the queued cells on, nearest first: the last one queued is the farthest.

    The map lies flat within a margin of walls. `state` is how far the queue is read, its end, the end of the present
    distance in it, and that distance.
    """
    first, end, last, distance = state[0], state[1], state[2], state[3]
    while budget > 0 and first < end:
        if first == last:
            last = end
            distance += 1
        cell = queue[first]
        first += 1
        for shift in (-stride, 1, stride, -1):
            if cells[cell + shift] == old:
                cells[cell + shift] = new
                queue[end] = cell + shift
                end += 1
        budget -= 1
    state[0], state[1], state[2], state[3] = first, end, last, distance
    return bool(first < end)
