"""Differences between maps, against plain versions."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilewright.kernels.differences import compare_cells, compare_keys, count_edits

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_cells(seed: int) -> None:
    random = np.random.default_rng(seed)
    count, size = random.integers(0, 5), random.integers(1, 40)
    one = random.integers(0, 3, size, dtype=np.uint16)
    others = random.integers(0, 3, (count, size), dtype=np.uint16)
    different, either = np.empty((2, count), dtype=np.int64)
    compare_cells(one, others, different, either)
    assert different.tolist() == (others != one).sum(axis=1).tolist()
    assert either.tolist() == ((others > 0) | (one > 0)).sum(axis=1).tolist()


@given(SEEDS)
def test_keys(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 30, 2)
    one = np.sort(random.integers(0, 9, sizes[0], dtype=np.uint64))
    others = np.sort(random.integers(0, 9, (3, sizes[1]), dtype=np.uint64), axis=1)
    found = np.empty(3, dtype=np.int64)
    compare_keys(one, others, found)
    for other, difference in zip(others.tolist(), found.tolist(), strict=True):
        a, b = Counter(one.tolist()), Counter(other)
        assert difference == sum(abs(a[key] * len(other) - b[key] * one.size) for key in {*a, *b})


def edit_distance(one: list[int], other: list[int]) -> int:
    """Return the edit distance by its recursive definition, from the end of both sequences."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            replaced = table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            table[i][j] = min(replaced, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_edits(one: list[int], other: list[int]) -> None:
    found = count_edits(np.array(one, dtype=np.uint8), np.array(other, dtype=np.uint8))
    assert found == edit_distance(one, other)
