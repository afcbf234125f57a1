"""Bridges: the shortest ways that join separate parts into one, found all at once.

Waves start from all parts at the same time, and every cell belongs to the part whose wave comes first. Where two
waves meet lies a bridge between their parts; of all bridges, Kruskal takes the shortest that join what is still
apart. Together they are as short as any set of ways from part to part can be, at a cost that grows with the number
of cells alone, however many parts there are.

Source: Mehlhorn, "A faster approximation algorithm for the Steiner problem in graphs", 1988; Kruskal, "On the
shortest spanning subtree of a graph", 1956.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .flood import BLOCKED, FREE, Field, Labels, Places
from .random import below

Marks: TypeAlias = NDArray[np.uint8]

UNSHUFFLED: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
BLOCK = 1 << 21
"""Cells that spread between two yields: a few hundredths of a second."""


class Waves:
    """Waves from all parts of a field, and the bridges where they meet.

    Ways may lead through FREE cells. Ties go to the part that comes first in the field's queue, then to the first
    offset. The field's free cells are taken by the waves.
    """

    def __init__(self, field: Field) -> None:
        self._field = field
        self._owner = field.flat
        """The part whose wave came first."""
        self._distance: Labels = np.zeros(field.flat.size, dtype=np.int32)
        """Steps from the part; 0 inside it."""
        marks = np.zeros(field.whole.shape, dtype=np.uint8)
        self._marks: Marks = marks.reshape(-1)
        self.marked: Marks = marks[field.inner]
        """1 for every cell outside the parts that a dug way leads through."""

    def spread(self) -> Iterator[float]:
        """Run the waves until they have met everywhere, giving the share of cells reached."""
        queue = self._field.queue
        first, end = 0, self._field.edges
        while first < end:
            last = min(first + BLOCK, end)
            end = spread_waves(self._owner, self._distance, self._field.shifts, queue, first, last, end)
            first = last
            yield first / queue.size

    def bridges(self) -> Places:
        """(bridge, 2) the cells on both sides of every bridge that is needed, the shortest first.

        One less than there are parts; fewer where blocked cells keep parts asunder.
        """
        bridges = np.empty((max(0, self._field.count - 1), 2), dtype=np.int64)
        found = span_parts(self._owner, self._distance, self._field.shifts, self._field.count, UNSHUFFLED, bridges)
        return bridges[:found]

    def dig(self, bridges: Places, *, straight: bool = False) -> None:
        """Mark the ways over these bridges: the shortest, or with `straight` those with a single corner.

        Where both corners are blocked, the way is a shortest one all the same.
        """
        field = self._field
        if straight:
            dig_straight(self._owner, self._distance, field.shifts, field.strides, bridges, self._marks)
        else:
            dig_shortest(self._owner, self._distance, field.shifts, bridges, self._marks)

    def ends(self, bridges: Places) -> Places:
        """(bridge, 2) the cells of the parts, flat in the field, from which the ways over these bridges start."""
        ends = bridges.copy()
        follow_back(self._owner, self._distance, self._field.shifts, ends)
        return ends


def numbered(parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: Places) -> Field:
    """A field of parts that are numbered already: from 1 on, 0 elsewhere; what is not walkable is blocked."""
    field = Field(parts.shape, offsets)
    field.cells[...] = np.where(walkable, FREE, BLOCKED)
    np.copyto(field.cells, parts, where=parts > 0)
    field.count = int(parts.max(initial=0))
    sources = np.flatnonzero(field.flat > FREE)
    field.queue[: sources.size] = sources
    field.edges = sources.size
    return field


@kernel("int64(int32[::1], int32[::1], int64[::1], int64[::1], int64, int64, int64)")
def spread_waves(
    owner: Labels, distance: Labels, shifts: Places, queue: Places, first: int, last: int, end: int
) -> int:
    """Let the queued cells first..last-1 take their free neighbours; the new end of the queue."""
    for position in range(first, last):
        cell = queue[position]
        for shift in shifts:
            near = cell + shift
            if owner[near] == FREE:
                owner[near] = owner[cell]
                distance[near] = distance[cell] + 1
                queue[end] = near
                end += 1
    return end


@kernel
def _root(above: Labels, part: int) -> int:
    while above[part] != part:
        above[part] = above[above[part]]
        part = above[part]
    return part


@kernel("int64(int32[::1], int32[::1], int64[::1], int64, uint64[::1], int64[:, ::1])")
def span_parts(
    owner: Labels, distance: Labels, shifts: Places, parts: int, state: NDArray[np.uint64], bridges: Places
) -> int:
    """Kruskal: of all places where waves meet, the shortest first, take those that join what is still apart.

    The meetings are sorted by counting: by length, then by shift, then by place; or, where `state` is that of a random
    stream, those of one length by chance.
    """
    longest = 0
    for cell in range(distance.size):
        longest = max(longest, distance[cell])
    starts = np.zeros(2 * longest + 2, dtype=np.int64)
    for shift in shifts:
        for cell in range(owner.size - shift if shift > 0 else 0):
            if owner[cell] != owner[cell + shift] and owner[cell] > FREE and owner[cell + shift] > FREE:
                starts[distance[cell] + distance[cell + shift] + 1] += 1
    for length in range(1, starts.size):
        starts[length] += starts[length - 1]
    meetings = np.empty((starts[-1], 2), dtype=np.int64)
    for shift in shifts:
        for cell in range(owner.size - shift if shift > 0 else 0):
            if owner[cell] != owner[cell + shift] and owner[cell] > FREE and owner[cell + shift] > FREE:
                length = distance[cell] + distance[cell + shift]
                meetings[starts[length], 0], meetings[starts[length], 1] = cell, cell + shift
                starts[length] += 1
    for length in range(starts.size if state.size else 0):
        first = starts[length - 1] if length else 0
        for number in range(first, starts[length]):
            other = number + below(state, starts[length] - number)
            for side in range(2):
                kept = meetings[number, side]
                meetings[number, side] = meetings[other, side]
                meetings[other, side] = kept
    above = np.arange(parts + 1).astype(np.int32)
    count = 0
    for meeting in range(len(meetings)):
        here, there = meetings[meeting]
        low, high = _root(above, owner[here]), _root(above, owner[there])
        if low != high:
            above[max(low, high)] = min(low, high)
            bridges[count, 0], bridges[count, 1] = here, there
            count += 1
            if count == parts - 1:
                break
    return count


@kernel
def _back(owner: Labels, distance: Labels, shifts: Places, cell: int) -> int:
    """The next cell on the way back to the part."""
    for number in range(shifts.size):
        near = cell + int(shifts[number])
        if owner[near] == owner[cell] and distance[near] == distance[cell] - 1:
            return near
    return cell


@kernel("void(int32[::1], int32[::1], int64[::1], int64[:, ::1], uint8[::1])")
def dig_shortest(owner: Labels, distance: Labels, shifts: Places, bridges: Places, marks: Marks) -> None:
    for number in range(bridges.size):
        cell = int(bridges[number // 2, number % 2])
        while distance[cell] > 0 and not marks[cell]:
            marks[cell] = 1
            cell = _back(owner, distance, shifts, cell)


@kernel
def _walk(
    start: int, end: int, strides: Places, backwards: bool, owner: Labels, distance: Labels, marks: Marks, dig: bool
) -> bool:
    """Go from cell to cell along one axis after the other; whether nothing was in the way."""
    cell = start
    for step in range(strides.size):
        axis = strides.size - 1 - step if backwards else step
        span = strides[axis - 1] if axis else owner.size
        ahead = end % span // strides[axis] - start % span // strides[axis]
        for _ in range(abs(ahead)):
            cell += strides[axis] if ahead > 0 else -strides[axis]
            if owner[cell] == BLOCKED:
                return False
            if dig and distance[cell] > 0:
                marks[cell] = 1
    return True


@kernel("void(int32[::1], int32[::1], int64[::1], int64[:, ::1])")
def follow_back(owner: Labels, distance: Labels, shifts: Places, ends: Places) -> None:
    """Go back from both sides of every bridge to the parts they belong to, in place."""
    for bridge in range(len(ends)):
        for side in range(2):
            while distance[ends[bridge, side]] > 0:
                ends[bridge, side] = _back(owner, distance, shifts, ends[bridge, side])


@kernel("void(int32[::1], int32[::1], int64[::1], int64[::1], int64[:, ::1], uint8[::1])")
def dig_straight(
    owner: Labels, distance: Labels, shifts: Places, strides: Places, bridges: Places, marks: Marks
) -> None:
    for bridge in range(len(bridges)):
        start, end = bridges[bridge]
        while distance[start] > 0:
            start = _back(owner, distance, shifts, start)
        while distance[end] > 0:
            end = _back(owner, distance, shifts, end)
        if _walk(start, end, strides, False, owner, distance, marks, False):
            _walk(start, end, strides, False, owner, distance, marks, True)
        elif _walk(start, end, strides, True, owner, distance, marks, False):
            _walk(start, end, strides, True, owner, distance, marks, True)
        else:
            dig_shortest(owner, distance, shifts, bridges[bridge : bridge + 1], marks)
