"""Index of the samples for annealing: where windows occur, and which large blocks must not be copied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, Keys
from ...core.caching import cached_by_size
from ...kernels.annealing import CopyArrays, SampleArrays, WindowIndex
from ...kernels.patterns import EMPTY, Geometry, fill_table
from .padded_grid import PaddedGrid
from .target import TargetDistribution

MAX_COPY_SIZE = 3
"""Maximum edge length, in patterns, of a block copied from a sample, unless the target has a limit in cells."""
NO_KEYS: Keys = np.empty(0, dtype=np.uint64)


def make_geometry(target: TargetDistribution, grid: PaddedGrid) -> Geometry:
    """Return the shape of a map, with the windows of every pattern size and the blocks that must not be copied."""
    flat = 3 - len(grid.shape)
    starts = [find_window_starts(grid, size) for size in target.sizes]
    starts.append(_find_block_starts(grid, find_copy_limit(target)))
    return Geometry(
        sides=np.array((1,) * flat + grid.shape, dtype=np.int64),
        strides=np.array((0,) * flat + tuple(grid.strides), dtype=np.int64),
        wraps=np.array((0,) * flat + tuple(grid.wrap), dtype=np.int64),
        starts=np.stack(starts),
        first=grid.flat_index((0,) * len(grid.shape)),
    )


def find_window_starts(grid: PaddedGrid, size: int) -> NDArray[np.int64]:
    """Return (axis, 3) the first start of a window, the start after the last, and the window's number of cells."""
    spans = [(span.start - grid.margin, span.stop - grid.margin, size) for span in grid.window_starts(size)]
    return np.array([(0, 1, 1)] * (3 - len(spans)) + spans, dtype=np.int64)


def _find_block_starts(grid: PaddedGrid, side: int) -> NDArray[np.int64]:
    """Return the same as `find_window_starts` for blocks, which are always inside the map."""
    spans = [
        (0, length if wraps else length - side + 1, side) for length, wraps in zip(grid.shape, grid.wrap, strict=True)
    ]
    return np.array([(0, 1, 1)] * (3 - len(spans)) + spans, dtype=np.int64)


@cached_by_size
def make_sample_arrays(target: TargetDistribution) -> SampleArrays:
    """Return all views of the samples."""
    rows, first = [], 0
    for view, wrap in target.views:
        flat = 3 - view.ndim
        rows.append((first, *(1,) * flat, *view.shape, *(0,) * flat, *map(int, wrap)))
        first += view.size
    cells = np.concatenate([view.reshape(-1) for view, _ in target.views]).astype(np.uint16)
    return SampleArrays(cells, np.array(rows, dtype=np.int64))


def make_window_index(target: TargetDistribution, grid: PaddedGrid, size: int) -> WindowIndex:
    """Return the occurrences in the samples of all windows of a size."""
    shifts, starts = grid.window_offsets(size), find_window_starts(grid, size)
    return _list_occurrences(target, size)._replace(shifts=shifts, starts=starts)


@cached_by_size
def _list_occurrences(target: TargetDistribution, size: int) -> WindowIndex:
    """Return an index without the positions in the map."""
    coding = Coding(size, target.axes, target.codings[0].tiles)
    before = np.array([int(edges[0]) for edges in target.sides])
    keys: list[Keys] = []
    places: list[NDArray[np.int64]] = []
    for number, framed in enumerate(target.frame_views(size)):
        own = coding.keys(framed)
        row = np.zeros((own.size, 4), dtype=np.int64)
        row[:, 0], row[:, 4 - target.axes :] = number, np.indices(own.shape).reshape(target.axes, -1).T - before
        keys.append(own.reshape(-1))
        places.append(row)
    every, occurrences = np.concatenate(keys), np.concatenate(places)
    unique, firsts, counts = np.unique(np.sort(every), return_index=True, return_counts=True)
    table, slots = _make_table(unique, 2)
    ranges = np.zeros((len(table), 2), dtype=np.int32)
    ranges[slots] = np.stack((firsts, counts), axis=1)
    return WindowIndex(
        multipliers=coding.multipliers,
        shifts=np.empty(0, dtype=np.int64),
        starts=np.empty((0, 0), dtype=np.int64),
        keys=table,
        ranges=ranges,
        occurrences=np.ascontiguousarray(occurrences[np.argsort(every, kind="stable")], dtype=np.int32),
    )


def _make_table(keys: Keys, spread: int) -> tuple[Keys, NDArray[np.int64]]:
    """Return a hash table with at least `spread` slots per key, and the slots of the keys."""
    table = np.full(1 << (spread * len(keys)).bit_length(), EMPTY, dtype=np.uint64)
    slots = np.empty(len(keys), dtype=np.int64)
    fill_table(table, keys, slots)
    return table, slots


def find_copy_limit(target: TargetDistribution) -> int:
    """Return the smallest edge length of a block that must not be copied; no sample is that large without a limit."""
    if target.max_copy == 0:
        return 1 + max(int(max(sample.shape)) for sample in target.samples)
    return (target.max_copy or MAX_COPY_SIZE * max(target.sizes)) + 1


def make_copy_arrays(target: TargetDistribution, grid: PaddedGrid) -> CopyArrays:
    """Return the blocks that must not be copied, with work space for the blocks of a map."""
    multipliers, known = _list_blocks(target)
    if not known.size or min(grid.shape) < find_copy_limit(target):
        return CopyArrays(NO_KEYS, NO_KEYS, NO_KEYS)
    return CopyArrays(np.zeros(grid.size, dtype=np.uint64), multipliers, known)


def limits_copies(target: TargetDistribution) -> bool:
    """Return whether the samples have blocks that must not be copied."""
    return _list_blocks(target)[1].size > 0


@cached_by_size
def _list_blocks(target: TargetDistribution) -> tuple[Keys, Keys]:
    """Return the multipliers of blocks, and a hash table of the samples' blocks with at least two different tiles.

    The table is empty if no sample is large enough. Samples that wrap repeat without end, and so do maps in their
    style: their copies have no limit.
    """
    side = find_copy_limit(target)
    views = [view for view, _ in target.views if min(view.shape) >= side]
    if not views or any(any(wrap) for _, wrap in target.views):
        return NO_KEYS, NO_KEYS
    coding = Coding(side, target.axes, target.codings[0].tiles)
    uniform = np.arange(target.tiles, dtype=np.uint64) * np.sum(coding.multipliers, dtype=np.uint64)
    unique = np.setdiff1d(np.concatenate([coding.keys(view).reshape(-1) for view in views]), uniform)
    return coding.multipliers, _make_table(unique, 8)[0]
