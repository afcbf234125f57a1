"""Mazes as links between places of a grid: five methods that choose links, braiding, carving, and the longest path.

A place is an integer, row by row. A byte holds its directions: 1 north, 2 east, 4 south, 8 west. `possible` holds the
allowed links, which also keeps walks inside the grid; `links` holds the existing ones. As an edge, a link is an
integer: `2 * place` to the east, `2 * place + 1` to the south. Kernels with a budget return whether more work remains;
the budget does not affect the result.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .directions import count_directions, shift_of
from .flood import find_root
from .random import GAMMA, below, mix, row_key
from .types import Int32_1D, Int64_1D, Record, Uint8, Uint8_1D, Uint8_2D, Uint64, Uint64_1D

FRESH, INSIDE, FRONTIER = 0, 1, 2
"""States of places in a growing maze: not reached, part of it, or adjacent to it. Unused places start as INSIDE."""
CHOOSE, WALK, FOLLOW = 0, 1, 2
FLOOR, WALL, REACHED, REACHED_TWICE = 0, 1, 2, 3
"""Kinds of cells; REACHED and REACHED_TWICE are floors that one or two floods have reached."""
RECTANGLE = np.dtype([("row", np.int32), ("column", np.int32), ("height", np.int32), ("width", np.int32)])
"""Rectangle of places that `divide` has not split yet."""
Rectangles: TypeAlias = Annotated[NDArray[np.void], RECTANGLE]
BACKTRACKER, PRIM, KRUSKAL, WILSON, DIVISION = range(5)
"""Methods that choose the links between places."""


class MazeState(Record):
    """Progress of a method in its own unit, and the position where it continues."""

    done: int
    pending: int
    """Number of places on the stack or frontier, or of rectangles to divide."""
    scanned: int
    """Number of places scanned for a new start."""
    place: int
    """Current place of a walk."""
    start: int
    """First place of the walk."""
    phase: int
    """CHOOSE, WALK or FOLLOW."""
    steps_left: int
    """Remaining steps of walks."""


class FloodState(Record):
    """Queue of a flood."""

    first: int
    """Number of cells read from the queue."""
    end: int
    last: int
    """End of the current distance in the queue."""
    distance: int


class MazeArrays(NamedTuple):
    """Links between places while a maze grows."""

    possible: Uint8_1D
    links: Uint8_1D
    seen: Uint8_1D
    """FRESH, INSIDE or FRONTIER."""
    above: Int32_1D
    """Union-find forest of connected places; empty if no links are given, since new places are then never connected to
    old ones.
    """
    columns: int


class MazeLayout(NamedTuple):
    """Positions of the places on the map."""

    columns: int
    """Number of columns of places."""
    top: int
    left: int
    """First cell of the first place."""
    height: int
    width: int
    """Size of a place in cells."""
    wall: int


class MazeTables(NamedTuple):
    """Parameters of mazes of one size, from which GPUs make maps."""

    method: int
    braid: float
    """Fraction of dead ends that are opened."""
    possible: Uint8_1D
    """(place,) possible links of each place, as bits."""
    layout: Int64_1D
    """Rows and columns of places, first row and column of the first place, height and width of a place, and width of a
    wall.
    """
    stride: int
    """Distance between the starts of Wilson's walks, in places."""
    steps: int
    """Maximum number of steps of Wilson's walks."""
    height: int
    width: int


@part
def _draw_direction(stream: Uint64_1D, mask: int) -> int:
    """Draw one of the directions in a non-empty mask at random; a single direction uses no random number."""
    count = count_directions(mask)
    left = below(stream, count) if count > 1 else 0
    for direction in range(4):
        if (mask >> direction) & 1:
            if left == 0:
                return direction
            left -= 1
    return 0


@part
def _join(above: Int32_1D, one: int, other: int) -> bool:
    """Join the components of two places; return False if they are already connected."""
    if above.size == 0:
        return True
    first, second = find_root(above, one), find_root(above, other)
    if first == second:
        return False
    if first < second:
        above[second] = first
    else:
        above[first] = second
    return True


@part
def _link(links: Uint8_1D, place: int, direction: int, columns: int) -> None:
    """Add a link to both places."""
    links[place] |= np.uint8(1 << direction)
    links[place + shift_of(direction, columns)] |= np.uint8(1 << (direction ^ 2))


@inline
def _find_neighbors(maze: MazeArrays, place: int, wanted: int) -> int:
    """Return the directions in which a neighbor has the state `wanted`."""
    mask, open_ = 0, int(maze.possible[place])
    for direction in range(4):
        if (open_ >> direction) & 1 and maze.seen[place + shift_of(direction, maze.columns)] == wanted:
            mask |= 1 << direction
    return mask


@inline
def _grow(maze: MazeArrays, place: int, direction: int) -> int:
    """Link a place to a neighbor unless they are connected; return the neighbor."""
    other = place + shift_of(direction, maze.columns)
    if _join(maze.above, place, other):
        _link(maze.links, place, direction, maze.columns)
    return other


@part
def _find_fresh(seen: Uint8_1D, scanned: int) -> int:
    """Return the first FRESH place from `scanned` on, or the number of places."""
    while scanned < seen.size and seen[scanned] != FRESH:
        scanned += 1
    return scanned


@kernel(allocates=False)
def build_forest(links: Uint8_1D, above: Int32_1D, columns: int) -> None:
    """Build a union-find forest of places connected by links; the root of each component is its first place."""
    for place in range(links.size):
        above[place] = place
    for place in range(links.size):
        if links[place] & 2:
            _join(above, place, place + 1)
        if links[place] & 4:
            _join(above, place, place + columns)


@kernel(allocates=False)
def backtrack(maze: MazeArrays, stack: Int32_1D, stream: Uint64_1D, state: MazeState, budget: int) -> bool:
    """Move to a random fresh neighbor or, if there is none, back along the stack."""
    size, scanned = state.pending, state.scanned
    more = True
    while budget > 0:
        budget -= 1
        if size == 0:
            scanned = _find_fresh(maze.seen, scanned)
            if scanned == maze.seen.size:
                more = False
                break
            maze.seen[scanned] = INSIDE
            stack[0] = scanned
            size = 1
        place = int(stack[size - 1])
        fresh = _find_neighbors(maze, place, FRESH)
        if fresh == 0:
            size -= 1
            continue
        other = _grow(maze, place, _draw_direction(stream, fresh))
        maze.seen[other] = INSIDE
        stack[size] = other
        size += 1
        state.done += 1
    state.pending, state.scanned = size, scanned
    return more


@kernel(allocates=False)
def prim(maze: MazeArrays, frontier: Int32_1D, stream: Uint64_1D, state: MazeState, budget: int) -> bool:
    """Link random places of the frontier to random neighbors that are inside the maze."""
    size, scanned = state.pending, state.scanned
    more = True
    while budget > 0:
        budget -= 1
        if size == 0:
            scanned = _find_fresh(maze.seen, scanned)
            if scanned == maze.seen.size:
                more = False
                break
            place = int(scanned)
        else:
            position = below(stream, size)
            place = int(frontier[position])
            size -= 1
            frontier[position] = frontier[size]
            inside = _find_neighbors(maze, place, INSIDE)
            if inside:  # The first place has no neighbor inside.
                _grow(maze, place, _draw_direction(stream, inside))
        maze.seen[place] = INSIDE
        state.done += 1
        fresh = _find_neighbors(maze, place, FRESH)
        for direction in range(4):
            if (fresh >> direction) & 1:
                other = place + shift_of(direction, maze.columns)
                maze.seen[other] = FRONTIER
                frontier[size] = other
                size += 1
    state.pending, state.scanned = size, scanned
    return more


@kernel(allocates=False)
def list_edges(possible: Uint8_1D, edges: Int32_1D) -> int:
    """Write all possible edges, by place; return their number."""
    count = 0
    for place in range(possible.size):
        if possible[place] & 2:
            edges[count] = 2 * place
            count += 1
        if possible[place] & 4:
            edges[count] = 2 * place + 1
            count += 1
    return count


@kernel(allocates=False)
def shuffle(edges: Int32_1D, stream: Uint64_1D, state: MazeState, budget: int) -> bool:
    """Shuffle edges, from the end on."""
    first = edges.size - 1 - state.done
    last = max(0, first - budget)
    for position in range(first, last, -1):
        other = below(stream, position + 1)
        edges[position], edges[other] = edges[other], edges[position]
    state.done += first - last
    return bool(last > 0)


@kernel(allocates=False)
def kruskal(links: Uint8_1D, above: Int32_1D, edges: Int32_1D, state: MazeState, columns: int, budget: int) -> bool:
    """Link unconnected places along the edges, in order."""
    last = min(edges.size, state.done + budget)
    for position in range(state.done, last):
        place, direction = int(edges[position] >> 1), 1 + int(edges[position] & 1)
        if _join(above, place, place + shift_of(direction, columns)):
            _link(links, place, direction, columns)
    state.done = last
    return bool(last < edges.size)


@kernel(allocates=False)
def wilson(maze: MazeArrays, exits: Uint8_1D, stream: Uint64_1D, state: MazeState, stride: int, budget: int) -> bool:
    """Walk at random from a fresh place to the maze, then add the walk without its loops.

    `exits` holds the last direction in which each place was left, so that following it from the start skips the loops.
    At least one place of each component must be INSIDE. Starts are `stride` places apart; `stride` and the number of
    places must be coprime. The walk ends early when no steps are left.
    """
    place, phase = state.place, state.phase
    more = True
    while budget > 0:
        budget -= 1
        if phase == WALK:
            if state.steps_left == 0:
                more = False
                break
            state.steps_left -= 1
            direction = _draw_direction(stream, int(maze.possible[place]))
            exits[place] = direction
            place += shift_of(direction, maze.columns)
            if maze.seen[place] == INSIDE:
                place, phase = state.start, FOLLOW
        elif phase == FOLLOW:
            if maze.seen[place] == INSIDE:
                phase = CHOOSE
                continue
            maze.seen[place] = INSIDE
            state.done += 1
            place = _grow(maze, place, int(exits[place]))
        else:
            if state.scanned == maze.seen.size:
                more = False
                break
            place = (state.scanned * stride) % maze.seen.size
            state.scanned += 1
            if maze.seen[place] == FRESH:
                state.start = place
                phase = WALK
    state.place, state.phase = place, phase
    return more


@part
def _push(stack: Rectangles, top: int, row: int, column: int, height: int, width: int) -> None:
    part = stack[top]
    part["row"], part["column"], part["height"], part["width"] = row, column, height, width


@kernel(allocates=False)
def divide(links: Uint8_1D, stack: Rectangles, stream: Uint64_1D, state: MazeState, columns: int, budget: int) -> bool:
    """Split rectangles along their shorter side by walls with one link, until all are one place wide.

    `stack` holds `state.pending` RECTANGLEs to split.
    """
    while budget > 0 and state.pending > 0:
        state.pending -= 1
        part = stack[state.pending]
        row, column, height, width = int(part["row"]), int(part["column"]), int(part["height"]), int(part["width"])
        budget -= 1
        if height == 1 or width == 1:
            state.done += height * width - 1
            continue
        upright = width > height or (width == height and below(stream, 2) == 0)
        at = 1 + below(stream, (width if upright else height) - 1)
        length = height if upright else width
        first = row * columns + column + at - 1 if upright else (row + at - 1) * columns + column
        step = columns if upright else 1
        here = np.uint8(2 if upright else 4)
        there = np.uint8(8 if upright else 1)
        across = 1 if upright else columns
        count = 0
        for number in range(length):
            count += (links[first + number * step] & here) != 0
        gap = below(stream, count) if count else 0
        for number in range(length):
            place = first + number * step
            if links[place] & here:
                if gap != 0:
                    links[place] ^= here
                    links[place + across] ^= there
                gap -= 1
        budget -= length
        state.done += length
        if upright:
            _push(stack, state.pending, row, column + at, height, width - at)
            _push(stack, state.pending + 1, row, column, height, at)
        else:
            _push(stack, state.pending, row + at, column, height - at, width)
            _push(stack, state.pending + 1, row, column, at, width)
        state.pending += 2
    return bool(state.pending > 0)


@part
def _opens_dead_end(key: np.uint64, place: int, columns: int, share: float) -> bool:
    """Return whether a dead end here is to be opened, by position alone."""
    number = mix(row_key(key, place // columns) + np.uint64(place % columns) * GAMMA)
    return bool(np.float64(number >> np.uint64(11)) * 2.0**-53 < share)


@part
def _isolates_post(links: Uint8_1D, place: int, direction: int, columns: int) -> bool:
    """Return whether a link here would be the fourth around a corner of walls, which would isolate it as a post."""
    other = place + shift_of(direction, columns)
    for turn in (1, 3):
        side = (direction + turn) & 3
        both = (links[place] >> side) & (links[other] >> side) & 1  # If set, there are places on that side.
        if both and (links[place + shift_of(side, columns)] >> direction) & 1:
            return True
    return False


@kernel(allocates=False)
def braid(
    possible: Uint8_1D,
    links: Uint8_1D,
    key: Uint64,
    share: float,
    stream: Uint64_1D,
    state: MazeState,
    columns: int,
    budget: int,
) -> bool:
    """Open a fraction of the dead ends, preferably into another dead end that is to be opened too.

    A link that makes a loop around a single post is used only if there is no better one, and a link to a dead end that
    is not to be opened only as the last choice.
    """
    last = min(links.size, state.done + budget)
    for place in range(state.done, last):
        if count_directions(int(links[place])) != 1 or not _opens_dead_end(np.uint64(key), place, columns, share):
            continue
        best, mask = 0, 0
        closed = int(possible[place]) & ~int(links[place])
        for direction in range(4):
            if (closed >> direction) & 1:
                other = place + shift_of(direction, columns)
                worth = 2 if _isolates_post(links, place, direction, columns) else 4
                if count_directions(int(links[other])) == 1:
                    worth = worth + 1 if _opens_dead_end(np.uint64(key), other, columns, share) else 1
                if worth > best:
                    best, mask = worth, 0
                if worth == best:
                    mask |= 1 << direction
        if mask:
            _link(links, place, _draw_direction(stream, mask), columns)
    state.done = last
    return bool(last < links.size)


@kernel(allocates=False)
def carve(links: Uint8_1D, visible: Uint8_1D, layout: MazeLayout, cells: Uint8_2D, first: int, last: int) -> None:
    """Write FLOOR into the cells of visible places in rows first..last-1, and of their links."""
    for row in range(first, last):
        y = layout.top + row * (layout.height + layout.wall)
        for column in range(layout.columns):
            place = row * layout.columns + column
            if not visible[place]:
                continue
            x = layout.left + column * (layout.width + layout.wall)
            deep = layout.height + layout.wall if links[place] & 4 else layout.height
            for v in range(y, y + deep):
                for u in range(x, x + layout.width):
                    cells[v, u] = FLOOR
            if links[place] & 2:
                for v in range(y, y + layout.height):
                    for u in range(x + layout.width, x + layout.width + layout.wall):
                        cells[v, u] = FLOOR


@kernel(allocates=False)
def flood(
    cells: Uint8_1D, stride: int, old: Uint8, new: Uint8, queue: Int64_1D, state: FloodState, budget: int
) -> bool:
    """Replace `old` by `new` from the queued cells on, nearest first; the last one queued is the farthest.

    The map is flat within a margin of walls.
    """
    first, end, last, distance = state.first, state.end, state.last, state.distance
    while budget > 0 and first < end:
        if first == last:
            last = end
            distance += 1
        cell = queue[first]
        first += 1
        for shift in (-stride, 1, stride, -1):
            if cells[cell + shift] == old:
                cells[cell + shift] = new
                queue[end] = cell + shift
                end += 1
        budget -= 1
    state.first, state.end, state.last, state.distance = first, end, last, distance
    return bool(first < end)
