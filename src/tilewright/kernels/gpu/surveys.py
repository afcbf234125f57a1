"""Shapers, measures and tests of maps whose rows are in the registers of a group of threads.

A cell has one of up to eight states, whose bits are in three planes. `a` is the upper and `b` the lower row of a
thread. The numbers of a map are those of `bit_surveys`, followed by the number of cells with each state.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, float64, int32, uint64

from .. import bit_rows
from .. import bit_surveys as bits
from .device_code import count_bits_on_gpu as count_bits
from .device_code import on_device, port
from .groups import NO_LANE, Group

PLANES = 3
"""Number of planes."""

as_mask = port(bit_rows.as_mask)
row_mask = port(bit_rows.row_mask)
lowest_bit = port(bit_rows.lowest_bit)
reverse_bits = port(bit_rows.reverse_bits)
spread_up = port(bit_rows.spread_up)
step_columns = port(bit_rows.step_columns)
find_dead_ends = port(bit_rows.find_dead_ends)


@on_device
def find_open(p0, p1, p2, passable, inside):
    """Return the columns with passable states; bit s of `passable` is set if state s is passable."""
    open = uint64(0)
    for state in range(bits.STATES):
        if (passable >> state) & 1:
            open |= find_state(p0, p1, p2, state)
    return open & inside


@on_device
def find_state(p0, p1, p2, state):
    """Return the columns with a state."""
    same = ~(p0 ^ as_mask(state & 1)) & ~(p1 ^ as_mask((state >> 1) & 1))
    return same & ~(p2 ^ as_mask((state >> 2) & 1))


@on_device
def fill(plane, columns, bit):
    """Return a plane with the bits of some columns replaced."""
    return (plane & ~columns) | (columns & as_mask(bit & 1))


@on_device
def spread(start, open, open_reversed):
    """Return the open columns that are reached from `start` within a row."""
    start = spread_up(start, open)
    return reverse_bits(spread_up(reverse_bits(start), open_reversed))


@on_device
def find_frame(row, height, inside, thickness):
    """Return the columns of a row that are in the border of a map."""
    if row < thickness or row >= height - thickness:
        return inside
    if 2 * thickness >= 64:
        return inside
    low = ~(~uint64(0) << uint64(thickness))
    return (low | ~(inside >> uint64(thickness))) & inside


@cache
def build_survey(group: Group) -> tuple[Any, Any]:
    """Return the device functions `shape_planes` and `measure_planes` for maps in a kind of group."""
    from_above, from_below, from_lane, is_any, first_lane, add_up = group

    @on_device
    def flood(a, b, open_a, open_b, back_a, back_b, lane, words, slots):
        """Return the rows of the region that contains the given cells.

        At the edges, a thread gets its own row from the group, which it has anyway.
        """
        while True:
            new_a = spread(a | ((from_above(b, lane, words) | b) & open_a), open_a, back_a)
            new_b = spread(b | ((from_below(new_a, lane, words) | new_a) & open_b), open_b, back_b)
            changed = is_any((new_a != a) | (new_b != b), slots)
            a, b = new_a, new_b
            if not changed:
                return a, b

    @on_device
    def first_cell(a, b, lane, slots):
        """Return the first cell of the rows in reading order alone; no cell if there is none."""
        first = first_lane((a | b) != uint64(0), lane, slots)
        start_a = lowest_bit(a) if lane == first else uint64(0)
        start_b = lowest_bit(b) if lane == first and a == uint64(0) else uint64(0)
        return first < NO_LANE, start_a, start_b

    @on_device
    def find_regions(open_a, open_b, lane, words, slots):
        """Return the number of regions, the size of the largest, its first cell and its rows."""
        back_a, back_b = reverse_bits(open_a), reverse_bits(open_b)
        rest_a, rest_b = open_a, open_b
        regions, largest = int32(0), int32(0)
        best_a, best_b, first_a, first_b = uint64(0), uint64(0), uint64(0), uint64(0)
        while True:
            is_left, start_a, start_b = first_cell(rest_a, rest_b, lane, slots)
            if not is_left:
                break
            a, b = flood(start_a, start_b, open_a, open_b, back_a, back_b, lane, words, slots)
            size = add_up(count_bits(a) + count_bits(b), slots)
            if size > largest:
                largest, best_a, best_b, first_a, first_b = size, a, b, start_a, start_b
            rest_a &= ~a
            rest_b &= ~b
            regions += int32(1)
        return regions, largest, first_a, first_b, best_a, best_b

    @on_device
    def find_path_length(open_a, open_b, a, b, lane, words, slots):
        """Return the number of steps between two distant cells of the region that contains the given cell."""
        length = int32(0)
        for _ in range(2):
            free_a, free_b = open_a & ~a, open_b & ~b
            length = int32(0)
            while True:
                new_a = (step_columns(a) | from_above(b, lane, words) | b) & free_a
                new_b = (step_columns(b) | from_below(a, lane, words) | a) & free_b
                if not is_any((new_a | new_b) != uint64(0), slots):
                    break
                a, b = new_a, new_b
                free_a &= ~a
                free_b &= ~b
                length += int32(1)
            _, a, b = first_cell(a, b, lane, slots)
        return length

    @on_device
    def find_opposite(a, b, lane, height, words):
        """Return the rows at the same distance from the other edge of the map."""
        lanes = (height + 1) // 2
        if height % 2 == 0:
            source = max(0, lanes - 1 - lane)
            return from_lane(b, source, lane, words), from_lane(a, source, lane, words)
        source = max(0, lanes - 1 - lane)
        return from_lane(a, source, lane, words), from_lane(b, max(0, source - 1), lane, words)

    @on_device
    def compare_rows(a, b, lane, height, shift, words):
        """Return the columns of both rows that are equal to their images: in x, in y and after a rotation."""
        far_a, far_b = find_opposite(a, b, lane, height, words)
        return (
            ~(a ^ (reverse_bits(a) >> shift)),
            ~(b ^ (reverse_bits(b) >> shift)),
            ~(a ^ far_a),
            ~(b ^ far_b),
            ~(a ^ (reverse_bits(far_a) >> shift)),
            ~(b ^ (reverse_bits(far_b) >> shift)),
        )

    @on_device
    def shape_planes(planes, shaping, passable, height, width, lane, words, slots):
        """Return the planes after the shapers. A row of the shaping is (kind, state to fill with, thickness)."""
        a0, a1, a2, b0, b1, b2 = planes
        for stage in range(shaping.shape[0]):
            kind, state, thickness = shaping[stage, 0], shaping[stage, 1], shaping[stage, 2]
            inside_a = row_mask(width) if 2 * lane < height else uint64(0)
            inside_b = row_mask(width) if 2 * lane + 1 < height else uint64(0)
            if kind == bits.BORDER:
                fill_a = find_frame(2 * lane, height, inside_a, thickness)
                fill_b = find_frame(2 * lane + 1, height, inside_b, thickness)
            else:
                open_a, open_b = find_open(a0, a1, a2, passable, inside_a), find_open(b0, b1, b2, passable, inside_b)
                _, _, _, _, best_a, best_b = find_regions(open_a, open_b, lane, words, slots)
                fill_a, fill_b = open_a & ~best_a, open_b & ~best_b
            a0, a1, a2 = fill(a0, fill_a, state), fill(a1, fill_a, state >> 1), fill(a2, fill_a, state >> 2)
            b0, b1, b2 = fill(b0, fill_b, state), fill(b1, fill_b, state >> 1), fill(b2, fill_b, state >> 2)
        return a0, a1, a2, b0, b1, b2

    @on_device
    def measure_planes(planes, passable, height, width, needs, lane, words, slots, numbers):
        """Write the numbers of a map to local memory; all threads have the same."""
        a0, a1, a2, b0, b1, b2 = planes
        inside_a = row_mask(width) if 2 * lane < height else uint64(0)
        inside_b = row_mask(width) if 2 * lane + 1 < height else uint64(0)
        open_a, open_b = find_open(a0, a1, a2, passable, inside_a), find_open(b0, b1, b2, passable, inside_b)
        numbers[bits.FLOOR] = add_up(count_bits(open_a) + count_bits(open_b), slots)
        numbers[bits.REGIONS], numbers[bits.LARGEST], numbers[bits.PATH] = int32(0), int32(0), int32(-1)
        if needs & bits.NEEDS_REGIONS:
            regions, largest, first_a, first_b, _, _ = find_regions(open_a, open_b, lane, words, slots)
            numbers[bits.REGIONS], numbers[bits.LARGEST] = regions, largest
            if needs & bits.NEEDS_PATH and largest > 0:
                numbers[bits.PATH] = find_path_length(open_a, open_b, first_a, first_b, lane, words, slots)
        if needs & bits.NEEDS_DEAD_ENDS:
            above, below = from_above(open_b, lane, words), from_below(open_a, lane, words)
            ends = count_bits(find_dead_ends(above if lane > 0 else uint64(0), open_a, open_b))
            ends += count_bits(find_dead_ends(open_a, open_b, below if 2 * lane + 2 < height else uint64(0)))
            numbers[bits.DEAD_ENDS] = add_up(ends, slots)
        if needs & bits.NEEDS_SYMMETRY:
            shift = uint64(64 - width)
            xa, xb, ya, yb, ta, tb = compare_rows(a0 & inside_a, b0 & inside_b, lane, height, shift, words)
            xa1, xb1, ya1, yb1, ta1, tb1 = compare_rows(a1 & inside_a, b1 & inside_b, lane, height, shift, words)
            xa2, xb2, ya2, yb2, ta2, tb2 = compare_rows(a2 & inside_a, b2 & inside_b, lane, height, shift, words)
            in_x = count_bits(xa & xa1 & xa2 & inside_a) + count_bits(xb & xb1 & xb2 & inside_b)
            in_y = count_bits(ya & ya1 & ya2 & inside_a) + count_bits(yb & yb1 & yb2 & inside_b)
            turned = count_bits(ta & ta1 & ta2 & inside_a) + count_bits(tb & tb1 & tb2 & inside_b)
            numbers[bits.SYMMETRIC_X], numbers[bits.SYMMETRIC_Y] = add_up(in_x, slots), add_up(in_y, slots)
            numbers[bits.SYMMETRIC_TURN] = add_up(turned, slots)
        if needs & bits.NEEDS_COUNTS:
            for state in range(bits.STATES):
                cells = count_bits(find_state(a0, a1, a2, state) & inside_a)
                cells += count_bits(find_state(b0, b1, b2, state) & inside_b)
                numbers[bits.COLUMNS + state] = add_up(cells, slots)

    return shape_planes, measure_planes


# -- tests ----------------------------------------------------------------------------------------------------

ANY, INSIDE, OUTSIDE = range(3)
"""Rules of tests: `ANY` always holds, and the others compare with an interval that includes its ends. For them, NaN is
neither inside nor outside."""
NO_BOUND, BY_SEED = -1.0, -2.0
"""Bounds that are not about a measure: none, or a seed that better seeds are smaller than."""


@on_device
def compute_value(numbers, column, divisor, cells):
    """Return the value of a measure; NaN if it does not apply."""
    number = float64(numbers[column])
    if column == bits.PATH and number < 0.0:
        return np.nan
    if divisor == bits.PER_CELL:
        return number / float64(cells)
    if divisor == bits.PER_FLOOR:
        return number / float64(numbers[bits.FLOOR]) if numbers[bits.FLOOR] > 0 else np.nan
    return number


@on_device
def meets(value, rule, low, high):
    """Return whether a value meets a rule, as `Requirement.holds` does."""
    if rule == INSIDE:
        return low <= value <= high
    return rule == ANY or value < low or value > high


@on_device
def find_bin(value, bins_per_unit):
    """Return the bin of a value, as `find_bins` of `batch/scanner.py` does."""
    found = int(value * bins_per_unit)
    if float64(found + 1) / bins_per_unit <= value:
        return found + 1
    return found - 1 if float64(found) / bins_per_unit > value else found


@on_device
def test_numbers(numbers, cells, seed, columns, limits, bound, totals, histograms, seeds, values):
    """Count a map in the totals and the histograms, and append it to the seeds if it meets all tests.

    A row of `columns` is (column, divisor, rule, bins per unit). `limits` has the intervals of the rules. `bound` is
    (number of the measure to maximize, `NO_BOUND` or `BY_SEED`; sign; value; upper and lower half of the seed).
    `totals` is (found, passed, and for each measure the number of maps that meet its rule and of those without a
    value).
    """
    seed_bound = uint64(bound[3]) * uint64(1 << 32) + uint64(bound[4])
    passes, is_better = True, bound[0] != BY_SEED or seed < seed_bound
    for number in range(columns.shape[0]):
        value = compute_value(numbers, columns[number, 0], columns[number, 1], cells)
        if value != value:
            cuda.atomic.add(totals, 3 + 2 * number, uint64(1))
        else:
            cuda.atomic.add(histograms, (number, find_bin(value, float64(columns[number, 3]))), uint64(1))
        if meets(value, columns[number, 2], limits[number, 0], limits[number, 1]):
            cuda.atomic.add(totals, 2 + 2 * number, uint64(1))
        else:
            passes = False
        if number == bound[0]:
            gain = bound[1] * (value - bound[2])
            is_better = gain > 0.0 or (gain == 0.0 and seed < seed_bound)
    if not passes:
        return
    cuda.atomic.add(totals, 1, uint64(1))
    if is_better:
        at = cuda.atomic.add(totals, 0, uint64(1))
        seeds[at] = seed
        for number in range(columns.shape[0]):
            values[at, number] = compute_value(numbers, columns[number, 0], columns[number, 1], cells)
