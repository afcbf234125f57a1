"""Measures and shapers of many maps that are given as bit rows, as `surveys` computes them from bytes."""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .bit_rows import Word, count_bits, find_dead_ends, lowest_bit, reverse_bits, row_mask, step_columns
from .flood import find_root
from .types import Int32_1D, Int64_1D, Int64_2D, ReadOnlyUint64_1D, ReadOnlyUint64_2D, Uint64_1D, Uint64_2D

FLOOR, REGIONS, LARGEST, PATH, DEAD_ENDS, SYMMETRIC_X, SYMMETRIC_Y, SYMMETRIC_TURN, COLUMNS = range(9)
"""Columns of the numbers of a map: cells, regions, cells of the largest region, steps (-1 if there is no path), cells,
and equal cells after a reflection in x, in y, and after a rotation by 180 degrees."""
STATES = 8
"""Maximum number of states of a cell, whose bits are in three planes."""
NUMBERS = COLUMNS + STATES
"""Number of numbers of a map of several states: the columns, and the number of cells with each state."""
NEEDS_REGIONS, NEEDS_PATH, NEEDS_DEAD_ENDS, NEEDS_SYMMETRY, NEEDS_COUNTS = 1, 2, 4, 8, 16
"""What to compute besides the floor. A path needs regions, and counts are those of states."""
PER_ONE, PER_CELL, PER_FLOOR = range(3)
"""Divisors of a number: none, the number of cells, and the number of passable cells."""
BORDER, KEEP_LARGEST = 1, 2
"""Kinds of shapers."""


@part
def label_runs(open: Uint64_1D, runs: Uint64_1D, ends: Int64_1D, parents: Int32_1D, sizes: Int64_1D) -> int:
    """Find the runs of open columns of all rows, and connect those that touch. Return the number of regions.

    `runs` holds the bits of each run in reading order, and `ends` the end of each row's runs. The root of a region is
    its first run. `sizes` holds the number of cells of each region at its root.
    """
    count, regions, previous, first = 0, 0, 0, 0
    for row in range(open.size):
        rest, near = open[row], previous
        while rest:
            low = lowest_bit(rest)
            after = rest + low
            run = rest & ~after
            rest &= after
            runs[count], parents[count], sizes[count] = run, count, count_bits(run)
            regions += 1
            root = count
            while near < first and runs[near] < low:
                near += 1
            touching = near
            while touching < first and lowest_bit(runs[touching]) <= run:
                other = find_root(parents, touching)
                if other != root:
                    low_root, high_root = min(other, root), max(other, root)
                    parents[high_root] = low_root
                    sizes[low_root] += sizes[high_root]
                    root = low_root
                    regions -= 1
                touching += 1
            near = max(near, touching - 1)  # The last run may also touch the next one.
            count += 1
        previous, first = first, count
        ends[row] = count
    return regions


@inline
def _find_largest(parents: Int32_1D, sizes: Int64_1D, count: int) -> int:
    """Return the root of the largest region, the first on ties; -1 if there is none."""
    largest = -1
    for run in range(count):
        if parents[run] == run and (largest < 0 or sizes[run] > sizes[largest]):
            largest = run
    return largest


@part
def find_path_length(
    open: ReadOnlyUint64_1D, row: int, start: Word, free: Uint64_1D, front: Uint64_1D, after: Uint64_1D
) -> int:
    """Return the number of steps between two distant cells of a region.

    The first search finds the cell farthest from `start` in `row`, the second one the cell farthest from that cell, in
    each case the first in reading order. `free`, `front` and `after` have a margin of one row on each side.
    """
    height = open.size
    length = 0
    for _ in range(2):
        for number in range(height):
            free[number + 1] = open[number]
        for number in range(height + 2):
            front[number] = after[number] = np.uint64(0)
        front[row + 1] = start
        free[row + 1] &= ~start
        length, top, bottom = 0, row, row
        while True:
            top, bottom, reached = max(0, top - 1), min(height - 1, bottom + 1), np.uint64(0)
            for number in range(top, bottom + 1):
                near = step_columns(front[number + 1]) | front[number] | front[number + 2]
                near &= free[number + 1]
                after[number + 1] = near
                free[number + 1] &= ~near
                reached |= near
            if not reached:
                break
            length += 1
            front, after = after, front
        row = 0
        while not front[row + 1]:
            row += 1
        start = lowest_bit(front[row + 1])
    return length


@kernel
def survey_bit_rows(open: ReadOnlyUint64_2D, width: int, needs: int, numbers: Int64_2D) -> None:
    """Write a row of numbers for each map (map, row) of passable cells. See `FLOOR` and `NEEDS_REGIONS`."""
    height, inside = open.shape[1], row_mask(width)
    runs = np.empty(height * (width + 1) // 2 + 1, dtype=np.uint64)
    parents, sizes = np.empty(runs.size, dtype=np.int32), np.empty(runs.size, dtype=np.int64)
    ends = np.empty(height, dtype=np.int64)
    free, front = np.empty(height + 2, dtype=np.uint64), np.empty(height + 2, dtype=np.uint64)
    after = np.empty(height + 2, dtype=np.uint64)
    shift = np.uint64(64 - width)
    for number in range(open.shape[0]):
        rows, found = open[number], numbers[number]
        floor = 0
        for row in range(height):
            floor += count_bits(rows[row])
        found[FLOOR], found[REGIONS], found[LARGEST], found[PATH] = floor, 0, 0, -1
        if needs & NEEDS_REGIONS:
            found[REGIONS] = label_runs(rows, runs, ends, parents, sizes)
            largest = _find_largest(parents, sizes, ends[height - 1])
            if largest >= 0:
                found[LARGEST] = sizes[largest]
                if needs & NEEDS_PATH:
                    row = 0
                    while ends[row] <= largest:
                        row += 1
                    found[PATH] = find_path_length(rows, row, lowest_bit(runs[largest]), free, front, after)
        found[DEAD_ENDS] = 0
        if needs & NEEDS_DEAD_ENDS:
            for row in range(height):
                above = rows[row - 1] if row > 0 else np.uint64(0)
                below = rows[row + 1] if row + 1 < height else np.uint64(0)
                found[DEAD_ENDS] += count_bits(find_dead_ends(above, rows[row], below))
        found[SYMMETRIC_X], found[SYMMETRIC_Y], found[SYMMETRIC_TURN] = 0, 0, 0
        if needs & NEEDS_SYMMETRY:
            for row in range(height):
                here, opposite = rows[row], rows[height - 1 - row]
                found[SYMMETRIC_X] += count_bits(~(here ^ (reverse_bits(here) >> shift)) & inside)
                found[SYMMETRIC_Y] += count_bits(~(here ^ opposite) & inside)
                found[SYMMETRIC_TURN] += count_bits(~(here ^ (reverse_bits(opposite) >> shift)) & inside)


@kernel
def keep_largest_region(open: Uint64_2D, width: int) -> None:
    """Close all cells outside the largest region of each map (map, row), the first one on ties."""
    height = open.shape[1]
    runs = np.empty(height * (width + 1) // 2 + 1, dtype=np.uint64)
    parents, sizes = np.empty(runs.size, dtype=np.int32), np.empty(runs.size, dtype=np.int64)
    ends = np.empty(height, dtype=np.int64)
    for number in range(open.shape[0]):
        rows = open[number]
        if label_runs(rows, runs, ends, parents, sizes) < 2:
            continue
        largest = _find_largest(parents, sizes, ends[height - 1])
        run = 0
        for row in range(height):
            kept = np.uint64(0)
            while run < ends[row]:
                if find_root(parents, run) == largest:
                    kept |= runs[run]
                run += 1
            rows[row] = kept
