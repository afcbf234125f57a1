"""Cellular-automaton caves: random walls, smoothed by a majority rule over eight neighbors.

A wall stays wall when at least `survive` of its eight neighbors are walls. A floor becomes wall when at least `birth`
of them are. The defaults 4 and 5 are the well-known 4-5 rule. More walls or a lower `birth` close the caves; more steps
make them rounder. The shaper `connect` joins separate caves, and `keep_largest` removes all but one.

Source: Johnson, Yannakakis, Togelius, "Cellular automata for real-time generation of infinite cave levels", 2010.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.entries import technique
from ..core.errors import Problem, problem
from ..core.grid import Offset
from ..core.many_maps import Job, Launch, ManyMaps, NoKernel
from ..core.params import Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, PaddedWindow, Site, Steps, block_size
from ..kernels.bit_rows import make_caves
from ..kernels.caves import smooth
from ..kernels.random import fill_chance, fill_in_blocks


class CavesParams(Sized):
    walls: float = param(0.45, ge=0, le=1, typical=(0.3, 0.6))
    """Fraction of cells that start as wall."""
    steps: int = param(5, ge=0, le=1000, typical=(0, 12))
    """Number of smoothing steps."""
    birth: int = param(5, ge=0, le=9)
    """Minimum number of wall neighbors, out of eight, at which a floor becomes wall."""
    survive: int = param(4, ge=0, le=9)
    """Minimum number of wall neighbors, out of eight, at which a wall stays wall."""
    outside: Literal["wall", "floor"] = param("wall")
    """Tile assumed beyond the edge of the map. A window with an offset has no edge."""
    wrap: bool = param(False)
    """Whether opposite edges wrap around, so that the map tiles."""
    offset: Offset | None = param(None)
    """Position x, y of this window in an endless cave. Windows generated separately join exactly."""

    def find_problems(self) -> Iterator[Problem]:
        if self.wrap and self.offset is not None:
            text = "a window of an endless cave cannot wrap; leave wrap or offset out"
            yield problem(text, at="wrap", remove=["wrap", "offset"])


class CavesMany(ManyMaps):
    """Kernels for caves that are no torus and no window of an endless cave."""

    runs_on_cpu = True

    def __init__(self, params: CavesParams, site: Site) -> None:
        super().__init__(params, site)
        if params.wrap or params.offset is not None:
            raise NoKernel("caves with wrap or offset")
        # A random number of 53 bits is below this limit if, as a fraction, it is below `walls`.
        limit = np.uint64(ceil(params.walls * 2**53))
        self._rule = limit, params.steps, params.birth, params.survive, int(params.outside == "wall")

    def fill_rows(self, keys: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
        make_caves(keys, self.site.shape[1], *self._rule, rows)

    def open_launch(self) -> Launch:
        from ..kernels.gpu import groups, maps

        group, rule = groups.choose_group(self.site.shape[0]), self._rule
        kernel = maps.build_caves(group)

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            kernel[groups.find_launch(group, job[0], len(keys))](keys, rule, job, tests, out)

        return launch


@technique(
    CavesParams,
    tileset="cave",
    tiles=("floor", "wall"),
    reach=lambda p: p.steps,
    offset=lambda p: p.offset,
    cost=lambda p: prod(p.shape) * (1 + p.steps),
    search_words=("cavern", "grotto", "underground", "roguelike", "terraria"),
    main_param="walls",
    vary={"walls": {}, "steps": {"from": 2, "to": 8}, "birth": {"from": 4, "to": 6}},
    many=CavesMany,
)
def caves(p: CavesParams, site: Site, rng: Rng) -> Steps:
    padded = site.padded_window(p.steps, wrap=p.wrap, border=1)  # The kernel reads one cell beyond the window.
    wall, inner = np.empty(padded.shape, dtype=np.uint8), padded.inner
    torus = site.world if p.wrap else None
    for _ in fill_in_blocks(fill_chance, rng.level_key(), padded.origin, p.walls, wall, torus=torus):
        yield Frame(None, "scatter", 0.0)
    rows = wall.shape[0] - 2
    block = max(1, block_size("caves", 1 << 24) // wall.shape[1])
    _enclose(wall, p, site, padded)
    site.apply_locks(wall, inner)
    other = wall.copy()  # Includes the border, which the kernel does not write.
    yield Frame(wall[inner], "scatter", 0.0)
    for step in range(p.steps):
        for first in range(0, rows, block):
            smooth(wall, other, p.birth, p.survive, first, min(first + block, rows))
            if rows > block:
                yield Frame(wall[inner], f"step {step + 1}", (step + first / rows) / p.steps)
        wall, other = other, wall
        if p.wrap:
            _enclose(wall, p, site, padded)
        site.apply_locks(wall, inner)
        yield Frame(wall[inner], f"step {step + 1}", (step + 1) / p.steps)
    return site.map(wall[inner])


def _enclose(wall: NDArray[np.uint8], p: CavesParams, site: Site, padded: PaddedWindow) -> None:
    """Fill the border of one cell at the edges of the map: with `outside`, or with the opposite edge if it wraps."""
    if p.wrap and site.is_whole_map:
        wall[0], wall[-1] = wall[-2], wall[1]
        wall[:, 0], wall[:, -1] = wall[:, -2], wall[:, 1]
    elif not p.wrap and site.world is not None:
        beyond, (top, left), (height, width) = p.outside == "wall", padded.origin, site.world
        if top < 0:
            wall[0] = beyond
        if left < 0:
            wall[:, 0] = beyond
        if top + wall.shape[0] > height:
            wall[-1] = beyond
        if left + wall.shape[1] > width:
            wall[:, -1] = beyond
