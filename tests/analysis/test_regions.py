"""Regions against a plain flood fill."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.analysis.regions import Directions, neighbor_offsets, regions_of, regions_of_tiles

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=8))
some_directions = st.sampled_from([4, 8])


def flood_fill(mask: NDArray[np.bool_], directions: Directions) -> NDArray[np.int32]:
    """Return labels in reading order, by a simple flood fill."""
    labels = np.zeros(mask.shape, dtype=np.int32)
    for start in np.argwhere(mask).tolist():
        if labels[tuple(start)]:
            continue
        stack, number = [tuple(start)], labels.max() + 1
        while stack:
            cell = stack.pop()
            inside = all(0 <= part < side for part, side in zip(cell, mask.shape, strict=True))
            if inside and mask[cell] and not labels[cell]:
                labels[cell] = number
                stack += [tuple(np.add(cell, offset)) for offset in neighbor_offsets(mask.ndim, directions)]
    return labels


@given(masks, some_directions)
def test_regions_equal_those_of_a_flood_fill_in_reading_order(mask: NDArray[np.bool_], directions: Directions) -> None:
    found, plain = regions_of(mask, directions), flood_fill(mask, directions)
    assert np.array_equal(found.labels, plain)
    assert found.count == plain.max(initial=0)
    assert found.sizes.tolist() == [0, *(int((plain == number).sum()) for number in range(1, found.count + 1))]


@given(arrays(np.uint8, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 3)), some_directions)
def test_regions_of_tiles_hold_one_tile_each(cells: NDArray[np.uint8], directions: Directions) -> None:
    found = regions_of_tiles(cells, range(4), directions)
    assert (found.labels > 0).all()
    assert found.sizes.sum() == cells.size
    start = 0
    for tile in range(4):
        plain = flood_fill(cells == tile, directions)
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
