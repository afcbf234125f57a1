"""Ranks equal those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.kernels.ranks import rank_floats


@pytest.mark.parametrize("size", [0, 1, 2, 7776, 20_000])
def test_ranks_equal_those_of_unique(size: int) -> None:
    rng = np.random.default_rng(size)
    for values in (
        rng.random(size),
        rng.integers(-5, 5, size) / 7,
        rng.normal(size=size) * 10.0 ** rng.integers(-300, 300, size),
        np.full(size, 3.5),
        np.where(rng.random(size) < 0.5, np.inf, -np.inf),
    ):
        plain = np.ascontiguousarray(values, dtype=np.float64) + 0.0
        expected = np.unique(plain, return_inverse=True)[1].ravel()
        np.testing.assert_array_equal(rank_floats(plain), expected)
