"""Rules over rooms compared with an implementation in NumPy and SciPy.

ProcEngine itself is JavaScript and does not run here. Measured elsewhere, it took about 24 ms for 200x200, generated
50,000 maps of 15x7 per second, and overflowed its stack on open maps of 88x88 and more.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import tilewright as tw

from .row import Row, best_times

Cells = NDArray[np.uint8]

SMALL: dict[str, Any] = {
    "mapData": ["15x7", "solid:empty"],
    "roomData": ["equal:1x1:1", "solid:1|empty:2"],
    "names": ["empty:-1", "solid:-1"],
    "neighbourhoods": {"plus": "010,101,010", "all": "111,101,111"},
    "generationRules": [{"genData": ["2", "room:-1", "connect:plus:1"], "rules": ["empty,all,or,solid>5,solid:1"]}],
}
RULES = ["empty,all,or,solid>4,solid:1", "solid,all,or,solid<4,empty:1"]
WALLS, STEPS = 0.45, 5
MANY = 100


def cave_recipe(side: int) -> tw.Recipe:
    """Return a recipe with one room, five simulations of two rules, and connect."""
    return tw.recipe(
        "rules",
        mapData=[f"{side}x{side}", "solid:empty"],
        roomData=["equal:1x1:1", "solid:9|empty:11"],
        generationRules=[{"genData": ["5", "room:-1", "connect:plus:1"], "rules": RULES}],
    )


def make_by_numpy(side: int) -> Cells:
    """Return a simple version: sums of slices, SciPy's labels, and corridors with one corner between regions."""
    inner = np.s_[1:-1, 1:-1]
    solid = np.ones((side, side), dtype=np.uint8)
    solid[inner] = np.random.default_rng(7).random((side - 2, side - 2), dtype=np.float32) < WALLS
    for _ in range(STEPS):
        rows = solid[:-2] + solid[1:-1] + solid[2:]
        around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] - solid[inner]
        solid[inner] = np.where(solid[inner], around >= 4, around > 4)
    labels, count = ndimage.label(solid == 0)
    slices = ndimage.find_objects(labels)
    spots = [tuple(int(part.start) for part in region) for region in slices]
    for number in range(1, count):
        (y, x), (row, column) = spots[number - 1], spots[number]
        solid[min(y, row) : max(y, row) + 1, x] = 0
        solid[row, min(x, column) : max(x, column) + 1] = 0
    return solid


def rows() -> Iterator[Row]:
    recipe, small_recipe = cave_recipe(200), tw.recipe("rules", **SMALL)
    seeds = count()

    def run_many() -> None:
        for _ in range(MANY):
            tw.run(small_recipe, seed=next(seeds))

    def make_one_by_one() -> None:
        for _ in range(MANY):
            tw.make("rules", seed=next(seeds), **SMALL)

    run = partial(tw.run, recipe, seed=7)
    once, often, each, peer = best_times(run, run_many, make_one_by_one, partial(make_by_numpy, 200), rounds=200)
    what = "rules 200x200, 5 simulations, connect"
    yield Row(what=what, unit="ms", ours=once * 1e3, at_most=2.5)
    yield Row(what=what, unit="ms", ours=once * 1e3, peer=peer * 1e3, peer_name="numpy and scipy", at_least=1)
    yield Row(what="rules 15x7, validated once", unit="maps/s", ours=MANY / often, at_least=20_000)
    yield Row(what="rules 15x7, validated for each map", unit="maps/s", ours=MANY / each, at_least=5_000)
    ours, peer = best_times(partial(tw.run, cave_recipe(4096), seed=7), partial(make_by_numpy, 4096), rounds=5)
    yield Row(what=what.replace("200", "4096"), unit="s", ours=ours, peer=peer, peer_name="numpy and scipy", at_least=1)
