"""Single large maps of fashion-based automata, one generation per launch.

A block updates a tile. It computes the keys of the tile and of a margin, so that blocks need not wait for each other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, uint16, uint32, uint64
from numpy.typing import NDArray

from ..fashion import Offset
from . import fashion_bits
from .device_code import on_device
from .fashion import CELLS, SHARED_BYTES
from .fashion_rules import FashionRule
from .fashion_words import build_choose, build_find_keys
from .groups import WARP

THREADS = 256
WARPS = THREADS // WARP
TILE_WORDS = WARP
"""Number of words of a row of a tile: one per thread of a warp."""
MAX_BLOCKS = 1 << 10
"""Maximum number of blocks, each of which reads the table once."""
TILE_ROWS = (60, 28)
"""Number of rows of a tile: the most for which its keys and the table fit in shared memory."""


@on_device
def wrap_index(index, size):
    """Return an index modulo a size, from which it is seldom far."""
    while index >= size:
        index -= size
    while index < 0:
        index += size
    return index


@on_device
def load_word(cells, row, word, shape, outside):
    """Return four cells of a map, of which some may be outside."""
    height, width, pitch = shape
    if outside < 0:
        row = wrap_index(row, height)
        if width % CELLS == 0:
            word = wrap_index(word, pitch)
    if 0 <= row < height and 0 <= word < width // CELLS:
        return cells[uint64(row * pitch + word)]
    value = uint32(0)
    for byte in range(CELLS):
        column, state = CELLS * word + byte, uint32(max(outside, 0))
        if outside < 0:
            column = wrap_index(column, width)
        if 0 <= row < height and 0 <= column < width:
            state = (cells[uint64(row * pitch + column // CELLS)] >> uint32(8 * (column % CELLS))) & uint32(255)
        value |= uint32(state << uint32(8 * byte))
    return value


@cache
def build_large(offsets: tuple[Offset, ...], shares_table: bool, tile_rows: int) -> Any:
    """Return the kernel that advances a map by one generation."""
    find_keys, choose = build_find_keys(offsets), build_choose(offsets)
    reach = max(max(abs(dx), abs(dy)) for dx, dy in offsets)
    pitch, rows = TILE_WORDS + 2, tile_rows + 4 * reach
    words, skipped = rows * pitch, reach * pitch  # Rows without keys are skipped at both ends.

    @cuda.jit
    def large(table, radix, outside, shape, old, new):
        keys = cuda.shared.array(0, uint64)  # The three arrays are parts of the same memory.
        cells = cuda.shared.array(0, uint32)[2 * words : 3 * words + 2]  # with a word before and after the rows
        shared_table = cuda.shared.array(0, uint16)[6 * words + 4 :]
        height, _, map_pitch = shape
        thread, lane, warp = cuda.threadIdx.x, cuda.threadIdx.x % WARP, cuda.threadIdx.x // WARP
        if shares_table:
            for code in range(thread, table.shape[0], THREADS):
                shared_table[code] = table[code]
            table = shared_table
        if thread == 0:
            cells[uint64(0)] = uint32(0)
            cells[uint64(words + 1)] = uint32(0)
        across = (map_pitch + TILE_WORDS - 1) // TILE_WORDS
        down = (height + tile_rows - 1) // tile_rows
        for tile in range(cuda.blockIdx.x, across * down, cuda.gridDim.x):
            top, left = tile // across * tile_rows, tile % across * TILE_WORDS
            cuda.syncthreads()
            for number in range(thread, 2 * rows, THREADS):  # the words beside the tile
                row, side = number // 2, number % 2
                place = side * (TILE_WORDS + 1)
                value = load_word(old, top + row - 2 * reach, left - 1 + place, shape, outside)
                cells[uint64(row * pitch + place + 1)] = value
            for row in range(warp, rows, WARPS):
                value = load_word(old, top + row - 2 * reach, left + lane, shape, outside)
                cells[uint64(row * pitch + lane + 2)] = value
            cuda.syncthreads()
            number = uint64(thread + skipped)
            while number < uint64(words - skipped):
                keys[number] = find_keys(cells, number + uint64(1), uint64(pitch), uint32(radix), table)
                number += uint64(THREADS)
            cuda.syncthreads()
            if left + lane < map_pitch:
                last = uint64(min(tile_rows, height - top))
                row, at = uint64(warp), uint64((warp + 2 * reach) * pitch + lane + 1)
                target = uint64((top + warp) * map_pitch + left + lane)
                while row < last:
                    new[target] = choose(keys, at, uint64(pitch))
                    row += uint64(WARPS)
                    at += uint64(WARPS * pitch)
                    target += uint64(WARPS * map_pitch)

    return large


class LargeAutomaton:
    """Map in the memory of a GPU that is updated generation by generation, as `kernels.fashion.Automaton`.

    Parameters
    ----------
    cells
        Initial states (row, column).
    rule
        FashionRule of the automaton, from `make_rule`.
    """

    def __init__(self, cells: NDArray[np.uint8], rule: FashionRule) -> None:
        self._rule = rule
        self._height, self._width = cells.shape
        self._is_sliced = rule.masks.size > 0 and self._width >= fashion_bits.MIN_WIDTH
        if self._is_sliced:
            self._count = fashion_bits.choose_cells_per_word(self._width)
            words = -(-self._width // self._count)
            self._old = cuda.device_array((self._height, words), np.uint64)
            size = self._old.size
            fashion_bits.pack_rows[-(-size // THREADS), THREADS](cuda.to_device(cells), self._old, self._count)
            self._table = cuda.to_device(rule.masks)
        else:
            padded = np.pad(cells, ((0, 0), (0, -self._width % CELLS)))
            self._old = cuda.to_device(padded.view(np.uint32).ravel())
            self._table = cuda.to_device(rule.table)
        self._new = cuda.device_array_like(self._old)

    @property
    def cells(self) -> NDArray[np.uint8]:
        """Copy of the states (row, column)."""
        if not self._is_sliced:
            padded: NDArray[np.uint8] = self._old.copy_to_host().view(np.uint8).reshape(self._height, -1)
            return padded[:, : self._width]
        unpacked = cuda.device_array((self._height, self._width), np.uint8)
        fashion_bits.unpack_rows[-(-unpacked.size // THREADS), THREADS](self._old, unpacked, self._count)
        cells: NDArray[np.uint8] = unpacked.copy_to_host()
        return cells

    def advance(self, generations: int = 1) -> None:
        """Advance by several generations. The kernels run in the background."""
        launch = self._launch_bits if self._is_sliced else self._launch_table
        for _ in range(generations):
            launch()
            self._old, self._new = self._new, self._old

    def _launch_bits(self) -> None:
        kernel, rows = fashion_bits.build_large_two_states(self._rule.offsets), fashion_bits.ROWS_PER_THREAD
        threads = self._old.shape[1] * -(-self._height // rows)
        rest = self._width - self._count * (self._old.shape[1] - 1)
        launch = kernel[-(-threads // fashion_bits.THREADS), fashion_bits.THREADS]
        launch(self._table, self._old, self._new, self._count, rest, rows)

    def _launch_table(self) -> None:
        rule, pitch = self._rule, -(-self._width // CELLS)
        table = 2 * rule.table.size
        rows = next((rows for rows in TILE_ROWS if table + find_tile_bytes(rule, rows) <= SHARED_BYTES), None)
        shares_table, rows = rows is not None, rows or TILE_ROWS[0]
        kernel = build_large(rule.offsets, shares_table, rows)
        blocks = min(MAX_BLOCKS, -(-pitch // TILE_WORDS) * -(-self._height // rows))
        launch = kernel[blocks, THREADS, 0, find_tile_bytes(rule, rows) + table * shares_table]
        shape = self._height, self._width, pitch
        launch(self._table, rule.radix, -1 if rule.wrap else rule.states, shape, self._old, self._new)


def find_tile_bytes(rule: FashionRule, rows: int) -> int:
    """Return the size of the cells and keys of a tile with this number of rows."""
    return (rows + 4 * rule.reach) * (TILE_WORDS + 2) * 12 + 8
