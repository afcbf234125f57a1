"""Bridges against a search from every region separately, and a spanning tree over all distances."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.plain import join_pairs
from tilewright.kernels.bridges import Waves, build_labeled_map, spread_waves_by_row
from tilewright.kernels.flood import FREE, UNLABELED, LabeledMap
from tilewright.testing import block_size

FOUR = [(-1, 0), (0, -1), (0, 1), (1, 0)]
EIGHT = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
KNIGHT = [(y, x) for y in (-2, -1, 1, 2) for x in (-2, -1, 1, 2) if abs(y) != abs(x)]
SIX = [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 0, 1), (0, 1, 0), (1, 0, 0)]

Offsets = Sequence[tuple[int, ...]]


def steps_from(part: int, parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: Offsets) -> dict[int, int]:
    """Return the number of cells to dig from one region to each other one, without crossing a third."""
    seen = {tuple(cell): 0 for cell in np.argwhere(parts == part).tolist()}
    queue = deque(seen)
    found: dict[int, int] = {}
    while queue:
        cell = queue.popleft()
        for offset in offsets:
            near = tuple(a + b for a, b in zip(cell, offset, strict=True))
            if near in seen or not all(0 <= a < side for a, side in zip(near, parts.shape, strict=True)):
                continue
            if parts[near]:
                found.setdefault(int(parts[near]), seen[cell])
            elif walkable[near]:
                seen[near] = seen[cell] + 1
                queue.append(near)
    return found


def plain_length(parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: Offsets) -> tuple[int, int]:
    """Return the number of bridges needed, and the total number of cells to dig."""
    paths = sorted(
        (steps, part, other)
        for part in range(1, parts.max() + 1)
        for other, steps in steps_from(part, parts, walkable, offsets).items()
    )
    tree: list[tuple[int, int]] = []
    total = 0
    for steps, part, other in paths:
        groups = join_pairs(parts.max() + 1, tree)
        if groups[part] != groups[other]:
            tree.append((part, other))
            total += steps
    return len(tree), total


def spread(parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: Offsets) -> Waves:
    waves = Waves(build_labeled_map(parts, walkable, np.array(offsets)))
    for _ in waves.spread():
        pass
    return waves


@pytest.mark.parametrize("offsets", [FOUR, EIGHT, KNIGHT, SIX], ids=["four", "eight", "knight", "six"])
def test_bridges_are_as_few_and_as_short_as_possible(offsets: Offsets) -> None:
    dimensions = len(offsets[0])
    for seed in range(150):
        random = np.random.default_rng(seed)
        shape = tuple(random.integers(1, 12 if dimensions == 2 else 6, dimensions))
        parts = np.zeros(shape, dtype=np.int32)
        places = random.permutation(parts.size)[: random.integers(1, 9)]
        parts.reshape(-1)[places] = np.arange(1, places.size + 1)
        walkable = random.random(shape) < 0.8
        waves = spread(parts, walkable, offsets)
        found = waves.find_bridges()
        length = int(waves.distance[found].sum())
        assert (len(found), length) == plain_length(parts, walkable, offsets)
        waves.dig(found)
        assert waves.marked.sum() <= length
        assert not (waves.marked.astype(bool) & ((parts > 0) | ~walkable)).any()


def test_the_size_of_a_block_changes_nothing() -> None:
    random = np.random.default_rng(7)
    parts = np.where(random.random((40, 60)) < 0.02, np.arange(1, 2401).reshape(40, 60), 0).astype(np.int32)
    whole = spread(parts, np.ones(parts.shape, dtype=bool), FOUR)
    with block_size(1):
        single = spread(parts, np.ones(parts.shape, dtype=bool), FOUR)
    assert np.array_equal(whole.find_bridges(), single.find_bridges())


def test_nothing_to_join() -> None:
    for parts in (np.zeros((3, 4), dtype=np.int32), np.ones((3, 4), dtype=np.int32)):
        assert spread(parts, np.ones((3, 4), dtype=bool), FOUR).find_bridges().shape == (0, 2)


def test_waves_by_row_equal_waves_from_a_queue() -> None:
    for seed in range(400):
        random = np.random.default_rng(seed)
        shape = (int(random.integers(1, 15)), int(random.integers(1, 15)))
        mask = random.random(shape) < random.random()
        mask.reshape(-1)[random.integers(mask.size)] = True
        field, other = (LabeledMap(shape, np.array(FOUR)) for _ in range(2))
        for one in (field, other):
            one.cells[...] = np.where(mask, UNLABELED, FREE)
            for _ in one.label():
                pass
        waves = Waves(field)
        for _ in waves.spread():
            pass
        distance, (height, width) = np.zeros(other.flat.size, dtype=np.int32), shape
        middle = int(random.integers(0, 2 * height + 1))
        for first, last in ((0, middle), (middle, 2 * height)):
            spread_waves_by_row.compile()(other.flat, distance, width + 3, width + 2, height, width, first, last)
        assert np.array_equal(other.flat, field.flat), seed
        assert np.array_equal(distance, waves.distance), seed
