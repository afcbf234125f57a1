"""Maps up to 64 columns wide as bit rows: each row of a map is one word, with column x at bit x.

The parts compile for CPUs and GPUs. They use words only, because numba adds signed and unsigned integers as floats.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .random import GAMMA, mix, row_key
from .types import ReadOnlyUint64_2D, Uint64_2D

Word = np.uint64

MAX_WIDTH = 64
"""Number of bits of a word."""
MAX_HEIGHT = 1024
"""Maximum number of rows, of which a block of GPU threads holds two each."""
EVERY_SECOND = np.uint64(0x5555555555555555)
EVERY_PAIR = np.uint64(0x3333333333333333)
EVERY_NIBBLE = np.uint64(0x0F0F0F0F0F0F0F0F)
EVERY_BYTE = np.uint64(0x00FF00FF00FF00FF)
EVERY_SHORT = np.uint64(0x0000FFFF0000FFFF)
ONE_PER_BYTE = np.uint64(0x0101010101010101)


@inline
def count_bits(word: Word) -> int:
    """Return the number of set bits. Compilers turn these steps into one instruction."""
    word = word - ((word >> np.uint64(1)) & EVERY_SECOND)
    word = (word & EVERY_PAIR) + ((word >> np.uint64(2)) & EVERY_PAIR)
    word = (word + (word >> np.uint64(4))) & EVERY_NIBBLE
    return int(np.int64((word * ONE_PER_BYTE) >> np.uint64(56)))


@inline
def lowest_bit(word: Word) -> Word:
    """Return the lowest set bit alone."""
    return word & (~word + np.uint64(1))


@inline
def lowest_index(word: Word) -> int:
    """Return the index of the lowest set bit; 64 if there is none."""
    return count_bits(~word & (word - np.uint64(1)))


@inline
def reverse_bits(word: Word) -> Word:
    """Return the word with bit 0 at bit 63."""
    word = ((word >> np.uint64(1)) & EVERY_SECOND) | ((word & EVERY_SECOND) << np.uint64(1))
    word = ((word >> np.uint64(2)) & EVERY_PAIR) | ((word & EVERY_PAIR) << np.uint64(2))
    word = ((word >> np.uint64(4)) & EVERY_NIBBLE) | ((word & EVERY_NIBBLE) << np.uint64(4))
    word = ((word >> np.uint64(8)) & EVERY_BYTE) | ((word & EVERY_BYTE) << np.uint64(8))
    word = ((word >> np.uint64(16)) & EVERY_SHORT) | ((word & EVERY_SHORT) << np.uint64(16))
    return (word >> np.uint64(32)) | (word << np.uint64(32))


@inline
def row_mask(width: int) -> Word:
    """Return a word with the bits of all columns."""
    return ~np.uint64(0) >> np.uint64(64 - width)


@inline
def as_mask(bit: int) -> Word:
    """Return all bits if `bit` is 1, and no bits if it is 0."""
    return np.uint64(0) - np.uint64(bit)


@inline
def majority(a: Word, b: Word, c: Word) -> Word:
    """Return the bits that are set in two or three of the words: the carries of their sum."""
    return (a & b) | (c & (a | b))


@inline
def reaches(ones: Word, twos: Word, fours: Word, eights: Word, limit: int) -> Word:
    """Return the bits of columns whose number, given in binary by four words, is at least `limit`, up to 15."""
    borrow = ~ones & as_mask(limit & 1)
    borrow = majority(~twos, as_mask((limit >> 1) & 1), borrow)
    borrow = majority(~fours, as_mask((limit >> 2) & 1), borrow)
    return ~majority(~eights, as_mask((limit >> 3) & 1), borrow)


@inline
def smooth_row(above: Word, here: Word, below: Word, beyond: Word, birth: int, survive: int) -> Word:
    """Return a row after a step of the cave automaton: 1 is wall.

    `beyond` is all bits or no bits: the cells outside the map. Bits from the width on must be equal to it.
    """
    one = np.uint64(1)
    first, last = beyond & one, beyond & ~(~np.uint64(0) >> one)
    above_left, above_right = (above << one) | first, (above >> one) | last
    left, right = (here << one) | first, (here >> one) | last
    below_left, below_right = (below << one) | first, (below >> one) | last
    sum_above, carry_above = above_left ^ above ^ above_right, majority(above_left, above, above_right)
    sum_below, carry_below = below_left ^ below ^ below_right, majority(below_left, below, below_right)
    sum_here, carry_here = left ^ right, left & right
    ones, carry = sum_above ^ sum_below ^ sum_here, majority(sum_above, sum_below, sum_here)
    pairs, fours = carry_above ^ carry_below ^ carry_here, majority(carry_above, carry_below, carry_here)
    twos, more = pairs ^ carry, pairs & carry
    fours, eights = fours ^ more, fours & more
    stays = reaches(ones, twos, fours, eights, survive)
    appears = reaches(ones, twos, fours, eights, birth)
    return (here & stays) | (~here & appears)


@inline
def spread_up(start: Word, open: Word) -> Word:
    """Return the open columns that are reached from `start`, which is a subset of `open`, by steps to higher columns.

    The carries of the sum run through the open columns and stop at the next closed one.
    """
    return (((open + start) ^ open) & open) | start


@inline
def step_columns(front: Word) -> Word:
    """Return the columns beside those of a word."""
    return (front << np.uint64(1)) | (front >> np.uint64(1))


@inline
def find_dead_ends(above: Word, here: Word, below: Word) -> Word:
    """Return the open columns with exactly one open neighbor along the axes."""
    left, right = here << np.uint64(1), here >> np.uint64(1)
    sideways, upright = left ^ right, above ^ below
    return here & (sideways ^ upright) & ~((left & right) | (above & below))


@part
def scatter_row(level_key: Word, row: int, width: int, limit: Word) -> Word:
    """Return the columns of a row whose random number of 53 bits by position is below `limit`."""
    key, word = row_key(level_key, row), np.uint64(0)
    for column in range(width):
        bit = np.uint64(mix(key + np.uint64(column) * GAMMA) >> np.uint64(11) < limit)
        word |= bit << np.uint64(column)
    return word


@kernel
def make_caves(
    keys: ReadOnlyUint64_2D,
    width: int,
    limit: Word,
    steps: int,
    birth: int,
    survive: int,
    outside: int,
    maps: Uint64_2D,
) -> None:
    """Write caves (map, row) as bit rows, 1 is wall, from the keys (map, word) of their streams.

    `limit` is the fraction of walls times 2^53, rounded up, and `outside` is 1 for walls outside the map.
    """
    height = maps.shape[1]
    old, new = np.empty(height + 2, dtype=np.uint64), np.empty(height + 2, dtype=np.uint64)
    beyond, inside = as_mask(outside), row_mask(width)
    for number in range(maps.shape[0]):
        level_key = mix(keys[number, 0] ^ np.uint64(0xD1B54A32D192ED03))
        for row in range(height):
            old[row + 1] = scatter_row(level_key, row, width, limit) | (beyond & ~inside)
        for _ in range(steps):
            old[0] = old[height + 1] = beyond
            for row in range(height):
                after = smooth_row(old[row], old[row + 1], old[row + 2], beyond, birth, survive)
                new[row + 1] = (after & inside) | (beyond & ~inside)
            old, new = new, old
        for row in range(height):
            maps[number, row] = old[row + 1] & inside
