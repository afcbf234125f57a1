"""The aggregation kernel against a direct implementation."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tests.plain import find_regions
from tilewright.core.seeds import Rng
from tilewright.kernels.aggregation import (
    ATTRACTOR,
    WALK_IN,
    WALK_OUT,
    AggregationRules,
    AggregationState,
    AreaBox,
    BlockCounts,
    aggregate,
    count_floors,
)
from tilewright.kernels.drunkard import BLOCKED, FLOOR, ROCK

MAX_AGE = 300
Place = tuple[int, int]


class Plain:
    """Particles one after the other, with blocks recounted at every step."""

    def __init__(self, cells: NDArray[np.uint8], rng: Rng, mode: int, edge: bool, stick: float, flips: Place) -> None:
        self.cells, self.rng, self.mode, self.edge, self.stick, self.flips = cells, rng, mode, edge, stick, flips
        self.height, self.width = cells.shape[0] - 2, cells.shape[1] - 2
        self.floors = [(int(y), int(x)) for y, x in np.argwhere(cells == FLOOR)]
        self.target = self.floors[0]
        self.particles = 0

    def touches(self, y: int, x: int) -> bool:
        return FLOOR in (self.cells[y - 1, x], self.cells[y + 1, x], self.cells[y, x - 1], self.cells[y, x + 1])

    def launch(self, missed: int) -> Place:
        height, width = self.height, self.width
        if self.mode == WALK_OUT:
            return self.floors[self.rng.below(len(self.floors))]
        if self.edge and missed < 64:
            around = [cell for x in range(1, width + 1) for cell in ((1, x), (height, x))]
            around += [cell for y in range(1, height + 1) for cell in ((y, 1), (y, width))]
            return around[self.rng.below(len(around))]
        return 1 + self.rng.below(height), 1 + self.rng.below(width)

    def stride(self, y: int, x: int) -> int:
        """Return the longest step of 64, 8 and 1 that cannot skip a cell where the particle would stop."""
        for size in (64, 8):
            top, left = y // size * size - size, x // size * size - size
            around = self.cells[max(0, top) : top + 3 * size, max(0, left) : left + 3 * size]
            if self.mode == WALK_IN and not (around == FLOOR).any():
                return size
            if self.mode == WALK_OUT and around.size == 9 * size * size and (around == FLOOR).all():
                return size
        return 1

    def flight(self, y: int, x: int) -> Place | None:
        """Return the cell where a particle stays, or None if it is dropped."""
        path = list_line_cells((y, x), self.target)
        for age in range(MAX_AGE):
            rock = self.cells[y, x] == ROCK
            beside = self.mode != WALK_OUT and rock and self.touches(y, x)
            if beside and (self.stick >= 1 or self.rng.random() < self.stick):
                return y, x
            if self.mode == ATTRACTOR:
                if age + 1 == len(path):
                    return None
                if self.cells[path[age + 1]] == FLOOR:
                    return (y, x) if rock else None
                y, x = path[age + 1]
                continue
            stride = self.stride(y, x)
            down, right = [(0, -1), (-1, 0), (0, 1), (1, 0)][self.rng.below(4)]
            to = y + stride * down, x + stride * right
            inside = 1 <= to[0] <= self.height and 1 <= to[1] <= self.width
            if self.mode == WALK_IN and inside and self.cells[to] != FLOOR:
                y, x = to
            elif self.mode == WALK_OUT and self.cells[to] == ROCK:
                return to
            elif self.mode == WALK_OUT and self.cells[to] == FLOOR:
                y, x = to
        return None

    def run(self, goal: int) -> None:
        missed = dropped = 0
        while len(self.floors) < goal and missed <= 64 + 16 * self.height * self.width and dropped <= 10_000:
            y, x = self.launch(missed)
            if self.mode != WALK_OUT and self.cells[y, x] != ROCK:
                missed += 1
                continue
            missed = 0
            self.particles += 1
            found = self.flight(y, x)
            dropped = 0 if found else dropped + 1
            if found:
                rows = [found[0], *([self.flips[0] - found[0]] if self.flips[0] else [])]
                columns = [found[1], *([self.flips[1] - found[1]] if self.flips[1] else [])]
                for at in [(row, column) for column in columns for row in rows]:
                    if self.cells[at] == ROCK and self.touches(*at):
                        self.cells[at] = FLOOR
                        self.floors.append(at)


def list_line_cells(start: Place, end: Place) -> list[Place]:
    """Return the cells from start to end, one axis at a time, along the axis that lags behind; sideways on ties."""
    cells, (down, right) = [start], (abs(end[0] - start[0]), abs(end[1] - start[1]))
    gone = [0, 0]
    while cells[-1] != end:
        y, x = cells[-1]
        if right and (not down or (gone[1] + 0.5) / right <= (gone[0] + 0.5) / down):
            gone[1] += 1
            cells.append((y, x + (1 if end[1] > start[1] else -1)))
        else:
            gone[0] += 1
            cells.append((y + (1 if end[0] > start[0] else -1), x))
    return cells


@given(
    some.tuples(some.integers(1, 40), some.integers(1, 40)), some.sampled_from([WALK_IN, WALK_OUT, ATTRACTOR]),
    some.booleans(), some.sampled_from([0.2, 1.0]), some.tuples(some.booleans(), some.booleans()),
    some.sampled_from([0.0, 0.0, 0.2]), some.sampled_from([0.05, 0.3, 0.9]), some.integers(1, 500),
    some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_grows_as_the_plain_version_does(
    shape: Place, mode: int, edge: bool, stick: float, mirrored: tuple[bool, bool], blocked: float, share: float,
    budget: int, seed: int,
) -> None:  # fmt: skip
    """The budget does not affect the result."""
    rng = Rng.of(seed)
    cells = np.full((shape[0] + 2, shape[1] + 2), BLOCKED, dtype=np.uint8)
    cells[1:-1, 1:-1] = np.where(rng.child("walls").cells(shape) < blocked, BLOCKED, ROCK)
    middle = (shape[0] // 2 + 1, shape[1] // 2 + 1)
    cells[middle] = FLOOR
    parts = find_regions(map(tuple, np.argwhere(cells != BLOCKED).tolist()), [(0, 1), (1, 0)])
    goal = max(1, int(next(len(part) for part in parts if middle in part) * share))
    flips = shape[0] + 1 if mirrored[0] else 0, shape[1] + 1 if mirrored[1] else 0
    check(cells, Plain(cells.copy(), rng.child("grow"), mode, edge, stick, flips), rng.child("grow"), goal, budget)


def check(cells: NDArray[np.uint8], plain: Plain, rng: Rng, goal: int, budget: int) -> None:
    mode, out = plain.mode, plain.mode == WALK_OUT
    target, listed = plain.target, np.flatnonzero(cells == FLOOR)
    plain.run(goal)
    progress = AggregationState.new()
    progress.row, progress.dug, progress.listed = -1, len(listed), len(listed)
    floors = np.zeros(cells.size, dtype=np.int64)
    floors[: len(listed)] = listed
    blocks = BlockCounts(
        *(
            np.full([((side - 1) >> size) + 3 for side in cells.shape], start, dtype=np.int64)
            for size in (3, 6)
            for start in (0, 9 if out else 0)
        )
    )
    count_floors(cells, out, blocks)
    box = AreaBox(1, 1, plain.height, plain.width, *target)
    rules = AggregationRules(mode, plain.edge, box, plain.stick, *plain.flips, MAX_AGE)
    brush = np.zeros((1, 2), dtype=np.int64)
    for _ in range(10_000_000):
        if not aggregate(rng.state, cells, rules, brush, floors, blocks, progress, goal, budget):
            break
    assert cells.tolist() == plain.cells.tolist()
    assert (progress.dug, progress.particles) == (len(plain.floors), plain.particles)


def test_strides_far_from_the_crystal_and_deep_in_it() -> None:
    """Use maps large enough for steps of 8 and of 64 cells."""
    cells = np.full((302, 402), BLOCKED, dtype=np.uint8)
    cells[1:-1, 1:-1] = ROCK
    cells[151, 201] = FLOOR
    inwards = Plain(cells.copy(), Rng.of(5), WALK_IN, False, 1.0, (0, 0))
    assert [inwards.stride(*at) for at in [(1, 1), (151, 170), (151, 199)]] == [64, 8, 1]
    check(cells, inwards, Rng.of(5), 8, 1000)
    cells[20:280, 20:380] = FLOOR
    outwards = Plain(cells.copy(), Rng.of(6), WALK_OUT, False, 1.0, (0, 0))
    assert [outwards.stride(*at) for at in [(150, 200), (40, 200), (25, 200)]] == [64, 8, 1]
    check(cells, outwards, Rng.of(6), 260 * 360 + 20, 1000)
