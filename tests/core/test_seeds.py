"""Random streams: the same numbers in Python, numpy and kernels, pinned by tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright import InvalidRecipe
from tilewright.core.seeds import Rng, read_seed
from tilewright.kernels import kernel
from tilewright.kernels.random import below, bits, fill_below, fill_chance, random
from tilewright.kernels.types import Float64_1D, Int64_1D, Uint64_1D


@kernel
def draws(state: Uint64_1D, raw: Uint64_1D, floats: Float64_1D, whole: Int64_1D, limit: int) -> None:
    for i in range(raw.size):
        raw[i] = bits(state)
        floats[i] = random(state)
        whole[i] = below(state, limit)


def test_the_stream_is_pinned() -> None:
    rng = Rng.of(7)
    assert [rng.bits() for _ in range(3)] == PINNED_BITS
    assert Rng.of(7).child("caves").key.hex() == PINNED_CHILD
    assert np.allclose(Rng.of(7).cells((2, 2)).ravel(), PINNED_CELLS, rtol=0, atol=0)


@given(st.text(min_size=1), st.integers(1, 1 << 32))
def test_python_numpy_and_kernels_agree(seed: str, limit: int) -> None:
    plain, compiled = Rng.of(seed), Rng.of(seed)
    raw, floats, whole = np.zeros(20, np.uint64), np.zeros(20), np.zeros(20, np.int64)
    draws(compiled.state, raw, floats, whole, limit)
    for number in range(20):
        assert plain.bits() == raw[number]
        assert plain.random() == floats[number]
        assert plain.below(limit) == whole[number]
    assert np.array_equal(plain.state, compiled.state)
    many, one = Rng.of(seed), Rng.of(seed)
    assert many.randoms(9).tolist() == [one.random() for _ in range(9)]
    assert many.bits() == one.bits()


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.integers(1, 64), st.floats(0, 1))
def test_cell_fields_agree_and_depend_on_position_alone(x: int, y: int, limit: int, chance: float) -> None:
    rng = Rng.of("field")
    whole = rng.cells((6, 9), (y, x))
    assert np.array_equal(whole[2:5, 3:7], rng.cells((3, 4), (y + 2, x + 3)))
    assert np.array_equal(whole, rng.cells((1, 6, 9), (0, y, x))[0])
    out = np.zeros((6, 9), np.uint8)
    fill_below(rng.level_key(), y, x, limit, out)
    assert np.array_equal(out, np.floor(whole * limit).astype(np.uint8))
    fill_chance(rng.level_key(), y, x, chance, out)
    assert np.array_equal(out, whole < chance)
    levels = rng.cells((3, 6, 9), (x, y, x))
    for number, level in enumerate(levels):
        fill_chance(rng.level_key(x + number), y, x, chance, out)
        assert np.array_equal(out, level < chance)


def test_the_world_has_no_edge() -> None:
    rng = Rng.of("field")
    whole = rng.cells((3, 6), (2**63 - 2, -(2**63) - 3))
    assert np.array_equal(whole[1:, 2:], rng.cells((2, 4), (2**63 - 1, -(2**63) - 1)))
    assert np.array_equal(whole, rng.cells((3, 6), (2**63 - 2 - 2**64, 2**63 - 3)))
    assert rng.level_key(-3) == rng.level_key(2**64 - 3)
    out = np.zeros((2, 4), np.uint8)
    fill_below(rng.level_key(-3), -(2**63), 2**63 - 2, 64, out)
    assert np.array_equal(out, np.floor(rng.cells((1, 2, 4), (-3, -(2**63), 2**63 - 2))[0] * 64))


def test_numbers_are_uniform() -> None:
    cells = Rng.of(1).cells((400, 500))
    counts = np.histogram(cells, bins=50, range=(0, 1))[0]
    expected = cells.size / 50
    assert ((counts - expected) ** 2 / expected).sum() < 100  # chi-squared with 49 degrees of freedom
    for shifted in (cells[1:, :], cells[:, 1:]):
        base = cells[: shifted.shape[0], : shifted.shape[1]]
        assert abs(np.corrcoef(base.ravel(), shifted.ravel())[0, 1]) < 0.01


def test_children_do_not_depend_on_draws_nor_on_each_other() -> None:
    rng = Rng.of("parent")
    before = rng.child("part", 1).bits()
    rng.bits()
    assert rng.child("part", 1).bits() == before
    assert len({rng.child(name, number).bits() for name in ("a", "b") for number in range(50)}) == 100


def test_choices_are_fair_and_ordered() -> None:
    rng = Rng.of(3)
    assert sorted(rng.shuffle(range(20))) == list(range(20))
    drawn = [rng.weighted_index([1, 0, 3]) for _ in range(4000)]
    assert drawn.count(1) == 0
    assert 850 < drawn.count(0) < 1150
    assert {rng.between(2, 4) for _ in range(100)} == {2, 3, 4}


def test_weights_are_added_one_by_one() -> None:
    weights = [1e16, 1.0, 1.0, 1.0, 1.0]  # sum() gives 1e16 before Python 3.12 and 1e16 + 4 after
    total, mark = 1e16, Rng.of(5).random()
    expected = 0 if mark * total < 1e16 else 4
    assert Rng.of(5).weighted_index(weights) == expected
    for wrong in ([1, -1], [float("nan")], [float("inf")], [0, 0.0], [], [1e308, 1e308]):
        with pytest.raises(ValueError, match="weights must"):
            Rng.of(5).weighted_index(wrong)


def test_seeds_are_read() -> None:
    assert read_seed(7) == read_seed("7") == read_seed(np.int64(7)) == "7"
    assert int(read_seed(None)) < 10**9
    assert read_seed("x" * 1000) == "x" * 1000
    for wrong in (True, 1.5, "", [1], "\ud800", 10**5000, 10**1000, "x" * 1001):
        with pytest.raises(InvalidRecipe, match="seed") as caught:
            read_seed(wrong)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 200


PINNED_BITS = [5503856210025290566, 3765660100534742104, 1365090640784606233]
PINNED_CHILD = "0cde679b9baa50cb2bb16788b0334e2d"
PINNED_CELLS = [0.8952783878729519, 0.757365972641695, 0.9750796356226574, 0.773852717973728]
