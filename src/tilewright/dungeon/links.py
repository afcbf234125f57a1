"""Links between rooms: a spanning tree over all rooms, and additional links that close loops.

Sources: Delaunay, "Sur la sphère vide", 1934; Kruskal, "On the shortest spanning subtree of a graph", 1956.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from ..core.seeds import Rng
from ..kernels.blocks import block_size
from ..kernels.delaunay import find_delaunay_edges
from ..kernels.links import build_spanning_tree, close_loops, find_nearest_unlinked, join_chain, join_nearest, new_tree
from ..kernels.types import Int64_2D
from .params import DungeonParams

JITTER_STEPS = 1 << 20
UNITS = 1000 * JITTER_STEPS
"""Random displacement of centers before the triangulation, in units of which half a cell has `UNITS`: at most a
thousandth of half a cell. Without it, four centers would often be on one circle. The coordinates of the largest map are
less than 2^47 units, so that the triangulation is exact.
"""


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of rooms: all candidates, the tree that joins all rooms, and the links that close loops."""

    candidates: Int64_2D
    tree: Int64_2D
    loops: Int64_2D

    @property
    def chosen(self) -> Int64_2D:
        """Tree and loops together."""
        return np.concatenate((self.tree, self.loops))


def choose_links(p: DungeonParams, rooms: Int64_2D, rng: Rng) -> Generator[None, None, Links]:
    """Return the links between rooms, given as (room, 4) x, y, width, height; yield between blocks of work."""
    centers = 2 * rooms[:, :2] + rooms[:, 2:] - 1  # In half cells, so that they are integers.
    if len(rooms) < 2:
        no_pairs: Int64_2D = np.empty((0, 2), dtype=np.int64)
        return Links(no_pairs, no_pairs, no_pairs)
    if p.links == "delaunay":
        candidates = _triangulate(centers, rng.child("jitter"))
        yield
        tree, candidates = _find_shortest_tree(candidates, centers)
    else:
        parents = np.full(len(rooms), -1, dtype=np.int64)
        if p.links == "nearest":
            for first, last in _split_rooms(len(rooms)):
                join_nearest(centers, first, last, parents)
                yield
        else:
            room = int(np.argmin(centers[:, int(p.height > p.width)]))
            free = np.delete(np.arange(len(rooms)), room)
            for first, last in _split_rooms(len(free)):
                room = join_chain(centers, free, len(free) - first, room, last - first, parents)
                yield
        tree = np.stack((parents, np.arange(len(rooms))), axis=1)[parents >= 0]
        candidates = np.empty((len(rooms), 2), dtype=np.int64)
        for first, last in _split_rooms(len(rooms)):
            find_nearest_unlinked(centers, parents, first, last, candidates)
            yield
        candidates = np.unique(candidates[candidates[:, 0] != candidates[:, 1]], axis=0)
    return Links(np.concatenate((tree, candidates)), tree, choose_loops(p, tree, candidates, rng))


def choose_loops(p: DungeonParams, tree: Int64_2D, candidates: Int64_2D, rng: Rng) -> Int64_2D:
    """Return random candidates that each close a loop with a tree over all rooms."""
    loops = np.empty_like(candidates)
    stream = rng.child("loops").state
    count = close_loops(tree, candidates, new_tree(len(tree) + 1), p.loops, p.longest_loop, stream, loops)
    return loops[:count]


def _split_rooms(count: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last room of blocks, whose rooms are each compared with all others."""
    step = max(1, block_size("links", 1 << 24) // max(1, count))
    for first in range(0, count, step):
        yield first, min(first + step, count)


def _triangulate(centers: Int64_2D, rng: Rng) -> Int64_2D:
    """Return the edges of the Delaunay triangulation of displaced centers, in ascending order; they join all rooms."""
    jitter = (rng.randoms(centers.size).reshape(centers.shape) * JITTER_STEPS).astype(np.int64)
    return find_delaunay_edges(centers * UNITS + jitter)


def _find_shortest_tree(edges: Int64_2D, centers: Int64_2D) -> tuple[Int64_2D, Int64_2D]:
    """Return the edges of the minimum spanning tree, and the other edges."""
    lengths = ((centers[edges[:, 0]] - centers[edges[:, 1]]) ** 2).sum(axis=1)
    chosen = np.zeros(len(edges), dtype=np.uint8)
    build_spanning_tree(edges, np.argsort(lengths, kind="stable"), np.arange(len(centers)), chosen)
    return edges[chosen == 1], edges[chosen == 0]
