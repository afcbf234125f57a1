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
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel

Labels: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = NDArray[np.uint8]

FREE, BLOCKED = 0, -1
BLOCK = 1 << 21
"""Cells that spread between two yields: a few hundredths of a second."""


class Waves:
    """Waves from all parts of a map, and the bridges where they meet.

    `parts` numbers the cells of each part from 1 on and is 0 elsewhere; ways may lead through `walkable` cells.
    `offsets`, (neighbour, axis), say which cells are next to each other; they must hold the opposite of each. The map
    lies flat within a margin as wide as the offsets reach, so that a neighbour is a fixed shift. Ties go to the part
    that comes first in reading order, then to the first offset.
    """

    def __init__(self, parts: NDArray[Any], walkable: NDArray[np.bool_], offsets: Places) -> None:
        margins = np.abs(offsets).max(axis=0)
        wide = tuple((side + 2 * margin) for side, margin in zip(parts.shape, margins.tolist(), strict=True))
        inner = tuple(slice(margin, margin + side) for side, margin in zip(parts.shape, margins.tolist(), strict=True))
        owner = np.full(wide, BLOCKED, dtype=np.int32)
        owner[inner] = np.where(walkable, FREE, BLOCKED)
        np.copyto(owner[inner], parts, where=parts > 0, casting="same_kind")
        marks = np.zeros(wide, dtype=np.uint8)
        self._owner: Labels = owner.reshape(-1)
        """The part whose wave came first."""
        self._distance: Labels = np.zeros(owner.size, dtype=np.int32)
        """Steps from the part; 0 inside it."""
        self._marks: Marks = marks.reshape(-1)
        self._strides: Places = np.array(owner.strides, dtype=np.int64) // owner.itemsize
        self._shifts: Places = offsets @ self._strides
        self._parts = int(parts.max(initial=0))
        self.marked: Marks = marks[inner]
        """1 for every cell outside the parts that a dug way leads through."""

    def spread(self) -> Iterator[float]:
        """Run the waves until they have met everywhere, giving the share of cells reached."""
        queue = np.empty(self._owner.size, dtype=np.int64)
        sources = np.flatnonzero(self._owner > FREE)
        queue[: sources.size] = sources
        first, end = 0, sources.size
        while first < end:
            last = min(first + BLOCK, end)
            end = _spread(self._owner, self._distance, self._shifts, queue, first, last, end)
            first = last
            yield first / queue.size

    def bridges(self) -> Places:
        """(bridge, 2) the cells on both sides of every bridge that is needed, the shortest first.

        One less than there are parts; fewer where cells that are not walkable keep parts asunder.
        """
        sides = [self._meetings(shift) for shift in self._shifts[self._shifts > 0].tolist()]
        here, there = (np.concatenate(side) for side in zip(*sides, strict=True))
        lengths = self._distance[here] + self._distance[there]
        # numpy sorts numbers of one or two bytes by digits, ten times as fast.
        order = np.argsort(lengths.astype(np.min_scalar_type(lengths.max(initial=0))), kind="stable")
        here, there = here[order], there[order]
        needed = np.zeros(here.size, dtype=np.uint8)
        _span(np.arange(self._parts + 1, dtype=np.int32), self._owner[here], self._owner[there], needed)
        return np.column_stack([here, there])[needed.view(np.bool_)]

    def _meetings(self, shift: int) -> tuple[Places, Places]:
        """The neighbouring cells, `shift` apart, that waves of different parts have reached."""
        before, after = self._owner[:-shift], self._owner[shift:]
        here = np.flatnonzero((before != after) & (before > FREE) & (after > FREE))
        return here, here + shift

    def dig(self, bridges: Places, *, straight: bool = False) -> None:
        """Mark the ways over these bridges: the shortest, or with `straight` those with a single corner.

        Where both corners are blocked, the way is a shortest one all the same.
        """
        if straight:
            _dig_straight(self._owner, self._distance, self._shifts, self._strides, bridges, self._marks)
        else:
            _dig(self._owner, self._distance, self._shifts, bridges, self._marks)


@kernel("int64(int32[::1], int32[::1], int64[::1], int64[::1], int64, int64, int64)")
def _spread(owner: Labels, distance: Labels, shifts: Places, queue: Places, first: int, last: int, end: int) -> int:
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


@kernel("void(int32[::1], int32[::1], int32[::1], uint8[::1])")
def _span(above: Labels, left: Labels, right: Labels, needed: Marks) -> None:
    """Mark every pair, in order, that joins what no earlier one has; `above` is a forest of all parts."""
    for pair in range(left.size):
        low, high = _root(above, left[pair]), _root(above, right[pair])
        if low != high:
            above[max(low, high)] = min(low, high)
            needed[pair] = 1


@kernel
def _back(owner: Labels, distance: Labels, shifts: Places, cell: int) -> int:
    """The next cell on the way back to the part."""
    for number in range(shifts.size):
        near = cell + int(shifts[number])
        if owner[near] == owner[cell] and distance[near] == distance[cell] - 1:
            return near
    return cell


@kernel("void(int32[::1], int32[::1], int64[::1], int64[:, ::1], uint8[::1])")
def _dig(owner: Labels, distance: Labels, shifts: Places, bridges: Places, marks: Marks) -> None:
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


@kernel("void(int32[::1], int32[::1], int64[::1], int64[::1], int64[:, ::1], uint8[::1])")
def _dig_straight(
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
            _dig(owner, distance, shifts, bridges[bridge : bridge + 1], marks)
