"""Distances and paths compared with tcod: one thread, the same cave, the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.analysis.chokepoints import chokepoints
from tilewright.analysis.fov import field_of_view
from tilewright.analysis.paths import distances, flee_map, hot_path, shortest_path

from .row import Row, Work, best_times

SIZE = 1000
VIEWER = (SIZE // 2, SIZE // 2)
Search: TypeAlias = Callable[[], NDArray[Any]]


def make_cave() -> NDArray[np.bool_]:
    """Return the passable cells of a connected cave."""
    return tw.make("caves", width=SIZE, height=SIZE, seed=7, shaping=["connect"]).passable


def find_corners(passable: NDArray[np.bool_]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the passable cells nearest to the top left and bottom right corners."""
    cells = np.argwhere(passable)
    order = cells.sum(axis=1)
    (top, left), (bottom, right) = cells[order.argmin()].tolist(), cells[order.argmax()].tolist()
    return (top, left), (bottom, right)


def place_pillars() -> NDArray[np.bool_]:
    """Return the clear cells of a hall with a thousand pillars of one cell."""
    clear = np.ones((SIZE, SIZE), dtype=np.bool_)
    clear.reshape(-1)[np.random.default_rng(7).integers(0, SIZE * SIZE, 1000)] = False
    clear[VIEWER] = True
    return clear


def find_viewer(passable: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the passable cell nearest to the center."""
    cells = np.argwhere(passable)
    row, column = cells[np.abs(cells - VIEWER).sum(axis=1).argmin()].tolist()
    return row, column


def rows() -> Iterator[Row]:
    passable = make_cave()
    start, goal = find_corners(passable)
    random = np.random.default_rng(7)
    costs = random.integers(1, 10, passable.shape)
    works: dict[str, Search] = {
        "distance map": partial(distances, passable, start),
        "A*, corner to corner": partial(shortest_path, passable, start, goal),
        "distance map, 8 directions": partial(distances, passable, start, directions=8),
        "distance map, costs 1 to 9": partial(distances, passable, start, costs=costs, away=True),
        "field of view, everywhere clear": partial(field_of_view, np.ones_like(passable), VIEWER),
        "field of view, 1000 pillars": partial(field_of_view, place_pillars(), VIEWER),
        "field of view in the cave": partial(field_of_view, passable, find_viewer(passable)),
    }
    targets = {
        "distance map": 5,
        "A*, corner to corner": 5,
        "distance map, costs 1 to 9": 4,
        "field of view, everywhere clear": 1,
        "field of view, 1000 pillars": 1,
        "field of view in the cave": 1,
    }
    peers = _tcod(passable, costs) if find_spec("tcod") else {}
    for name, work in works.items():
        what = f"paths {SIZE}x{SIZE}: {name}"
        if name not in peers:
            (ours,) = best_times(work, rounds=10)
            yield Row(what=f"{what} (the peer, tcod, is not installed)", unit="ms", ours=ours * 1e3)
            continue
        assert _agree(work(), peers[name]()), f"{name}: peers must agree"
        ours, other = best_times(work, peers[name], rounds=10)
        yield Row(what=what, unit="ms", ours=ours * 1e3, peer=other * 1e3, peer_name="tcod", at_least=targets.get(name))
    absolute: dict[str, tuple[Work, int | None]] = {
        "distance map, absolute time": (works["distance map"], 10),
        "flee map": (partial(flee_map, passable, start), None),
        "hot path": (partial(hot_path, passable, start, goal, slack=20), None),
        "chokepoints": (partial(chokepoints, passable), None),
    }
    for name, (search, limit) in absolute.items():
        (ours,) = best_times(search, rounds=10)
        yield Row(what=f"paths {SIZE}x{SIZE}: {name}", unit="ms", ours=ours * 1e3, at_most=limit)


def _tcod(passable: NDArray[np.bool_], costs: NDArray[np.int64]) -> dict[str, Search]:
    from tcod import libtcodpy, map, path

    walls, weights = passable.astype(np.int8), (costs * passable).astype(np.int8)
    start, goal = find_corners(passable)

    def spread(cost: NDArray[np.int8], diagonal: int) -> NDArray[np.int64]:
        found = path.maxarray(passable.shape, dtype=np.int32)
        found[start] = 0
        path.dijkstra2d(found, cost, 1, diagonal, out=found)
        return found

    def find_path() -> NDArray[np.int64]:
        return np.array([start, *path.AStar(walls, diagonal=0).get_path(*start, *goal)])

    compute_view = partial(map.compute_fov, algorithm=libtcodpy.FOV_SYMMETRIC_SHADOWCAST)

    return {
        "distance map": partial(spread, walls, 0),
        "distance map, 8 directions": partial(spread, walls, 1),
        "distance map, costs 1 to 9": partial(spread, weights, 0),
        "A*, corner to corner": partial(find_path),
        "field of view, everywhere clear": partial(compute_view, np.ones_like(passable), VIEWER),
        "field of view, 1000 pillars": partial(compute_view, place_pillars(), VIEWER),
        "field of view in the cave": partial(compute_view, passable, find_viewer(passable)),
    }


def _agree(ours: NDArray[Any], peer: NDArray[Any]) -> bool:
    """Return whether distances are equal, paths equally long, or views almost equal.

    The slopes of tcod are floats, and rounding decides a few cells that are seen exactly along the edge of a wall.
    """
    if ours.dtype == np.bool_:
        return 100 * int(np.count_nonzero(ours != peer)) <= int(np.count_nonzero(ours))
    if ours.shape != (SIZE, SIZE):
        return len(ours) == len(peer)
    return np.array_equal(np.where(np.isfinite(ours), ours, np.iinfo(np.int32).max), peer)
