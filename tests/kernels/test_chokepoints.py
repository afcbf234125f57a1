"""The search for chokepoints, against removing every cell in turn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.analysis.chokepoints import Cuts
from tilewright.analysis.regions import Directions, regions_of

masks = arrays(
    np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=6), elements=some.sampled_from([True, True, False])
)


@given(masks, some.sampled_from([4, 8]), some.integers(0, 2**32))
def test_cells_are_cuts_if_and_only_if_regions_increase_without_them(
    mask: NDArray[np.bool_], directions: Directions, seed: int
) -> None:
    free = np.argwhere(mask)
    start = tuple(free[seed % len(free)].tolist()) if len(free) and seed % 3 else None
    found = Cuts.of(mask, start=start, directions=directions).cells
    assert not (found & ~mask).any()
    count = regions_of(mask, directions).count
    for cell in map(tuple, free.tolist()):
        without = mask.copy()
        without[cell] = False
        assert found[cell] == (regions_of(without, directions).count > count)


@given(masks, some.integers(0, 2**32), some.integers(0, 2**32))
def test_cells_between_two_are_those_that_separate_them_when_removed(
    mask: NDArray[np.bool_], one: int, two: int
) -> None:
    labels = regions_of(mask).labels
    free = np.argwhere(mask)
    if not len(free):
        return
    start = tuple(free[one % len(free)].tolist())
    near = np.argwhere(labels == labels[start])
    exit = tuple(near[two % len(near)].tolist())
    count = 0
    for cell in map(tuple, near.tolist()):
        if cell not in (start, exit):
            without = mask.copy()
            without[cell] = False
            parts = regions_of(without).labels
            count += bool(parts[start] != parts[exit])
    assert Cuts.of(mask, start=start).count_between(start, exit) == count


@given(masks, some.integers(0, 2**32))
def test_cells_beyond_a_cell_with_two_neighbors_are_those_it_cuts_off(mask: NDArray[np.bool_], seed: int) -> None:
    free = np.argwhere(mask)
    if not len(free):
        return
    start = tuple(free[seed % len(free)].tolist())
    regions = regions_of(mask)
    cuts = Cuts.of(mask, start=start)
    walk, last = cuts.trace_beyond(start, int(regions.sizes[regions.labels[start]]))
    assert sorted(map(tuple, walk.tolist())) == sorted(map(tuple, np.argwhere(regions.labels == regions.labels[start])))
    for step, cell in enumerate(map(tuple, walk.tolist())):
        neighbor_count = sum(int(np.abs(free - cell).sum(axis=1)[k] == 1) for k in range(len(free)))
        if cell == start or not cuts.cells[cell] or neighbor_count != 2:
            continue
        without = mask.copy()
        without[cell] = False
        parts = regions_of(without).labels
        off = (regions.labels == regions.labels[start]) & (parts != parts[start])
        off[cell] = False
        assert sorted(map(tuple, walk[step + 1 : last[step] + 1].tolist())) == sorted(map(tuple, np.argwhere(off)))
