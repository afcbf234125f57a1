"""Fashion on a GPU, against `kernels.fashion`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import cuda
from numpy.typing import NDArray

from tests.gpu.conftest import choose_cases
from tilewright.generators.fashion import CAVERN, NEIGHBOURHOODS
from tilewright.kernels.bit_surveys import NUMBERS
from tilewright.kernels.fashion import Automaton
from tilewright.kernels.gpu.fashion import plan_fashion
from tilewright.kernels.gpu.fashion_large import LargeAutomaton
from tilewright.kernels.gpu.fashion_rules import make_rule, merge_ranks
from tilewright.kernels.gpu.groups import choose_group
from tilewright.kernels.random import ROW_SALT, fill_below, mix

Cells = NDArray[np.uint8]


class Case(NamedTuple):
    """Map and rule."""

    states: int
    width: int
    height: int
    neighbourhood: str = "plus"
    wrap: bool = True
    slices: bool = True
    """Whether two states may be updated as bits."""


SMALL = [
    Case(2, 9, 5),
    Case(2, 64, 2, "diagonal"),
    Case(2, 1, 1),
    Case(2, 7, 3, slices=False),
    Case(2, 6, 5, "all"),
    Case(2, 5, 4, "knight", wrap=False),
    Case(2, 4, 1, "knight"),
    Case(3, 8, 4, "hexagon"),
    Case(4, 10, 3, wrap=False),
    Case(6, 8, 5),
    Case(8, 5, 2),
]
LARGE = [
    Case(2, 64, 64),
    Case(2, 61, 33, "diagonal"),
    Case(2, 50, 301),
    Case(2, 64, 64, slices=False),
    Case(2, 62, 64, "knight", wrap=False),
    Case(3, 64, 1024),
    Case(4, 33, 64, wrap=False),
    Case(6, 64, 64),
    Case(6, 61, 63, wrap=False),
    Case(8, 64, 64),
]


def draw_scores(states: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw coarse scores, so that sums tie and round."""
    return rng.integers(0, 101, (states, states)) / 100


def run_cpu(cells: Cells, scores: NDArray[np.float64], case: Case, generations: int) -> Cells:
    automaton = Automaton(cells, scores, NEIGHBOURHOODS[case.neighbourhood], wrap=case.wrap)
    automaton.advance(generations)
    return automaton.cells


@pytest.mark.parametrize("case", choose_cases(SMALL, LARGE), ids=str)
def test_maps_are_those_of_the_cpu(case: Case, is_simulated: bool) -> None:
    rng = np.random.default_rng(case.width)
    count, generations = (2, 2) if is_simulated else (300, 20)
    for scores in [draw_scores(case.states, rng) for _ in range(1 if is_simulated else 5)]:
        rule = make_rule(scores, NEIGHBOURHOODS[case.neighbourhood], wrap=case.wrap)
        assert rule is not None
        keys = rng.integers(0, 2**64, (count, 2), dtype=np.uint64)
        group, size = choose_group(case.height), (case.height, case.width)
        launch = plan_fashion(rule, group, size, count=count, generations=generations, slices=case.slices)
        assert launch is not None
        planes = cuda.to_device(np.zeros((count, 3, case.height), dtype=np.uint64))
        shaping = cuda.to_device(np.zeros((0, 3), dtype=np.int64))
        job = (case.height, case.width, 1, -1, shaping, np.uint64(0))
        rows: list[NDArray[Any]] = [np.zeros((0, 4), dtype=np.int64), np.zeros((0, 2)), np.zeros(5)]
        words = [np.zeros(shape, dtype=np.uint64) for shape in ((2,), (0, 1), (0,))]
        tests = tuple(cuda.to_device(array) for array in [*rows, *words, np.zeros((0, 1))])
        out = (planes, cuda.device_array((0, NUMBERS), dtype=np.int32))
        launch.kernel[launch.shape](cuda.to_device(keys), launch.rule, job, tests, out)
        bits = (planes.copy_to_host()[..., None] >> np.arange(case.width, dtype=np.uint64)) & np.uint64(1)
        for key, map_bits in zip(keys[:, 0], bits, strict=True):
            start = np.empty((case.height, case.width), dtype=np.uint8)
            fill_below(int(mix.__wrapped__(key ^ ROW_SALT)), 0, 0, case.states, start)
            found = map_bits[0] | map_bits[1] << np.uint64(1) | map_bits[2] << np.uint64(2)
            assert (found == run_cpu(start, scores, case, generations)).all()


@pytest.mark.parametrize(
    "case",
    [
        Case(2, 67, 4, "diagonal"),
        Case(2, 64, 1),
        Case(2, 121, 35),
        Case(3, 10, 5),
        Case(4, 8, 9, wrap=False),
        Case(2, 131, 3, "knight", wrap=False),
        Case(6, 9, 70),
    ],
    ids=str,
)
def test_large_maps_are_those_of_the_cpu(case: Case, is_simulated: bool) -> None:
    rng = np.random.default_rng(case.width)
    scores = draw_scores(case.states, rng)
    rule = make_rule(scores, NEIGHBOURHOODS[case.neighbourhood], wrap=case.wrap)
    assert rule is not None
    for scale in (1,) if is_simulated else (1, 2, 9):
        cells = rng.integers(0, case.states, (scale * case.height, scale * case.width), dtype=np.uint8)
        automaton = LargeAutomaton(cells, rule)
        automaton.advance(2)
        assert (automaton.cells == run_cpu(cells, scores, case, 2)).all()


def test_rules_without_a_kernel() -> None:
    assert make_rule(np.eye(9), NEIGHBOURHOODS["plus"], wrap=True) is None
    assert make_rule(np.eye(6), NEIGHBOURHOODS["all"], wrap=True) is None
    assert make_rule(np.eye(2), [(3, 0)], wrap=True) is None
    rule = make_rule(np.eye(3), NEIGHBOURHOODS["plus"], wrap=True)
    assert rule is not None
    assert plan_fashion(rule, choose_group(5), (5, 3), count=1, generations=1) is None


def test_ranks_are_merged_where_the_state_is_the_same() -> None:
    ranks, states = np.array([1, 2, 3, 3, 4, 0, 5]), np.array([0, 0, 0, 1, 1, 0, 1])
    assert merge_ranks(ranks, states).tolist() == [1, 1, 2, 2, 3, 0, 3]
    rule = make_rule(np.array(CAVERN), NEIGHBOURHOODS["plus"], wrap=True)
    assert rule is not None
    assert int(rule.table.max()) >> 4 == 462
