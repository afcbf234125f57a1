"""Distances and shortest paths over a map flattened within a margin, so that each neighbor is at a fixed shift."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .heap import pop, push
from .states import double
from .types import Float64_1D, Float64_3D, Int32_1D, Int64_1D, Int64_2D, ReadOnlyFloat64_1D, ReadOnlyUint8_1D, Uint8_1D

UNSEEN, WALL = -1, -2
"""Values instead of steps: not reached, or closed (as the margin is)."""
LAST = -3
"""Value of the last queued cell of a bucket, instead of the next cell."""
MAX_SMALL_COST = 255
"""Maximum cost for `spread_small_costs`, which has one bucket more than this."""


class StepGraph:
    """Passable cells and the steps between them, on a map flattened within a margin of one cell.

    `offsets` (neighbor, axis) are the steps and include the opposite of each. Without `cut_corners`, a diagonal step is
    possible only if all cells beside it are passable: the cells that steps along some of its axes would reach.
    """

    def __init__(self, passable: NDArray[np.bool_], offsets: Int64_2D, *, cut_corners: bool = True) -> None:
        self.passable = passable
        self.shape = passable.shape
        self.padded_shape = tuple([side + 2 for side in passable.shape])
        self.inner = tuple([slice(1, side + 1) for side in passable.shape])
        self.strides: Int64_1D = np.array(
            [int(np.prod(self.padded_shape[axis + 1 :])) for axis in range(len(self.padded_shape))]
        )
        self.shifts: Int64_1D = offsets @ self.strides
        self.guards: Int64_2D = np.zeros((len(offsets), 0), dtype=np.int64)
        """Shifts (neighbor, k) to the cells that must be passable for a step, padded with 0, the cell itself."""
        if not cut_corners:
            parts = [_find_partial_steps(tuple(offset)) for offset in offsets.tolist()]
            self.guards = np.zeros((len(offsets), max(len(part) for part in parts)), dtype=np.int64)
            for number, part in enumerate(parts):
                for place, offset in enumerate(part):
                    self.guards[number, place] = np.array(offset) @ self.strides

    def to_flat(self, cells: NDArray[np.int64]) -> Int64_1D:
        """Return flat indices of (cell, axis)."""
        return (cells + 1) @ self.strides

    def to_cells(self, places: Int64_1D) -> NDArray[np.int64]:
        """Return (cell, axis) of flat indices."""
        return np.stack(np.unravel_index(places, self.padded_shape), axis=1) - 1

    def new_steps(self) -> Int32_1D:
        """Return an array of steps in which no cell is reached yet."""
        steps = np.full(self.padded_shape, WALL, dtype=np.int32)
        steps[self.inner] = self.passable.view(np.int8) + np.int8(WALL)
        return steps.reshape(-1)

    def new_costs(
        self, values: Float64_1D, costs: NDArray[np.float64] | float, factors: Float64_1D, *, away: bool
    ) -> CostArrays:
        """Return values that steps lower, with the costs of the steps."""
        wide = np.full(self.padded_shape, np.inf)
        wide[self.inner] = np.where(self.passable, costs, np.inf)
        settled, came = np.zeros(values.size, dtype=np.uint8), np.zeros(values.size, dtype=np.uint8)
        return CostArrays(values, settled, wide.reshape(-1), self.shifts, factors, self.guards, came, away)

    def new_small_costs(self, costs: NDArray[np.float64]) -> Uint8_1D:
        """Return the cost of entering each passable cell, for integers of at most `MAX_SMALL_COST`."""
        wide = np.zeros(self.padded_shape, dtype=np.uint8)
        np.copyto(wide[self.inner], costs, casting="unsafe", where=self.passable)
        return wide.reshape(-1)

    def spread(self, costs: CostArrays, seeds: Int64_1D, target: int = -1) -> None:
        """Lower values, starting at the seeds, until no step lowers any value.

        The queue is a ring of buckets or, if the costs differ too much, a heap.
        """
        finite = costs.costs[costs.costs < np.inf]
        if not finite.size or not seeds.size:
            return
        cheapest, dearest = float(finite.min() * costs.factors.min()), float(finite.max() * costs.factors.max())
        needed = 2 * dearest / cheapest + 4 if cheapest > 0 else np.inf
        if needed > MAX_BUCKETS:
            spread_costs(costs, seeds, target)
        else:
            spread_in_buckets(costs, seeds, target, cheapest / 2, 1 << int(needed).bit_length())


def _find_partial_steps(offset: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the steps along some, but not all, axes of this one."""
    parts: list[tuple[int, ...]] = [()]
    for step in offset:
        parts = [(*part, taken) for part in parts for taken in ((0, step) if step else (0,))]
    return [part for part in parts if any(part) and part != offset]


@inline
def _is_free(steps: Int32_1D, guards: Int64_2D, cell: int, number: int) -> bool:
    """Return whether all guard cells of a step are passable."""
    free = True
    for guard in range(guards.shape[1]):
        free &= steps[cell + guards[number, guard]] != WALL
    return free


@kernel
def spread_steps(steps: Int32_1D, shifts: Int64_1D, guards: Int64_2D, queue: Int32_1D, end: int, target: int) -> int:
    """Search breadth first from the first `end` queued cells until the target is reached.

    Return the number of reached cells.
    """
    first = 0
    if shifts.size == 4 and guards.shape[1] == 0:
        one, two, three, four = shifts[0], shifts[1], shifts[2], shifts[3]
        while first < end:
            cell = int(queue[first])
            first += 1
            if cell == target:
                break
            further = np.int32(steps[cell] + 1)
            for near in (cell + one, cell + two, cell + three, cell + four):
                if steps[near] == UNSEEN:
                    steps[near] = further
                    queue[end] = near
                    end += 1
        return end
    while first < end:
        cell = int(queue[first])
        first += 1
        if cell == target:
            break
        further = np.int32(steps[cell] + 1)
        for number in range(shifts.size):
            near = cell + shifts[number]
            if steps[near] == UNSEEN and _is_free(steps, guards, cell, number):
                steps[near] = further
                queue[end] = near
                end += 1
    return end


@kernel
def steps_as_values(steps: Int32_1D, first: int, level_stride: int, row_stride: int, values: Float64_3D) -> None:
    """Write the (level, row, column) interior of a flat map as floats, infinite where nothing was reached.

    `first` is the flat index of its first cell.
    """
    for level in range(values.shape[0]):
        for row in range(values.shape[1]):
            start = first + level * level_stride + row * row_stride
            line, target = steps[start : start + values.shape[2]], values[level, row]
            for column in range(values.shape[2]):
                target[column] = line[column] if line[column] >= 0 else np.inf


@kernel
def survey_costs(passable: ReadOnlyUint8_1D, costs: ReadOnlyFloat64_1D, most: float, limits: Float64_1D) -> int:
    """Return the first passable cell whose cost is neither infinite nor from 0 to `most`; -1 if there is none.

    `limits` is set to the lowest and highest finite cost of passable cells, and to 1 if all of them are integers.
    """
    lowest, highest, is_integer = np.inf, -np.inf, True
    for cell in range(costs.size):
        cost = costs[cell]
        if passable[cell] == 0 or cost == np.inf:
            continue
        if not 0 <= cost <= most:
            return cell
        lowest, highest = min(lowest, cost), max(highest, cost)
        is_integer &= cost == np.floor(cost)
    limits[0], limits[1], limits[2] = lowest, highest, is_integer
    return -1


@kernel
def spread_small_costs(
    steps: Int32_1D, costs: Uint8_1D, shifts: Int64_1D, guards: Int64_2D, seeds: Int64_1D, away: bool
) -> None:
    """Write the distances of all cells where the costs of steps are small integers, as `spread_costs` does.

    All steps onto a cell have the same cost, so that the first of its neighbors that spreads decides its distance. Each
    cell is therefore queued once: in the bucket of its distance or, if steps lead to the seeds, of the sum of its
    distance and its own cost, which its neighbors get. While it is queued, `steps` holds the next cell of its bucket.

    Source: Dial, "Algorithm 360: shortest-path forest with topological ordering", 1969.
    """
    buckets = np.full(MAX_SMALL_COST + 1, LAST, dtype=np.int32)
    for number in range(seeds.size):
        cell = seeds[number]
        bucket = 0 if away else int(costs[cell])
        steps[cell] = buckets[bucket]
        buckets[bucket] = cell
    turn, waiting = 0, seeds.size
    while waiting > 0:
        cell = int(buckets[turn & MAX_SMALL_COST])
        if cell == LAST:
            turn += 1
            continue
        buckets[turn & MAX_SMALL_COST] = steps[cell]
        steps[cell] = turn if away else turn - int(costs[cell])
        waiting -= 1
        for number in range(shifts.size):
            near = cell + shifts[number]
            if steps[near] == UNSEEN and _is_free(steps, guards, cell, number):
                bucket = (turn + int(costs[near])) & MAX_SMALL_COST
                steps[near] = buckets[bucket]
                buckets[bucket] = near
                waiting += 1


class CostArrays(NamedTuple):
    """Values that steps lower, and the costs of the steps."""

    values: Float64_1D
    settled: Uint8_1D
    """0 for cells whose value may still be lowered."""
    costs: Float64_1D
    """Cost of entering each cell, infinite for walls and the margin."""
    shifts: Int64_1D
    factors: Float64_1D
    """(shift,) factor of the cost."""
    guards: Int64_2D
    came: Uint8_1D
    """Shift by which each cell was lowered."""
    away: bool
    """Whether steps lead away from the seeds, or to them."""


@inline
def _lower(graph: CostArrays, cell: int, number: int) -> bool:
    """Lower the value of a neighbor to that of a cell plus the cost of the step; return whether it was lowered."""
    near = cell + graph.shifts[number]
    if graph.settled[near] or graph.costs[near] == np.inf:
        return False
    lowered = graph.values[cell] + (graph.costs[near] if graph.away else graph.costs[cell]) * graph.factors[number]
    if lowered >= graph.values[near]:
        return False
    for guard in range(graph.guards.shape[1]):
        if graph.costs[cell + graph.guards[number, guard]] == np.inf:
            return False
    graph.values[near] = lowered
    graph.came[near] = number
    return True


@kernel
def spread_costs(graph: CostArrays, seeds: Int64_1D, target: int) -> None:
    """Lower values until no step lowers any value (Dijkstra), starting at the seeds, which are sorted by value.

    The cost of a step is the cost of the cell that it enters, times its factor. The search ends early when the target
    is settled.
    """
    values, settled, shifts = graph.values, graph.settled, graph.shifts
    firsts = values[seeds]
    keys, cells = np.empty(1024), np.empty(1024, dtype=np.int64)
    size, next_ = 0, 0
    while size > 0 or next_ < seeds.size:
        if size == 0 or (next_ < seeds.size and firsts[next_] <= keys[0]):
            cell = seeds[next_]
            next_ += 1
        else:
            cell = cells[0]
            size = pop(keys, cells, size)
        if settled[cell]:
            continue
        settled[cell] = 1
        if cell == target:
            break
        for number in range(shifts.size):
            if not _lower(graph, cell, number):
                continue
            near = cell + shifts[number]
            if size == keys.size:
                keys, cells = double(keys), double(cells)
            size = push(keys, cells, size, values[near], near)


MAX_BUCKETS = 1 << 12
"""Maximum number of buckets. If costs differ more, a heap is faster."""


@kernel
def spread_in_buckets(graph: CostArrays, seeds: Int64_1D, target: int, width: float, buckets: int) -> None:
    """Compute the same as `spread_costs` with a ring of buckets as the queue; `width` is half the cost of the cheapest
    step.

    Values in a bucket differ by less than any step costs, even after rounding, so that their order does not matter. The
    number of buckets must be a power of two and large enough for the most expensive step.
    """
    values, settled, shifts = graph.values, graph.settled, graph.shifts
    firsts = values[seeds]
    heads = np.full(buckets, -1, dtype=np.int64)
    cells, links = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    used, spare, waiting, next_ = 0, -1, 0, 0
    base, turn, ring = firsts[0], 0, buckets - 1
    while waiting > 0 or next_ < seeds.size:
        entry = heads[turn & ring]
        if next_ < seeds.size and int((firsts[next_] - base) / width) <= turn:
            cell = seeds[next_]
            next_ += 1
        elif entry >= 0:
            cell = int(cells[entry])
            heads[turn & ring] = links[entry]
            links[entry], spare = spare, entry
            waiting -= 1
        else:
            turn = turn + 1 if waiting > 0 else int((firsts[next_] - base) / width)
            continue
        if settled[cell]:
            continue
        settled[cell] = 1
        if cell == target:
            break
        for number in range(shifts.size):
            if not _lower(graph, cell, number):
                continue
            near = cell + shifts[number]
            if spare >= 0:
                entry, spare = spare, int(links[spare])
            else:
                if used == cells.size:
                    cells, links = double(cells), double(links)
                entry = used
                used += 1
            place = int((values[near] - base) / width) & ring
            cells[entry], links[entry] = near, heads[place]
            heads[place] = entry
            waiting += 1


@part
def _min_steps(cell: int, aim: Int64_1D, strides: Int64_1D, diagonal: bool) -> int:
    """Return the minimum number of steps, without walls, to the cell with the coordinates `aim`."""
    total, most = 0, 0
    for axis in range(strides.size):
        part = cell // strides[axis] if strides[axis] > 1 else cell
        cell -= part * strides[axis]
        apart = abs(part - aim[axis])
        total += apart
        most = max(most, apart)
    return most if diagonal else total


@kernel
def search_steps(
    steps: Int32_1D,
    strides: Int64_1D,
    shifts: Int64_1D,
    guards: Int64_2D,
    came: Uint8_1D,
    start: int,
    goal: int,
    diagonal: bool,
) -> bool:
    """Search a path with A* where all steps have equal cost; return whether the goal was found.

    `came` holds the shifts that lead back from the goal.

    A step changes the estimate by at most one, so the sum of steps and estimate does not change or grows by one or two.
    Three stacks therefore suffice as the queue. Among cells with equal sums, the newest is expanded first.
    """
    closed = np.zeros(steps.size, dtype=np.uint8)
    aim = np.empty(strides.size, dtype=np.int64)
    rest = goal
    for axis in range(strides.size):
        aim[axis] = rest // strides[axis]
        rest %= strides[axis]
    stacks = np.empty((3, 1024), dtype=np.int32)
    sizes = np.zeros(3, dtype=np.int64)
    now, empty = 0, 0
    stacks[0, 0] = start
    sizes[0] = 1
    steps[start] = 0
    while empty < 3:
        if sizes[now] == 0:
            now = (now + 1) % 3
            empty += 1
            continue
        empty = 0
        sizes[now] -= 1
        cell = int(stacks[now, sizes[now]])
        if closed[cell]:
            continue
        closed[cell] = 1
        if cell == goal:
            return True
        further = np.int32(steps[cell] + 1)
        estimate = _min_steps(cell, aim, strides, diagonal)
        for number in range(shifts.size):
            near = cell + shifts[number]
            if closed[near] or (steps[near] != UNSEEN and steps[near] <= further):
                continue
            if not _is_free(steps, guards, cell, number):
                continue
            steps[near] = further
            came[near] = number
            stack = (now + 1 + _min_steps(near, aim, strides, diagonal) - estimate) % 3
            if sizes[stack] == stacks.shape[1]:
                stacks = np.concatenate((stacks, stacks), axis=1)
            stacks[stack, sizes[stack]] = near
            sizes[stack] += 1
    return False


@kernel
def trace(came: Uint8_1D, shifts: Int64_1D, last: int, first: int, path: Int64_1D) -> int:
    """Write the cells of a path from `last` back to `first`, following `came`; return their number."""
    count = 0
    while count < path.size:
        path[count] = last
        count += 1
        if last == first:
            break
        last -= shifts[came[last]]
    return count
