"""Outlines against the edges of cells, one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plain import find_edges, list_unit_edges
from tilewright.formats.uvtt import move_out, trace_loops


def masks() -> list[NDArray[np.bool_]]:
    random = np.random.default_rng(19)
    fractions = (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)
    return [
        random.random(random.integers(1, 14, 2).tolist()) < fractions[number % len(fractions)] for number in range(1000)
    ]


def test_loops_are_the_edges_of_cells() -> None:
    for mask in masks():
        loops = trace_loops(mask)
        edges = Counter(edge for loop in loops for edge in list_unit_edges(loop.tolist()))
        assert set(edges) == find_edges(mask)
        assert set(edges.values()) <= {1}


def test_loops_have_corners_only_and_different_starts() -> None:
    for mask in masks():
        loops = trace_loops(mask)
        for loop in loops:
            assert len(loop) >= 4
            steps = np.sign(np.roll(loop, -1, axis=0) - loop)
            assert ((steps * np.roll(steps, 1, axis=0)).sum(axis=1) == 0).all(), "a joint is straight"
        # Foundry's importer joins loops with a common start by a line without length.
        assert len({tuple(loop[0].tolist()) for loop in loops}) == len(loops)


def test_open_cells_are_on_the_right() -> None:
    for mask in masks()[:200]:
        padded = np.pad(mask, 1)
        for loop in trace_loops(mask):
            for (x, y), (next_x, next_y) in zip(loop.tolist(), np.roll(loop, -1, axis=0).tolist(), strict=True):
                step_x, step_y = np.sign(next_x - x), np.sign(next_y - y)
                # The middle of the first unit of the line, and half a cell to each side.
                right = padded[int(y + step_y / 2 + step_x / 2 + 1), int(x + step_x / 2 - step_y / 2 + 1)]
                left = padded[int(y + step_y / 2 - step_x / 2 + 1), int(x + step_x / 2 + step_y / 2 + 1)]
                assert right
                assert not left


def test_cells_that_touch_at_a_corner_have_separate_loops() -> None:
    loops = trace_loops(np.array([[True, False], [False, True]]))
    assert [loop.tolist() for loop in loops] == [
        [[0, 0], [1, 0], [1, 1], [0, 1]],
        [[1, 1], [2, 1], [2, 2], [1, 2]],
    ]
    assert trace_loops(np.zeros((3, 4), dtype=np.bool_)) == []


@pytest.mark.parametrize("distance", [0.1, 0.3])
def test_moved_loops_enclose_the_same_cells(distance: float) -> None:
    for mask in masks()[:200]:
        height, width = mask.shape
        loops = trace_loops(mask)
        for loop, moved in zip(loops, move_out(loops, distance, width, height), strict=True):
            lengths = np.abs(np.roll(moved, -1, axis=0) - moved)
            assert (lengths.min(axis=1) == 0).all(), "a line is oblique"
            assert (lengths.max(axis=1) >= 1 - 2 * distance - 1e-9).all()
            assert (moved >= 0).all()
            assert (moved <= [width, height]).all()
            inside = (loop > 0) & (loop < [width, height])
            assert np.allclose(np.abs(moved - loop)[inside], distance)
            assert (moved == loop)[~inside].all()
            # Twice the signed area grows, because the open cells are on the right.
            areas = [
                np.dot(one[:, 0], np.roll(one[:, 1], -1)) - np.dot(one[:, 1], np.roll(one[:, 0], -1))
                for one in (loop, moved)
            ]
            assert areas[1] >= areas[0]
