"""Maps with given measures: one map improved, maps tried until one has them, and tries spread over processes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import tilewright as tw

from .row import Row, best_times

SEEDS = range(20)
TARGETS = {"regions": 1, "path_length": "60..66"}
CAVE = {"path_length": "66..72"}


def rows() -> Iterator[Row]:
    maps = [_make_noise(seed) for seed in SEEDS]
    improved = [tw.improve(map, TARGETS, seed=seed) for seed, map in enumerate(maps)]  # compile
    assert all(tw.measure(map, "regions") == {"regions": 1} for map in improved)
    seconds = [best_times(partial(tw.improve, map, TARGETS, seed=seed), rounds=3)[0] for seed, map in enumerate(maps)]
    what = "improve: 14x14, noise to one region and a path of 60 to 66"
    yield Row(what=f"{what}, mean", unit="ms", ours=1e3 * sum(seconds) / len(seconds), at_most=20)
    yield Row(what=f"{what}, slowest of {len(seconds)}", unit="ms", ours=1e3 * max(seconds))
    seeds = [*_find_seeds()]
    ours, peer = best_times(partial(_improve_caves, seeds), partial(_try_caves, seeds), rounds=3)
    yield Row(
        what="improve: caves 30x20, connected, a path of 66 to 72",
        unit="ms",
        ours=1e3 * ours / len(seeds),
        peer=1e3 * peer / len(seeds),
        peer_name="require, up to 5,000 tries",
    )
    one, two = best_times(partial(_fail, 0), partial(_fail, 2), rounds=2)
    what = "require: caves 400x400, 2,000 tries, 2 workers"
    yield Row(what=what, unit="s", ours=two, peer=one, peer_name="one process")


def _make_noise(seed: int) -> tw.TileMap:
    tileset = tw.make("caves", width=4, height=4, seed=1).tileset
    walls = np.random.default_rng(seed).random((14, 14)) < 0.5
    wall, floor = (tileset.names.index(name) for name in ("wall", "floor"))
    return tw.TileMap(np.where(walls, wall, floor), tileset)


def _make_cave(seed: int, **more: object) -> tw.TileMap:
    return tw.run(
        {"technique": "caves", "params": {"width": 30, "height": 20}, "shaping": ["connect"], **more}, seed=seed
    )


def _find_seeds() -> Iterator[int]:
    """Yield seeds for which one of the tries passes."""
    for seed in SEEDS:
        try:
            _make_cave(seed, require=CAVE, tries=5000)
        except tw.GaveUp:
            continue
        yield seed


def _improve_caves(seeds: list[int]) -> None:
    for seed in seeds:
        tw.improve(_make_cave(seed), CAVE)


def _try_caves(seeds: list[int]) -> None:
    for seed in seeds:
        _make_cave(seed, require=CAVE, tries=5000)


def _fail(workers: int) -> None:
    recipe = {"technique": "caves", "params": {"width": 400, "height": 400}, "tries": 2000}
    try:
        tw.run({**recipe, "require": {"path_length": ">99999"}}, seed=1, workers=workers)
    except tw.GaveUp:
        return
