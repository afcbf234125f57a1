"""The methods by which a maze links its places. Each works on a MazeGrid and gives the share done between blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...kernels import Kernel, bind
from ...kernels.blocks import block_size
from ...kernels.maze import (
    FRESH,
    INSIDE,
    RECTANGLE,
    WALK,
    Bytes,
    MazeArrays,
    MazeState,
    Places,
    backtrack,
    build_forest,
    divide,
    kruskal,
    list_edges,
    prim,
    shuffle,
    wilson,
)
from .maze_grid import MazeGrid

FRAMES = 80
"""About as many pictures of a growing maze, however large it is."""
STEPS_PER_PLACE = 64
"""Wilson's walks may take so many steps for each place, times the digits of their number in binary."""

Method = Callable[[MazeGrid, Rng], Iterator[float]]


def run_in_blocks(work: Callable[[int], bool], state: MazeState, steps: int, total: int) -> Iterator[float]:
    """Call a kernel until it is done; between two blocks, give the fraction of the whole that is done."""
    block, total = max(1, min(block_size("maze"), -(-steps // FRAMES))), max(1, total)
    while work(block):
        yield min(1.0, float(state.done) / total)


def _make_arrays(grid: MazeGrid, seen: Bytes) -> MazeArrays:
    return MazeArrays(grid.possible, grid.links, seen, grid.above, grid.columns)


def _grow(
    kernel: Kernel[[MazeArrays, Places, NDArray[np.uint64], MazeState, int], bool],
    steps_per_place: int,
    grid: MazeGrid,
    rng: Rng,
) -> Iterator[float]:
    """Grow a maze by a kernel from any place, and from another one where it cannot continue."""
    seen = _make_seen(grid)
    stack: Places = np.empty(grid.count, dtype=np.int32)
    state = MazeState.new()
    start = rng.below(grid.count)
    if seen[start] == FRESH:
        state.pending, stack[0], seen[start] = 1, start, INSIDE
    work = bind(partial(kernel, _make_arrays(grid, seen), stack, rng.state, state))
    yield from run_in_blocks(work, state, steps_per_place * grid.count, grid.count)


def _run_wilson(grid: MazeGrid, rng: Rng) -> Iterator[float]:
    """Loop-erased random walks; what they have not reached when their steps are spent is linked as by Kruskal."""
    seen = _make_seen(grid)
    if grid.has_locks:  # the maze may be in parts, and a walk ends only where something is inside
        parts: Places = np.empty(grid.count, dtype=np.int32)
        build_forest(grid.possible, parts, grid.columns)
        seen[parts == np.arange(grid.count)] = INSIDE
    else:
        seen[(grid.rows // 2) * grid.columns + grid.columns // 2] = INSIDE
    exits = np.zeros(grid.count, dtype=np.uint8)
    state = MazeState.new()
    state.steps_left = STEPS_PER_PLACE * grid.count * grid.count.bit_length()
    work = bind(partial(wilson, _make_arrays(grid, seen), exits, rng.state, state, _find_stride(grid.count)))
    grid.sketch = partial(_sketch_walk, grid, exits, state)
    yield from run_in_blocks(work, state, 12 * grid.count, grid.count)
    grid.sketch = None
    if not seen.all():
        yield from _span(grid, rng)


def _sketch_walk(grid: MazeGrid, exits: Bytes, state: MazeState) -> Bytes:
    """The links so far, and with them the present walk without its loops; for those who watch."""
    links = grid.links.copy()
    place = int(state.start)
    for _ in range(grid.count if state.phase == WALK else 0):
        if place == state.place:
            break
        direction = int(exits[place])
        links[place] |= 1 << direction
        place += (-grid.columns, 1, grid.columns, -1)[direction]
        links[place] |= 1 << (direction ^ 2)
    return links


def _divide(grid: MazeGrid, rng: Rng) -> Iterator[float]:
    """Cut the grid. Around locks a cut may leave no link or one too many: then what is left is only preferred."""
    given, grid.links = grid.links, grid.possible.copy()
    stack = np.empty(grid.rows + grid.columns + 1, dtype=RECTANGLE)
    stack[0] = 0, 0, grid.rows, grid.columns
    state = MazeState.new()
    state.pending = 1
    edges = 2 * grid.count
    work = bind(partial(divide, grid.links, stack, rng.state, state, grid.columns))
    yield from run_in_blocks(work, state, edges, edges)
    if grid.has_locks:
        preferred, grid.links = grid.links, given
        yield from _span(grid, rng, first=preferred)


def _span(grid: MazeGrid, rng: Rng, *, first: Bytes | None = None) -> Iterator[float]:
    """Take all possible links in random order, those of `first` first, and leave out what would close a loop."""
    edges: Places = np.empty(2 * grid.count, dtype=np.int32)
    edges = edges[: list_edges(grid.possible, edges)]
    order = MazeState.new()
    for _ in run_in_blocks(partial(shuffle, edges, rng.state, order), order, FRAMES * block_size("maze"), edges.size):
        yield 0.0
    if first is not None:
        liked = (first[edges >> 1] >> (1 + (edges & 1)).astype(np.uint8)) & 1
        edges = np.concatenate([edges[liked == 1], edges[liked == 0]])
    above: Places = np.empty(grid.count, dtype=np.int32)
    build_forest(grid.links, above, grid.columns)
    state = MazeState.new()
    work = bind(partial(kruskal, grid.links, above, edges, state, grid.columns))
    yield from run_in_blocks(work, state, edges.size, edges.size)


def _make_seen(grid: MazeGrid) -> Bytes:
    """FRESH for every place that the maze has to reach."""
    return np.where(grid.open, np.uint8(FRESH), np.uint8(INSIDE))


def _find_stride(count: int) -> int:
    """A step that scatters and comes to every place: near the golden ratio, without a factor in common."""
    stride = max(1, count * 618 // 1000)
    while gcd(stride, count) > 1:  # at most down to 1
        stride -= 1
    return stride


METHODS: dict[str, Method] = {
    "backtracker": partial(_grow, backtrack, 2),
    "prim": partial(_grow, prim, 1),
    "kruskal": _span,
    "wilson": _run_wilson,
    "division": _divide,
}
