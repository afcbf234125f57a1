"""Floods: which cells hang together, by whatever cells count as neighbours."""

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
"""What a cell of a field is that belongs to no part: open, closed (as the margin is), or not numbered yet."""
NUMBERING = np.dtype(
    [
        ("scanned", np.int64),  # cells looked at
        ("first", np.int64),  # where the waiting cells start in the queue
        ("end", np.int64),  # and where they end
        ("count", np.int64),  # parts that are numbered
        ("start", np.int64),  # where the last part starts in the queue
        ("largest", np.int64),  # the largest part, of equally large ones the first; 0 when there is none
        ("largest_size", np.int64),
        ("edges", np.int64),  # cells that have a free neighbor
        ("phase", np.int64),  # of a repair: what was done last
        ("spread", np.int64),  # of a repair: cells of the queue that have spread
    ]
)
"""How far a numbering is. An array of one is passed: it is created and passed faster than a Record."""
NumberingState: TypeAlias = Annotated[NDArray[np.void], NUMBERING]


class LabeledMap:
    """A map laid flat within a margin as wide as the offsets reach, so that a neighbour is a fixed shift.

    `offsets`, (neighbour, axis), say which cells are next to each other; they hold the opposite of each. A cell is
    FREE, BLOCKED, or belongs to a part, whose number is 1 or more.
    """

    def __init__(self, shape: tuple[int, ...], offsets: Places) -> None:
        margins = [int(margin) for margin in np.abs(offsets).max(axis=0, initial=0)]
        wide = tuple([side + 2 * margin for side, margin in zip(shape, margins, strict=True)])
        self.inner = tuple([slice(margin, margin + side) for side, margin in zip(shape, margins, strict=True)])
        """Where the map lies in it."""
        self.padded: Labels = np.full(wide, BLOCKED, dtype=np.int32)
        self.cells: Labels = self.padded[self.inner]
        """The map alone, without the margin."""
        self.flat: Labels = self.padded.reshape(-1)
        self.strides: Places = np.array(self.padded.strides, dtype=np.int64) // self.padded.itemsize
        self.shifts: Places = offsets @ self.strides
        self.count = 0
        """Parts that are numbered."""
        self.largest = 0
        """The largest part, of equally large ones the first; 0 when there is none."""
        self.queue: Places = np.empty(self.flat.size, dtype=np.int64)
        """The cells of parts that have a free neighbour, part by part; `edges` of them."""
        self.edge_count = 0

    def label(self) -> Iterator[float]:
        """Number the connected parts of the cells that are UNNUMBERED, in reading order of their first cells."""
        state = np.zeros(1, dtype=NUMBERING)
        while label_cells(self.flat, self.shifts, self.queue, state, block_size("flood")):
            yield float(state["scanned"][0]) / self.flat.size
        self.count, self.largest, self.edge_count = (int(state[name][0]) for name in ("count", "largest", "edges"))


def label_regions(mask: NDArray[np.bool_], offsets: Places) -> LabeledMap:
    """A field whose parts are the connected parts of a mask; all else is BLOCKED."""
    field = LabeledMap(mask.shape, offsets)
    field.cells[mask] = UNLABELED
    for _ in field.label():
        pass
    return field


@kernel("boolean(int32[::1], int64[::1], int64[::1], NumberingState, int64)")
def label_cells(cells: Labels, shifts: Places, queue: Places, numbering: NumberingState, budget: int) -> bool:
    """Go on numbering parts until so many cells have been looked at; whether there is more to do.

    What has left the queue is overwritten by those of its cells that have a free neighbour.
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
    """Offsets and their opposites, each once, in the order given; without (0, 0)."""
    both = [tuple(sign * int(part) for part in offset) for offset in offsets for sign in (1, -1)]
    distinct = [offset for offset in dict.fromkeys(both) if any(offset)]
    return np.array(distinct, dtype=np.int64).reshape(-1, len(both[0]) if both else 1)
