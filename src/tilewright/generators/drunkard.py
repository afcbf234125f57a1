"""Drunkard's walk: walkers stagger through the rock, and wherever they go is floor.

Each walker takes `steps` steps, and at each one has the chance `turn` to take another direction. Without `coverage`
there are `walkers` of them. With it there are so many at a time, and new ones follow until that share of the map is
floor, which is always reached: a walker that has dug nothing for 100 steps is followed by one that starts
beside rock and digs with its first step. Walkers start on floor, so all floor is one cave, always.

Limits: locked walls are never dug; locked floors are places to start from, and what stays apart of them is joined by
the shortest ways. Locked walls that leave no way between locked floors make it give up and name them.

Source: Pearson, "The problem of the random walk", 1905. Roguelikes have long dug caves so.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..core.params import MAX_SIDE, Sized, param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..dungeon.digging import DiggableGrid
from ..kernels import bind
from ..kernels.blocks import block_size
from ..kernels.drunkard import WALKER, WalkRules, WalkState, walk

FRAMES = 120
"""At most about so many pictures of growing tunnels."""
PATIENCE = 100
"""Steps without digging after which a walker ends, where a share is to be reached."""
ENDLESS = 1 << 62


class DrunkardParams(Sized):
    walkers: int = param(6, ge=1, le=10_000, typical=(1, 40))
    """How many walkers there are; with a coverage, how many at a time."""
    steps: int = param(200, ge=1, le=1_000_000, typical=(10, 2000))
    """Steps that each walker takes."""
    coverage: float | None = param(0.35, ge=0, le=1, typical=(0.1, 0.7))
    """Share of the cells within the border to be floor: new walkers follow until it is; none: no more follow."""
    turn: float = param(0.4, ge=0, le=1)
    """Chance to turn at each step: 0 walks straight until the wall, 1 is the classic drunkard."""
    bias: float = param(0.1, ge=-1, le=1)
    """Chance that a turn leads to the centre of the map; below 0, to its edge."""
    begin: Literal["floor", "centre"] = param("floor")
    """Where walkers start: anywhere on the floor where rock is beside it, or all at the centre of the map."""
    border: int = param(1, ge=0, le=MAX_SIDE, typical=(0, 5))
    """Width of the wall that is kept around the map; narrower where the map is too small for it."""


@technique(DrunkardParams, tileset="cave", tiles=("floor", "wall"), bytes_per_cell=12)
def drunkard(p: DrunkardParams, site: Site, rng: Rng) -> Steps:
    ground = DiggableGrid(site, p.border)
    floors = ground.find_floors()
    starts = np.empty(ground.capacity, dtype=np.int64)
    starts[: len(floors)] = floors
    progress = WalkState.new()
    progress.dug = progress.listed = len(floors)
    walkers = np.zeros(p.walkers, dtype=WALKER)
    walkers["place"] = -1
    # They start one after the other, so that those to come find floor to start from.
    walkers["left"] = np.arange(p.walkers) * p.steps // p.walkers
    lives, patience, goal = p.walkers, ENDLESS, ground.capacity
    if p.coverage is not None:
        lives, patience, goal = ENDLESS, min(p.steps, PATIENCE), ground.count_target(p.coverage)
    middle = ground.flat_index(*ground.middle) if p.begin == "centre" else -1
    rules = WalkRules(p.turn, p.bias, p.steps, lives, patience, middle)
    yield Frame(ground.snapshot, "rock", 0.0)
    budget = block_size("drunkard")
    if p.coverage is None:
        budget = min(budget, max(1, p.walkers * p.steps // FRAMES))
    flat, row = ground.cells.reshape(-1), ground.cells.shape[1]
    work = bind(partial(walk, rng.state, flat, row, walkers, starts, progress, rules))
    first = dug = len(floors)
    at, more = first, True
    while more:
        at = min(goal, at + max(1, min(budget, (goal - first) // FRAMES))) if p.coverage is not None else goal
        while dug < at and more:
            more = work(at, budget)
            dug = int(progress.dug)
            done = dug / goal if p.coverage is not None else int(progress.steps) / (p.walkers * p.steps)
            yield Frame(ground.snapshot, f"{progress.started} walkers", min(1.0, done))
        more = dug < goal and progress.finished < p.walkers
    return (yield from ground.finish(walkers=int(progress.started), steps=int(progress.steps)))
