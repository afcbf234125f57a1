"""Which rooms are joined: a tree over all of them, and loops beside it.

Source: Delaunay, "Sur la sphère vide", 1934; Kruskal, "On the shortest spanning subtree of a graph", 1956.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import Rng
from ..kernels.blocks import block_size
from ..kernels.links import (
    Pairs,
    Places,
    build_spanning_tree,
    close_loops,
    find_nearest_unlinked,
    join_chain,
    join_nearest,
    new_tree,
)
from .params import DungeonParams

JITTER = 1e-3
"""How far points of a triangulation are moved, in cells: on a grid four of them often lie on one circle."""


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of rooms: all that came into question, the tree that joins all rooms, and what closes loops."""

    candidates: Pairs
    tree: Pairs
    loops: Pairs

    @property
    def chosen(self) -> Pairs:
        return np.concatenate((self.tree, self.loops))


def choose_links(p: DungeonParams, rooms: Places, rng: Rng) -> Generator[None, None, Links]:
    """Links between rooms, given as (room, 4) x, y, width, height; stops now and then."""
    centres = 2 * rooms[:, :2] + rooms[:, 2:] - 1  # in half cells, so that they are whole
    if len(rooms) < 2:
        nothing: Pairs = np.empty((0, 2), dtype=np.int64)
        return Links(nothing, nothing, nothing)
    if p.links == "delaunay":
        near = _triangulate(centres, rng.child("jitter"))
        yield
        tree, near = _find_shortest_tree(near, centres)
    else:
        parents = np.full(len(rooms), -1, dtype=np.int64)
        if p.links == "nearest":
            for first, last in _split_rooms(len(rooms)):
                join_nearest(centres, first, last, parents)
                yield
        else:
            room = int(np.argmin(centres[:, int(p.height > p.width)]))
            free = np.delete(np.arange(len(rooms)), room)
            for first, last in _split_rooms(len(free)):
                room = join_chain(centres, free, len(free) - first, room, last - first, parents)
                yield
        tree = np.stack((parents, np.arange(len(rooms))), axis=1)[parents >= 0]
        near = np.empty((len(rooms), 2), dtype=np.int64)
        for first, last in _split_rooms(len(rooms)):
            find_nearest_unlinked(centres, parents, first, last, near)
            yield
        near = np.unique(near[near[:, 0] != near[:, 1]], axis=0)
    loops = np.empty_like(near)
    stream = rng.child("loops").state
    count = close_loops(tree, near, new_tree(len(rooms)), p.loops, p.longest_loop, stream, loops)
    return Links(np.concatenate((tree, near)), tree, loops[:count])


def _split_rooms(count: int) -> Iterator[tuple[int, int]]:
    """Rooms, first and last, that are each compared with all others between two stops."""
    step = max(1, block_size("links") // max(1, count))
    for first in range(0, count, step):
        yield first, min(first + step, count)


def _triangulate(centres: Places, rng: Rng) -> Pairs:
    """The edges of Delaunay's triangulation, each once, in order; every point has one."""
    if len(centres) < 4:
        return np.array([(one, other) for one in range(len(centres)) for other in range(one + 1, len(centres))])
    from scipy.spatial import Delaunay

    jitter = rng.randoms(centres.size).reshape(centres.shape)
    found = Delaunay(centres + jitter * JITTER)
    edges: NDArray[np.int64] = found.simplices[:, (0, 1, 0, 2, 1, 2)].reshape(-1, 2).astype(np.int64)
    if len(found.coplanar):  # points that were left out as too close to others
        edges = np.concatenate((edges, found.coplanar[:, (0, 2)].astype(np.int64)))
    edges.sort(axis=1)
    keys = np.unique(edges[:, 0] * len(centres) + edges[:, 1])
    return np.stack((keys // len(centres), keys % len(centres)), axis=1)


def _find_shortest_tree(near: Pairs, centres: Places) -> tuple[Pairs, Pairs]:
    """The edges of the shortest tree, and the others."""
    chosen = _mark_tree(near, centres)
    if int(chosen.sum()) < len(centres) - 1:  # a triangulation of nearly a line may leave points out
        order = np.lexsort((centres[:, 1], centres[:, 0]))
        near = np.concatenate((near, np.stack((order[:-1], order[1:]), axis=1)))
        chosen = _mark_tree(near, centres)
    return near[chosen == 1], near[chosen == 0]


def _mark_tree(near: Pairs, centres: Places) -> NDArray[np.uint8]:
    lengths = ((centres[near[:, 0]] - centres[near[:, 1]]) ** 2).sum(axis=1)
    chosen = np.zeros(len(near), dtype=np.uint8)
    build_spanning_tree(near, np.argsort(lengths, kind="stable"), np.arange(len(centres)), chosen)
    return chosen
