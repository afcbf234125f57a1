"""Behaviors of fashion automata, against a direct update of complete maps."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.cases import read_table
from tilewright.core.errors import InvalidRecipe, TooLarge
from tilewright.generators._fashion import behaviour
from tilewright.generators._fashion.behaviour import (
    VON_NEUMANN,
    Score,
    behave_alike,
    behaviour_grid,
    behaviour_id,
    normal_form,
)
from tilewright.testing import block_size

MOORE = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))
ROW = ((-1, 0), (1, 0))
KNIGHT = ((1, 2), (-2, 1))
Flat = Sequence[float]

larger = st.sampled_from([2, 3]).flatmap(lambda n: st.lists(st.integers(-4, 4), min_size=n * n, max_size=n * n))
eighths = st.lists(st.integers(-400, 400).map(lambda k: k / 8), min_size=4, max_size=4)
decimals = st.decimals(-1000, 1000, places=4)


def update(cells: NDArray[np.int64], scores: Flat, offsets: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Compute one generation on a torus directly."""
    states = round(len(scores) ** 0.5)
    height, width = cells.shape
    total = {}
    for y, x in np.ndindex(height, width):
        total[y, x] = 0.0
        for dx, dy in offsets:
            total[y, x] += scores[cells[y, x] * states + cells[(y + dy) % height, (x + dx) % width]]
    out = cells.copy()
    for y, x in np.ndindex(height, width):
        best = total[y, x]
        for dx, dy in offsets:
            there = (y + dy) % height, (x + dx) % width
            if total[there] > best:
                best, out[y, x] = total[there], cells[there]
    return out


def middles(scores: Flat, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the next state of the middle of every 5 x 5 map whose cells outside the situation are 0."""
    states = round(len(scores) ** 0.5)
    reach = ((0, 0), *offsets)
    cells = sorted({(2 + b + d, 2 + a + c) for a, b in reach for c, d in reach})
    out = []
    for filling in product(range(states), repeat=len(cells)):
        field = np.zeros((5, 5), dtype=np.int64)
        field[tuple(np.transpose(cells))] = filling
        out.append(int(update(field, scores, offsets)[2, 2]))
    return out


def rank_table(scores: Flat) -> tuple[int, ...]:
    """Return the ranks of all neighborhood scores, computed directly."""
    states = round(len(scores) ** 0.5)
    sums = [
        sum(scores[own * states + other] for other in others)
        for own in range(states)
        for others in product(range(states), repeat=4)
    ]
    order = sorted(set(sums))
    return tuple(order.index(value) for value in sums)


def test_rank_tables_are_sufficient_and_not_necessary() -> None:
    rng = np.random.default_rng(7)
    drawn = [tuple(row) for row in rng.integers(0, 13, (1000, 4)).tolist()]
    ids = {scores: behaviour_id(scores) for scores in drawn}
    tables = {scores: rank_table(scores) for scores in drawn}
    pairs = set(zip(tables.values(), ids.values(), strict=True))
    assert len(pairs) == len(set(tables.values())), "equal rank tables, different behaviors"
    assert len(set(tables.values())) > 1.2 * len(set(ids.values()))


@pytest.mark.parametrize("offsets", [ROW, ((0, 1), (1, 0)), ((1, 0),), ((1, 0), (1, 0), (0, 0))])
@pytest.mark.parametrize("states", [2, 3])
def test_equal_exactly_when_every_situation_has_the_same_outcome(
    offsets: tuple[tuple[int, int], ...], states: int
) -> None:
    rng = np.random.default_rng(2)
    drawn = rng.integers(0, 6 - states, (60 if states == 2 else 12, states * states)).tolist()
    drawn += [[2 * score + 1 for score in drawn[0]]]
    outcomes = [tuple(middles(scores, offsets)) for scores in drawn]
    ids = [behaviour_id(scores, offsets) for scores in drawn]
    assert len(set(outcomes)) == len(set(ids)) == len(set(zip(outcomes, ids, strict=True))) < len(drawn)
    assert all(
        behave_alike(drawn[0], b, offsets) is (outcome == outcomes[0])
        for b, outcome in zip(drawn, outcomes, strict=True)
    )


@pytest.mark.parametrize("offsets", [VON_NEUMANN, KNIGHT, ((0, 1), (0, 1), (1, 0)), ((0, 0), (1, 0))])
@pytest.mark.parametrize("situations", [behaviour.MAX_SITUATIONS, 0])
def test_equal_ids_update_maps_alike(offsets: tuple[tuple[int, int], ...], situations: int) -> None:
    rng = np.random.default_rng(3)
    first: dict[str, list[int]] = {}
    pair_count = 0
    for scores in rng.integers(0, 5, (120, 4)).tolist():
        other = first.setdefault(behaviour_id(scores, offsets, situations=situations), scores)
        if other != scores:
            pair_count += 1
            cells = rng.integers(0, 2, (7, 9))
            assert np.array_equal(update(cells, scores, offsets), update(cells, other, offsets))
    assert pair_count > 10


def test_different_ids_differ_on_some_map() -> None:
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 2, (60, 60))
    examples = {behaviour_id(scores): scores for scores in rng.integers(0, 4, (40, 4)).tolist()}
    # 3,600 random cells contain only some of the 8,192 situations; further maps test the rest.
    seen: dict[bytes, list[int]] = {}
    for scores in examples.values():
        other = seen.setdefault(update(cells, scores, VON_NEUMANN).tobytes(), scores)
        if other is not scores:
            maps = (rng.integers(0, 2, (60, 60)) for _ in range(20))
            assert any(not np.array_equal(update(m, scores, VON_NEUMANN), update(m, other, VON_NEUMANN)) for m in maps)


@settings(max_examples=60, deadline=None)
@given(a=larger, b=larger)
def test_equal_by_pairs_is_equal_by_situations(a: list[int], b: list[int]) -> None:
    if behave_alike(a, b, ROW, situations=0):
        assert behave_alike(a, b, ROW)


def test_pairs_decide_every_contest() -> None:
    """Compare the nested counts with a list of all pairs that can meet, on a row of cells."""

    def contests(scores: Flat) -> list[bool]:
        out = []
        # Contenders in order of priority: the middle of five cells, its left and its right neighbor.
        for (first, second), cells in product([(2, 1), (2, 3), (1, 3)], product((0, 1), repeat=5)):
            if cells[first] != cells[second]:
                a, b = (
                    scores[cells[i] * 2 + cells[i - 1]] + scores[cells[i] * 2 + cells[i + 1]] for i in (first, second)
                )
                out.append(b > a)
        return out

    drawn = np.random.default_rng(11).integers(0, 6, (300, 4)).tolist()
    by_list = [tuple(contests(scores)) for scores in drawn]
    by_count = [behaviour_id(scores, ROW, situations=0) for scores in drawn]
    assert len(set(by_list)) == len(set(by_count)) == len(set(zip(by_list, by_count, strict=True)))


@pytest.mark.parametrize("situations", [behaviour.MAX_SITUATIONS, 0])
def test_the_block_size_changes_nothing(situations: int) -> None:
    before = behaviour_id([0, 5, 2, 1], situations=situations)
    with block_size(16):
        assert behaviour_id([0, 5, 2, 1], situations=situations) == before


@settings(deadline=None)
@given(scores=eighths, constant=st.integers(-64, 64), power=st.integers(-6, 6), situations=st.sampled_from([0, 2**13]))
def test_dyadic_constants_and_factors_change_nothing(
    scores: list[float], constant: int, power: int, situations: int
) -> None:
    moved = [(score + constant / 4) * 2.0**power for score in scores]
    assert behaviour_id(scores, situations=situations) == behaviour_id(moved, situations=situations)


@settings(deadline=None)
@given(
    scores=st.lists(decimals, min_size=4, max_size=4),
    constant=decimals,
    factor=st.decimals("0.0001", 1000, places=4),
)
def test_exact_ids_and_forms_keep_under_any_constant_and_factor(
    scores: list[Decimal], constant: Decimal, factor: Decimal
) -> None:
    moved = [str((score + constant) * factor) for score in scores]
    assert behaviour_id(scores, exact=True) == behaviour_id(moved, exact=True)
    assert normal_form(scores) == normal_form(moved)


def test_float_and_exact_ties_differ() -> None:
    # In floats 0.1 + 0.2 + 0.1 + 0.2 is more than 0.3 + 0.3 + 0 + 0.
    tenths, whole = ["0.1", "0.2", "0.3", "0"], [1, 2, 3, 0]
    assert behave_alike(tenths, whole, exact=True)
    assert not behave_alike(tenths, whole)


def test_exact_sums_do_not_overflow() -> None:
    huge = ["1e300", "3e-300", "2e-300", "0"]
    assert behave_alike(huge, ["1e301", "3e-299", "2e-299", "0"], exact=True)
    assert not behave_alike(huge, ["1e300", "0", "0", "0"], exact=True)
    assert behaviour_id([1.7e308, 1.7e308, 0, 0])  # Infinite sums are ties, not warnings.


def test_flat_nested_text_and_arrays_are_one() -> None:
    ids = {
        behaviour_id([1, 2, 3, 4]),
        behaviour_id([[1, 2], [3, 4]]),
        behaviour_id(["1", "2.0", "3", "4e0"]),
        behaviour_id(np.array([[1.0, 2.0], [3.0, 4.0]])),
    }
    assert len(ids) == 1


def test_ids_belong_to_states_and_offsets() -> None:
    assert behaviour_id([1, 2, 3, 4]) != behaviour_id([1, 2, 3, 4], VON_NEUMANN[::-1])
    assert not behave_alike([0] * 4, [0] * 9)


def test_methods_follow_the_size() -> None:
    assert behaviour_id(np.arange(9)).startswith("situations-")
    assert behaviour_id(np.arange(25)).startswith("pairs-")
    assert behaviour_id([0, 1, 2, 4], MOORE, situations=2**20).startswith("pairs-")


@settings(max_examples=30)
@given(scores=st.lists(st.integers(-9, 9), min_size=9, max_size=9), order=st.permutations(range(3)))
def test_relabelling_keeps_the_form(scores: list[int], order: list[int]) -> None:
    renamed = [scores[own * 3 + other] for own in order for other in order]
    form = normal_form(scores, relabel=True)
    assert form == normal_form(renamed, relabel=True)
    assert min(map(min, form)) == 0
    assert np.gcd.reduce(np.ravel(form)) in (0, 1)


def test_normal_forms() -> None:
    assert normal_form([7, 7, 7, 7]) == ((0, 0), (0, 0))
    assert normal_form([0.1, 0.2, 0.3, 0.5]) == ((0, 1), (2, 4))
    mixed: list[Score] = ["-1e-3", 0, 1, "0.5"]
    assert normal_form(mixed) == ((0, 1), (1001, 501))
    assert len(normal_form(np.arange(81))) == 9


@pytest.mark.parametrize("exact", [False, True])
def test_a_grid_is_the_ids_of_its_matrices(exact: bool) -> None:
    grid = behaviour_grid(("x", 0, "0.7", "y"), x=(-1, 1), y=(2, "-0.1"), steps=(9, 8), exact=exact)
    assert grid.numbers.shape == (8, 9)
    assert grid.x.tolist() == [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]
    assert grid.y.tolist() == [2, 1.7, 1.4, 1.1, 0.8, 0.5, 0.2, -0.1]
    for (y, x), number in zip(product(grid.y, grid.x), grid.numbers.ravel(), strict=True):
        assert grid.ids[number] == behaviour_id([x, 0, 0.7, y], exact=exact)
    assert list(dict.fromkeys(grid.numbers.ravel().tolist())) == list(range(len(grid.ids)))


def test_a_grid_takes_rows_other_offsets_and_single_steps() -> None:
    assert behaviour_grid(((0, "x"), ("y", 1)), steps=1, offsets=ROW).numbers.tolist() == [[0]]
    grid = behaviour_grid(steps=4, offsets=MOORE, situations=0)
    assert all(name.startswith("pairs-") for name in grid.ids)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        *read_table(__file__, "bad scores"),
        ([1, 2, 3, 10**500], "scores: must be finite numbers of at most 400 digits"),
    ],
)
def test_bad_scores(scores: list[float], message: str) -> None:
    for read in (behaviour_id, normal_form):
        with pytest.raises(InvalidRecipe) as error:
            read(scores)
        assert str(error.value).startswith(message)


@pytest.mark.parametrize("offsets", [[(1, 2, 3)], [1, 2], [(0.5, 1)], ["ab"]])
def test_bad_offsets(offsets: list[tuple[int, int]]) -> None:
    with pytest.raises(InvalidRecipe, match="offsets: must be pairs of integers"):
        behaviour_id([1, 2, 3, 4], offsets)


def test_bad_grids() -> None:
    with pytest.raises(InvalidRecipe, match="steps: must be at least 1 and, with 4 offsets, at most 1,048,576"):
        behaviour_grid(steps=(0, 5))
    with pytest.raises(InvalidRecipe, match="got 5000"):
        behaviour_grid(steps=5000)
    with pytest.raises(InvalidRecipe, match='one of them "x" and one "y"'):
        behaviour_grid((0, "x", "x", 1))
    with pytest.raises(TooLarge, match=r"rank tables with 33,554,432 situations each.* situations=0"):
        behaviour_grid(steps=30, offsets=MOORE)


def test_what_is_too_large_says_how_large() -> None:
    with pytest.raises(TooLarge, match=r"30 states with 4 offsets make 30\^5 neighborhoods"):
        behaviour_id(np.arange(900))
    with pytest.raises(TooLarge, match=r"16\^13 situations and [\d,]+ meetings; at most 67,108,864"):
        behaviour_id(np.arange(256))
    with pytest.raises(TooLarge, match=r"must have at most 8 states, got 9 with 362,880 permutations"):
        normal_form(np.arange(81), relabel=True)
    # Equal rank tables need no comparison.
    assert behave_alike(np.arange(256), np.arange(256) * 2)
