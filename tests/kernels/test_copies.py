"""The kernels for copied blocks against a comparison of all blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.kernels.copies import add_blocks, has_block

maps = arrays(np.int32, array_shapes(min_dims=3, max_dims=3, max_side=6), elements=some.integers(0, 2))


def list_blocks(cells: NDArray[np.int32], side: int, thickness: int) -> set[bytes]:
    if thickness > cells.shape[0] or side > min(cells.shape[1:]):
        return set()
    windows = np.lib.stride_tricks.sliding_window_view(cells, (thickness, side, side))
    return {window.tobytes() for window in windows.reshape(-1, thickness * side * side)}


@settings(max_examples=150, deadline=None)
@given(maps, maps, some.integers(1, 4), some.integers(1, 2))
def test_common_blocks_are_found(sample: NDArray[np.int32], map: NDArray[np.int32], side: int, thickness: int) -> None:
    table = np.zeros(1 << 12, dtype=np.uint64)
    add_blocks(sample, side, thickness, table)
    blocks = list_blocks(sample, side, thickness)
    if side > 1:
        blocks = {block for block in blocks if len(np.unique(np.frombuffer(block, np.int32))) > 1}
    assert np.count_nonzero(table) == len(blocks)
    assert has_block(map, side, thickness, table) == bool(blocks & list_blocks(map, side, thickness))
