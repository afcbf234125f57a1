"""Labeling of regions against a direct implementation, for any neighborhood."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import ndimage

from tests.plain import find_regions
from tilewright.kernels.flood import BLOCKED, add_opposites, label_regions
from tilewright.testing import block_size

Offset = tuple[int, ...]


@some.composite
def cases(draw: some.DrawFn) -> tuple[NDArray[np.bool_], list[Offset]]:
    axes = draw(some.sampled_from([2, 2, 2, 3]))
    shape = draw(some.lists(some.integers(1, 12 if axes == 2 else 5), min_size=axes, max_size=axes))
    step = some.integers(-2, 2) | some.integers(-15, 15)
    offsets = draw(some.lists(some.tuples(*([step] * axes)).filter(any), min_size=1, max_size=6))
    random = np.random.default_rng(draw(some.integers(0, 2**32)))
    return random.random(shape) < draw(some.sampled_from([0.1, 0.4, 0.6, 0.9, 1])), offsets


@given(cases())
@settings(max_examples=400)
def test_regions_are_numbered_in_reading_order(case: tuple[NDArray[np.bool_], list[Offset]]) -> None:
    mask, offsets = case
    both = add_opposites(offsets)
    found = label_regions(mask, both)
    parts = find_regions(map(tuple, np.argwhere(mask).tolist()), both.tolist())
    labels = np.full(mask.shape, BLOCKED, dtype=np.int32)
    for number, part in enumerate(parts, 1):
        labels[tuple(np.transpose([*part]))] = number
    assert np.array_equal(found.cells, labels)
    assert found.count == len(parts)
    sizes = [len(part) for part in parts]
    assert found.largest == (sizes.index(max(sizes)) + 1 if sizes else 0)


@pytest.mark.parametrize("directions", [4, 8])
def test_equals_scipy(directions: int) -> None:
    structure = ndimage.generate_binary_structure(2, directions // 4)
    offsets = np.argwhere(structure) - 1
    for seed in range(40):
        random = np.random.default_rng(seed)
        mask = random.random(random.integers(1, 60, 2)) < random.random()
        labels, count = ndimage.label(mask, structure)
        found = label_regions(mask, add_opposites(offsets))
        assert found.count == count
        assert np.array_equal(np.maximum(found.cells, 0), labels)


@pytest.mark.parametrize("block", [1, 2, 7, 1000])
def test_the_size_of_a_block_changes_nothing(block: int) -> None:
    mask = np.random.default_rng(3).random((40, 50)) < 0.55
    offsets = add_opposites([(0, 1), (1, 0), (3, -7)])
    whole = label_regions(mask, offsets)
    with block_size(block):
        in_blocks = label_regions(mask, offsets)
    assert np.array_equal(whole.cells, in_blocks.cells)
    assert (whole.count, whole.largest) == (in_blocks.count, in_blocks.largest)


def test_neighbors_count_in_both_directions_and_once() -> None:
    assert add_opposites([(0, 1), (0, 0), (0, -1), (2, -1), (0, 1)]).tolist() == [[0, 1], [0, -1], [2, -1], [-2, 1]]


def test_one_large_region_needs_no_recursion() -> None:
    found = label_regions(np.ones((1500, 1500), dtype=bool), add_opposites([(0, 1), (1, 0)]))
    assert found.count == 1
    assert (found.cells == 1).all()
