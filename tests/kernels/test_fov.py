"""Shadowcasting against a direct version with fractions and recursion."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.kernels.fov import cast

FAR = 1 << 40
masks = arrays(
    np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=14), elements=some.sampled_from([True] * 4 + [False])
)


def plain_fov(clear: NDArray[np.bool_], row: int, column: int, reach: int) -> NDArray[np.bool_]:
    """Scan line by line with fractions; nothing outside the map is clear."""
    seen = np.zeros(clear.shape, dtype=np.bool_)
    seen[row, column] = True
    turns = ((-1, 0, 0, 1), (1, 0, 0, 1), (0, -1, 1, 0), (0, 1, 1, 0))  # a step in depth, a step across

    def look(turn: tuple[int, int, int, int], depth: int, low: Fraction, high: Fraction) -> None:
        if depth > max(clear.shape):
            return
        opened = None
        for across in range(floor(depth * low + Fraction(1, 2)), ceil(depth * high - Fraction(1, 2)) + 1):
            y, x = row + turn[0] * depth + turn[2] * across, column + turn[1] * depth + turn[3] * across
            inside = 0 <= y < clear.shape[0] and 0 <= x < clear.shape[1]
            free = inside and bool(clear[y, x])
            if inside and (not free or depth * low <= across <= depth * high) and depth**2 + across**2 <= reach:
                seen[y, x] = True
            if free and opened is False:
                low = Fraction(2 * across - 1, 2 * depth)
            if opened and not free:
                look(turn, depth + 1, low, Fraction(2 * across - 1, 2 * depth))
            opened = free
        if opened:
            look(turn, depth + 1, low, high)

    for turn in turns:
        look(turn, 1, Fraction(-1), Fraction(1))
    return seen


@given(masks, some.integers(0, 2**32), some.sampled_from([FAR, FAR, 0, 1, 2, 6, 12, 30]))
@settings(max_examples=300)
def test_visible_cells_equal_those_of_the_plain_version(clear: NDArray[np.bool_], place: int, reach: int) -> None:
    row, column = divmod(place % clear.size, clear.shape[1])
    seen = np.zeros(clear.shape, dtype=np.uint8)
    cast(clear.view(np.uint8), row, column, reach, seen)
    assert seen.astype(np.bool_).tolist() == plain_fov(clear, row, column, reach).tolist()


@pytest.mark.parametrize("reach", [FAR, 900, 90 * 91])
@pytest.mark.parametrize("pillars", [0, 1, 5, 40])
def test_wide_maps_are_scanned_in_chunks(reach: int, pillars: int) -> None:
    random = np.random.default_rng(pillars)
    for _ in range(6):
        clear = np.ones(random.integers(1, 220, 2), dtype=np.bool_)
        row, column = (int(random.integers(side)) for side in clear.shape)
        clear.reshape(-1)[random.integers(0, clear.size, pillars)] = False
        clear[row, column] = True
        seen = np.zeros(clear.shape, dtype=np.uint8)
        cast(clear.view(np.uint8), row, column, reach, seen)
        assert np.array_equal(seen.astype(np.bool_), plain_fov(clear, row, column, reach))


def test_many_gaps_in_a_long_wall() -> None:
    clear = np.ones((3, 801), dtype=np.bool_)
    clear[1, ::2] = False
    clear[1, 400] = True
    seen = np.zeros(clear.shape, dtype=np.uint8)
    cast(clear.view(np.uint8), 2, 400, FAR, seen)
    assert seen.astype(np.bool_).tolist() == plain_fov(clear, 2, 400, FAR).tolist()
