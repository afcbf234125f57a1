"""Mazes as planes of bits: each thread makes one maze after another with the kernels for CPUs, in memory of its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, int32, int64, uint64

from .. import bit_rows, streams
from .. import maze as cpu_maze
from .. import random as cpu_random
from ..maze import FloodState, MazeArrays, MazeState, MazeTables
from ..random import ROW_SALT
from . import is_simulated
from .device_code import on_device, port

THREADS = 32
"""Number of threads per block."""
MAZES_AT_ONCE = 1 << 15
"""Default number of mazes that are made at the same time."""
ALL_STEPS = 1 << 62
"""Budget of a kernel that runs to its end."""

backtrack = port(cpu_maze.backtrack)
prim = port(cpu_maze.prim)
wilson = port(cpu_maze.wilson)
divide = port(cpu_maze.divide)
list_edges = port(cpu_maze.list_edges)
shuffle = port(cpu_maze.shuffle)
build_forest = port(cpu_maze.build_forest)
kruskal = port(cpu_maze.kruskal)
braid = port(cpu_maze.braid)
flood = port(cpu_maze.flood)
row_mask = port(bit_rows.row_mask)
below = port(cpu_random.below)
mix = port(cpu_random.mix)
hash_child = port(streams.hash_child)
make_gamma = port(streams.make_gamma)
START, ORDER = streams.START, streams.ORDER
MAZE_STATE, FLOOD_STATE = MazeState.layout, FloodState.layout

if is_simulated():  # Only objects of these classes have attributes in Python.

    @on_device
    def clear_state(states):
        return MazeState.new()

    @on_device
    def start_flood(states):
        state = FloodState.new()
        state.end, state.last = 1, 1
        return state
else:

    @on_device
    def clear_state(states):
        """Return the state of a kernel in local memory, all 0."""
        state = states[0]
        state.done, state.pending, state.scanned, state.place = 0, 0, 0, 0
        state.start, state.phase, state.steps_left = 0, 0, 0
        return state

    @on_device
    def start_flood(states):
        """Return the state of a flood in local memory, with one cell in its queue."""
        state = states[0]
        state.first, state.end, state.last, state.distance = 0, 1, 1, 0
        return state


@on_device
def open_stream(keys, names, first, last, start, order, message, work, stream):
    """Set `stream` to the state of a child of the technique's stream; return the level key of the child."""
    message[0], message[1] = keys[0], keys[1]
    hash_child(names, first, last, start, order, message, work)
    stream[0], stream[1] = message[0], make_gamma(message[1])
    return mix(message[0] ^ ROW_SALT)


@on_device
def span(possible, links, numbers, stream, states, columns):
    """Add all possible links in random order, and skip those that would close a loop."""
    count = links.shape[0]
    edges = numbers[: list_edges(possible, numbers)]
    above = numbers[2 * count : 3 * count]
    shuffle(edges, stream, clear_state(states), ALL_STEPS)
    build_forest(links, above, columns)
    kruskal(links, above, edges, clear_state(states), columns, ALL_STEPS)


@cache
def build_method(method: int) -> Any:
    """Return the device function that chooses the links of a maze, as `generators/_maze/methods` does."""
    grow = prim if method == cpu_maze.PRIM else backtrack

    @on_device
    def grow_from_place(possible, links, seen, exits, numbers, rectangles, stream, states, rows, columns, limits):
        state = clear_state(states)
        start = below(stream, links.shape[0])
        numbers[0], seen[start], state.pending = start, cpu_maze.INSIDE, 1
        grow(MazeArrays(possible, links, seen, numbers[:0], columns), numbers, stream, state, ALL_STEPS)

    @on_device
    def span_grid(possible, links, seen, exits, numbers, rectangles, stream, states, rows, columns, limits):
        span(possible, links, numbers, stream, states, columns)

    @on_device
    def walk(possible, links, seen, exits, numbers, rectangles, stream, states, rows, columns, limits):
        state = clear_state(states)
        seen[(rows // 2) * columns + columns // 2] = cpu_maze.INSIDE
        state.steps_left = limits[1]
        wilson(MazeArrays(possible, links, seen, numbers[:0], columns), exits, stream, state, limits[0], ALL_STEPS)
        is_complete = True
        for place in range(seen.shape[0]):
            is_complete = is_complete and seen[place] != cpu_maze.FRESH
        if not is_complete:
            span(possible, links, numbers, stream, states, columns)

    @on_device
    def split(possible, links, seen, exits, numbers, rectangles, stream, states, rows, columns, limits):
        state = clear_state(states)
        for place in range(links.shape[0]):
            links[place] = possible[place]
        first = rectangles[0]
        first["row"], first["column"], first["height"], first["width"] = 0, 0, rows, columns
        state.pending = 1
        divide(links, rectangles, stream, state, columns, ALL_STEPS)

    return {
        cpu_maze.BACKTRACKER: grow_from_place,
        cpu_maze.PRIM: grow_from_place,
        cpu_maze.KRUSKAL: span_grid,
        cpu_maze.WILSON: walk,
        cpu_maze.DIVISION: split,
    }[method]


@on_device
def draw_row(links, layout, row, is_wall):
    """Return the floor of a row of places, or of the wall below it."""
    columns, left, width, wall = layout[1], layout[3], layout[5], layout[6]
    word = uint64(0)
    for column in range(columns):
        link, x = links[row * columns + column], left + column * (width + wall)
        if not is_wall or link & 4:
            word |= row_mask(width) << uint64(x)
        if not is_wall and link & 2:
            word |= row_mask(wall) << uint64(x + width)
    return word


@on_device
def draw(links, layout, height, width, target):
    """Write a maze to the rows of a plane; 1 is wall."""
    places, top, deep, wall = layout[0], layout[2], layout[4], layout[6]
    inside = row_mask(width)
    for y in range(height):
        target[y] = inside
    for row in range(places):
        y = top + row * (deep + wall)
        word = ~draw_row(links, layout, row, False) & inside
        for v in range(y, y + deep):
            target[v] = word
        if row + 1 < places:
            word = ~draw_row(links, layout, row, True) & inside
            for v in range(y + deep, y + deep + wall):
                target[v] = word


@on_device
def find_longest(target, cells, queue, states, height, width):
    """Return the number of steps between the markers start and exit of a maze."""
    stride, at = width + 2, 0
    for cell in range((height + 2) * stride):
        y, x = cell // stride - 1, cell % stride - 1
        is_inside = y >= 0 and y < height and x >= 0 and x < width
        is_floor = is_inside and (target[min(max(y, 0), height - 1)] >> uint64(x & 63)) & uint64(1) == uint64(0)
        cells[cell] = cpu_maze.FLOOR if is_floor else cpu_maze.WALL
        if is_floor and at == 0:
            at = cell
    distance = 0
    for sweep in range(2):
        old, new = (cpu_maze.FLOOR, cpu_maze.REACHED) if sweep == 0 else (cpu_maze.REACHED, cpu_maze.REACHED_TWICE)
        state = start_flood(states)
        cells[at], queue[0] = new, at
        flood(cells, stride, old, new, queue, state, ALL_STEPS)
        at, distance = int64(queue[state.end - 1]), int64(state.distance)
    return distance


@cache
def build_mazes(method: int) -> Any:
    """Return the kernel that makes mazes by a method."""
    choose_links = build_method(method)

    @cuda.jit
    def fill_planes(keys, names, ends, possible, layout, limits, share, width, height, scratch, planes, lengths):
        links_of, seen_of, exits_of, numbers_of, rectangles_of, cells_of, queue_of = scratch
        message, work = cuda.local.array(16, uint64), cuda.local.array(16, uint64)
        stream = cuda.local.array(2, uint64)
        states, floods = cuda.local.array(1, MAZE_STATE), cuda.local.array(1, FLOOD_STATE)
        start, order = cuda.const.array_like(START), cuda.const.array_like(ORDER)
        thread = cuda.grid(1)
        if thread >= links_of.shape[0]:
            return
        links, seen, exits = links_of[thread], seen_of[thread], exits_of[thread]
        for number in range(thread, keys.shape[0], links_of.shape[0]):
            for place in range(links.shape[0]):
                links[place], seen[place] = 0, cpu_maze.FRESH
            open_stream(keys[number], names, 0, ends[0], start, order, message, work, stream)
            choose_links(
                possible, links, seen, exits, numbers_of[thread], rectangles_of[thread], stream, states,
                layout[0], layout[1], limits,
            )  # fmt: skip
            if share > 0.0:
                key = open_stream(keys[number], names, ends[0], ends[1], start, order, message, work, stream)
                braid(possible, links, key, share, stream, clear_state(states), layout[1], ALL_STEPS)
            target = planes[number, 0]
            draw(links, layout, height, width, target)
            if lengths.shape[0] > 0:
                lengths[number] = int32(find_longest(target, cells_of[thread], queue_of[thread], floods, height, width))

    return fill_planes


class MazeMaker:
    """Makes mazes on a GPU.

    Parameters
    ----------
    tables
        Parameters of the mazes.
    mazes_at_once
        Number of mazes that are made at the same time, which determines the memory.
    """

    def __init__(self, tables: MazeTables, *, mazes_at_once: int = MAZES_AT_ONCE) -> None:
        names, ends = streams.pack_names(["links", "braid"])
        self._fixed = tuple(
            cuda.to_device(array)
            for array in (names, ends, tables.possible, tables.layout, np.array([tables.stride, tables.steps]))
        )
        self._kernel = build_mazes(tables.method)
        self._tables, self._at_once = tables, mazes_at_once

    def fill(self, keys: Any, planes: Any, lengths: Any) -> None:
        """Write mazes to planes (map, plane, row) from the keys (map, word) of the technique's streams.

        `lengths` (map,) are the path lengths from start to exit; they are not computed if it is empty.
        """
        tables = self._tables
        mazes, count = min(keys.shape[0], self._at_once), tables.possible.size
        rows, columns = tables.layout[:2].tolist()
        cells = (tables.height + 2) * (tables.width + 2) if lengths.shape[0] > 0 else 1
        exits = count if tables.method == cpu_maze.WILSON else 1
        numbers = 3 * count if tables.method in (cpu_maze.KRUSKAL, cpu_maze.WILSON) else count
        rectangles = rows + columns + 1 if tables.method == cpu_maze.DIVISION else 1
        scratch = (
            cuda.device_array((mazes, count), np.uint8),
            cuda.device_array((mazes, count), np.uint8),
            cuda.device_array((mazes, exits), np.uint8),
            cuda.device_array((mazes, numbers), np.int16),  # 31 x 511 places have 31,682 edges at most.
            cuda.device_array((mazes, rectangles), cpu_maze.RECTANGLE),
            cuda.device_array((mazes, cells), np.uint8),
            cuda.device_array((mazes, cells), np.int32),
        )
        self._kernel[(mazes + THREADS - 1) // THREADS, THREADS](
            keys, *self._fixed, tables.braid, tables.width, tables.height, scratch, planes, lengths
        )
