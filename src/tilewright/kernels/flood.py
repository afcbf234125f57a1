"""Labeling of connected regions, for any neighborhood, in two passes over a map with a margin.

The first pass gives every cell the label of an earlier neighbor or a new one, and records which labels are connected.
The second pass replaces them by the numbers of regions. For steps along the axes or with diagonals, `label_axes` does
the same on a map without a margin, and does not compare cells that are connected through a common neighbor.

Source: Rosenfeld and Pfaltz, "Sequential operations in digital picture processing", 1966.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.site import block_size
from . import inline, kernel, part
from .types import Int32_1D, Int32_3D, Int64_1D, Int64_2D, ReadOnlyUint8_3D

FREE, BLOCKED, UNLABELED = 0, -1, -2
"""Labels of cells outside all regions: open, closed (as the margin is), or not labeled yet."""
NUMBERING = np.dtype(
    [
        ("scanned", np.int64),  # Number of cells that the first pass has scanned.
        ("count", np.int64),  # Number of labels of the first pass, then of regions.
        ("largest", np.int64),  # The largest region, the first one on ties; 0 if there is none.
        ("edges", np.int64),  # Number of cells that have a free neighbor.
        ("phase", np.int64),  # Last completed phase of a repair.
        ("spread", np.int64),  # Number of queued cells that have spread, in a repair.
        ("end", np.int64),  # Number of queued cells, in a repair.
    ]
)
"""Progress of a labeling. It is passed as an array of one, which is faster to create and pass than a Record."""
NumberingState: TypeAlias = Annotated[NDArray[np.void], NUMBERING]


class LabeledMap:
    """Map flattened within a margin as wide as the offsets, so that each neighbor is at a fixed shift.

    `offsets` (neighbor, axis) define which cells are adjacent and include the opposite of each. A cell is FREE,
    BLOCKED, or belongs to a region, whose number is 1 or more.
    """

    def __init__(self, shape: tuple[int, ...], offsets: Int64_2D) -> None:
        margins = [int(margin) for margin in np.abs(offsets).max(axis=0, initial=0)]
        wide = tuple([side + 2 * margin for side, margin in zip(shape, margins, strict=True)])
        self.inner = tuple([slice(margin, margin + side) for side, margin in zip(shape, margins, strict=True)])
        """Slices of the map within the margin."""
        self.padded: NDArray[np.int32] = np.full(wide, BLOCKED, dtype=np.int32)
        self.cells: NDArray[np.int32] = self.padded[self.inner]
        """The map without the margin."""
        self.flat: Int32_1D = self.padded.reshape(-1)
        self.strides: Int64_1D = np.array(self.padded.strides, dtype=np.int64) // self.padded.itemsize
        self.shifts: Int64_1D = offsets @ self.strides
        self.count = 0
        """Number of labeled regions."""
        self.largest = 0
        """The largest region, the first one on ties; 0 if there is none."""
        self.queue: Int32_1D = np.empty(self.flat.size, dtype=np.int32)
        """Cells of regions that have a free neighbor, region by region; the first `edge_count` entries are valid."""
        self.edge_count = 0

    def label(self) -> Iterator[float]:
        """Label the connected regions of UNLABELED cells, in reading order of their first cells; yield the fraction
        done.
        """
        state, parents = np.zeros(1, dtype=NUMBERING), np.empty(self.flat.size + 1, dtype=np.int32)
        while label_cells(self.flat, self.shifts, parents, self.queue, state, block_size("flood", 1 << 20)):
            yield float(state["scanned"][0]) / self.flat.size
        self.count, self.largest, self.edge_count = (int(state[name][0]) for name in ("count", "largest", "edges"))


def label_regions(mask: NDArray[np.bool_], offsets: Int64_2D) -> LabeledMap:
    """Label the connected regions of a mask.

    Parameters
    ----------
    mask
        Cells that belong to regions; all others are BLOCKED.
    offsets
        Neighbors as (neighbor, axis), including the opposite of each.

    Returns
    -------
    LabeledMap
        Map with regions numbered from 1 in reading order of their first cells.

    Examples
    --------
    >>> mask = np.array([[True, False, True]])
    >>> label_regions(mask, add_opposites([(0, 1), (1, 0)])).cells
    array([[ 1, -1,  2]], dtype=int32)
    """
    field = LabeledMap(mask.shape, offsets)
    field.cells[mask] = UNLABELED
    for _ in field.label():
        pass
    return field


@inline
def find_root(parents: NDArray[np.signedinteger], label: int) -> int:
    """Return the root of a label in a union-find forest, and shorten the path to it."""
    while parents[label] != label:
        parents[label] = parents[parents[label]]
        label = parents[label]
    return label


@part
def _connect_cells(cells: Int32_1D, shifts: Int64_1D, parents: Int32_1D, first: int, last: int, count: int) -> int:
    """Give the UNLABELED cells first..last-1 labels and record connected ones; return the number of labels so far."""
    for cell in range(first, last):
        if cells[cell] != UNLABELED:
            continue
        label = 0
        for number in range(shifts.size):
            near = int(cells[cell + shifts[number]]) if shifts[number] < 0 else FREE
            if near <= FREE or near == label:
                continue
            if label == 0:
                label = near
                continue
            one, other = find_root(parents, label), find_root(parents, near)
            label = min(one, other)
            parents[max(one, other)] = label
        if label == 0:
            count += 1
            label = count
            parents[label] = label
        cells[cell] = label
    return count


@inline
def _number_roots(parents: Int32_1D, labels: int) -> int:
    """Replace the parents of labels by the numbers of their regions, from 1, and return the number of regions."""
    count = 0
    for label in range(1, labels + 1):  # The root of a region is its lowest label, which its first cell has.
        if parents[label] == label:
            count += 1
            parents[label] = count
        else:
            parents[label] = parents[parents[label]]
    return count


@part
def _number_regions(cells: Int32_1D, parents: Int32_1D, labels: int) -> Int64_1D:
    """Replace labels by the numbers of regions; return the number of cells of each region, 0 for number 0."""
    sizes = np.zeros(_number_roots(parents, labels) + 1, dtype=np.int64)
    last, run = 0, 0
    for cell in range(cells.size):
        if cells[cell] > FREE:
            region = parents[cells[cell]]
            cells[cell] = region
            if region != last:
                sizes[last] += run
                last, run = int(region), 0
            run += 1
    sizes[last] += run
    return sizes


@part
def _queue_edges(cells: Int32_1D, shifts: Int64_1D, regions: int, queue: Int32_1D) -> int:
    """Write the cells of regions that have a FREE neighbor to the queue, region by region; return their number."""
    starts = np.zeros(regions + 2, dtype=np.int64)
    edges = 0
    for cell in range(cells.size):
        if cells[cell] <= FREE:
            continue
        open_ = False
        for number in range(shifts.size):
            open_ |= cells[cell + shifts[number]] == FREE
        if open_:
            queue[edges] = cell
            edges += 1
            starts[cells[cell] + 1] += 1
    for region in range(1, regions + 2):
        starts[region] += starts[region - 1]
    in_reading_order = queue[:edges].copy()
    for place in range(edges):
        cell = in_reading_order[place]
        region = cells[cell]
        queue[starts[region]] = cell
        starts[region] += 1
    return edges


@kernel
def label_cells(
    cells: Int32_1D, shifts: Int64_1D, parents: Int32_1D, queue: Int32_1D, numbering: NumberingState, budget: int
) -> bool:
    """Continue labeling until `budget` cells have been scanned; return whether more remain.

    Regions are numbered in the reading order of their first cells. The queue, unless its size is 0, then holds the
    cells that have a FREE neighbor, region by region. `parents` is scratch with an entry for every label: one more than
    there are UNLABELED cells.
    """
    state = numbering[0]
    last = min(state["scanned"] + budget, cells.size)
    state["count"] = _connect_cells(cells, shifts, parents, state["scanned"], last, state["count"])
    state["scanned"] = last
    if last < cells.size:
        return True
    sizes = _number_regions(cells, parents, state["count"])
    state["count"], state["largest"] = sizes.size - 1, np.argmax(sizes)
    if queue.size > 0:
        state["edges"] = _queue_edges(cells, shifts, state["count"], queue)
    return False


def add_opposites(offsets: Any) -> Int64_2D:
    """Return offsets and their opposites without duplicates, in the order given; without (0, 0)."""
    both = [tuple(sign * int(part) for part in offset) for offset in offsets for sign in (1, -1)]
    distinct = [offset for offset in dict.fromkeys(both) if any(offset)]
    return np.array(distinct, dtype=np.int64).reshape(-1, len(both[0]) if both else 1)


# -- steps along the axes or with diagonals ---------------------------------------------------------------------------


@inline
def _connect(parents: Int32_1D, label: int, near: int) -> int:
    """Record that two labels are connected, and return one of them; 0 is no label."""
    if label == 0 or near == 0 or label == near:
        return label | near
    one, other = find_root(parents, label), find_root(parents, near)
    if one < other:
        parents[other] = one
        return one
    parents[one] = other
    return other


@kernel
def label_axes(mask: ReadOnlyUint8_3D, diagonal: bool, labels: Int32_3D) -> Int64_1D:
    """Label the connected regions of the nonzero cells (level, row, column) of a mask.

    Regions are numbered from 1 in the reading order of their first cells; the other cells get 0. Return the number of
    cells of each region, with 0 for number 0.
    """
    levels, height, width = mask.shape
    parents = np.empty(mask.size + 1, dtype=np.int32)
    parents[0] = 0
    count = 0
    for level in range(levels):
        for row in range(height):
            cells, line = mask[level, row], labels[level, row]
            above = labels[level, row - 1] if row > 0 else line
            for column in range(width):
                if cells[column] == 0:
                    line[column] = 0
                    continue
                label = int(line[column - 1]) if column > 0 else 0
                if row > 0:
                    before = int(above[column - 1]) if column > 0 else 0
                    over = int(above[column])
                    if not diagonal:
                        if label == 0 or before == 0:  # Otherwise, these two connect the left cell and the one above.
                            label = _connect(parents, label, over)
                    elif over:
                        label = over  # All other cells are its neighbors.
                    else:
                        label = label or before
                        if column + 1 < width:
                            label = _connect(parents, label, int(above[column + 1]))
                if level > 0:
                    reach = 1 if diagonal else 0
                    for near_row in range(max(0, row - reach), min(height, row + reach + 1)):
                        for near in range(max(0, column - reach), min(width, column + reach + 1)):
                            label = _connect(parents, label, int(labels[level - 1, near_row, near]))
                if label == 0:
                    count += 1
                    label = count
                    parents[label] = label
                line[column] = label
    return _number_regions(labels.reshape(-1), parents, count)
