"""Mazes: places on a grid, each reached by exactly one way; then, if wanted, loops where dead ends were.

Five methods choose which places are linked. The (recursive) backtracker walks on until it is stuck and goes back: long
winding ways, few dead ends. Prim grows from one place at its whole edge: short branches everywhere. Kruskal links any
two places that do not hang together yet: evenly ragged. Wilson adds loop-erased random walks: every maze is equally
likely. Division cuts the ground by straight walls with one gap each: long walls, sight lines, bottlenecks.
`braid` opens a share of the dead ends into loops. The two cells farthest apart are the markers start and exit.

Limits: what walls and passages leave over of the map makes its border thicker, at the right and below first; a map too
narrow for two borders and a passage has less of them. Wilson's walks over n places may take 64 n log2(n) steps in all,
a hundred times what they usually need; what is not reached then is linked as by Kruskal, and that maze is no longer one
of equally likely ones. Only mazes thousands of times as long as wide come to that. In braided mazes start and exit are
far apart, but maybe not the farthest.
Locked walls are left out of the grid, locked floors in walls are links that are given (and may close loops), and those
elsewhere are dug to. What locked walls cut off is filled; locked floors that they keep apart are given up on.

Source: Buck, "Mazes for Programmers", 2015; Wilson, "Generating random spanning trees more quickly than the cover
time", 1996.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import Literal

import numpy as np

from ..analysis.regions import neighbor_offsets, regions_of
from ..core.params import Sized, param, size_param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Marker
from ..kernels.blocks import block_size
from ..kernels.bridges import Waves, build_labeled_map
from ..kernels.maze import FLOOR, REACHED, REACHED_TWICE, WALL, Bytes, FloodState, MazeState, Queue, braid, carve, flood
from ._maze import methods
from ._maze.maze_grid import FREE, MazeGrid


class MazeParams(Sized):
    width: int = size_param(81, typical=(9, 201))
    """Columns of the map; odd ones fit walls and passages of one cell exactly."""
    height: int = size_param(51, typical=(9, 201))
    """Rows of the map; odd ones fit walls and passages of one cell exactly."""
    method: Literal["backtracker", "prim", "kruskal", "wilson", "division"] = param("backtracker")
    """How ways are chosen: winding, branching, ragged, without any bias, or by straight walls."""
    braid: float = param(0.0, ge=0, le=1)
    """Share of the dead ends that are opened into loops; 0 leaves exactly one way between any two places."""
    passage: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Width of the passages in cells."""
    wall: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Width of the walls in cells."""


@technique(MazeParams, tileset="dungeon", tiles=("floor", "wall"), bytes_per_cell=18)
def maze(p: MazeParams, site: Site, rng: Rng) -> Steps:
    yield Frame(None, "ground", 0.0)
    grid = MazeGrid(site, p.passage, p.wall)
    yield Frame(grid.draw, p.method, 0.0)
    for share in methods.METHODS[p.method](grid, rng.child("links")):
        yield Frame(grid.draw, p.method, 0.8 * share)
    if p.braid:
        stream, state = rng.child("braid"), MazeState.new()
        key = stream.level_key()
        work = partial(braid, grid.possible, grid.links, key, p.braid, stream.state, state, grid.columns)
        for share in methods.run_in_blocks(work, state, 4 * grid.count, grid.count):  # fewer pictures than of growing
            yield Frame(grid.draw, "braid", 0.8 + 0.1 * share)
    cells = grid.make_blank()
    inner = cells[1:-1, 1:-1]
    rows = max(1, block_size("maze") // grid.columns)
    for first in range(0, grid.rows, rows):
        carve(grid.links, grid.open, grid.layout, cells, first, min(first + rows, grid.rows))
        yield Frame(inner, "carve", 0.9)
    if grid.required is not None:
        np.copyto(inner, grid.required, where=grid.required != FREE)
        for _ in _connect_parts(inner, grid.required):
            yield Frame(inner, "dig", 0.95)
    markers, longest = yield from _find_farthest(cells)
    return site.map(inner == WALL, markers=markers, numbers={"longest_way": longest})


def _find_farthest(cells: Bytes) -> Generator[Frame, None, tuple[list[Marker], int]]:
    """Start and exit, and the steps between: what is farthest from the first floor, and what is farthest from there.

    In a tree, where one way leads between any two cells, no two are farther apart. Floors are MET_AGAIN afterwards.
    """
    flat, columns = cells.reshape(-1), cells.shape[1]
    queue: Queue = np.empty(flat.size - np.count_nonzero(flat), dtype=np.int64)
    markers: list[Marker] = []
    at, longest = int(np.argmin(flat)), 0
    for name, old, new in (("start", FLOOR, REACHED), ("exit", REACHED, REACHED_TWICE)) if queue.size else ():
        state = FloodState.new()
        state.end = state.last = 1
        flat[at], queue[0] = new, at
        while flood(flat, columns, old, new, queue, state, block_size("maze")):
            yield Frame(None, "farthest", 0.97)
        at, longest = int(queue[state.end - 1]), int(state.distance)
        markers.append(Marker(name, at % columns - 1, at // columns - 1))
    return markers, longest


def _connect_parts(cells: Bytes, required: Bytes) -> Iterator[float]:
    """Dig the shortest ways between parts that locks have left; not through what must be wall."""
    parts = regions_of(cells == FLOOR)
    if parts.count > 1:
        waves = Waves(build_labeled_map(parts.labels, required != WALL, neighbor_offsets(2, 4)))
        yield from waves.spread()
        waves.dig(waves.find_bridges())
        cells[waves.marked == 1] = FLOOR
