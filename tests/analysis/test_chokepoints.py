"""Chokepoints disconnect their region, other cells do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import tilewright as tw
from tilewright.analysis.chokepoints import chokepoints
from tilewright.analysis.regions import Directions, regions_of

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=7), elements=some.sampled_from([1, 1, 1, 0]))


@given(masks, some.sampled_from([4, 8]))
def test_removing_a_chokepoint_increases_the_number_of_regions(mask: NDArray[np.bool_], directions: Directions) -> None:
    count = regions_of(mask, directions).count
    plain = np.zeros_like(mask)
    for cell in map(tuple, np.argwhere(mask).tolist()):
        without = mask.copy()
        without[cell] = False
        plain[cell] = regions_of(without, directions).count > count
    assert np.array_equal(chokepoints(mask, directions=directions), plain)


def test_chokepoints_of_a_map() -> None:
    cave = tw.make("caves", width=40, height=30, seed=3)
    assert np.array_equal(chokepoints(cave), chokepoints(cave.passable))
    assert not (chokepoints(cave) & ~cave.passable).any()


def test_longest_corridor_does_not_overflow_the_stack() -> None:
    snake = np.zeros((301, 300), dtype=np.bool_)
    snake[::2] = True
    snake[1::4, -1] = snake[3::4, 0] = True
    assert chokepoints(snake).sum() == snake.sum() - 2


def test_directions_are_4_or_8() -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"^directions: must be 4 or 8, got 6$"):
        chokepoints(np.ones((2, 2), dtype=np.bool_), directions=6)  # type: ignore[arg-type]
