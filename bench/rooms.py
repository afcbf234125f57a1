"""Rooms with corridors, and connected caves, compared with other libraries.

Procedural-Map-Generation (a Python library) and rot.js do not run here: their times were measured elsewhere, the
shorter one of a range. tcod partitions maps but creates neither rooms nor corridors: its row only compares the
partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.kernels.corridors import ROOM
from tilewright.kernels.partition import PartSizes, partition

from .row import Row, best_times

SEED_SYSTEM, ROT = "Procedural-Map-Generation, measured elsewhere", "rot.js, measured elsewhere"


def rows() -> Iterator[Row]:
    small: dict[str, Any] = {"width": 80, "height": 80, "rooms": 28}
    large: dict[str, Any] = {"width": 200, "height": 200, "rooms": 150}
    assert len(tw.make("rooms", seed=7, **small).rooms) == 28
    assert len(tw.make("rooms", seed=7, **large).rooms) == 150
    yield _row("rooms 80x80, 28 rooms, A* corridors", partial(tw.make, "rooms", **small), 10, 5, 2800, SEED_SYSTEM)
    yield _row("rooms 200x200, 150 rooms, A* corridors", partial(tw.make, "rooms", **large), 3, 50, 70_000, SEED_SYSTEM)
    recipe = tw.recipe("rooms", width=80, height=50)
    yield _row("rooms 80x50, corridors, tw.run", partial(tw.run, recipe), 20, 1, 2.4, f"{ROT} (Digger)")
    recipe = tw.recipe("bsp", width=80, height=50)
    yield _row("bsp 80x50, corridors, tw.run", partial(tw.run, recipe), 20, 2)
    cave = partial(tw.make, "caves", width=500, height=500, shaping=["connect"])
    yield _row("caves 500x500 and connect", cave, 3, 30, 28_000, ROT)
    yield _row("rooms 1000x1000", partial(tw.make, "rooms", width=1000, height=1000), 1, 500)
    if find_spec("tcod"):
        yield _compare_partition()


def _row(
    what: str, make: partial[tw.TileMap], rounds: int, limit: float, peer: float | None = None, name: str = ""
) -> Row:
    """Measure the time per map over ten seeds."""

    def make_ten() -> None:
        for seed in range(10):
            make(seed=seed)

    ours = best_times(make_ten, rounds=rounds)[0] / 10
    if peer is None:
        return Row(what=what, unit="ms", ours=ours * 1e3, at_most=limit)
    return Row(what=what, unit="ms", ours=ours * 1e3, peer=peer, peer_name=name, at_least=round(peer / limit, 1))


def _compare_partition() -> Row:
    """Compare partitions of a 500x500 map with edges of 7 to 14 cells."""
    from tcod import bsp, random

    sizes = PartSizes(500, 500, 7, 7, 14, 14)
    parts = np.empty(10_000, dtype=ROOM)

    def ours() -> int:
        return partition(sizes, 1.25, 0.25, True, Rng.of(7).state, parts)

    def peer() -> int:
        root = bsp.BSP(0, 0, 500, 500)
        root.split_recursive(12, 7, 7, 1.25, 1.25, seed=random.Random(random.MERSENNE_TWISTER, seed=7))
        return sum(1 for node in root.inverted_level_order() if not node.children)

    assert 1000 < ours() < 5000
    assert 1000 < peer() < 5000
    ours_time, peer_time = best_times(ours, peer, rounds=10)
    return Row(
        what="bsp 500x500, partition only", unit="ms", ours=ours_time * 1e3, peer=peer_time * 1e3, peer_name="tcod.bsp",
        at_least=5,
    )  # fmt: skip
