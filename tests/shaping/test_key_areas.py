"""Areas: the minimum cut, compared with all combinations of rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tilewright.analysis.regions import regions_of
from tilewright.core.tilemap import TileMap
from tilewright.shaping._key_areas import AreaGraph
from tilewright.shaping._key_cuts import WalkableMap

from .halls import TWO


def board(seed: int) -> tuple[AreaGraph, NDArray[np.bool_]]:
    """Return the graph of a small map with narrow passages, and the cells reachable from its first cell."""
    passable = np.pad(np.random.default_rng(seed).random((7, 9)) < 0.62, 1)
    start = tuple(np.argwhere(passable)[0].tolist())
    map = TileMap(np.where(passable, 0, 1), TWO)
    ground = WalkableMap.of(map, (start[0], start[1]), np.zeros_like(passable))
    return AreaGraph.of(ground, 1 + seed % 3, np.random.default_rng(seed).random(passable.shape)), ground.region


def are_separated(areas: AreaGraph, region: NDArray[np.bool_], rows: tuple[int, ...], here: int, there: int) -> bool:
    open_ = region.copy()
    for row in rows:
        for cell in areas.rows[row]:
            open_[cell] = False
    labels = regions_of(open_).labels
    return bool(labels[areas.node == here][0] != labels[areas.node == there][0])


def test_cuts_have_the_minimum_cost() -> None:
    cuts = 0
    for seed in range(120):
        areas, region = board(seed)
        if areas.count < 2 or len(areas.rows) > 9:
            continue
        here, there = np.random.default_rng(seed).permutation(areas.count)[:2].tolist()
        flags = np.zeros((2, len(areas.neighbors)), dtype=bool)
        flags[0, here] = flags[1, there] = True
        beyond, closed = areas.find_min_cut(flags[0], flags[1], np.ones(len(areas.neighbors), dtype=bool))
        every = [rows for many in range(len(areas.rows) + 1) for rows in combinations(range(len(areas.rows)), many)]
        best = min(
            int(areas.cost[list(rows)].sum()) for rows in every if are_separated(areas, region, rows, here, there)
        )
        assert are_separated(areas, region, tuple(closed), here, there)
        assert int(areas.cost[closed].sum()) == best
        assert beyond[there]
        assert not beyond[here]
        cuts += 1
    assert cuts > 40


def test_rows_are_straight_and_never_side_by_side() -> None:
    for seed in range(60):
        areas, region = board(seed)
        for number, cells in enumerate(areas.rows):
            ys, xs = (np.array(axis) for axis in zip(*cells, strict=True))
            assert len(cells) <= 1 + seed % 3
            assert np.ptp(ys) + np.ptp(xs) == len(cells) - 1
            near = {(y + dy, x + dx) for y, x in cells for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))} - set(cells)
            assert all(areas.node[cell] < areas.count for cell in near), number
            assert region[ys, xs].all()
