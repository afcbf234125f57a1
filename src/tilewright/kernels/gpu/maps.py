"""Kernels that make maps from the keys of their streams, shape them, measure them and test them."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import cuda, int32, uint32, uint64

from .. import bit_rows, streams
from .. import random as cpu_random
from ..bit_surveys import NUMBERS, PATH
from ..random import FIRST, GAMMA, ROW_SALT, SECOND
from .device_code import compile_kernel, on_device, port
from .groups import MAX_LANES, MAX_REGISTERS, WARP, Group, block, choose_group, find_launch
from .surveys import build_survey, test_numbers

as_mask = port(bit_rows.as_mask)
row_mask = port(bit_rows.row_mask)
smooth_row = port(bit_rows.smooth_row)
scatter_exactly = port(bit_rows.scatter_row)
row_key = port(cpu_random.row_key)
mix = port(cpu_random.mix)
hash_seed = port(streams.hash_seed)
hash_child = port(streams.hash_child)
START, ORDER = streams.START, streams.ORDER
UNKNOWN = int32(-2)
"""Path length that is to be measured."""


@cuda.jit
def fill_stream_keys(first, prefix, names, ends, keys):
    """Write the keys (seed, word) of streams from consecutive decimal seeds, as `streams.fill_stream_keys` does."""
    number = cuda.grid(1)
    if number >= keys.shape[0]:
        return
    message, work = cuda.local.array(16, uint64), cuda.local.array(16, uint64)
    start, order = cuda.const.array_like(START), cuda.const.array_like(ORDER)
    hash_seed(uint64(first) + uint64(number), prefix, start, order, message, work)
    begin = 0
    for stage in range(ends.shape[0]):
        hash_child(names, begin, ends[stage], start, order, message, work)
        begin = ends[stage]
    keys[number, 0], keys[number, 1] = message[0], message[1]


@on_device
def store_rows(planes, rows, height, inside, lane):
    """Write the rows of a thread to memory (plane, row), for one plane or all of them."""
    a0, a1, a2, b0, b1, b2 = planes
    if 2 * lane < height:
        rows[0, 2 * lane] = a0 & inside
        if rows.shape[0] > 1:
            rows[1, 2 * lane], rows[2, 2 * lane] = a1 & inside, a2 & inside
    if 2 * lane + 1 < height:
        rows[0, 2 * lane + 1] = b0 & inside
        if rows.shape[0] > 1:
            rows[1, 2 * lane + 1], rows[2, 2 * lane + 1] = b1 & inside, b2 & inside


@on_device
def scatter_half(key, bound):
    """Return 32 columns of a row, of which `key` is the last, and whether a bit is unclear.

    Only the upper 31 bits of the random numbers are compared. The last step of `mix` does not change them.
    """
    word, is_unclear = uint32(0), False
    for _ in range(32):
        value = (key ^ (key >> uint64(30))) * FIRST
        value = (value ^ (value >> uint64(27))) * SECOND
        difference = uint32(uint32(value >> uint64(33)) - bound)
        is_unclear |= difference == uint32(0)
        word = uint32(uint32(word << uint32(1)) | uint32(difference >> uint32(31)))
        key -= GAMMA
    return word, is_unclear


@on_device
def scatter_row(level_key, row, width, limit):
    """Return what the CPU's `scatter_row` returns, with half as many instructions. Bits from `width` on are random."""
    key, bound = row_key(level_key, row) + uint64(31) * GAMMA, uint32(limit >> uint64(22))
    low, is_unclear = scatter_half(key, bound)
    word = uint64(low)
    if width > 32:
        high, is_high_unclear = scatter_half(key + uint64(32) * GAMMA, bound)
        word |= uint64(high) << uint64(32)
        is_unclear |= is_high_unclear
    return scatter_exactly(level_key, row, width, limit) if is_unclear else word


@cache
def build_finish(group: Group) -> Any:
    """Return the device function that shapes, measures, tests and stores a map."""
    shape_planes, measure_planes = build_survey(group)

    @on_device
    def finish(planes, number, lane, job, tests, out, words, slots, path_length):
        height, width, passable, needs, shaping, first = job
        columns, limits, bound, totals, histograms, seeds, values = tests
        maps, table = out
        planes = shape_planes(planes, shaping, passable, height, width, lane, words, slots)
        if maps.shape[0] > 0:
            store_rows(planes, maps[number], height, row_mask(width), lane)
        if needs < 0:
            return
        numbers = cuda.local.array(NUMBERS, int32)
        measure_planes(planes, passable, height, width, needs, lane, words, slots, numbers)
        if path_length != UNKNOWN:
            numbers[PATH] = path_length
        if lane == 0:
            if table.shape[0] > 0:
                for column in range(NUMBERS):
                    table[number, column] = numbers[column]
            if columns.shape[0] > 0:
                seed = uint64(first) + uint64(number)
                test_numbers(numbers, height * width, seed, columns, limits, bound, totals, histograms, seeds, values)

    return finish


@cache
def build_caves(group: Group) -> Any:
    """Return the kernel that makes caves."""
    from_above, from_below = group.from_above, group.from_below
    finish = build_finish(group)
    is_block = group is block

    @compile_kernel(MAX_REGISTERS)
    def caves(keys, rule, job, tests, out):
        words = cuda.shared.array(MAX_LANES, uint64)  # The simulator identifies shared arrays by their lines.
        slots = cuda.shared.array(1, int32)
        lane = cuda.threadIdx.x if is_block else cuda.threadIdx.x % WARP
        number = cuda.blockIdx.x if is_block else cuda.grid(1) // WARP
        if number >= keys.shape[0]:
            return
        limit, steps, birth, survive, outside = rule
        height, width = job[0], job[1]
        beyond = as_mask(outside)
        inside_a = row_mask(width) if 2 * lane < height else uint64(0)
        inside_b = row_mask(width) if 2 * lane + 1 < height else uint64(0)
        level_key = mix(keys[number, 0] ^ ROW_SALT)
        a = (scatter_row(level_key, 2 * lane, width, uint64(limit)) & inside_a) | (beyond & ~inside_a)
        b = (scatter_row(level_key, 2 * lane + 1, width, uint64(limit)) & inside_b) | (beyond & ~inside_b)
        last = (height + 1) // 2 - 1
        for _ in range(steps):
            above, below = from_above(b, lane, words), from_below(a, lane, words)
            above = above if lane > 0 else beyond
            below = below if lane < last else beyond
            new_a = smooth_row(above, a, b, beyond, birth, survive)
            new_b = smooth_row(a, b, below, beyond, birth, survive)
            a = (new_a & inside_a) | (beyond & ~inside_a)
            b = (new_b & inside_b) | (beyond & ~inside_b)
        none = uint64(0)
        finish(
            (a & inside_a, none, none, b & inside_b, none, none), number, lane, job, tests, out, words, slots, UNKNOWN
        )

    return caves


@on_device
def load_row(rows, plane, row, height):
    """Return a row of a plane; no bits for a plane or a row that does not exist."""
    return rows[plane, row] if plane < rows.shape[0] and row < height else uint64(0)


@cache
def build_loaded(group: Group) -> Any:
    """Return the kernel that shapes, measures, tests and stores maps from planes (map, plane, row).

    `lengths` (map,) are path lengths from marker to marker; it is empty if path lengths are measured.
    """
    finish = build_finish(group)
    is_block = group is block

    @compile_kernel(MAX_REGISTERS)
    def finish_maps(planes, lengths, job, tests, out):
        words = cuda.shared.array(MAX_LANES, uint64)
        slots = cuda.shared.array(1, int32)
        lane = cuda.threadIdx.x if is_block else cuda.threadIdx.x % WARP
        number = cuda.blockIdx.x if is_block else cuda.grid(1) // WARP
        if number >= planes.shape[0]:
            return
        height, rows, a, b = job[0], planes[number], 2 * lane, 2 * lane + 1
        a0, a1, a2 = load_row(rows, 0, a, height), load_row(rows, 1, a, height), load_row(rows, 2, a, height)
        b0, b1, b2 = load_row(rows, 0, b, height), load_row(rows, 1, b, height), load_row(rows, 2, b, height)
        length = lengths[number] if lengths.shape[0] > 0 else UNKNOWN
        finish((a0, a1, a2, b0, b1, b2), number, lane, job, tests, out, words, slots, length)

    return finish_maps


def finish_planes(planes: Any, lengths: Any, job: Any, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
    """Shape, measure, test and store maps from planes; see `build_loaded`."""
    group = choose_group(job[0])
    build_loaded(group)[find_launch(group, job[0], len(planes))](planes, lengths, job, tests, out)
