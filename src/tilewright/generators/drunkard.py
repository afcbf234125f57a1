"""Drunkard's walk: walkers move at random through rock and turn their paths into floor.

Each walker takes `steps` steps and turns with probability `turn` at each of them. Without `coverage`, there are
`walkers` walkers in total. With `coverage`, there are that many at a time, and new ones start until this fraction of
the map is floor. Any coverage is reached: a walker that digs nothing for 100 steps is replaced by one that starts
beside rock and digs with its first step. Walkers start on floor, so all floor is one connected cave.

Limits: locked walls are never dug. Walkers also start from locked floors, and floors that remain separate are joined by
the shortest paths. If locked walls separate locked floors, the technique gives up and reports their cells.

Source: Pearson, "The problem of the random walk", 1905. Roguelikes have used this for caves for a long time.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..core.entries import technique
from ..core.params import MAX_SIDE, Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size
from ..dungeon.digging import DiggableGrid
from ..kernels import bind
from ..kernels.drunkard import WALKER, WalkRules, WalkState, walk

FRAMES = 120
"""Approximate maximum number of frames of growing tunnels."""
PATIENCE = 100
"""Number of steps without digging after which a walker ends, if there is a coverage."""
ENDLESS = 1 << 62


class DrunkardParams(Sized):
    walkers: int = param(6, ge=1, le=10_000, typical=(1, 40))
    """Number of walkers; with a coverage, the number at a time."""
    steps: int = param(200, ge=1, le=1_000_000, typical=(10, 2000))
    """Number of steps of each walker."""
    coverage: float | None = param(0.35, ge=0, le=1, typical=(0.1, 0.7))
    """Fraction of cells within the border that become floor, reached by new walkers; none for a fixed number of
    walkers.
    """
    turn: float = param(0.4, ge=0, le=1)
    """Probability of a turn at each step: 0 walks straight to the wall, 1 is the classic drunkard's walk."""
    bias: float = param(0.1, ge=-1, le=1)
    """Probability that a turn leads to the center of the map; if negative, to its edge."""
    begin: Literal["floor", "centre"] = param("floor")
    """Start of walkers: random floor beside rock, or the center of the map."""
    border: int = param(1, ge=0, le=MAX_SIDE, typical=(0, 5))
    """Width of the wall kept around the map; less if the map is too small."""


@technique(
    DrunkardParams,
    tileset="cave",
    tiles=("floor", "wall"),
    bytes_per_cell=12,
    search_words=("cave", "cavern", "tunnel", "mine", "roguelike", "worm"),
    main_param="coverage",
    vary={"coverage": {}, "turn": {}, "bias": {}, "walkers": {}},
)
def drunkard(p: DrunkardParams, site: Site, rng: Rng) -> Steps:
    ground = DiggableGrid(site, p.border)
    floors = ground.find_floors()
    starts = np.empty(ground.capacity, dtype=np.int64)
    starts[: len(floors)] = floors
    progress = WalkState.new()
    progress.dug = progress.listed = len(floors)
    walkers = np.zeros(p.walkers, dtype=WALKER)
    walkers["place"] = -1
    # Walkers start one after the other, so that later ones find floor to start from.
    walkers["left"] = np.arange(p.walkers) * p.steps // p.walkers
    lives, patience, goal = p.walkers, ENDLESS, ground.capacity
    if p.coverage is not None:
        lives, patience, goal = ENDLESS, min(p.steps, PATIENCE), ground.count_target(p.coverage)
    middle = ground.flat_index(*ground.middle) if p.begin == "centre" else -1
    rules = WalkRules(p.turn, p.bias, p.steps, lives, patience, middle)
    yield Frame(ground.snapshot, "rock", 0.0)
    budget = block_size("drunkard", 1 << 20)
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
