"""Exact functions: close to numpy's results, increasing, and with the same bits for any layout of the input."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from tilewright.kernels.exact import exact_power, log, rank_floats

SAMPLES = np.concatenate(
    (
        np.random.default_rng(1).random(20_000) + 1e-9,
        np.exp(np.random.default_rng(2).uniform(-700, 700, 20_000)),
        1 + np.random.default_rng(3).uniform(-1e-6, 1e-6, 5_000),
        np.arange(1, 5_000),
        [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308],
    )
)


def test_logarithms_are_accurate_to_two_units_in_the_last_place() -> None:
    assert (np.abs(log(SAMPLES) - np.log(SAMPLES)) <= 2 * np.spacing(np.abs(np.log(SAMPLES)))).all()


def test_logarithms_increase() -> None:
    """For numbers a millionth apart; closer ones may differ in the wrong direction by their last bit."""
    values = np.exp(np.linspace(-30, 30, 200_001))
    assert (np.diff(log(values)) > 0).all()
    near = np.linspace(0.99, 1.01, 100_001)
    assert (np.diff(log(near)) > 0).all()


def test_exact_values() -> None:
    assert log(1.0) == 0.0
    assert log(2.0) == pytest.approx(0.6931471805599453, abs=0)
    assert np.array_equal(log(2.0 ** np.arange(1, 60)) > 0, np.ones(59, dtype=bool))


def test_scalars_and_arrays_of_any_layout_give_the_same_bits() -> None:
    values = SAMPLES[:2000]
    whole = log(values)
    assert whole.tobytes() == np.array([float(log(value)) for value in values.tolist()]).tobytes()
    assert np.array_equal(log(values.reshape(40, 50)), whole.reshape(40, 50))
    assert np.array_equal(log(values.reshape(40, 50).T), whole.reshape(40, 50).T)
    assert np.array_equal(log(values[::7]), whole[::7])
    assert np.array_equal(log(np.arange(1, 100)), log(np.arange(1.0, 100.0)))


def test_pinned_bits() -> None:
    """These bits must never change: maps depend on them."""
    pinned = ["0x1.193ea7aad030bp+0", "-0x1.26bb1bbb55515p+1", "-0x1.ba18a998fffa0p+3", "-0x1.015891c9eaef7p-2"]
    assert [float(log(value)).hex() for value in (3.0, 0.1, 1e-6, 7 / 9)] == pinned


# -- powers -----------------------------------------------------------------------------------------------------


def test_powers_are_accurate_to_twelve_digits() -> None:
    random = np.random.default_rng(4)
    bases = [*random.random(5_000), *np.exp(random.uniform(-80, 0, 5_000)), *(1 - random.random(2_000) * 1e-6)]
    for base, exponent in zip(bases, np.exp(random.uniform(-7, 4, len(bases))), strict=True):
        expected = float(base) ** float(exponent)
        # The error of the logarithm grows with the exponent.
        assert exact_power(base, exponent) == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_exact_powers() -> None:
    assert [exact_power(1.0, exponent) for exponent in (1e-300, 1.0, 1e300, math.inf)] == [1.0] * 4
    assert exact_power(0.5, 1.0) == pytest.approx(0.5, rel=1e-15)
    assert exact_power(0.5, 1e300) == exact_power(0.999, math.inf) == 0.0
    assert exact_power(5e-324, 1e-300) == pytest.approx(1.0, abs=1e-12)
    powers = [exact_power(base, 0.7) for base in np.linspace(1e-6, 1, 20_001).tolist()]
    assert all(power <= next_one <= 1.0 for power, next_one in pairwise(powers))


def test_pinned_bits_of_powers() -> None:
    """These bits must never change either."""
    pinned = [
        "0x1.70a3d70a3d708p-4",
        "0x1.279a74590331cp-1",
        "0x1.0fa3389d6eb43p-25",
        "0x1.788526411ed72p-2",
        "0x1.bb153d8cbc604p-2",
    ]
    given = [(0.3, 2.0), (1 / 3, 0.5), (1e-6, 1.25), (0.999, 1000.0), (7 / 9, 10 / 3)]
    assert [float(exact_power(base, exponent)).hex() for base, exponent in given] == pinned


# -- ranks -----------------------------------------------------------------------------------------------------------


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
