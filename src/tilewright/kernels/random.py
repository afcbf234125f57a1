"""Compiled versions of core/seeds with identical streams and cell values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.site import block_size
from . import kernel, part
from .types import Uint8_2D, Uint64, Uint64_1D

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
ROW_SALT = np.uint64(0xD1B54A32D192ED03)
Number = TypeVar("Number", int, float)


@part
def mix(value: np.uint64) -> np.uint64:
    """Apply SplitMix64's finalizer."""
    value = (value ^ (value >> np.uint64(30))) * FIRST
    value = (value ^ (value >> np.uint64(27))) * SECOND
    return value ^ (value >> np.uint64(31))


@part
def bits(state: Uint64_1D) -> np.uint64:
    """Return the next 64 bits of a stream; `state` is `rng.state`."""
    state[0] += state[1]
    return mix(state[0])


@part
def random(state: Uint64_1D) -> float:
    """Return the next number in [0, 1)."""
    return np.float64(bits(state) >> np.uint64(11)) * 2.0**-53


@part
def below(state: Uint64_1D, limit: int) -> int:
    """Return the next integer in [0, limit)."""
    # numba's int() keeps unsigned integers unsigned, and it adds unsigned and signed integers as floats.
    return int(np.int64(((bits(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)))


@part
def row_key(level_key: int | np.uint64, row: int) -> np.uint64:
    """Return the key of a row: the bits of column x in it are `mix(key + x * GAMMA)`."""
    return mix((np.uint64(level_key) ^ ROW_SALT) + np.uint64(np.int64(row)) * GAMMA)


@kernel
def fill_below(level_key: Uint64, top: int, left: int, limit: int, out: Uint8_2D) -> None:
    """Fill a window with integers in [0, limit) by position; the key is `rng.level_key()`."""
    scale = np.uint64(limit)
    for row in range(out.shape[0]):
        key = row_key(level_key, top + row) + np.uint64(np.int64(left)) * GAMMA
        target = out[row]
        for column in range(out.shape[1]):
            target[column] = ((mix(key + np.uint64(column) * GAMMA) >> np.uint64(32)) * scale) >> np.uint64(32)


@kernel
def fill_chance(level_key: Uint64, top: int, left: int, chance: float, out: Uint8_2D) -> None:
    """Write 1 for every cell whose number in [0, 1) by position is below `chance`, and 0 elsewhere."""
    for row in range(out.shape[0]):
        key = row_key(level_key, top + row) + np.uint64(np.int64(left)) * GAMMA
        target = out[row]
        for column in range(out.shape[1]):
            number = np.float64(mix(key + np.uint64(column) * GAMMA) >> np.uint64(11)) * 2.0**-53
            target[column] = number < chance


def fill_in_blocks(
    fill: Callable[[int, int, int, Number, NDArray[np.uint8]], None],
    level_key: int,
    origin: Sequence[int],
    value: Number,
    out: NDArray[np.uint8],
    *,
    torus: Sequence[int] | None = None,
) -> Iterator[float]:
    """Fill cells with one of the kernels above, in blocks of rows; yield the fraction done between blocks.

    On a `torus` of this shape, positions wrap around. The block size does not affect the result.
    """
    top, left = origin
    height, width = out.shape
    rows = max(1, block_size("random", 1 << 24) // width)
    for start in range(0, height, rows):
        if start:
            yield start / height
        block = out[start : start + rows]
        if torus is None or (min(top, left) >= 0 and top + height <= torus[0] and left + width <= torus[1]):
            fill(level_key, top + start, left, value, block)
            continue
        for at, length, row in _split_ring(top + start, len(block), torus[0]):
            for column, across, first in _split_ring(left, width, torus[1]):
                piece = np.empty((length, across), dtype=np.uint8)
                fill(level_key, row, first, value, piece)
                block[at : at + length, column : column + across] = piece


def _split_ring(start: int, count: int, around: int) -> Iterator[tuple[int, int, int]]:
    """Split positions on a ring into runs: yield the start, length and first ring position of each."""
    done = 0
    while done < count:
        first = (start + done) % around
        length = min(count - done, around - first)
        yield done, length, first
        done += length
