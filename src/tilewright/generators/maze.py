"""Perfect mazes: a spanning tree over places on a grid; braiding turns dead ends into loops.

Five methods choose the links between places. `backtracker` (recursive backtracking) makes long winding passages with
few dead ends. `prim` grows from one place and makes many short branches. `kruskal` links random places that are not
connected yet and makes an even texture. `wilson` adds loop-erased random walks, which makes every maze equally likely.
`division` splits the area by straight walls with one gap each, which makes long walls and bottlenecks. `braid` opens a
fraction of the dead ends into loops. The markers start and exit are at the two cells farthest apart.

Limits: cells of the map that do not fit walls and passages make the border thicker, on the right and at the bottom
first. A map that is too narrow has thinner borders. Wilson's walks over n places take at most 64 n log2(n) steps, about
a hundred times what they usually need. After that, the remaining places are linked as by Kruskal, and the maze is no
longer uniformly random. This happens only for mazes thousands of times as long as wide. In braided mazes, start and
exit are far apart, but not always the farthest pair.

Locked walls are removed from the grid. Locked floors in walls are given links, which may close loops; other locked
floors are joined by digging. Areas enclosed by locked walls are filled. The technique gives up if locked walls separate
locked floors.

Sources: Buck, "Mazes for Programmers", 2015; Wilson, "Generating random spanning trees more quickly than the cover
time", 1996.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from typing import Literal

import numpy as np

from ..analysis.regions import neighbor_offsets
from ..core.entries import technique
from ..core.params import Sized, param, size_param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size, split_blocks
from ..core.tilemap import Marker
from ..kernels.bridges import join_regions
from ..kernels.maze import FLOOR, REACHED, REACHED_TWICE, WALL, FloodState, MazeState, braid, carve, flood
from ..kernels.types import Int64_1D, Uint8_2D
from ._maze import methods
from ._maze.many import MazeMany
from ._maze.maze_grid import FREE, MazeGrid


class MazeParams(Sized):
    width: int = size_param(81, typical=(9, 201))
    """Number of columns. Odd numbers fit walls and passages of one cell exactly."""
    height: int = size_param(51, typical=(9, 201))
    """Number of rows. Odd numbers fit walls and passages of one cell exactly."""
    method: Literal["backtracker", "prim", "kruskal", "wilson", "division"] = param("backtracker")
    """Method that chooses the links: winding, branching, even, uniformly random, or straight walls."""
    braid: float = param(0.0, ge=0, le=1)
    """Fraction of dead ends that are opened into loops; 0 leaves exactly one path between any two places."""
    passage: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Width of the passages in cells."""
    wall: int = param(1, ge=1, le=1000, typical=(1, 8))
    """Width of the walls in cells."""


@technique(
    MazeParams,
    tileset="dungeon",
    tiles=("floor", "wall"),
    bytes_per_cell=18,
    search_words=("labyrinth", "puzzle", "pacman"),
    main_param="braid",
    vary={"method": {}, "braid": {}},
    many=MazeMany,
)
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
        for share in methods.run_in_blocks(work, state, 4 * grid.count, grid.count):
            yield Frame(grid.draw, "braid", 0.8 + 0.1 * share)
    cells = grid.make_blank()
    inner = cells[1:-1, 1:-1]
    for rows in split_blocks("maze", methods.BLOCK, grid.rows, grid.columns):
        carve(grid.links, grid.open, grid.layout, cells, rows.start, rows.stop)
        yield Frame(inner, "carve", 0.9)
    if grid.required is not None:
        np.copyto(inner, grid.required, where=grid.required != FREE)
        for _ in _connect_regions(inner, grid.required):
            yield Frame(inner, "dig", 0.95)
    markers, longest = yield from _find_farthest(cells)
    return site.map(inner == WALL, markers=markers, numbers={"longest_way": longest})


def _find_farthest(cells: Uint8_2D) -> Generator[Frame, None, tuple[list[Marker], int]]:
    """Return the markers start and exit, and the number of steps between them.

    Start is the cell farthest from the first floor, and exit the cell farthest from start. In a maze without loops, no
    two cells are farther apart. Afterwards, all floors are REACHED_TWICE.
    """
    flat, columns = cells.reshape(-1), cells.shape[1]
    queue: Int64_1D = np.empty(flat.size - np.count_nonzero(flat), dtype=np.int64)
    markers: list[Marker] = []
    at, longest = int(np.argmin(flat)), 0
    for name, old, new in (("start", FLOOR, REACHED), ("exit", REACHED, REACHED_TWICE)) if queue.size else ():
        state = FloodState.new()
        state.end = state.last = 1
        flat[at], queue[0] = new, at
        while flood(flat, columns, old, new, queue, state, block_size("maze", methods.BLOCK)):
            yield Frame(None, "farthest", 0.97)
        at, longest = int(queue[state.end - 1]), int(state.distance)
        markers.append(Marker(name, at % columns - 1, at // columns - 1))
    return markers, longest


def _connect_regions(cells: Uint8_2D, required: Uint8_2D) -> Iterator[float]:
    """Dig the shortest paths between regions that locks have separated, without digging required walls."""
    floors = cells == FLOOR
    yield from join_regions(floors, required != WALL, neighbor_offsets(2, 4))
    cells[floors] = FLOOR
