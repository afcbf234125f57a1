"""Links between rooms: spanning trees, and additional links that close loops. Links are (pair, 2) room numbers."""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .flood import find_root
from .random import random
from .types import Int64_1D, Int64_2D, Uint8_1D, Uint64_1D


@part
def _squared_distance(centers: Int64_2D, one: int, other: int) -> int:
    """Return the squared distance between the centers of two rooms."""
    across, down = centers[one, 0] - centers[other, 0], centers[one, 1] - centers[other, 1]
    return int(across * across + down * down)


@kernel(allocates=False)
def build_spanning_tree(pairs: Int64_2D, order: Int64_1D, above: Int64_1D, chosen: Uint8_1D) -> int:
    """Choose, in the given order, the pairs that join unconnected rooms (Kruskal); return their number.

    `above` is a union-find forest of rooms, in which each is its own root initially.
    """
    count = 0
    for place in range(order.size):
        number = order[place]
        one, other = find_root(above, pairs[number, 0]), find_root(above, pairs[number, 1])
        if one != other:
            above[max(one, other)] = min(one, other)
            chosen[number] = 1
            count += 1
    return count


@kernel(allocates=False)
def join_nearest(centers: Int64_2D, first: int, last: int, parents: Int64_1D) -> None:
    """Join each of the rooms first..last-1 to the nearest earlier one, the first on ties."""
    for room in range(max(1, first), last):
        nearest = 0
        for other in range(1, room):
            if _squared_distance(centers, other, room) < _squared_distance(centers, nearest, room):
                nearest = other
        parents[room] = nearest


@kernel(allocates=False)
def join_chain(centers: Int64_2D, free: Int64_1D, size: int, room: int, count: int, parents: Int64_1D) -> int:
    """Join the nearest of the first `size` rooms in `free` to `room`, then the room nearest to that one, and so on.

    Return the last joined room.

    At most `count` rooms are joined. On ties, the room with the lowest id is chosen.
    """
    for _ in range(min(count, size)):
        nearest = 0
        for place in range(1, size):
            near, best = _squared_distance(centers, free[place], room), _squared_distance(centers, free[nearest], room)
            if near < best or (near == best and free[place] < free[nearest]):
                nearest = place
        parents[free[nearest]] = room
        room = free[nearest]
        size -= 1
        free[nearest] = free[size]
    return room


@kernel(allocates=False)
def find_nearest_unlinked(centers: Int64_2D, parents: Int64_1D, first: int, last: int, pairs: Int64_2D) -> None:
    """Write a pair for each of the rooms first..last-1: the room, and the nearest room that is not joined to it.

    If there is no such room, the room is paired with itself.
    """
    for room in range(first, last):
        nearest = room
        for other in range(len(centers)):
            if other == room or parents[room] == other or parents[other] == room:
                continue
            if nearest == room or _squared_distance(centers, other, room) < _squared_distance(centers, nearest, room):
                nearest = other
        pairs[room, 0], pairs[room, 1] = min(room, nearest), max(room, nearest)


@kernel
def close_loops(
    tree: Int64_2D, pairs: Int64_2D, chance: float, max_length: int, stream: Uint64_1D, loops: Int64_2D
) -> int:
    """Choose random pairs that close a loop of at most `max_length` links with a tree; return their number."""
    parent, depth = _find_parents(tree)
    count = 0
    for number in range(len(pairs)):
        drawn = random(stream) < chance
        one, other = pairs[number, 0], pairs[number, 1]
        if not drawn or one == other:
            continue
        length = 1
        while one != other and length <= max_length:
            if depth[one] < depth[other]:
                one, other = other, one
            one = parent[one]
            length += 1
        if one == other and length <= max_length:
            loops[count, 0], loops[count, 1] = pairs[number, 0], pairs[number, 1]
            count += 1
    return count


@part
def _find_parents(links: Int64_2D) -> tuple[Int64_1D, Int64_1D]:
    """Return the next room on the path to room 0, and the number of links on that path, for the rooms of a tree."""
    rooms = len(links) + 1
    parent, depth = np.full(rooms, -1, dtype=np.int64), np.zeros(rooms, dtype=np.int64)
    # The neighbors of each room are adjacent in `near`.
    starts, near = np.zeros(rooms + 1, dtype=np.int64), np.empty(2 * rooms, dtype=np.int64)
    queue = np.empty(rooms, dtype=np.int64)
    for number in range(len(links)):
        for end in range(2):
            starts[links[number, end]] += 1
    for room in range(rooms):
        starts[room + 1] += starts[room]
    for number in range(len(links)):  # From the last neighbor of each room to the first.
        for end in range(2):
            room = links[number, end]
            starts[room] -= 1
            near[starts[room]] = links[number, 1 - end]
    queue[0], last, position = 0, 1, 0
    parent[0] = 0
    while position < last:
        room = queue[position]
        position += 1
        for place in range(starts[room], starts[room + 1]):
            other = near[place]
            if parent[other] < 0:
                parent[other], depth[other] = room, depth[room] + 1
                queue[last] = other
                last += 1
    return parent, depth
