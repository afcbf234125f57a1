"""Square blocks and cubes of tiles that a map has in common with samples, found by rolling hashes.

The key of a block is the sum of the codes of its tiles, each times powers of three odd multipliers. A block that moves
by a cell needs two products, so all keys of a map take time proportional to its cells, whatever the size of the blocks.

Source: Karp and Rabin, "Efficient randomized pattern-matching algorithms", 1987, for the rolling hash.
"""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .patterns import EMPTY, find_key
from .random import mix
from .types import Int32_3D, Uint64_1D

COLUMN_FACTOR = np.uint64(0x9E3779B97F4A7C15)
ROW_FACTOR = np.uint64(0xD1B54A32D192ED03)
LEVEL_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@part
def code_of(tile: int) -> np.uint64:
    """Return the code of a tile."""
    return mix(np.uint64(tile + 1))


@part
def invert(factor: np.uint64) -> np.uint64:
    """Return the inverse of an odd number modulo 2^64, by Newton's method."""
    inverse = factor
    for _ in range(5):
        inverse *= TWO - factor * inverse
    return inverse


@part
def power(factor: np.uint64, exponent: int) -> np.uint64:
    """Return a power modulo 2^64."""
    result = ONE
    for _ in range(exponent):
        result *= factor
    return result


@part
def sum_powers(factor: np.uint64, count: int) -> np.uint64:
    """Return the sum of the first powers of a factor modulo 2^64."""
    total = ZERO
    for _ in range(count):
        total = total * factor + ONE
    return total


@part
def sum_levels(cells: Int32_3D, first: int, thickness: int, row: int, column: int) -> np.uint64:
    """Return the hash of the cells of some levels in one row and column."""
    total = code_of(cells[first + thickness - 1, row, column])
    for level in range(first + thickness - 2, first - 1, -1):
        total = total * LEVEL_FACTOR + code_of(cells[level, row, column])
    return total


@part
def move_down(cells: Int32_3D, level: int, row: int, side: int, thickness: int, sums: Uint64_1D) -> None:
    """Update the hashes of the columns of blocks, (column,), from the blocks one row above `row`."""
    back, top = invert(ROW_FACTOR), power(ROW_FACTOR, side - 1)
    for column in range(cells.shape[2]):
        left = sum_levels(cells, level, thickness, row - 1, column)
        entered = sum_levels(cells, level, thickness, row + side - 1, column)
        sums[column] = (sums[column] - left) * back + entered * top


@part
def start_columns(cells: Int32_3D, level: int, side: int, thickness: int, sums: Uint64_1D) -> None:
    """Set the hashes of the columns of blocks, (column,), that start in the first row."""
    for column in range(cells.shape[2]):
        total = ZERO
        for row in range(side - 1, -1, -1):
            total = total * ROW_FACTOR + sum_levels(cells, level, thickness, row, column)
        sums[column] = total


@part
def visit_blocks(cells: Int32_3D, side: int, thickness: int, table: Uint64_1D, adds: bool) -> bool:
    """Add the keys of all blocks to a hash table or, unless `adds`, return whether the table has any of them.

    A block in which all tiles are equal is not added, unless it is a single cell.
    """
    levels, rows, columns = cells.shape
    sums = np.empty(columns, dtype=np.uint64)
    back, far = invert(COLUMN_FACTOR), power(COLUMN_FACTOR, side - 1)
    ones = sum_powers(COLUMN_FACTOR, side) * sum_powers(ROW_FACTOR, side) * sum_powers(LEVEL_FACTOR, thickness)
    for level in range(levels - thickness + 1):
        for row in range(rows - side + 1):
            if row == 0:
                start_columns(cells, level, side, thickness, sums)
            else:
                move_down(cells, level, row, side, thickness, sums)
            key = ZERO
            for column in range(min(side, columns) - 1, -1, -1):
                key = key * COLUMN_FACTOR + sums[column]
            for column in range(columns - side + 1):
                if column:
                    key = (key - sums[column - 1]) * back + sums[column + side - 1] * far
                entry = key if key != EMPTY else ZERO
                slot = find_key(table, 0, table.size - 1, entry)
                if adds:
                    if side == 1 or key != code_of(cells[level, row, column]) * ones:
                        table[slot] = entry
                elif table[slot] == entry:
                    return True
    return False


@kernel
def add_blocks(cells: Int32_3D, side: int, thickness: int, table: Uint64_1D) -> None:
    """Add the blocks of a map with at least two different tiles to a hash table, or all cells if `side` is 1.

    Parameters
    ----------
    cells
        (level, row, column) tiles, already extended along axes that wrap around.
    side
        Edge length of the blocks.
    thickness
        Number of levels of the blocks.
    table
        Hash table of keys, or EMPTY; its length is a power of two and larger than the number of keys.
    """
    visit_blocks(cells, side, thickness, table, True)


@kernel
def has_block(cells: Int32_3D, side: int, thickness: int, table: Uint64_1D) -> bool:
    """Return whether any block of a map is in a hash table that `add_blocks` filled."""
    return visit_blocks(cells, side, thickness, table, False)
