"""Measures of maps compared with SciPy: one thread, the same maps, the same results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import tilewright as tw
from tilewright.core.tilemap import TileMap

from .row import Row, best_times

MANY = 1000
MANY_MEASURES = (
    "regions",
    "path_length",
    "floor_share",
    "dead_ends",
    "largest_region",
    "count.floor",
    "tile_entropy",
    "symmetry_x",
    "openness",
    "chokepoints",
)


def rows() -> Iterator[Row]:
    cave = tw.make("caves", width=60, height=40, seed=3)
    ours, peer = partial(tw.measure, cave, "regions", "path_length"), partial(_measure_with_scipy, cave.passable)
    assert ours() == peer(), "peers must agree"
    yield _compare("regions and path_length of one map, 60x40", ours, peer)
    maps = [tw.make("caves", width=60, height=40, seed=seed) for seed in range(128)]
    names = ("floor_share", "regions", "path_length")
    (time,) = best_times(partial(tw.measure_many, maps, *names), rounds=20)
    what = "measures: floor_share, regions and path_length together, each of 128 maps of 60x40"
    yield Row(what=what, unit="us", ours=time * 1e6 / len(maps))
    small = [tw.make("caves", width=15, height=7, seed=seed) for seed in range(MANY)]
    for name in MANY_MEASURES:
        one_by_one = partial(_measure_each, small, name)
        together = partial(tw.measure_many, small, name)
        np.testing.assert_equal(together()[name], one_by_one())
        ours_time, other = best_times(together, one_by_one, rounds=10)
        yield Row(
            what=f"measures: {name} with measure_many, each of {MANY:,} maps of 15x7",
            unit="us",
            ours=ours_time * 1e6 / MANY,
            peer=other * 1e6 / MANY,
            peer_name="tw.measure",
        )
    (time,) = best_times(partial(tw.measure_many, small, *MANY_MEASURES), rounds=10)
    what = f"measures: {len(MANY_MEASURES)} measures of {MANY:,} maps of 15x7, per measure and map"
    yield Row(what=what, unit="us", ours=time * 1e6 / MANY / len(MANY_MEASURES), at_most=5)


def _compare(what: str, ours: partial[Any], peer: partial[Any]) -> Row:
    one, other = best_times(ours, peer, rounds=200)
    return Row(what=f"measures: {what}", unit="ms", ours=one * 1e3, peer=other * 1e3, peer_name="SciPy", at_least=5)


def _measure_each(maps: list[TileMap], name: str) -> list[float]:
    return [tw.measure(map, name)[name] for map in maps]


def _measure_with_scipy(passable: NDArray[np.bool_]) -> dict[str, float]:
    """Return the same numbers with labels and graph searches of SciPy."""
    labels, count = ndimage.label(passable)
    numbers = np.arange(passable.size).reshape(passable.shape)
    beside, below = passable[:, :-1] & passable[:, 1:], passable[:-1] & passable[1:]
    tails = np.concatenate([numbers[:, :-1][beside], numbers[:-1][below]])
    heads = np.concatenate([numbers[:, 1:][beside], numbers[1:][below]])
    graph = coo_array((np.ones(len(tails)), (tails, heads)), shape=(passable.size,) * 2).tocsr()

    def find_farthest(start: int) -> tuple[int, float]:
        steps = dijkstra(graph, directed=False, indices=start, unweighted=True)
        steps[np.isinf(steps)] = -1
        return int(steps.argmax()), float(steps.max())

    largest = int(np.bincount(labels.reshape(-1))[1:].argmax()) + 1
    start, _ = find_farthest(int((labels == largest).argmax()))
    return {"regions": float(count), "path_length": find_farthest(start)[1]}
