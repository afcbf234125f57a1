"""The kernels of links against plain versions that look at all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.kernels.links import (
    build_spanning_tree,
    close_loops,
    find_nearest_unlinked,
    join_chain,
    join_nearest,
    new_tree,
)

CASES = 200
Pair = tuple[int, int]


def some_centres(seed: int) -> NDArray[np.int64]:
    """On a small grid, so that many are equally far apart, and some the same."""
    chance = np.random.default_rng(seed)
    return chance.integers(0, 8, (int(chance.integers(2, 15)), 2))


def apart(centres: NDArray[np.int64], one: int, other: int) -> int:
    return int(((centres[one] - centres[other]) ** 2).sum())


def hang_together(pairs: list[Pair], one: int, other: int) -> bool:
    met, waiting = {one}, [one]
    while waiting:
        here = waiting.pop()
        beyond = {b if a == here else a for a, b in pairs if here in (a, b)} - met
        met |= beyond
        waiting += beyond
    return other in met


def steps(pairs: list[Pair], one: int, other: int) -> int:
    """How many links lie between two rooms that hang together."""
    met, count = {one}, 0
    while other not in met:
        met |= {b for a, b in pairs if a in met} | {a for a, b in pairs if b in met}
        count += 1
    return count


def test_spanning_as_kruskal_does() -> None:
    for seed in range(CASES):
        chance, centres = np.random.default_rng(seed), some_centres(seed)
        pairs = chance.integers(0, len(centres), (int(chance.integers(1, 40)), 2))
        order, chosen = chance.permutation(len(pairs)), np.zeros(len(pairs), dtype=np.uint8)
        count = build_spanning_tree(pairs, order, np.arange(len(centres)), chosen)
        tree: list[Pair] = []
        taken = set()
        for number in order.tolist():
            one, other = pairs[number].tolist()
            if not hang_together(tree, one, other):
                tree.append((one, other))
                taken.add(number)
        assert set(np.flatnonzero(chosen).tolist()) == taken
        assert count == len(taken)


def test_the_nearest_room_before() -> None:
    for seed in range(CASES):
        centres = some_centres(seed)
        parents = np.full(len(centres), -1)
        step = 1 + seed % 4
        for first in range(0, len(centres), step):
            join_nearest(centres, first, min(first + step, len(centres)), parents)
        plain = [min(range(room), key=lambda other: apart(centres, other, room)) for room in range(1, len(centres))]
        assert parents.tolist() == [-1, *plain]


def test_a_row_goes_to_the_nearest_that_is_left() -> None:
    for seed in range(CASES):
        centres = some_centres(seed)
        start, step = seed % len(centres), 1 + seed % 5
        free = np.delete(np.arange(len(centres)), start)
        parents, room = np.full(len(centres), -1), start
        for first in range(0, len(centres) - 1, step):
            room = join_chain(centres, free, len(centres) - 1 - first, room, step, parents)
        plain, left, here = {start: -1}, [other for other in range(len(centres)) if other != start], start
        while left:
            nearest = min(left, key=lambda other: (apart(centres, other, here), other))
            plain[nearest] = here
            left.remove(nearest)
            here = nearest
        assert parents.tolist() == [plain[number] for number in range(len(centres))]
        assert room == here


def test_the_nearest_that_is_not_joined() -> None:
    for seed in range(CASES):
        centres = some_centres(seed)
        parents = np.full(len(centres), -1)
        join_nearest(centres, 0, len(centres), parents)
        pairs = np.empty((len(centres), 2), dtype=np.int64)
        for room in range(len(centres)):
            find_nearest_unlinked(centres, parents, room, room + 1, pairs)
        for room in range(len(centres)):
            others = [o for o in range(len(centres)) if o != room and parents[o] != room and parents[room] != o]
            nearest = min(others, key=lambda other: apart(centres, other, room), default=room)
            assert pairs[room].tolist() == sorted((room, nearest))


def test_loops_are_drawn_and_not_too_long() -> None:
    for seed in range(CASES):
        chance, centres = np.random.default_rng(seed), some_centres(seed)
        parents = np.full(len(centres), -1)
        join_nearest(centres, 0, len(centres), parents)
        tree = np.stack((parents, np.arange(len(centres))), axis=1)[1:]
        pairs = chance.integers(0, len(centres), (20, 2))
        rate, longest = float(chance.choice([0.0, 0.3, 1.0])), int(chance.integers(3, 8))
        loops = np.empty_like(pairs)
        count = close_loops(tree, pairs, new_tree(len(centres)), rate, longest, Rng.of(seed).state, loops)
        rng, plain = Rng.of(seed), []
        links = [(int(one), int(other)) for one, other in tree]
        for one, other in pairs.tolist():
            drawn = rng.random() < rate
            if drawn and one != other and steps(links, one, other) + 1 <= longest:
                plain.append([one, other])
        assert loops[:count].tolist() == plain
