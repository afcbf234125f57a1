"""The link kernels against direct versions that check all pairs, and flows against those of SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph, csr_matrix

from tests.plain import join_pairs
from tilewright.core.seeds import Rng
from tilewright.kernels.flow import saturate
from tilewright.kernels.links import build_spanning_tree, close_loops, find_nearest_unlinked, join_chain, join_nearest

CASES = 200
Pair = tuple[int, int]


def some_centers(seed: int) -> NDArray[np.int64]:
    """Return points on a small grid, so that many are at equal distances, and some are equal."""
    chance = np.random.default_rng(seed)
    return chance.integers(0, 8, (int(chance.integers(2, 15)), 2))


def squared_distance(centers: NDArray[np.int64], one: int, other: int) -> int:
    return int(((centers[one] - centers[other]) ** 2).sum())


def count_links(pairs: list[Pair], one: int, other: int) -> int:
    """Return the number of links between two connected rooms."""
    reached, count = {one}, 0
    while other not in reached:
        reached |= {b for a, b in pairs if a in reached} | {a for a, b in pairs if b in reached}
        count += 1
    return count


def test_spanning_as_kruskal_does() -> None:
    for seed in range(CASES):
        chance, centers = np.random.default_rng(seed), some_centers(seed)
        pairs = chance.integers(0, len(centers), (int(chance.integers(1, 40)), 2))
        order, chosen = chance.permutation(len(pairs)), np.zeros(len(pairs), dtype=np.uint8)
        count = build_spanning_tree(pairs, order, np.arange(len(centers)), chosen)
        tree: list[Pair] = []
        taken = set()
        for number in order.tolist():
            one, other = pairs[number].tolist()
            groups = join_pairs(len(centers), tree)
            if groups[one] != groups[other]:
                tree.append((one, other))
                taken.add(number)
        assert set(np.flatnonzero(chosen).tolist()) == taken
        assert count == len(taken)


def test_the_nearest_earlier_room() -> None:
    for seed in range(CASES):
        centers = some_centers(seed)
        parents = np.full(len(centers), -1)
        step = 1 + seed % 4
        for first in range(0, len(centers), step):
            join_nearest(centers, first, min(first + step, len(centers)), parents)
        plain = [
            min(range(room), key=lambda other: squared_distance(centers, other, room))
            for room in range(1, len(centers))
        ]
        assert parents.tolist() == [-1, *plain]


def test_a_chain_continues_with_the_nearest_free_room() -> None:
    for seed in range(CASES):
        centers = some_centers(seed)
        start, step = seed % len(centers), 1 + seed % 5
        free = np.delete(np.arange(len(centers)), start)
        parents, room = np.full(len(centers), -1), start
        for first in range(0, len(centers) - 1, step):
            room = join_chain(centers, free, len(centers) - 1 - first, room, step, parents)
        plain, left, here = {start: -1}, [other for other in range(len(centers)) if other != start], start
        while left:
            nearest = min(left, key=lambda other: (squared_distance(centers, other, here), other))
            plain[nearest] = here
            left.remove(nearest)
            here = nearest
        assert parents.tolist() == [plain[number] for number in range(len(centers))]
        assert room == here


def test_the_nearest_room_that_is_not_joined() -> None:
    for seed in range(CASES):
        centers = some_centers(seed)
        parents = np.full(len(centers), -1)
        join_nearest(centers, 0, len(centers), parents)
        pairs = np.empty((len(centers), 2), dtype=np.int64)
        for room in range(len(centers)):
            find_nearest_unlinked(centers, parents, room, room + 1, pairs)
        for room in range(len(centers)):
            others = [o for o in range(len(centers)) if o != room and parents[o] != room and parents[room] != o]
            nearest = min(others, key=lambda other: squared_distance(centers, other, room), default=room)
            assert pairs[room].tolist() == sorted((room, nearest))


def test_loops_are_random_and_not_too_long() -> None:
    for seed in range(CASES):
        chance, centers = np.random.default_rng(seed), some_centers(seed)
        parents = np.full(len(centers), -1)
        join_nearest(centers, 0, len(centers), parents)
        tree = np.stack((parents, np.arange(len(centers))), axis=1)[1:]
        pairs = chance.integers(0, len(centers), (20, 2))
        rate, longest = float(chance.choice([0.0, 0.3, 1.0])), int(chance.integers(3, 8))
        loops = np.empty_like(pairs)
        count = close_loops(tree, pairs, rate, longest, Rng.of(seed).state, loops)
        rng, plain = Rng.of(seed), []
        links = [(int(one), int(other)) for one, other in tree]
        for one, other in pairs.tolist():
            drawn = rng.random() < rate
            if drawn and one != other and count_links(links, one, other) + 1 <= longest:
                plain.append([one, other])
        assert loops[:count].tolist() == plain


# -- maximum flows and minimum cuts ----------------------------------------------------------------------------------


def test_flow_and_cut_equal_those_of_scipy() -> None:
    for seed in range(1500):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(2, 14))
        capacities = random.integers(1, 1 << int(random.integers(1, 25)), (nodes, nodes))
        capacities *= random.random((nodes, nodes)) < random.random()
        np.fill_diagonal(capacities, 0)
        source, sink = random.permutation(nodes)[:2].tolist()
        tails, heads = (places.copy() for places in np.nonzero(capacities + capacities.T))
        starts = np.searchsorted(tails, np.arange(nodes + 1))
        opposites = np.searchsorted(tails * nodes + heads, heads * nodes + tails)
        rest, depths = capacities[tails, heads], np.empty(nodes, dtype=np.int64)
        amount = saturate(starts, heads, opposites, rest, source, sink, depths)
        expected = csgraph.maximum_flow(csr_matrix(capacities.astype(np.int32)), source, sink)
        assert amount == expected.flow_value, seed
        behind = depths < 0
        left = capacities - expected.flow.toarray()
        reached = csgraph.breadth_first_order(csr_matrix(np.maximum(left, 0)), source, return_predecessors=False)
        assert {*np.flatnonzero(~behind).tolist()} == {*reached.tolist()}, seed
        assert capacities[np.ix_(~behind, behind)].sum() == amount, seed
        assert (rest >= 0).all()
        flow = np.zeros((nodes, nodes), dtype=np.int64)
        flow[tails, heads] = capacities[tails, heads] - rest
        inner = [node for node in range(nodes) if node not in (source, sink)]
        assert not flow.sum(axis=1)[inner].any()
