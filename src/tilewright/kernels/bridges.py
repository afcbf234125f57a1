"""Bridges: the shortest paths that join separate regions, computed together.

Breadth-first waves start from all regions simultaneously, and every cell belongs to the region whose wave reaches it
first. A bridge is a pair of adjacent cells where two waves meet. The bridges chosen are the shortest ones that join all
regions (a minimum spanning tree). The cost depends only on the number of cells, not on the number of regions.

Sources: Mehlhorn, "A faster approximation algorithm for the Steiner problem in graphs", 1988; Borůvka, "O jistém
problému minimálním", 1926.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.site import block_size
from . import inline, kernel, part
from .flood import BLOCKED, FREE, LabeledMap, find_root, label_regions
from .random import GAMMA, mix
from .types import Int32_1D, Int64_1D, Int64_2D, Uint8_1D, Uint64

FAR = 1 << 29
"""Distance of a cell that no wave has reached; longer than any path."""


class Waves:
    """Waves from all regions of a labeled map, and the bridges where they meet.

    Paths may lead through FREE cells. On ties, the region that comes first in the map's queue wins, then the first
    offset. The waves overwrite the FREE cells of the map.
    """

    def __init__(self, field: LabeledMap) -> None:
        self._field = field
        self._owner = field.flat
        """Region whose wave reached each cell first."""
        self.distance: Int32_1D = np.zeros(field.flat.size, dtype=np.int32)
        """Number of steps from the region; 0 inside it."""
        marks = np.zeros(field.padded.shape, dtype=np.uint8)
        self._marks: Uint8_1D = marks.reshape(-1)
        self.marked: NDArray[np.uint8] = marks[field.inner]
        """1 for every cell outside the regions on a dug path."""

    def spread(self) -> Iterator[float]:
        """Run the waves until all cells are reached; yield the fraction of cells reached."""
        queue = self._field.queue
        first, end = 0, self._field.edge_count
        while first < end:
            last = min(first + block_size("bridges", 1 << 21), end)
            end = spread_waves(self._owner, self.distance, self._field.shifts, queue, first, last, end)
            first = last
            yield first / queue.size

    def find_bridges(self) -> Int64_2D:
        """Return (bridge, 2) the cells on both sides of the bridges that join all regions, the shortest bridge first.

        There is one bridge less than there are regions, or fewer if blocked cells separate regions.
        """
        field, bridges = self._field, np.empty((max(0, self._field.count - 1), 2), dtype=np.int64)
        bridges = bridges[: span_parts(self._owner, self.distance, field.shifts, field.count, 0, bridges)]
        here, there = bridges.T
        ahead = field.shifts[field.shifts > 0]
        order = np.argmax((there - here)[:, None] == ahead, axis=1) if len(bridges) else here
        return bridges[np.lexsort((here, order, self.distance[here] + self.distance[there]))]

    def dig(self, bridges: Int64_2D, *, straight: bool = False) -> None:
        """Mark the paths over these bridges: the shortest paths or, with `straight`, paths with a single corner.

        If both corners are blocked, a shortest path is used instead.
        """
        field = self._field
        if straight:
            dig_straight(self._owner, self.distance, field.shifts, field.strides, bridges, self._marks)
        else:
            dig_shortest(self._owner, self.distance, field.shifts, bridges, self._marks)


def build_labeled_map(parts: NDArray[np.int32], walkable: NDArray[np.bool_], offsets: Int64_2D) -> LabeledMap:
    """Return a labeled map of existing regions.

    Parameters
    ----------
    parts
        Region number of each cell, from 1; 0 elsewhere.
    walkable
        Mask of the cells that paths may lead through; all others are BLOCKED.
    offsets
        Neighbors as (neighbor, axis), including the opposite of each.

    Returns
    -------
    LabeledMap
        Map whose queue holds all cells of the regions.
    """
    field = LabeledMap(parts.shape, offsets)
    field.cells[...] = np.where(walkable, FREE, BLOCKED)
    np.copyto(field.cells, parts, where=parts > 0)
    field.count = int(parts.max(initial=0))
    sources = np.flatnonzero(field.flat > FREE)
    field.queue[: sources.size] = sources
    field.edge_count = sources.size
    return field


def join_regions(mask: NDArray[np.bool_], walkable: NDArray[np.bool_], offsets: Int64_2D) -> Iterator[float]:
    """Add the shortest paths that join the regions of a mask, through walkable cells; yield the fraction done."""
    regions = label_regions(mask, offsets)
    if regions.count > 1:
        waves = Waves(build_labeled_map(np.maximum(regions.cells, 0), walkable, offsets))
        yield from waves.spread()
        waves.dig(waves.find_bridges())
        mask |= waves.marked == 1


@kernel
def spread_waves(
    owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, queue: Int32_1D, first: int, last: int, end: int
) -> int:
    """Expand the queued cells first..last-1 to their free neighbors; return the new end of the queue."""
    for position in range(first, last):
        cell = int(queue[position])
        region, further = owner[cell], np.int32(distance[cell] + 1)
        for number in range(shifts.size):
            near = cell + shifts[number]
            if owner[near] == FREE:
                owner[near], distance[near] = region, further
                queue[end] = near
                end += 1
    return end


@part
def spread_waves_by_row(
    owner: Int32_1D, distance: Int32_1D, start: int, columns: int, height: int, width: int, first: int, last: int
) -> None:
    """Compute what `spread_waves` does for steps along the axes in a rectangle without blocked cells.

    The distance of a cell is then the smallest sum of rows and columns to a region, and two scans find it: one from the
    first row to the last, one back (Rosenfeld and Pfaltz, "Sequential operations in digital picture processing", 1966).
    On ties, the region with the lowest number wins, as it does if the queue holds the regions in order. `start` is the
    flat index of the rectangle's first cell. The 2 `height` rows of both scans are numbered, and only the rows
    first..last-1 are scanned.
    """
    for number in range(first, last):
        is_forward = number < height
        row = number if is_forward else 2 * height - 1 - number
        begin = start + row * columns
        owners, lengths = owner[begin : begin + width], distance[begin : begin + width]
        if is_forward:
            for column in range(width):
                lengths[column] = FAR if owners[column] == FREE else 0
        if number not in (0, height):
            beside = begin - columns if is_forward else begin + columns
            other_owners, other_lengths = owner[beside : beside + width], distance[beside : beside + width]
            for column in range(width):
                length, other = np.int32(other_lengths[column] + 1), other_owners[column]
                nearer = (length < lengths[column]) | ((length == lengths[column]) & (other < owners[column]))
                lengths[column] = length if nearer else lengths[column]
                owners[column] = other if nearer else owners[column]
        # Distance and region as one integer, so that the smaller one of two pairs is a minimum.
        pair = np.int64(FAR) << 32
        for step in range(width):
            column = step if is_forward else width - 1 - step
            pair = min(pair + (np.int64(1) << 32), (np.int64(lengths[column]) << 32) | np.int64(owners[column]))
            lengths[column], owners[column] = np.int32(pair >> 32), np.int32(pair & 0xFFFFFFFF)


@kernel
def span_parts(
    owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, parts: int, key: Uint64, bridges: Int64_2D
) -> int:
    """Write the shortest bridges that join all regions; return their number.

    Every region chooses its shortest bridge. The regions that these bridges join then count as one region, and the
    choice repeats until all regions are joined (Borůvka). Memory depends on the number of regions, not on the number of
    possible bridges. Of equally short bridges, the first by shift and then by cell is chosen or, with a key other than
    0, a random one.
    """
    above = np.empty(parts + 1, dtype=np.int32)
    for region in range(parts + 1):
        above[region] = region
    shortest = np.empty(parts + 1, dtype=np.int64)
    ranks = np.empty(parts + 1, dtype=np.uint64)
    chosen = np.empty((parts + 1, 2), dtype=np.int64)
    count = -1
    found = 0
    while count < found < parts - 1:
        count = found
        for region in range(parts + 1):
            shortest[region] = -1
        for number in range(shifts.size):
            shift = shifts[number]
            for cell in range(owner.size - shift if shift > 0 else 0):
                here, there = owner[cell], owner[cell + shift]
                if here == there or here <= FREE or there <= FREE:
                    continue
                low, high = find_root(above, here), find_root(above, there)
                if low == high:
                    continue
                length = distance[cell] + distance[cell + shift]
                rank = np.uint64(number * owner.size + cell)
                if key:
                    rank = mix(np.uint64(key) + rank * GAMMA)
                for region in (low, high):
                    if (
                        shortest[region] < 0
                        or length < shortest[region]
                        or (length == shortest[region] and rank < ranks[region])
                    ):
                        shortest[region], ranks[region] = length, rank
                        chosen[region, 0], chosen[region, 1] = cell, cell + shift
        for region in range(1, parts + 1):
            if shortest[region] >= 0:
                low, high = find_root(above, owner[chosen[region, 0]]), find_root(above, owner[chosen[region, 1]])
                if low != high:  # Two regions may have chosen the same bridge.
                    above[max(low, high)] = min(low, high)
                    bridges[found, 0], bridges[found, 1] = chosen[region, 0], chosen[region, 1]
                    found += 1
    return found


@part
def _step_back(owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, cell: int) -> int:
    """Return the next cell on the path from a cell back to the region whose wave reached it."""
    for number in range(shifts.size):
        near = cell + int(shifts[number])
        if owner[near] == owner[cell] and distance[near] == distance[cell] - 1:
            return near
    return cell


@inline
def _follow(owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, cell: int) -> int:
    """Return the cell of the region at the end of the path back from a cell."""
    while distance[cell] > 0:
        cell = _step_back(owner, distance, shifts, cell)
    return cell


@kernel
def dig_shortest(owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, bridges: Int64_2D, marks: Uint8_1D) -> None:
    """Mark the shortest paths over the bridges."""
    for number in range(bridges.size):
        cell = int(bridges[number // 2, number % 2])
        while distance[cell] > 0 and not marks[cell]:
            marks[cell] = 1
            cell = _step_back(owner, distance, shifts, cell)


@part
def _walk(
    start: int,
    end: int,
    strides: Int64_1D,
    backwards: bool,
    owner: Int32_1D,
    distance: Int32_1D,
    marks: Uint8_1D,
    dig: bool,
) -> bool:
    """Follow one axis after the other from start to end; return whether no cell was blocked."""
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


@kernel
def follow_back(owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, ends: Int64_2D) -> None:
    """Replace both ends of every bridge by the region cells at the ends of their paths, in place."""
    for bridge in range(len(ends)):
        for side in range(2):
            ends[bridge, side] = _follow(owner, distance, shifts, ends[bridge, side])


@kernel
def dig_straight(
    owner: Int32_1D, distance: Int32_1D, shifts: Int64_1D, strides: Int64_1D, bridges: Int64_2D, marks: Uint8_1D
) -> None:
    """Mark paths with a single corner over the bridges, or the shortest ones if both corners are blocked."""
    for bridge in range(len(bridges)):
        start = _follow(owner, distance, shifts, bridges[bridge, 0])
        end = _follow(owner, distance, shifts, bridges[bridge, 1])
        corner = 0  # Order of the axes: dig along the first path without blocked cells.
        while corner < 2 and not _walk(start, end, strides, corner == 1, owner, distance, marks, False):
            corner += 1
        if corner < 2:
            _walk(start, end, strides, corner == 1, owner, distance, marks, True)
        else:
            dig_shortest(owner, distance, shifts, bridges[bridge : bridge + 1], marks)
