"""Kernel that makes maps of fashion-based automata with 2 to 8 states, as `kernels.fashion` does.

The map is flat with margins, so that each neighbor is at a fixed shift. A group of threads computes the keys of a band
of the map by a table, then updates the map behind it in place. A window has the keys that are still needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int32, uint16, uint32, uint64

from .. import random as cpu_random
from ..fashion import Offset
from ..random import GAMMA, ROW_SALT
from .device_code import compile_kernel, on_device, port
from .fashion_bits import build_two_states
from .fashion_rules import FashionRule
from .fashion_words import build_choose, build_find_keys
from .groups import MAX_LANES, WARP, Group, block
from .maps import UNKNOWN, build_finish

CELLS = 4
"""Number of cells of a word."""
SHARED_BYTES = 47 << 10
"""Shared memory that a block of any GPU may have, less some for measures."""
MAX_MAPS_PER_BLOCK = 8
"""Maximum number of maps per block of warps, in shared memory."""
SLICED_MAPS = 4
"""Number of maps per block of warps, in registers."""
MAX_BLOCKS = 1 << 10
"""Maximum number of blocks with one map each. They have their cells in global memory and make several maps."""
MAX_REGISTERS = 96
"""Maximum number of registers of a thread, so that 640 threads have the registers of a multiprocessor."""
MIN_WIDTH = 4
"""Minimum width of a map: margins have cells of one word."""
ONE_PER_BYTE = np.uint32(0x01010101)
ONE = np.uint64(1)

mix = port(cpu_random.mix)
row_key = port(cpu_random.row_key)


@on_device
def wait_for_warp():
    cuda.syncwarp()


@on_device
def wait_for_block():
    cuda.syncthreads()


class MapLayout(NamedTuple):
    """Numbers of words of a map in memory."""

    pitch: int
    """Words from row to row, including the right margin of the row and the left margin of the next one."""
    first: int
    """Words before the map and after it: those of rows, and two more."""
    cells: int
    """Words of the map with its margins."""
    margin: int
    """Number of rows above and below the map, and of columns: twice the reach of a neighborhood."""
    reach: int
    """Maximum distance between a word and one with neighbors of its cells."""
    band: int
    """Words that are updated at a time."""

    @property
    def window(self) -> int:
        """Number of words whose keys are in memory."""
        return 2 * self.reach + self.band


def find_layout(rule: FashionRule, height: int, width: int, lanes: int) -> MapLayout:
    """Return the layout of a map for a number of threads."""
    margin = 2 * rule.reach
    pitch = -(-(width + 2 * margin) // CELLS)
    first = margin * pitch + 2
    cells = first + height * pitch + first
    reach = rule.reach * pitch + 1
    least = -(-max(2 * reach, 3 * lanes) // lanes)
    steps = min(range(least, least + 3), key=lambda steps: -(-height * pitch // (steps * lanes)) * steps)
    return MapLayout(pitch, first, cells + cells % 2, margin, reach, steps * lanes)


class Launch(NamedTuple):
    """Launch of a kernel that makes maps."""

    kernel: Any
    """Kernel with the arguments (keys, rule, job, tests, out), as that of `maps.build_caves`."""
    shape: tuple[int, int, int, int]
    """Blocks, threads per block, stream and bytes of shared memory."""
    rule: tuple[Any, ...]
    """Argument of the kernel."""


def plan_fashion(
    rule: FashionRule, group: Group, size: tuple[int, int], *, count: int, generations: int, slices: bool = True
) -> Launch | None:
    """Return the launch for maps of a size (height, width), or None if no kernel can make them.

    `slices` allows the kernel of `fashion_bits`.
    """
    height, width = size
    lanes = (height + 1) // 2 if group is block else WARP
    if slices and rule.masks.size:
        maps = 1 if group is block else SLICED_MAPS
        shape = (-(-count // maps), maps * lanes, 0, 0)
        return Launch(build_two_states(group, rule.offsets), shape, (generations, cuda.to_device(rule.masks)))
    if width < MIN_WIDTH:
        return None
    layout = find_layout(rule, height, width, lanes)
    needed, room = 8 * layout.window + 4 * layout.cells, SHARED_BYTES
    if group is block:
        needed, room = 8 * layout.window, SHARED_BYTES - 8 * MAX_LANES
    table = -(-rule.table.size // 4) * 8
    shares_table = table + needed <= room
    table *= shares_table
    maps = 1 if group is block else min(MAX_MAPS_PER_BLOCK, (room - table) // needed)
    blocks = min(count, MAX_BLOCKS) if group is block else -(-count // maps)
    scratch = cuda.device_array((blocks if group is block else 0, layout.cells), np.uint32)
    outside = -1 if rule.wrap else rule.states
    argument = (rule.states, generations, rule.radix, outside, tuple(layout), cuda.to_device(rule.table), scratch)
    kernel = build_fashion(group, rule.offsets, shares_table)
    return Launch(kernel, (blocks, maps * lanes, 0, table + maps * needed), argument)


@on_device
def fill_columns(cells, first, pitch, height, width, margin, outside, lane, lanes):
    """Fill the margin after each row, which is also the margin before the next one."""
    whole, rest = width // CELLS, uint64(8 * (width % CELLS))
    before = uint32(0xFFFFFFFF) << uint32(8 * (CELLS - margin))  # the last `margin` cells of a word
    beyond = uint32(uint32(max(outside, 0)) * ONE_PER_BYTE)
    for row in range(lane, height, lanes):
        start = uint64(first + row * pitch)
        tail, below = start + uint64(whole), uint64(first + (row + 1 if row + 1 < height else 0) * pitch + whole)
        last_cells = uint32((uint64(cells[below - ONE]) | (uint64(cells[below]) << uint64(32))) >> rest)
        first_cells = uint64(cells[start])
        if outside >= 0:
            first_cells, last_cells = uint64(beyond), beyond
        own = uint64(cells[tail]) & ~(~uint64(0) << rest)
        value, at = own | (first_cells << rest), tail
        while at < start + uint64(pitch) - ONE:
            cells[at] = uint32(value)
            value >>= uint64(32)
            at += ONE
        cells[at] = (uint32(value) & ~before) | (last_cells & before)


@on_device
def fill_rows(cells, first, size, outside, lane, lanes):
    """Fill the margins above and below a map of `size` words."""
    beyond = uint32(uint32(max(outside, 0)) * ONE_PER_BYTE)
    for number in range(lane, first, lanes):
        above, below = uint64(first - 1 - number), uint64(first + size + number)
        source = above + uint64(size)
        while source < uint64(first):
            source += uint64(size)
        cells[above] = cells[source] if outside < 0 else beyond
        source = below - uint64(size)
        while source >= uint64(first + size):
            source -= uint64(size)
        cells[below] = cells[source] if outside < 0 else beyond


@on_device
def scatter_states(cells, first, pitch, height, width, states, level_key, lane, lanes):
    """Fill the map with random states, as `random.fill_below` draws them."""
    words = uint32((width + CELLS - 1) // CELLS)
    for number in range(lane, height * words, lanes):
        row, word = uint32(number) // words, uint32(number) % words
        key, value = row_key(level_key, row) + uint64(CELLS * word) * GAMMA, uint32(0)
        for byte in range(CELLS):
            state = ((mix(key) >> uint64(32)) * states) >> uint64(32)
            value |= uint32(uint32(state) << uint32(8 * byte))
            key += GAMMA
        cells[uint64(first) + uint64(row) * uint64(pitch) + uint64(word)] = value


@on_device
def gather_bits(word):
    """Return the lowest bits of four bytes. The product moves them to bits 24 to 27."""
    return uint64((uint32((word & ONE_PER_BYTE) * uint32(0x01020408)) >> uint32(24)) & uint32(15))


@on_device
def gather_planes(cells, start, width):
    """Return the bits of the states of a row."""
    p0, p1, p2 = uint64(0), uint64(0), uint64(0)
    for number in range((width + CELLS - 1) // CELLS):
        word, shift = cells[start + uint64(number)], uint64(CELLS * number)
        p0 |= gather_bits(word) << shift
        p1 |= gather_bits(word >> uint32(1)) << shift
        p2 |= gather_bits(word >> uint32(2)) << shift
    return p0, p1, p2


@cache
def build_update(group: Group, offsets: tuple[Offset, ...]) -> Any:
    """Return the device function that advances a map by one generation."""
    wait = wait_for_block if group is block else wait_for_warp
    find_keys, choose = build_find_keys(offsets), build_choose(offsets)

    @on_device
    def update(cells, keys, table, radix, layout, height, lane, lanes):
        first, end = uint64(layout[1]), uint64(layout[1] + height * layout[0])
        pitch, reach, band = uint64(layout[0]), uint64(layout[4]), uint64(layout[5])
        start, step = uint64(lane), uint64(lanes)
        number = start
        while number < reach + reach:
            keys[number] = find_keys(cells, first - reach + number, pitch, radix, table)
            number += step
        while first < end:
            size = min(band, end - first)
            number = start
            while number < size:
                at = first + reach + number
                keys[reach + reach + number] = find_keys(cells, at, pitch, radix, table)
                number += step
            wait()
            number = start
            while number < size:
                cells[first + number] = choose(keys, reach + number, pitch)
                number += step
            wait()
            number = start
            while number < reach + reach:
                keys[number] = keys[band + number]
                number += step
            wait()
            first += band

    return update


@cache
def build_fashion(group: Group, offsets: tuple[Offset, ...], shares_table: bool) -> Any:
    """Return the kernel that makes maps."""
    is_block = group is block
    wait = wait_for_block if is_block else wait_for_warp
    finish, update = build_finish(group), build_update(group, offsets)

    @compile_kernel(MAX_REGISTERS)
    def fashion(keys, rule, job, tests, out):
        words = cuda.shared.array(MAX_LANES, uint64)
        slots = cuda.shared.array(1, int32)
        shared_table = cuda.shared.array(0, uint16)
        shared_cells = cuda.shared.array(0, uint32)
        shared_keys = cuda.shared.array(0, uint64)
        states, generations, radix, outside, layout, table, scratch = rule
        height, width = job[0], job[1]
        pitch, first, size, margin, reach, band = layout
        used = 0
        if shares_table:
            for code in range(cuda.threadIdx.x, table.shape[0], cuda.blockDim.x):
                shared_table[code] = table[code]
            used = (table.shape[0] + 3) // 4
            table = shared_table
            cuda.syncthreads()
        lane = cuda.threadIdx.x if is_block else cuda.threadIdx.x % WARP
        lanes = cuda.blockDim.x if is_block else WARP
        if is_block:
            cells = scratch[cuda.blockIdx.x]
        else:
            used += cuda.threadIdx.x // WARP * (size // 2 + 2 * reach + band)
            cells = shared_cells[2 * used : 2 * used + size]
            used += size // 2
        window = shared_keys[used : used + 2 * reach + band]
        for number in range(cuda.grid(1) // lanes, keys.shape[0], cuda.gridsize(1) // lanes):
            level_key = mix(keys[number, 0] ^ ROW_SALT)
            scatter_states(cells, first, pitch, height, width, uint64(states), level_key, lane, lanes)
            if outside >= 0:
                fill_rows(cells, first, height * pitch, outside, lane, lanes)
            wait()
            for _ in range(generations):
                fill_columns(cells, first, pitch, height, width, margin, outside, lane, lanes)
                wait()
                if outside < 0:
                    fill_rows(cells, first, height * pitch, outside, lane, lanes)
                    wait()
                update(cells, window, table, uint32(radix), layout, height, lane, lanes)
            a0, a1, a2, b0, b1, b2 = uint64(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0)
            if 2 * lane < height:
                a0, a1, a2 = gather_planes(cells, uint64(first + 2 * lane * pitch), width)
            if 2 * lane + 1 < height:
                b0, b1, b2 = gather_planes(cells, uint64(first + (2 * lane + 1) * pitch), width)
            finish((a0, a1, a2, b0, b1, b2), number, lane, job, tests, out, words, slots, UNKNOWN)
            wait()

    return fashion
