"""Fashion-based automata of two states with four neighbors on a torus, 64 cells at a time.

The states of a row are a word, and so is each bit of the ranks of its cells. The bits are functions of the cell and its
neighbors, with coefficients that are masks (`fashion_rules.find_masks`), so that one kernel serves all scores.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, int32, uint32, uint64

from .. import bit_rows
from .. import random as cpu_random
from ..fashion import Offset
from ..random import GAMMA, ROW_SALT
from .device_code import compile_kernel, on_device, port
from .fashion_rules import PLANES, PRODUCTS
from .groups import MAX_LANES, MAX_REGISTERS, WARP, Group, block
from .maps import UNKNOWN, build_finish

MASKS = PLANES * 3 * PRODUCTS
"""Number of masks of a rule."""
CELLS_PER_WORD = 60
"""Maximum number of cells in a word of a large map; there are copies of two neighboring cells on both sides."""
MIN_WIDTH = 64
"""Minimum width of a large map."""
ROWS_PER_THREAD = 32
THREADS = 128

row_mask = port(bit_rows.row_mask)
mix = port(cpu_random.mix)
row_key = port(cpu_random.row_key)
ONE = np.uint64(1)

# -- rows -----------------------------------------------------------------------------------------------------


@on_device
def shift_up(word, width):
    """Move each column to the next one; the first column is lost."""
    return word << ONE


@on_device
def shift_down(word, width):
    """Move each column to the one before it; the last column is lost."""
    return word >> ONE


@on_device
def rotate_up(word, width):
    """Move each column to the next one, and the last one to the first. Bits from the width on may be anything."""
    return (word << ONE) | ((word >> (width - ONE)) & ONE)


@on_device
def rotate_down(word, width):
    """Move each column to the one before it, and the first one to the last. Bits from the width on may be anything."""
    moved, first = word >> ONE, uint64(0) - (word & ONE)
    return moved ^ ((moved ^ first) & (ONE << (width - ONE)))


@on_device
def widen(mask):
    """Return a mask of 32 bits as one of 64."""
    return uint64(mask) | (uint64(mask) << uint64(32))


@on_device
def add_products(masks, at, third, fourth, both, own, own_third, own_fourth, all_three):
    """Return the sum modulo 2 of the products with these masks."""
    first_half = widen(masks[at]) ^ (widen(masks[at + 1]) & third)
    first_half ^= (widen(masks[at + 2]) & fourth) ^ (widen(masks[at + 3]) & both)
    second_half = (widen(masks[at + 4]) & own) ^ (widen(masks[at + 5]) & own_third)
    return first_half ^ second_half ^ (widen(masks[at + 6]) & own_fourth) ^ (widen(masks[at + 7]) & all_three)


@on_device
def find_rank_bit(masks, bit, one, two, products):
    """Return a bit of the ranks, given the columns where one and where two of the first two neighbors are 1."""
    third, fourth, both, own, own_third, own_fourth, all_three = products
    at = bit * 3 * PRODUCTS
    part = add_products(masks, at, third, fourth, both, own, own_third, own_fourth, all_three)
    at += PRODUCTS
    part ^= one & add_products(masks, at, third, fourth, both, own, own_third, own_fourth, all_three)
    at += PRODUCTS
    return part ^ (two & add_products(masks, at, third, fourth, both, own, own_third, own_fourth, all_three))


@on_device
def find_ranks(masks, first, second, third, fourth, own):
    """Return the bits of the ranks of a row."""
    one, two, both = first ^ second, first & second, third & fourth
    products = third, fourth, both, own, own & third, own & fourth, own & both
    return (
        find_rank_bit(masks, 0, one, two, products),
        find_rank_bit(masks, 1, one, two, products),
        find_rank_bit(masks, 2, one, two, products),
        find_rank_bit(masks, 3, one, two, products),
    )


@on_device
def exceeds(near, best, is_greater):
    """Compare a bit of two numbers, given the result for the lower bits."""
    return (near & ~best) | (~(near ^ best) & is_greater)


@on_device
def take_better(best, state, near, near_state):
    """Return the ranks and states with those of a neighbor where its rank is higher."""
    b0, b1, b2, b3 = best
    n0, n1, n2, n3 = near
    better = exceeds(n3, b3, exceeds(n2, b2, exceeds(n1, b1, n0 & ~b0)))
    ranks = (b0 ^ ((b0 ^ n0) & better), b1 ^ ((b1 ^ n1) & better), b2 ^ ((b2 ^ n2) & better), b3 ^ ((b3 ^ n3) & better))
    return ranks, state ^ ((state ^ near_state) & better)


@cache
def build_rows(offsets: tuple[Offset, ...], is_ring: bool) -> tuple[Any, Any]:
    """Return the device functions `rank_row` and `choose_row` for four neighbors; rows may be rings."""
    up, down = (rotate_up, rotate_down) if is_ring else (shift_up, shift_down)

    def build_near(dx: int, dy: int) -> Any:
        """Return the device function that gives the neighbors of a row's cells."""
        if dx:
            move = up if dx < 0 else down

            @on_device
            def near(above, here, below, width):
                return move(above if dy < 0 else here if dy == 0 else below, width)
        else:

            @on_device
            def near(above, here, below, width):
                return above if dy < 0 else here if dy == 0 else below

        return near

    near1, near2, near3, near4 = [build_near(*offset) for offset in offsets]

    @on_device
    def rank_row(masks, above, here, below, width):
        """Return the bits of the ranks of a row, given the states of three rows."""
        first, second = near1(above, here, below, width), near2(above, here, below, width)
        third, fourth = near3(above, here, below, width), near4(above, here, below, width)
        return find_ranks(masks, first, second, third, fourth, here)

    def build_take(near: Any) -> Any:
        @on_device
        def take(best, state, above, here, below, states, width):
            """Apply `take_better` to one neighbor."""
            a0, a1, a2, a3 = above
            h0, h1, h2, h3 = here
            b0, b1, b2, b3 = below
            ranks = near(a0, h0, b0, width), near(a1, h1, b1, width), near(a2, h2, b2, width), near(a3, h3, b3, width)
            return take_better(best, state, ranks, near(states[0], states[1], states[2], width))

        return take

    take1, take2, take3, take4 = [build_take(near) for near in (near1, near2, near3, near4)]

    @on_device
    def choose_row(above, here, below, states, width):
        """Return the new states of a row, given the ranks and states of three rows."""
        best, state = take1(here, states[1], above, here, below, states, width)
        best, state = take2(best, state, above, here, below, states, width)
        best, state = take3(best, state, above, here, below, states, width)
        _, state = take4(best, state, above, here, below, states, width)
        return state

    return rank_row, choose_row


# -- many maps ------------------------------------------------------------------------------------------------


@on_device
def scatter_two_states(level_key, row, width):
    """Return a row of random states, as `random.fill_below` draws them."""
    key, word = row_key(level_key, row), uint64(0)
    for column in range(width):
        word |= (mix(key) >> uint64(63)) << uint64(column)
        key += GAMMA
    return word


@cache
def build_two_states(group: Group, offsets: tuple[Offset, ...]) -> Any:
    """Return the kernel that makes maps of two states."""
    from_lane, is_block = group.from_lane, group is block
    finish = build_finish(group)
    rank_row, choose_row = build_rows(offsets, True)

    @on_device
    def exchange(ranks, source, lane, words):
        """Return the ranks of another thread's row."""
        r0, r1, r2, r3 = ranks
        return (
            from_lane(r0, source, lane, words),
            from_lane(r1, source, lane, words),
            from_lane(r2, source, lane, words),
            from_lane(r3, source, lane, words),
        )

    @compile_kernel(MAX_REGISTERS)
    def two_states(keys, rule, job, tests, out):
        words = cuda.shared.array(MAX_LANES, uint64)
        slots = cuda.shared.array(1, int32)
        masks = cuda.shared.array(MASKS, uint32)
        generations, given = rule
        for number in range(cuda.threadIdx.x, MASKS, cuda.blockDim.x):
            masks[number] = given[number]
        cuda.syncthreads()
        lane = cuda.threadIdx.x if is_block else cuda.threadIdx.x % WARP
        number = cuda.blockIdx.x if is_block else cuda.grid(1) // WARP
        if number >= keys.shape[0]:
            return
        height, width = job[0], job[1]
        columns = uint64(width)
        last = (height + 1) // 2 - 1
        before, after = (lane - 1 if lane > 0 else last), (lane + 1 if lane < last else 0)
        is_half = lane == last and height % 2 == 1  # The last thread of an odd number of rows has one row.
        level_key = mix(keys[number, 0] ^ ROW_SALT)
        a = scatter_two_states(level_key, 2 * lane, width)
        b = scatter_two_states(level_key, 2 * lane + 1, width)
        for _ in range(generations):
            above, below = from_lane(a if is_half else b, before, lane, words), from_lane(a, after, lane, words)
            b = below if is_half else b
            ranks_a, ranks_b = rank_row(masks, above, a, b, columns), rank_row(masks, a, b, below, columns)
            ranks_above = exchange(ranks_a if is_half else ranks_b, before, lane, words)
            ranks_below = exchange(ranks_a, after, lane, words)
            ranks_b = ranks_below if is_half else ranks_b
            new_a = choose_row(ranks_above, ranks_a, ranks_b, (above, a, b), columns)
            b = choose_row(ranks_a, ranks_b, ranks_below, (a, b, below), columns)
            a = new_a
        none = uint64(0)
        a = a & row_mask(width) if 2 * lane < height else none
        b = b & row_mask(width) if 2 * lane + 1 < height else none
        finish((a, none, none, b, none, none), number, lane, job, tests, out, words, slots, UNKNOWN)

    return two_states


# -- large maps -----------------------------------------------------------------------------------------------


def choose_cells_per_word(width: int) -> int:
    """Return the number of cells per word of a large map: the last word must have two or more."""
    return next(count for count in range(CELLS_PER_WORD, 1, -1) if (width - 1) % count >= 1)


@on_device
def load_row(rows, row, word, last, count, rest):
    """Return a word with the copies of its neighbors. The last word has `rest` cells, the others `count`."""
    left = rows[row, word - 1] >> uint64(count) if word > 0 else rows[row, last] >> uint64(rest)
    right = rows[row, word + 1 if word < last else 0] >> uint64(2)
    size = uint64(count if word < last else rest)
    here = rows[row, word] & (~(~uint64(0) << size) << uint64(2))
    return here | (left & uint64(3)) | ((right & uint64(3)) << (size + uint64(2)))


@cache
def build_large_two_states(offsets: tuple[Offset, ...]) -> Any:
    """Return the kernel that advances a large map by one generation; a thread updates some rows of a word."""
    rank_row, choose_row = build_rows(offsets, False)

    @cuda.jit
    def large_two_states(given, old, new, count, rest, rows):
        masks = cuda.shared.array(MASKS, uint32)
        for number in range(cuda.threadIdx.x, MASKS, cuda.blockDim.x):
            masks[number] = given[number]
        cuda.syncthreads()
        height, words = old.shape
        thread, none = cuda.grid(1), uint64(0)
        word, first = thread % words, thread // words * rows
        if first >= height:
            return
        last, row = words - 1, (first - 2) % height
        s0, s1, s2, s3 = none, none, none, none  # states of the row that is updated (s1) and its neighbors
        r0, r1, r2 = (none, none, none, none), (none, none, none, none), (none, none, none, none)
        for step in range(min(rows, height - first) + 4):
            s0, s1, s2, s3 = s1, s2, s3, load_row(old, row, word, last, count, rest)
            row = row + 1 if row + 1 < height else 0
            if step >= 2:
                r0, r1, r2 = r1, r2, rank_row(masks, s1, s2, s3, none)
            if step >= 4:
                new[first + step - 4, word] = choose_row(r0, r1, r2, (s0, s1, s2), none)

    return large_two_states


@cuda.jit
def pack_rows(cells, rows, count):
    """Write the cells of a large map as words."""
    thread = cuda.grid(1)
    row, word = thread // rows.shape[1], thread % rows.shape[1]
    if row >= rows.shape[0]:
        return
    packed = uint64(0)
    for column in range(word * count, min((word + 1) * count, cells.shape[1])):
        packed |= uint64(cells[row, column]) << uint64(column - word * count + 2)
    rows[row, word] = packed


@cuda.jit
def unpack_rows(rows, cells, count):
    """Write the words of a large map as cells."""
    thread = cuda.grid(1)
    row, column = thread // cells.shape[1], thread % cells.shape[1]
    if row < cells.shape[0]:
        cells[row, column] = (rows[row, column // count] >> uint64(column % count + 2)) & ONE
