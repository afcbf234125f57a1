"""Diffusion-limited aggregation: particles wander until they meet the crystal, and stay there as floor.

Growth is quickest where particles come by first, at the tips, so the crystal branches like frost. Three ways:
`walk-in` particles wander through the rock and stay where they touch floor, which makes thin branches; `walk-out`
particles start on floor and dig the first rock they step on, which makes round caves; with `attractor` particles fly
straight to the centre and stay where they meet the floor, which makes rays. All floor is one cave, always.

Far from the crystal (on the way out: deep in it) particles take strides of 8 or 64 cells, none of which can pass over
anything that they would have met: large maps need far fewer steps. Every particle digs beside floor, so that any
coverage can be reached; a particle that wanders for 65,536 strides is dropped, and after 10,000 of these in a row the
growth ends with what there is, which `m.numbers["coverage"]` tells.

Limits: locked walls are never dug, but particles pass through them; locked floors are crystals to grow from, and what
stays apart of them is joined by the shortest ways. Locks make the map less symmetric where they are not.

Source: Witten, Sander, "Diffusion-limited aggregation, a kinetic critical phenomenon", 1981; for the way out, Meakin,
Deutch, "The formation of surfaces by diffusion limited annihilation", 1986. Roguelikes have long dug caves so.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.params import MAX_SIDE, Sized, param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..dungeon.digging import DiggableGrid
from ..kernels import bind
from ..kernels.aggregation import (
    ATTRACTOR,
    COARSE,
    FINE,
    WALK_IN,
    WALK_OUT,
    AggregationState,
    BlockCounts,
    Box,
    aggregate,
    count_floors,
)
from ..kernels.blocks import block_size
from ..kernels.drunkard import FLOOR, ROCK

FRAMES = 120
"""At most about so many pictures of the growing crystal, and one for each block."""
MAX_PARTICLE_STEPS = 1 << 16
"""Steps after which a particle is dropped."""
MODES = {"walk-in": WALK_IN, "walk-out": WALK_OUT, "attractor": ATTRACTOR}


class AggregationParams(Sized):
    mode: Literal["walk-in", "walk-out", "attractor"] = param("walk-in")
    """Particles wander in and stay where they touch floor, wander out and dig, or fly straight to the centre."""
    coverage: float = param(0.3, ge=0, le=1, typical=(0.1, 0.6))
    """Share of the cells within the border to be floor."""
    launch: Literal["anywhere", "edge"] = param("anywhere")
    """Where particles that come from outside start: anywhere in the rock, or along the border while it is rock."""
    symmetry: Literal["none", "horizontal", "vertical", "both"] = param("none")
    """Whether left and right are alike (horizontal), top and bottom (vertical), or both."""
    nucleus: Literal["point", "disc", "square", "cross", "line"] = param("point")
    """What the crystal grows from, in the middle of the map."""
    radius: int = param(
        3, ge=1, le=MAX_SIDE, typical=(1, 20), hidden_unless=("nucleus", "disc", "square", "cross", "line")
    )
    """How far the nucleus reaches from its middle; a point has none."""
    brush: int = param(1, ge=1, le=16, typical=(1, 5))
    """Width of what a particle digs."""
    stick: float = param(1.0, ge=0.01, le=1)
    """Chance that a particle from outside stays when it touches floor; lower ones make thicker branches."""
    border: int = param(1, ge=0, le=MAX_SIDE, typical=(0, 5))
    """Width of the wall that is kept around the map; narrower where the map is too small for it."""


@technique(AggregationParams, tileset="cave", tiles=("floor", "wall"), bytes_per_cell=12)
def aggregation(p: AggregationParams, site: Site, rng: Rng) -> Steps:
    ground = DiggableGrid(site, p.border)
    mode, out = MODES[p.mode], p.mode == "walk-out"
    height, width = site.shape
    _put_nucleus(ground, p)
    floors = np.empty(ground.capacity if out else 0, dtype=np.int64)
    progress = AggregationState.new()
    there = ground.find_floors()
    progress.dug, progress.row = len(there), -1
    if out:
        floors[: len(there)] = there
        progress.listed = len(there)
    blocks = BlockCounts(*_make_blocks(ground, FINE, out), *_make_blocks(ground, COARSE, out))
    count_floors(ground.cells, out, blocks)
    # in the ground, which has a margin of one cell
    target_row, target_column = (int(place) + 1 for place in ground.middle)
    box = Box(ground.top + 1, ground.left + 1, ground.height, ground.width, target_row, target_column)
    flip_rows = height + 1 if p.symmetry in ("vertical", "both") else 0
    flip_columns = width + 1 if p.symmetry in ("horizontal", "both") else 0
    brush = _make_brush(p.brush)
    first, goal = len(there), ground.count_target(p.coverage)
    yield Frame(ground.snapshot, "nucleus", 0.0)
    at, dug, more, budget = first, first, first < goal, block_size("aggregation")
    work = bind(
        partial(
            aggregate, rng.state, ground.cells, mode, p.launch == "edge", box, p.stick, flip_rows, flip_columns,
            brush, floors, blocks, progress, MAX_PARTICLE_STEPS,
        )
    )  # fmt: skip
    while more:
        at = min(goal, at + max(1, min(budget, (goal - first) // FRAMES)))
        while more and dug < at:
            more = work(at, budget)
            dug = int(progress.dug)
            yield Frame(ground.snapshot, f"{progress.particles} particles", min(1.0, dug / goal))
        more = dug >= at and at < goal
    return (yield from ground.finish(particles=int(progress.particles)))


def _put_nucleus(ground: DiggableGrid, p: AggregationParams) -> None:
    """Dig the nucleus where there is rock, and what mirrors it."""
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
    """(block row, block column) floors in every block, and blocks of interest around it; with a margin of one block."""
    shape = tuple(((side - 1) >> size) + 3 for side in ground.cells.shape)
    return np.zeros(shape, dtype=np.int64), np.full(shape, 9 if out else 0, dtype=np.int64)


def _make_brush(width: int) -> NDArray[np.int64]:
    """(part, 2) the offsets of a square, its middle first, each beside an earlier one."""
    span = range(-((width - 1) // 2), width // 2 + 1)
    offsets = sorted(((down, right) for down in span for right in span), key=lambda at: abs(at[0]) + abs(at[1]))
    return np.array(offsets, dtype=np.int64)
