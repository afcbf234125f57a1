"""Diffusion-limited aggregation: particles move at random until they touch the floor, and become floor there.

Growth is fastest at the tips, which particles reach first, so the cave branches like a crystal. `walk-in` particles
move through the rock and stay where they touch floor, which makes thin branches. `walk-out` particles start on floor
and dig the first rock they reach, which makes round caves. `attractor` particles move straight to the center and stay
where they meet floor, which makes rays. All floor is one connected cave.

Far from the boundary of the cave, particles take steps of 8 or 64 cells. These steps never cross a cell where a
particle would have stopped, and they make large maps much faster. Every particle digs beside floor, so any coverage can
be reached. A particle is dropped after 65,536 steps. After 10,000 dropped particles in a row, growth ends early;
`m.numbers["coverage"]` is the coverage reached.

Limits: locked walls are never dug, but particles pass through them. The cave also grows from locked floors, and floors
that remain separate are joined by the shortest paths. Locks that are not symmetric make the map less symmetric.

Sources: Witten, Sander, "Diffusion-limited aggregation, a kinetic critical phenomenon", 1981; for `walk-out`, Meakin,
Deutch, "The formation of surfaces by diffusion limited annihilation", 1986. Roguelikes have used this for caves for a
long time.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.entries import technique
from ..core.params import MAX_SIDE, Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size
from ..dungeon.digging import DiggableGrid
from ..kernels import aggregation as kernels
from ..kernels import bind
from ..kernels.drunkard import FLOOR, ROCK

FRAMES = 120
"""Approximate maximum number of frames of the growing cave, besides one per block."""
MAX_PARTICLE_STEPS = 1 << 16
"""Number of steps after which a particle is dropped."""
MODES = {"walk-in": kernels.WALK_IN, "walk-out": kernels.WALK_OUT, "attractor": kernels.ATTRACTOR}


class AggregationParams(Sized):
    mode: Literal["walk-in", "walk-out", "attractor"] = param("walk-in")
    """Motion of particles: into the cave until they touch floor, out of it until they dig, or straight to the center.
    """
    coverage: float = param(0.3, ge=0, le=1, typical=(0.1, 0.6))
    """Fraction of cells within the border that become floor."""
    launch: Literal["anywhere", "edge"] = param("anywhere")
    """Start of particles from outside: anywhere in the rock, or along the border while it is rock."""
    symmetry: Literal["none", "horizontal", "vertical", "both"] = param("none")
    """Symmetry of the map: left and right (horizontal), top and bottom (vertical), or both."""
    nucleus: Literal["point", "disc", "square", "cross", "line"] = param("point")
    """Shape in the middle of the map from which the cave grows."""
    radius: int = param(
        3, ge=1, le=MAX_SIDE, typical=(1, 20), hidden_unless=("nucleus", "disc", "square", "cross", "line")
    )
    """Radius of the nucleus in cells; unused for a point."""
    brush: int = param(1, ge=1, le=16, typical=(1, 5))
    """Width of the area that a particle digs."""
    stick: float = param(1.0, ge=0.01, le=1)
    """Probability that a particle from outside stays when it touches floor. Lower values make thicker branches."""
    border: int = param(1, ge=0, le=MAX_SIDE, typical=(0, 5))
    """Width of the wall kept around the map; less if the map is too small."""


@technique(
    AggregationParams,
    tileset="cave",
    tiles=("floor", "wall"),
    bytes_per_cell=12,
    search_words=("cave", "coral", "crystal", "root", "fractal"),
    main_param="coverage",
    vary={"coverage": {}, "stick": {}, "symmetry": {}},
)
def aggregation(p: AggregationParams, site: Site, rng: Rng) -> Steps:
    ground = DiggableGrid(site, p.border)
    mode, is_walk_out = MODES[p.mode], p.mode == "walk-out"
    height, width = site.shape
    _put_nucleus(ground, p)
    floors = np.empty(ground.capacity if is_walk_out else 0, dtype=np.int64)
    progress = kernels.AggregationState.new()
    initial_floors = ground.find_floors()
    progress.dug, progress.row = len(initial_floors), -1
    if is_walk_out:
        floors[: len(initial_floors)] = initial_floors
        progress.listed = len(initial_floors)
    blocks = kernels.BlockCounts(
        *_make_blocks(ground, kernels.FINE, is_walk_out), *_make_blocks(ground, kernels.COARSE, is_walk_out)
    )
    kernels.count_floors(ground.cells, is_walk_out, blocks)
    # `ground.cells` has a margin of one cell.
    target_row, target_column = (int(place) + 1 for place in ground.middle)
    box = kernels.AreaBox(ground.top + 1, ground.left + 1, ground.height, ground.width, target_row, target_column)
    flip_rows = height + 1 if p.symmetry in ("vertical", "both") else 0
    flip_columns = width + 1 if p.symmetry in ("horizontal", "both") else 0
    brush = _make_brush(p.brush)
    first, goal = len(initial_floors), ground.count_target(p.coverage)
    yield Frame(ground.snapshot, "nucleus", 0.0)
    at, dug, more, budget = first, first, first < goal, block_size("aggregation", 1 << 20)
    rules = kernels.AggregationRules(
        mode, p.launch == "edge", box, p.stick, flip_rows, flip_columns, MAX_PARTICLE_STEPS
    )
    work = bind(partial(kernels.aggregate, rng.state, ground.cells, rules, brush, floors, blocks, progress))
    while more:
        at = min(goal, at + max(1, min(budget, (goal - first) // FRAMES)))
        while more and dug < at:
            more = work(at, budget)
            dug = int(progress.dug)
            yield Frame(ground.snapshot, f"{progress.particles} particles", min(1.0, dug / goal))
        more = dug >= at and at < goal
    return (yield from ground.finish(particles=int(progress.particles)))


def _put_nucleus(ground: DiggableGrid, p: AggregationParams) -> None:
    """Dig the nucleus, and its mirror images, where there is rock."""
    rows, columns = (
        np.abs(np.arange(side) - middle) for side, middle in zip(ground.map.shape, ground.middle, strict=True)
    )
    down, right = rows[:, None], columns[None, :]
    if p.nucleus == "point":
        shape = (down == 0) & (right == 0)
    elif p.nucleus == "disc":
        shape = down * down + right * right <= p.radius * (p.radius + 1)
    elif p.nucleus == "square":
        shape = (down <= p.radius) & (right <= p.radius)
    elif p.nucleus == "cross":
        shape = ((down == 0) & (right <= p.radius)) | ((right == 0) & (down <= p.radius))
    else:
        shape = (down == 0) & (right <= p.radius)
    if p.symmetry in ("vertical", "both"):
        shape = shape | shape[::-1]
    if p.symmetry in ("horizontal", "both"):
        shape = shape | shape[:, ::-1]
    ground.map[shape & (ground.map == ROCK)] = FLOOR


def _make_blocks(ground: DiggableGrid, size: int, out: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two initial arrays of BlockCounts for one block size: floors per block, and `near` values."""
    shape = tuple(((side - 1) >> size) + 3 for side in ground.cells.shape)
    return np.zeros(shape, dtype=np.int64), np.full(shape, 9 if out else 0, dtype=np.int64)


def _make_brush(width: int) -> NDArray[np.int64]:
    """Return the offsets of a square as (cell, 2), the middle first, each next to an earlier one."""
    span = range(-((width - 1) // 2), width // 2 + 1)
    offsets = sorted(((down, right) for down in span for right in span), key=lambda at: abs(at[0]) + abs(at[1]))
    return np.array(offsets, dtype=np.int64)
