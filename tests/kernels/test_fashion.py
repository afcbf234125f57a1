"""The fashion kernel against a direct version of its definition, and against the published pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tests.cases import read_table
from tilewright.kernels.fashion import Automaton
from tilewright.testing import block_size

DEFAULT = [(0, 1), (0, -1), (-1, 0), (1, 0)]


class Case(NamedTuple):
    """Arguments of `update`."""

    cells: NDArray[np.uint8]
    scores: NDArray[np.float64]
    offsets: list[tuple[int, int]]
    wrap: bool
    locked: NDArray[np.bool_] | None
    second: NDArray[np.float64] | None
    blend: NDArray[np.float64] | None


def update(*arguments: Any, **settings: Any) -> NDArray[np.uint8]:
    """Return the next generation of a map."""
    automaton = Automaton(*arguments, **settings)
    automaton.advance()
    return automaton.cells


def plain_update(case: Case) -> list[list[int]]:
    """Compute the definition cell by cell."""
    cells: list[list[int]] = case.cells.tolist()
    scores: list[list[float]] = case.scores.tolist()
    height, width = case.cells.shape

    def neighbors(y: int, x: int) -> list[tuple[int, int]]:
        places = [(y + dy, x + dx) for dx, dy in case.offsets]
        if case.wrap:
            return [(v % height, u % width) for v, u in places]
        return [(v, u) for v, u in places if 0 <= v < height and 0 <= u < width]

    def term(y: int, x: int, own: int, other: int) -> float:
        if case.second is None or case.blend is None:
            return scores[own][other]
        t = float(case.blend[y, x])
        return (1 - t) * scores[own][other] + t * float(case.second[own, other])

    def score(y: int, x: int) -> float:
        total = 0.0
        for v, u in neighbors(y, x):
            total += term(y, x, cells[y][x], cells[v][u])
        return total

    def choose_state(y: int, x: int) -> int:
        best, state = score(y, x), cells[y][x]
        for v, u in neighbors(y, x):
            if score(v, u) > best:
                best, state = score(v, u), cells[v][u]
        return state

    locked = np.zeros(case.cells.shape, dtype=bool) if case.locked is None else case.locked
    return [[cells[y][x] if locked[y, x] else choose_state(y, x) for x in range(width)] for y in range(height)]


@some.composite
def cases(draw: some.DrawFn) -> Case:
    """Draw small maps with all options; scores are coarse, so that sums tie and round."""
    states = draw(some.sampled_from([2, 2, 3, 4, 5, 6, 10, 64]))
    shape = draw(some.tuples(some.integers(1, 9), some.integers(1, 9)))
    step = some.integers(-20, 20) | some.integers(-1, 1)
    rng = np.random.default_rng(draw(some.integers(0, 2**32)))
    unit = draw(some.sampled_from([1.0, 0.1, 0.3]))

    def matrix() -> NDArray[np.float64]:
        return unit * rng.integers(-3, 8, (states, states)).astype(np.float64)

    morphs = draw(some.booleans())
    return Case(
        cells=rng.integers(0, states, shape).astype(np.uint8),
        scores=matrix(),
        offsets=draw(some.just(DEFAULT) | some.lists(some.tuples(step, step), min_size=1, max_size=8)),
        wrap=draw(some.booleans()),
        locked=rng.random(shape) < 0.3 if draw(some.booleans()) else None,
        second=matrix() if morphs else None,
        blend=rng.integers(0, 11, shape) / 10 if morphs else None,
    )


@given(cases())
@settings(deadline=None, max_examples=400)
def test_one_generation_follows_the_definition(case: Case) -> None:
    assert update(**case._asdict()).tolist() == plain_update(case)


@given(cases())
@settings(deadline=None, max_examples=50)
def test_sums_and_tables_give_the_same_result(case: Case) -> None:
    """States that no cell has change nothing, although their scores are too many for a table."""
    states = len(case.scores)
    scores = np.arange(255.0 * 255).reshape(255, 255)
    scores[:states, :states] = case.scores
    second = None if case.second is None else np.pad(case.second, (0, 255 - states))
    summed = update(**case._replace(scores=scores, second=second)._asdict())
    assert update(**case._asdict()).tolist() == summed.tolist()


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize("states", [6, 64])
def test_many_generations_over_several_windows(states: int, wrap: bool) -> None:
    rng = np.random.default_rng(5)
    cells = rng.integers(0, states, (130, 700)).astype(np.uint8)
    scores = rng.random((states, states))
    whole, parts = Automaton(cells, scores, DEFAULT, wrap=wrap), cells
    for _ in range(3):
        whole.advance()
        with block_size(1000):
            parts = update(parts, scores, DEFAULT, wrap=wrap)
    assert np.array_equal(whole.cells, parts)


@given(cases(), some.integers(1, 10))
@settings(deadline=None, max_examples=100)
def test_block_size_changes_nothing(case: Case, rows: int) -> None:
    whole, blocks = Automaton(**case._asdict()), Automaton(**case._asdict())
    for _ in range(3):
        whole.advance()
        shares = list(blocks.run_generation(rows))
        assert shares == sorted(shares)
        assert all(0 < share < 1 for share in shares)
    assert whole.cells.tolist() == blocks.cells.tolist()


def test_cells_may_be_written_between_generations() -> None:
    automaton = Automaton(np.zeros((4, 5), dtype=np.uint8), [[1, 2], [3, 4]], DEFAULT)
    automaton.advance()
    assert not automaton.cells.any()
    automaton.cells[0, 0] = 1
    automaton.advance()
    assert automaton.cells.tolist() == [[1, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0] * 5, [1, 0, 0, 0, 0]]


def test_the_start_is_not_changed() -> None:
    cells = np.array([[0, 1, 1]], dtype=np.uint8)
    cells.flags.writeable = False
    assert update(cells, [[1, 2], [3, 4]], DEFAULT).tolist() == [[1, 1, 1]]
    assert cells.tolist() == [[0, 1, 1]]


def test_sums_may_overflow() -> None:
    assert update([[0, 1, 0, 0]], [[0.0, 0.0], [1e308, 1e308]], DEFAULT).tolist() == [[1, 1, 1, 0]]


@pytest.mark.parametrize(("change", "message"), read_table(__file__, "mistakes are named"))
def test_mistakes_are_named(change: dict[str, object], message: str) -> None:
    arguments = {"cells": [[0, 1]], "scores": [[1, 2], [3, 4]], "offsets": DEFAULT} | change
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the whole text is compared)
        update(**arguments)
    assert str(error.value) == message


def test_many_generations_at_once_are_the_same_as_one_by_one() -> None:
    random = np.random.default_rng(8)
    start = random.integers(0, 4, (30, 41)).astype(np.uint8)
    scores, second = random.random((4, 4)), random.random((4, 4))
    for more in ({}, {"wrap": False}, {"second": second, "blend": random.random(start.shape)}):
        at_once = Automaton(start, scores, [(0, 1), (0, -1), (-1, 0), (1, 0)], **more)
        one_by_one = Automaton(start, scores, [(0, 1), (0, -1), (-1, 0), (1, 0)], **more)
        at_once.advance(7)
        for _ in range(7):
            one_by_one.advance()
        assert np.array_equal(at_once.cells, one_by_one.cells)
