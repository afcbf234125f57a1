"""Labeling of connected regions, for any neighborhood."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .blocks import block_size

Labels: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]

FREE, BLOCKED, UNLABELED = 0, -1, -2
"""Labels of cells outside all regions: open, closed (as the margin is), or not labeled yet."""
NUMBERING = np.dtype(
    [
        ("scanned", np.int64),  # Number of cells scanned.
        ("first", np.int64),  # Start of the pending cells in the queue.
        ("end", np.int64),  # End of the pending cells in the queue.
        ("count", np.int64),  # Number of labeled regions.
        ("start", np.int64),  # Start of the last region in the queue.
        ("largest", np.int64),  # The largest region, the first one on ties; 0 if there is none.
        ("largest_size", np.int64),
        ("edges", np.int64),  # Number of cells that have a free neighbor.
        ("phase", np.int64),  # Last completed phase of a repair.
        ("spread", np.int64),  # Number of queued cells that have spread, in a repair.
    ]
)
"""Progress of a labeling. It is passed as an array of one, which is faster to create and pass than a Record."""
NumberingState: TypeAlias = Annotated[NDArray[np.void], NUMBERING]


class LabeledMap:
    """Map flattened within a margin as wide as the offsets, so that each neighbor is at a fixed shift.

    `offsets` (neighbor, axis) define which cells are adjacent and include the opposite of each. A cell is FREE,
    BLOCKED, or belongs to a region, whose number is 1 or more.
    """

    def __init__(self, shape: tuple[int, ...], offsets: Places) -> None:
        margins = [int(margin) for margin in np.abs(offsets).max(axis=0, initial=0)]
        wide = tuple([side + 2 * margin for side, margin in zip(shape, margins, strict=True)])
        self.inner = tuple([slice(margin, margin + side) for side, margin in zip(shape, margins, strict=True)])
        """Slices of the map within the margin."""
        self.padded: Labels = np.full(wide, BLOCKED, dtype=np.int32)
        self.cells: Labels = self.padded[self.inner]
        """The map without the margin."""
        self.flat: Labels = self.padded.reshape(-1)
        self.strides: Places = np.array(self.padded.strides, dtype=np.int64) // self.padded.itemsize
        self.shifts: Places = offsets @ self.strides
        self.count = 0
        """Number of labeled regions."""
        self.largest = 0
        """The largest region, the first one on ties; 0 if there is none."""
        self.queue: Places = np.empty(self.flat.size, dtype=np.int64)
        """Cells of regions that have a free neighbor, region by region; the first `edge_count` entries are valid."""
        self.edge_count = 0

    def label(self) -> Iterator[float]:
        """Label the connected regions of UNLABELED cells, in reading order of their first cells; yield the fraction
        done.
        """
        state = np.zeros(1, dtype=NUMBERING)
        while label_cells(self.flat, self.shifts, self.queue, state, block_size("flood")):
            yield float(state["scanned"][0]) / self.flat.size
        self.count, self.largest, self.edge_count = (int(state[name][0]) for name in ("count", "largest", "edges"))


def label_regions(mask: NDArray[np.bool_], offsets: Places) -> LabeledMap:
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


@kernel("boolean(int32[::1], int64[::1], int64[::1], NumberingState, int64)")
def label_cells(cells: Labels, shifts: Places, queue: Places, numbering: NumberingState, budget: int) -> bool:
    """Continue labeling until `budget` cells have been processed; return whether more remain.

    Processed entries of the queue are overwritten by the processed cells that have a FREE neighbor.
    """
    state = numbering[0]
    scanned, first, end = state["scanned"], state["first"], state["end"]
    count, edges = state["count"], state["edges"]
    while budget > 0:
        if first < end:
            cell = queue[first]
            first += 1
            open_ = False
            for number in range(shifts.size):
                near = cell + shifts[number]
                if cells[near] == UNLABELED:
                    cells[near] = count
                    queue[end] = near
                    end += 1
                open_ |= cells[near] == FREE
            if open_:
                queue[edges] = cell
                edges += 1
            if first == end and end - state["start"] > state["largest_size"]:
                state["largest"], state["largest_size"] = count, end - state["start"]
        elif scanned == cells.size:
            break
        else:
            if cells[scanned] == UNLABELED:
                count += 1
                cells[scanned] = count
                state["start"] = end
                queue[end] = scanned
                end += 1
            scanned += 1
        budget -= 1
    state["scanned"], state["first"], state["end"] = scanned, first, end
    state["count"], state["edges"] = count, edges
    return bool(first < end or scanned < cells.size)


def add_opposites(offsets: Any) -> Places:
    """Return offsets and their opposites without duplicates, in the order given; without (0, 0)."""
    both = [tuple(sign * int(part) for part in offset) for offset in offsets for sign in (1, -1)]
    distinct = [offset for offset in dict.fromkeys(both) if any(offset)]
    return np.array(distinct, dtype=np.int64).reshape(-1, len(both[0]) if both else 1)
