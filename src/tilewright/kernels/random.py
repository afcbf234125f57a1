"""Compiled twins of core/seeds: the same streams and cell fields, number for number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from . import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
Number = TypeVar("Number", int, float)
BLOCK = 1 << 24
"""Cells filled between two yields: a few hundredths of a second."""


@kernel
def mix(value: np.uint64) -> np.uint64:
    """SplitMix64's finaliser."""
    value = (value ^ (value >> np.uint64(30))) * FIRST
    value = (value ^ (value >> np.uint64(27))) * SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def bits(state: NDArray[np.uint64]) -> np.uint64:
    """The next 64 bits of a stream; `state` is `rng.state`."""
    state[0] += state[1]
    return mix(state[0])


@kernel
def random(state: NDArray[np.uint64]) -> float:
    """The next number in [0, 1)."""
    return np.float64(bits(state) >> np.uint64(11)) * 2.0**-53


@kernel
def below(state: NDArray[np.uint64], limit: int) -> int:
    """The next whole number in [0, limit)."""
    return int(((bits(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@kernel("void(uint64[::1], int64, int64, uint8[:, ::1])")
def cells_below(row_keys: NDArray[np.uint64], first: int, limit: int, out: NDArray[np.uint8]) -> None:
    """A whole number in [0, limit) for every cell, by position: `row_keys` are `rng.row_keys(...)`."""
    scale = np.uint64(limit)
    for row in range(out.shape[0]):
        key = row_keys[row] + np.uint64(first) * GAMMA
        target = out[row]
        for column in range(out.shape[1]):
            target[column] = ((mix(key + np.uint64(column) * GAMMA) >> np.uint64(32)) * scale) >> np.uint64(32)


@kernel("void(uint64[::1], int64, float64, uint8[:, ::1])")
def cells_chance(row_keys: NDArray[np.uint64], first: int, chance: float, out: NDArray[np.uint8]) -> None:
    """1 for every cell whose number in [0, 1) is below `chance`, by position."""
    for row in range(out.shape[0]):
        key = row_keys[row] + np.uint64(first) * GAMMA
        target = out[row]
        for column in range(out.shape[1]):
            number = np.float64(mix(key + np.uint64(column) * GAMMA) >> np.uint64(11)) * 2.0**-53
            target[column] = number < chance


def in_blocks(
    fill: Callable[[NDArray[np.uint64], int, Number, NDArray[np.uint8]], None],
    row_keys: NDArray[np.uint64],
    first: int,
    value: Number,
    out: NDArray[np.uint8],
) -> Iterator[float]:
    """Fill cells by one of the kernels above, in blocks of rows that change nothing; between them, the share done."""
    rows = max(1, BLOCK // out.shape[1])
    for start in range(0, len(out), rows):
        if start:
            yield start / len(out)
        fill(row_keys[start : start + rows], first, value, out[start : start + rows])
