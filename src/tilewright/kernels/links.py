"""Which rooms are joined: trees over all of them, and the loops that may be closed beside a tree."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .random import random

Pairs: TypeAlias = NDArray[np.int64]
"""(pair, 2) room ids."""
Places: TypeAlias = NDArray[np.int64]
Stream: TypeAlias = NDArray[np.uint64]


@kernel
def _apart(centres: Places, one: int, other: int) -> int:
    """The square of the distance between two rooms' centres."""
    across, down = centres[one, 0] - centres[other, 0], centres[one, 1] - centres[other, 1]
    return int(across * across + down * down)


@kernel
def _root(above: Places, room: int) -> int:
    while above[room] != room:
        above[room] = above[above[room]]
        room = above[room]
    return room


@kernel("int64(int64[:, ::1], int64[::1], int64[:, ::1], uint8[::1])")
def span(pairs: Pairs, order: Places, centres: Places, chosen: NDArray[np.uint8]) -> int:
    """Kruskal: choose, in a given order, the pairs that join what does not hang together yet; how many there are."""
    above = np.arange(len(centres))
    count = 0
    for number in order:
        one, other = _root(above, pairs[number, 0]), _root(above, pairs[number, 1])
        if one != other:
            above[max(one, other)] = min(one, other)
            chosen[number] = 1
            count += 1
    return count


@kernel("void(int64[:, ::1], int64, int64, int64[::1])")
def join_nearest(centres: Places, first: int, last: int, parents: Places) -> None:
    """Join each of the rooms first..last-1 to the nearest one before it; of equally near ones to the first."""
    for room in range(max(1, first), last):
        nearest = 0
        for other in range(1, room):
            if _apart(centres, other, room) < _apart(centres, nearest, room):
                nearest = other
        parents[room] = nearest


@kernel("int64(int64[:, ::1], int64[::1], int64, int64, int64, int64[::1])")
def join_in_a_row(centres: Places, free: Places, size: int, room: int, count: int, parents: Places) -> int:
    """Join to a room the nearest of the first `size` in `free`, to that the next, and so on; the last of so many.

    Of equally near ones the first is taken.
    """
    for _ in range(min(count, size)):
        nearest = 0
        for place in range(1, size):
            near, best = _apart(centres, free[place], room), _apart(centres, free[nearest], room)
            if near < best or (near == best and free[place] < free[nearest]):
                nearest = place
        parents[free[nearest]] = room
        room = free[nearest]
        size -= 1
        free[nearest] = free[size]
    return room


@kernel("void(int64[:, ::1], int64[::1], int64, int64, int64[:, ::1])")
def second_nearest(centres: Places, parents: Places, first: int, last: int, pairs: Pairs) -> None:
    """For rooms first..last-1 the nearest room that is not joined to it; itself where there is none."""
    for room in range(first, last):
        nearest = room
        for other in range(len(centres)):
            if other == room or parents[room] == other or parents[other] == room:
                continue
            if nearest == room or _apart(centres, other, room) < _apart(centres, nearest, room):
                nearest = other
        pairs[room, 0], pairs[room, 1] = min(room, nearest), max(room, nearest)


@kernel("int64(int64[:, ::1], int64[:, ::1], int64, float64, int64, uint64[::1], int64[:, ::1])")
def close_loops(
    tree: Pairs, pairs: Pairs, rooms: int, chance: float, longest: int, stream: Stream, loops: Pairs
) -> int:
    """Choose by chance pairs that close a loop of at most so many links with the tree; how many there are."""
    parent, depth = _rooted(tree, rooms)
    count = 0
    for number in range(len(pairs)):
        drawn = random(stream) < chance
        one, other = pairs[number, 0], pairs[number, 1]
        if not drawn or one == other:
            continue
        length = 1
        while one != other and length <= longest:
            if depth[one] < depth[other]:
                one, other = other, one
            one = parent[one]
            length += 1
        if one == other and length <= longest:
            loops[count, 0], loops[count, 1] = pairs[number, 0], pairs[number, 1]
            count += 1
    return count


@kernel
def _rooted(tree: Pairs, rooms: int) -> tuple[Places, Places]:
    """For every room the next one on the way to room 0, and how many links that way has."""
    starts = np.zeros(rooms + 1, dtype=np.int64)
    for number in range(len(tree)):
        starts[tree[number, 0] + 1] += 1
        starts[tree[number, 1] + 1] += 1
    for room in range(rooms):
        starts[room + 1] += starts[room]
    fill, near = starts.copy(), np.empty(2 * len(tree), dtype=np.int64)
    for number in range(len(tree)):
        one, other = tree[number, 0], tree[number, 1]
        near[fill[one]], near[fill[other]] = other, one
        fill[one] += 1
        fill[other] += 1
    parent, depth = np.full(rooms, -1, dtype=np.int64), np.zeros(rooms, dtype=np.int64)
    queue = np.empty(rooms, dtype=np.int64)
    queue[0], end, position = 0, 1, 0
    parent[0] = 0
    while position < end:
        room = queue[position]
        position += 1
        for place in range(starts[room], starts[room + 1]):
            other = near[place]
            if parent[other] < 0:
                parent[other], depth[other] = room, depth[room] + 1
                queue[end] = other
                end += 1
    return parent, depth
