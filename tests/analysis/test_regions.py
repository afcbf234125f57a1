"""Regions have the labels of SciPy, in reading order; and chokepoints of whole maps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import ndimage

import tilewright as tw
from tilewright.analysis.chokepoints import chokepoints
from tilewright.analysis.regions import Directions, neighbor_offsets, regions_of, regions_of_tiles

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=8))
some_directions = st.sampled_from([4, 8])


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("directions", [4, 8])
def test_labels_equal_those_of_scipy(axes: int, directions: Directions) -> None:
    structure = ndimage.generate_binary_structure(axes, 1 if directions == 4 else axes)
    for seed in range(1000):
        random = np.random.default_rng(seed)
        mask = random.random(random.integers(1, 16 if axes == 2 else 8, axes)) < random.random()
        expected, count = ndimage.label(mask, structure)
        found = regions_of(mask, directions)
        assert found.labels.dtype == np.int32
        assert np.array_equal(found.labels, expected), seed
        assert found.sizes.tolist() == [0, *np.bincount(expected.reshape(-1), minlength=count + 1)[1:]], seed


def test_spirals_and_combs_merge_many_labels() -> None:
    comb = np.zeros((400, 401), dtype=np.bool_)
    comb[:, ::2] = True
    assert regions_of(comb).count == 201
    comb[-1] = True
    assert regions_of(comb).sizes.tolist() == [0, int(comb.sum())]
    assert regions_of(comb[::-1].T.copy()).count == 1


def test_views_and_read_only_masks() -> None:
    mask = np.random.default_rng(1).random((40, 60)) < 0.5
    expected = regions_of(mask[::2, ::-3].copy())
    mask.flags.writeable = False
    found = regions_of(mask[::2, ::-3])
    assert np.array_equal(found.labels, expected.labels)
    assert regions_of(mask).count == ndimage.label(mask)[1]


@given(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 3)), some_directions)
def test_regions_of_tiles_hold_one_tile_each(cells: NDArray[np.uint8], directions: Directions) -> None:
    found = regions_of_tiles(cells, range(4), directions)
    assert (found.labels > 0).all()
    assert found.sizes.sum() == cells.size
    start = 0
    for tile in range(4):
        plain = regions_of(cells == tile, directions).labels
        assert np.array_equal(np.where(cells == tile, found.labels - start, 0), plain)
        start += plain.max(initial=0)


@given(masks, st.integers(0, 5))
def test_kept_regions_are_renumbered(mask: NDArray[np.bool_], min_size: int) -> None:
    found = regions_of(mask)
    large = np.flatnonzero(found.sizes >= min_size)
    kept = found.keep(large)
    assert np.array_equal(kept.labels > 0, found.mask(large))
    assert kept.sizes.tolist() == [0, *(size for size in found.sizes[1:].tolist() if size >= min_size)]
    assert kept.sizes.tolist() == [0, *np.bincount(kept.labels.reshape(-1), minlength=kept.count + 1)[1:]]


def test_ranking_by_size_then_by_number() -> None:
    found = regions_of(np.array([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0]], dtype=bool))
    assert found.rank().tolist() == [2, 4, 1, 3, 5]


@pytest.mark.parametrize(("dimensions", "directions", "count"), [(2, 4, 4), (2, 8, 8), (3, 4, 6), (3, 8, 26)])
def test_neighbor_offsets(dimensions: int, directions: Directions, count: int) -> None:
    offsets = neighbor_offsets(dimensions, directions).tolist()
    assert len(offsets) == count
    assert offsets == sorted(offsets, key=lambda offset: (sum(map(abs, offset)), offset))
    assert all([-part for part in offset] in offsets for offset in offsets)


# -- chokepoints -----------------------------------------------------------------------------------------------------


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
