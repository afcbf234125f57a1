"""Maze methods: each chooses links of a MazeGrid and yields the fraction done between blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...core.site import block_size
from ...kernels import Kernel, bind
from ...kernels import maze as kernels
from ...kernels.types import Int32_1D, Uint8_1D
from .maze_grid import MazeGrid

BLOCK = 1 << 19
"""Number of steps between two frames."""
FRAMES = 80
"""Approximate number of frames of a growing maze, at any size."""
STEPS_PER_PLACE = 64
"""Maximum number of steps of Wilson's walks per place, times the number of binary digits of the place count."""

Method = Callable[[MazeGrid, Rng], Iterator[float]]


def run_in_blocks(work: Callable[[int], bool], state: kernels.MazeState, steps: int, total: int) -> Iterator[float]:
    """Call a kernel until it is done; yield the fraction done after each block."""
    block, total = max(1, min(block_size("maze", BLOCK), -(-steps // FRAMES))), max(1, total)
    while work(block):
        yield min(1.0, float(state.done) / total)


def _make_arrays(grid: MazeGrid, seen: Uint8_1D) -> kernels.MazeArrays:
    return kernels.MazeArrays(grid.possible, grid.links, seen, grid.above, grid.columns)


def _grow(
    kernel: Kernel[[kernels.MazeArrays, Int32_1D, NDArray[np.uint64], kernels.MazeState, int], bool],
    steps_per_place: int,
    grid: MazeGrid,
    rng: Rng,
) -> Iterator[float]:
    """Grow a maze from a random place with a kernel, which restarts elsewhere when it cannot continue."""
    seen = _make_seen(grid)
    stack: Int32_1D = np.empty(grid.count, dtype=np.int32)
    state = kernels.MazeState.new()
    start = rng.below(grid.count)
    if seen[start] == kernels.FRESH:
        state.pending, stack[0], seen[start] = 1, start, kernels.INSIDE
    work = bind(partial(kernel, _make_arrays(grid, seen), stack, rng.state, state))
    yield from run_in_blocks(work, state, steps_per_place * grid.count, grid.count)


def _run_wilson(grid: MazeGrid, rng: Rng) -> Iterator[float]:
    """Link places by loop-erased random walks; at the step limit, link the remaining ones as by Kruskal."""
    seen = _make_seen(grid)
    if grid.has_locks:  # The maze may have several components, and a walk ends only at a place inside the maze.
        parts: Int32_1D = np.empty(grid.count, dtype=np.int32)
        kernels.build_forest(grid.possible, parts, grid.columns)
        seen[parts == np.arange(grid.count)] = kernels.INSIDE
    else:
        seen[(grid.rows // 2) * grid.columns + grid.columns // 2] = kernels.INSIDE
    exits = np.zeros(grid.count, dtype=np.uint8)
    state = kernels.MazeState.new()
    state.steps_left = limit_steps(grid.count)
    work = bind(partial(kernels.wilson, _make_arrays(grid, seen), exits, rng.state, state, find_stride(grid.count)))
    grid.sketch = partial(_sketch_walk, grid, exits, state)
    yield from run_in_blocks(work, state, 12 * grid.count, grid.count)
    grid.sketch = None
    if not seen.all():
        yield from _span(grid, rng)


def _sketch_walk(grid: MazeGrid, exits: Uint8_1D, state: kernels.MazeState) -> Uint8_1D:
    """Return the links so far and those of the current walk without its loops, for display."""
    links = grid.links.copy()
    place = int(state.start)
    for _ in range(grid.count if state.phase == kernels.WALK else 0):
        if place == state.place:
            break
        direction = int(exits[place])
        links[place] |= 1 << direction
        place += (-grid.columns, 1, grid.columns, -1)[direction]
        links[place] |= 1 << (direction ^ 2)
    return links


def _divide(grid: MazeGrid, rng: Rng) -> Iterator[float]:
    """Split the grid by walls.

    Around locks, a wall may leave no link or more than one. Kruskal's method then completes the maze and prefers the
    links that the walls left.
    """
    given, grid.links = grid.links, grid.possible.copy()
    stack = np.empty(grid.rows + grid.columns + 1, dtype=kernels.RECTANGLE)
    stack[0] = 0, 0, grid.rows, grid.columns
    state = kernels.MazeState.new()
    state.pending = 1
    edges = 2 * grid.count
    work = bind(partial(kernels.divide, grid.links, stack, rng.state, state, grid.columns))
    yield from run_in_blocks(work, state, edges, edges)
    if grid.has_locks:
        preferred, grid.links = grid.links, given
        yield from _span(grid, rng, first=preferred)


def _span(grid: MazeGrid, rng: Rng, *, first: Uint8_1D | None = None) -> Iterator[float]:
    """Add all possible links in random order, those of `first` first, and skip those that would close a loop."""
    edges: Int32_1D = np.empty(2 * grid.count, dtype=np.int32)
    edges = edges[: kernels.list_edges(grid.possible, edges)]
    order = kernels.MazeState.new()
    for _ in run_in_blocks(
        partial(kernels.shuffle, edges, rng.state, order), order, FRAMES * block_size("maze", BLOCK), edges.size
    ):
        yield 0.0
    if first is not None:
        preferred = (first[edges >> 1] >> (1 + (edges & 1)).astype(np.uint8)) & 1
        edges = np.concatenate([edges[preferred == 1], edges[preferred == 0]])
    above: Int32_1D = np.empty(grid.count, dtype=np.int32)
    kernels.build_forest(grid.links, above, grid.columns)
    state = kernels.MazeState.new()
    work = bind(partial(kernels.kruskal, grid.links, above, edges, state, grid.columns))
    yield from run_in_blocks(work, state, edges.size, edges.size)


def _make_seen(grid: MazeGrid) -> Uint8_1D:
    """Return an array with FRESH for every place that the maze must reach."""
    return np.where(grid.open, np.uint8(kernels.FRESH), np.uint8(kernels.INSIDE))


def limit_steps(count: int) -> int:
    """Return the maximum number of steps of Wilson's walks over a number of places."""
    return STEPS_PER_PLACE * count * count.bit_length()


def find_stride(count: int) -> int:
    """Return a stride that visits all places in scattered order: near the golden ratio, coprime to the count."""
    stride = max(1, count * 618 // 1000)
    while gcd(stride, count) > 1:  # Ends at 1 at the latest.
        stride -= 1
    return stride


METHODS: dict[str, Method] = {
    "backtracker": partial(_grow, kernels.backtrack, 2),
    "prim": partial(_grow, kernels.prim, 1),
    "kruskal": _span,
    "wilson": _run_wilson,
    "division": _divide,
}
