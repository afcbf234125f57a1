"""Caves from noise: scatter walls, then let every cell side with its neighbours a few times.

The classic cave automaton. A wall stays when at least `survive` of its eight neighbours are walls, a floor becomes
wall when at least `birth` are; with 4 and 5 that is the well-known 4-5 rule. More walls or a lower `birth` close the
caves, more steps round them off. Separate caves are joined by the shaper `connect` or dropped by `keep_largest`.

Source: Johnson, Yannakakis, Togelius, "Cellular automata for real-time generation of infinite cave levels", 2010.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Problem, problem
from ..core.grid import Offset
from ..core.params import Sized, param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, PaddedWindow, Site, Steps
from ..kernels.blocks import block_size
from ..kernels.caves import smooth
from ..kernels.random import fill_chance, fill_in_blocks


class CavesParams(Sized):
    walls: float = param(0.45, ge=0, le=1, typical=(0.3, 0.6))
    """Share of cells that start as wall."""
    steps: int = param(5, ge=0, le=1000, typical=(0, 12))
    """How often every cell sides with its neighbours."""
    birth: int = param(5, ge=0, le=9)
    """A floor becomes wall when at least this many of its eight neighbours are walls."""
    survive: int = param(4, ge=0, le=9)
    """A wall stays when at least this many of its eight neighbours are walls."""
    outside: Literal["wall", "floor"] = param("wall")
    """What lies beyond the edge of the map; a window with an offset has no edge."""
    wrap: bool = param(False)
    """Join opposite edges, so that the map tiles."""
    offset: Offset | None = param(None)
    """x, y of this window in an endless cave; windows made separately fit exactly."""

    def find_problems(self) -> Iterator[Problem]:
        if self.wrap and self.offset is not None:
            text = "a window of an endless cave cannot wrap; leave wrap or offset out"
            yield problem(text, at="wrap", remove=["wrap", "offset"])


@technique(
    CavesParams,
    tileset="cave",
    tiles=("floor", "wall"),
    reach=lambda p: p.steps,
    offset=lambda p: p.offset,
    cost=lambda p: prod(p.shape) * (1 + p.steps),
)
def caves(p: CavesParams, site: Site, rng: Rng) -> Steps:
    seen = site.padded_window(p.steps, wrap=p.wrap, border=1)  # the kernel reads one cell more
    wall, inner = np.empty(seen.shape, dtype=np.uint8), seen.inner
    torus = site.world if p.wrap else None
    for _ in fill_in_blocks(fill_chance, rng.level_key(), seen.origin, p.walls, wall, torus=torus):
        yield Frame(None, "scatter", 0.0)
    rows = wall.shape[0] - 2
    block = max(1, block_size("caves") // wall.shape[1])
    _enclose(wall, p, site, seen)
    site.apply_locks(wall, inner)
    other = wall.copy()  # with its border, which no step writes
    yield Frame(wall[inner], "scatter", 0.0)
    for step in range(p.steps):
        for first in range(0, rows, block):
            smooth(wall, other, p.birth, p.survive, first, min(first + block, rows))
            if rows > block:
                yield Frame(wall[inner], f"step {step + 1}", (step + first / rows) / p.steps)
        wall, other = other, wall
        if p.wrap:
            _enclose(wall, p, site, seen)
        site.apply_locks(wall, inner)
        yield Frame(wall[inner], f"step {step + 1}", (step + 1) / p.steps)
    return site.map(wall[inner])


def _enclose(wall: NDArray[np.uint8], p: CavesParams, site: Site, seen: PaddedWindow) -> None:
    """Fill the border of one cell where the map ends: with what lies outside, or with the opposite edge."""
    if p.wrap and site.is_whole_map:
        wall[0], wall[-1] = wall[-2], wall[1]
        wall[:, 0], wall[:, -1] = wall[:, -2], wall[:, 1]
    elif not p.wrap and site.world is not None:
        beyond, (top, left), (height, width) = p.outside == "wall", seen.origin, site.world
        if top < 0:
            wall[0] = beyond
        if left < 0:
            wall[:, 0] = beyond
        if top + wall.shape[0] > height:
            wall[-1] = beyond
        if left + wall.shape[1] > width:
            wall[:, -1] = beyond
