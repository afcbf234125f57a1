"""Four cells at a time: device functions of the fashion kernels.

A word has four cells of a byte each. Keys have 16 bits (`FashionRule`), so that the keys of four cells are two pairs:
those of the first and third cell, and those of the second and fourth. The map is flat with margins, `pitch` words per
row, so that each neighbor is at a fixed shift. The functions are built for given neighbors, whose shifts become
constants.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, uint32, uint64

from ..fashion import Offset
from . import is_simulated
from .device_code import on_device

EVEN = np.uint32(0x00FF00FF)
"""Bits of the first and third byte."""
STATE = np.uint32(0x00070007)
"""Bits of the states in a pair of keys."""
FREE_BIT = np.uint32(0x00080008)
"""Bits between the ranks and the states in a pair of keys. They are set in the best keys, which therefore win ties."""
ONE = np.uint64(1)


@on_device
def max_pairs_in_steps(a, b):
    """Return the higher of two 16-bit numbers in each half of a word."""
    low, high = uint32(0xFFFF), uint32(0xFFFF0000)
    return (max(a, b) & high) | max(a & low, b & low)


@cache
def build_max_pairs() -> Any:
    """Return the device function `max_pairs`, which is one instruction from compute capability 9.0 on."""
    if is_simulated() or cuda.get_current_device().compute_capability < (9, 0):
        return max_pairs_in_steps
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.cuda.extending import intrinsic

    @intrinsic
    def max_pairs(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            word = ir.IntType(32)
            instruction = ir.InlineAsm(ir.FunctionType(word, [word, word]), "max.u16x2 $0, $1, $2;", "=r,r,r")
            return builder.call(instruction, arguments)

        return uint32(uint32, uint32), generate

    return max_pairs


@cache
def build_place(dy: int) -> Any:
    """Return the device function that gives the index of the word in another row."""
    rows = np.uint64(abs(dy))
    if dy < 0:

        @on_device
        def place(at, pitch):
            return at - rows * pitch
    else:

        @on_device
        def place(at, pitch):
            return at + rows * pitch

    return place


@cache
def build_near_cells(dx: int, dy: int) -> Any:
    """Return the device function that gives the states of the neighbors of a word's cells."""
    place = build_place(dy)
    near_bits, far_bits = np.uint32(8 * abs(dx)), np.uint32(32 - 8 * abs(dx))
    if dx == 0:

        @on_device
        def near(cells, at, pitch):
            return cells[place(at, pitch)]
    elif dx < 0:

        @on_device
        def near(cells, at, pitch):
            here = place(at, pitch)
            return uint32(cells[here] << near_bits) | (cells[here - ONE] >> far_bits)
    else:

        @on_device
        def near(cells, at, pitch):
            here = place(at, pitch)
            return (cells[here] >> near_bits) | uint32(cells[here + ONE] << far_bits)

    return near


@cache
def build_near_keys(dx: int, dy: int) -> Any:
    """Return the device function that gives the keys of the neighbors of a word's cells."""
    place = build_place(dy)
    half, low = np.uint64(32), np.uint32(16)

    @on_device
    def keys_here(keys, at, pitch):
        here = keys[place(at, pitch)]
        return uint32(here), uint32(here >> half)

    @on_device
    def keys_after(keys, at, pitch):
        here, after = keys[place(at, pitch)], keys[place(at, pitch) + ONE]
        return uint32(here >> half), (uint32(here) >> low) | uint32(uint32(after) << low)

    @on_device
    def keys_before(keys, at, pitch):
        here, before = keys[place(at, pitch)], keys[place(at, pitch) - ONE]
        return uint32(uint32(here >> half) << low) | (uint32(before >> half) >> low), uint32(here)

    @on_device
    def keys_two_after(keys, at, pitch):
        here, after = keys[place(at, pitch)], keys[place(at, pitch) + ONE]
        odd = (uint32(here >> half) >> low) | uint32(uint32(after >> half) << low)
        return (uint32(here) >> low) | uint32(uint32(after) << low), odd

    @on_device
    def keys_two_before(keys, at, pitch):
        here, before = keys[place(at, pitch)], keys[place(at, pitch) - ONE]
        odd = uint32(uint32(here >> half) << low) | (uint32(before >> half) >> low)
        return uint32(uint32(here) << low) | (uint32(before) >> low), odd

    return {-2: keys_two_before, -1: keys_before, 0: keys_here, 1: keys_after, 2: keys_two_after}[dx]


@cache
def build_codes(offsets: tuple[Offset, ...]) -> Any:
    """Return the device function that gives the numbers of the neighborhoods of a word's cells, in two pairs."""
    if not offsets:

        @on_device
        def codes(cells, at, pitch, radix):
            own = cells[at]
            return own & EVEN, (own >> uint32(8)) & EVEN
    elif len(offsets) % 2:
        before, near = build_codes(offsets[:-1]), build_near_cells(*offsets[-1])

        @on_device
        def codes(cells, at, pitch, radix):
            even, odd = before(cells, at, pitch, radix)
            states = near(cells, at, pitch)
            return uint32(even * radix + (states & EVEN)), uint32(odd * radix + ((states >> uint32(8)) & EVEN))
    else:
        before = build_codes(offsets[:-2])
        first, second = build_near_cells(*offsets[-2]), build_near_cells(*offsets[-1])

        @on_device
        def codes(cells, at, pitch, radix):
            even, odd = before(cells, at, pitch, radix)
            two = uint32(first(cells, at, pitch) * radix + second(cells, at, pitch))  # A byte is at most 80.
            square = uint32(radix * radix)
            return uint32(even * square + (two & EVEN)), uint32(odd * square + ((two >> uint32(8)) & EVEN))

    return codes


@cache
def build_find_keys(offsets: tuple[Offset, ...]) -> Any:
    """Return the device function that gives the keys of a word's cells."""
    codes = build_codes(offsets)
    low, half = np.uint32(16), np.uint64(32)
    lower = np.uint32(0xFFFF)

    @on_device
    def find_keys(cells, at, pitch, radix, table):
        even, odd = codes(cells, at, pitch, radix)
        even = uint32(table[even & lower]) | uint32(uint32(table[even >> low]) << low)
        odd = uint32(table[odd & lower]) | uint32(uint32(table[odd >> low]) << low)
        return uint64(even) | (uint64(odd) << half)

    return find_keys


@cache
def build_best_keys(offsets: tuple[Offset, ...]) -> Any:
    """Return the device function that gives the best keys of a word's cells and their neighbors."""
    if not offsets:
        own = build_near_keys(0, 0)

        @on_device
        def best_keys(keys, at, pitch):
            even, odd = own(keys, at, pitch)
            return even | FREE_BIT, odd | FREE_BIT
    else:
        before, near = build_best_keys(offsets[:-1]), build_near_keys(*offsets[-1])
        max_pairs = build_max_pairs()

        @on_device
        def best_keys(keys, at, pitch):
            even, odd = before(keys, at, pitch)
            near_even, near_odd = near(keys, at, pitch)
            return max_pairs(even, near_even) | FREE_BIT, max_pairs(odd, near_odd) | FREE_BIT

    return best_keys


@cache
def build_choose(offsets: tuple[Offset, ...]) -> Any:
    """Return the device function that gives the new states of a word's cells."""
    best_keys = build_best_keys(offsets)

    @on_device
    def choose(keys, at, pitch):
        even, odd = best_keys(keys, at, pitch)
        return uint32(even & STATE) | uint32((odd & STATE) << uint32(8))

    return choose
