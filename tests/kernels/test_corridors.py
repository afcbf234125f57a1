"""Walls, doors and paths between rooms against direct versions with cells as (row, column)."""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from tilewright.core.seeds import Rng
from tilewright.kernels import corridors
from tilewright.kernels.corridors import (
    ACROSS,
    CORRIDOR,
    DOOR,
    EDGE,
    FLOOR,
    FRESH,
    ROCK,
    UNFINISHED,
    UPRIGHT,
    WALL,
    CorridorStyle,
    DungeonArrays,
    SearchArrays,
    SearchState,
    as_rooms,
    check_doors,
    dig_corridor,
    dig_straight,
    mark_walls,
    paint,
)  # fmt: skip

CASES = 300
Kinds = NDArray[np.uint8]
Cell = tuple[int, int]
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
OPEN = (FLOOR, CORRIDOR, DOOR)


def any_kinds(seed: int, among: tuple[int, ...]) -> Kinds:
    """Return random kinds of cells within an edge."""
    chance = np.random.default_rng(seed)
    shape = chance.integers(3, 14, 2)
    kinds = chance.choice(np.array(among, dtype=np.uint8), shape)
    return np.ascontiguousarray(np.pad(kinds[1:-1, 1:-1], 1, constant_values=EDGE))


def around(cell: Cell, steps: Any = STEPS) -> list[Cell]:
    return [(cell[0] + down, cell[1] + across) for down, across in steps]


EIGHT = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1) if (down, across) != (0, 0)]


def test_raising_walls_cell_by_cell() -> None:
    for seed in range(CASES):
        kinds = any_kinds(seed, (ROCK, ROCK, ROCK, FLOOR, EDGE, CORRIDOR))
        plain = kinds.copy()
        for cell in np.ndindex(*kinds.shape):
            if kinds[cell] == ROCK:
                up, right, down, left = (kinds[near] == FLOOR for near in around(cell))
                if (up or down) and (left or right):
                    plain[cell] = WALL
                elif up or down:
                    plain[cell] = UPRIGHT
                elif left or right:
                    plain[cell] = ACROSS
                elif any(kinds[near] == FLOOR for near in around(cell, EIGHT)):
                    plain[cell] = WALL
        for row in range(1, len(kinds) - 1):
            mark_walls(kinds.reshape(-1), kinds.shape[1], row, row + 1)
        assert np.array_equal(kinds, plain)


def test_checking_doors_one_after_the_other() -> None:
    for seed in range(CASES):
        kinds = any_kinds(seed, (ROCK, WALL, FLOOR, CORRIDOR, DOOR, DOOR))
        plain = kinds.copy()
        for cell in np.ndindex(*kinds.shape):
            if plain[cell] == DOOR:
                up, right, down, left = (plain[near] for near in around(cell))
                opened = [kind in OPEN for kind in (up, down, left, right)]
                fits = opened in ([True, True, False, False], [False, False, True, True])
                if DOOR in (up, down, left, right) or not fits:
                    plain[cell] = CORRIDOR
        for row in range(1, len(kinds) - 1):
            check_doors(kinds.reshape(-1), kinds.shape[1], row, row + 1)
        assert np.array_equal(kinds, plain)


def test_painting_cell_by_cell() -> None:
    labels = {FLOOR: 0, CORRIDOR: 1, DOOR: 2, WALL: 3, UPRIGHT: 3, ACROSS: 3}
    for seed in range(CASES):
        kinds = any_kinds(seed, tuple(range(8)))
        kinds[tuple(np.random.default_rng(seed).integers(0, kinds.shape))] = CORRIDOR  # Locked, possibly at the edge.
        painted = np.empty_like(kinds)
        for row in range(len(kinds)):
            paint(kinds.reshape(-1), kinds.shape[1], painted.reshape(-1), row, row + 1)
        for cell in np.ndindex(*kinds.shape):
            y, x = cell
            beside = kinds[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2]
            assert painted[cell] == labels.get(int(kinds[cell]), 3 if np.isin(beside, OPEN).any() else 4)


class Case:
    """Rooms with walls, some locked cells, and some earlier corridors."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.seed = seed
        self.height, self.width = (int(side) for side in chance.integers(9, 28, 2))
        self.kinds = np.full((self.height, self.width), ROCK, dtype=np.uint8)
        self.owners = np.zeros(self.kinds.shape, dtype=np.int32)
        spacing, rooms = 1 + seed % 4, []
        taken = np.zeros(self.kinds.shape, dtype=bool)
        for _ in range(60):
            wide, high = chance.integers(1, 6, 2)
            x, y = chance.integers(1, self.width - wide), chance.integers(1, self.height - high)
            if not taken[y : y + high, x : x + wide].any():
                self.kinds[y : y + high, x : x + wide] = FLOOR
                rooms.append((x, y, wide, high))
                self.owners[y : y + high, x : x + wide] = len(rooms)
                taken[max(0, y - spacing) : y + high + spacing, max(0, x - spacing) : x + wide + spacing] = True
        self.rooms = np.array(rooms, dtype=np.int64)
        if seed % 3 == 0:
            self.kinds[(chance.random(self.kinds.shape) < 0.03) & (self.owners == 0)] = EDGE
        self.kinds[0] = self.kinds[-1] = self.kinds[:, 0] = self.kinds[:, -1] = EDGE
        mark_walls(self.kinds.reshape(-1), self.width, 1, self.height - 1)
        self.corridor_width = 1 + seed % 3
        self.avoid, self.reuse, self.anywhere = (bool(flag) for flag in chance.integers(0, 2, 3))
        self.pairs = chance.integers(0, len(rooms), (4, 2)).tolist()
        self.pairs = [pair for pair in self.pairs if pair[0] != pair[1]]
        self.passed = np.empty(len(rooms) + 2, dtype=np.int64)

    @property
    def dungeon(self) -> DungeonArrays:
        return DungeonArrays(self.kinds.reshape(-1), self.owners.reshape(-1), as_rooms(self.rooms), self.width)

    def dig(self, one: int, other: int, rng: Rng, budget: int = 1 << 30, waiting: int = 4096) -> list[int]:
        size = self.kinds.size
        spent, stamps, came = np.empty(size, np.int32), np.zeros(size, np.int32), np.empty(size, np.uint8)
        keys, cells, state = np.empty(waiting), np.empty(waiting, dtype=np.int64), SearchState.new()
        state.salt = state.heap_size = FRESH
        style = CorridorStyle(self.corridor_width, self.avoid, self.reuse, self.anywhere)
        while True:
            search = SearchArrays(spent, stamps, came, keys, cells, state)
            found = dig_corridor(self.dungeon, search, style, rng.state, self.passed, one, other, 1, budget)
            if found != UNFINISHED:
                break
            if state.heap_size == FRESH or len(keys) - state.heap_size < 3:
                keys, cells = np.append(keys, np.empty(1)), np.append(cells, np.empty(1, dtype=np.int64))
        self.spent, self.stamps, self.came = (cells.reshape(self.kinds.shape) for cells in (spent, stamps, came))
        passed: list[int] = self.passed[:found].tolist()
        return passed

    def fits(self, kind: int, step: Cell) -> bool:
        return kind == (UPRIGHT if step[0] else ACROSS)

    def kind(self, cell: Cell) -> int:
        return int(self.kinds[cell])

    def cheapest(self, one: int, other: int) -> float:
        """Return the maximum cost of the path (Bellman-Ford), with every turn counted and every door at its maximum
        cost.
        """
        dearest = corridors.STEP + corridors.SPREAD + 2 * corridors.CROWDED
        walk, cross = (2 if self.reuse else 4), (1000 if self.avoid else 8)
        costs: dict[Cell, float] = {}
        for cell in np.ndindex(*self.kinds.shape):
            kind = self.kind(cell)
            if kind in (EDGE, FLOOR, ROCK):
                continue
            for step in STEPS:
                behind, ahead = (cell[0] - step[0], cell[1] - step[1]), (cell[0] + step[0], cell[1] + step[1])
                if self.owners[behind] == one + 1 and self.kinds[ahead] != EDGE:
                    price: float = 40 if kind in (DOOR, CORRIDOR) else dearest if self.fits(kind, step) else 4000
                    costs[cell] = max(price, 40) if self.anywhere else price
                    break
        best, changed = inf, True
        while changed:
            changed = False
            for cell, cost in sorted(costs.items()):
                if self.owners[cell] == other + 1:
                    best = min(best, cost)
                    continue
                for step, near in zip(STEPS, around(cell), strict=True):
                    new = self.kind(near)
                    if new == EDGE or self.owners[near] == one + 1:
                        continue
                    price = 1 + cost
                    if self.kind(cell) in (UPRIGHT, ACROSS) and not self.fits(self.kind(cell), step):
                        price += 4000
                    if new in (ROCK, FLOOR):
                        price += 4
                    elif new == CORRIDOR:
                        price += walk
                    else:
                        enters = self.owners[near[0] + step[0], near[1] + step[1]] == other + 1
                        if new == DOOR:
                            price += 40 if enters else cross
                        elif not self.fits(new, step):
                            price += 4000
                        elif enters:
                            price += dearest + (40 if self.anywhere else 0)
                        else:
                            price += cross + 6
                    if price < costs.get(near, inf):
                        costs[near] = price
                        changed = True
        return best


def test_paths_lead_from_room_to_room_at_little_more_than_the_minimum_cost() -> None:
    """A* estimates 3 per step, and steps in corridors cost 2, so a path costs at most half more than the cheapest."""
    dug = 0
    for seed in range(CASES // 5):
        case, rng = Case(seed), Rng.of(seed)
        for one, other in case.pairs:
            before, best = case.kinds.copy(), case.cheapest(one, other)
            rooms = case.dig(one, other, rng)
            changed = case.kinds != before
            if not rooms:
                assert best == inf, "there was a path"
                assert not changed.any()
                continue
            dug += 1
            assert rooms[0] == other
            assert rooms[-1] == one
            goal = (case.stamps == 2) & (case.owners == other + 1)
            assert case.spent[goal].min() <= 1.5 * best + 1
            # Dug cells were rock or wall, and are now corridor or door; walls beside a door are closed.
            assert not np.isin(before[changed], (EDGE, FLOOR, CORRIDOR, DOOR)).any()
            assert set(case.kinds[changed].tolist()) <= {CORRIDOR, DOOR, WALL}
            assert np.isin(before[changed & (case.kinds == DOOR)], (UPRIGHT, ACROSS)).all()
            closed = changed & (case.kinds == WALL)
            assert not (closed & ~ndimage.binary_dilation(case.kinds == DOOR)).any()
            labels = ndimage.label(np.isin(case.kinds, OPEN))[0]
            assert len({int(labels[y, x]) for x, y, _, _ in case.rooms[rooms]}) == 1, "all rooms on the path are joined"
    assert dug > CASES / 5


def test_the_budget_changes_nothing() -> None:
    for seed in range(100):
        results = []
        for budget, waiting in ((1 << 30, 4096), (1, 4096), (7, 1)):
            case, rng = Case(seed), Rng.of(seed)
            results.append(([case.dig(one, other, rng, budget, waiting) for one, other in case.pairs], case.kinds))
        for rooms, kinds in results[1:]:
            assert rooms == results[0][0]
            assert np.array_equal(kinds, results[0][1])


def legs(start: Cell, end: Cell, sideways: bool) -> list[tuple[Cell, Cell]]:
    """Return every cell after the first on a path with one corner, and the step into it."""
    found, cell = [], start
    for along in (sideways, not sideways):
        steps = end[1] - cell[1] if along else end[0] - cell[0]
        sign = 1 if steps > 0 else -1
        step = (0, sign) if along else (sign, 0)
        for _ in range(abs(steps)):
            cell = (cell[0] + step[0], cell[1] + step[1])
            found.append((cell, step))
    return found


def plain_straight(case: Case, one: int, other: int, rng: Rng, draws: int) -> list[tuple[Cell, Cell]]:
    """Return the best path that breaks no rule; the first one on ties."""
    best: tuple[float, int, list[tuple[Cell, Cell]]] = (inf, 0, [])
    order = count()
    for _ in range(draws):
        ends = []
        for x, y, width, height in case.rooms[[one, other]].tolist():
            row = y + rng.below(height)
            ends.append((row, x + rng.below(width)))
        for sideways in (False, True):
            path = legs(ends[0], ends[1], sideways)
            corner = (ends[0][0], ends[1][1]) if sideways else (ends[1][0], ends[0][1])
            price: float = inf if case.kind(corner) not in (ROCK, FLOOR, CORRIDOR) else 0
            for cell, step in path:
                kind = case.kind(cell)
                if case.owners[cell] in (one + 1, other + 1):
                    continue
                crossed = 6 if kind == DOOR or case.fits(kind, step) else inf
                prices = {ROCK: 2, CORRIDOR: 1 if case.reuse else 2, FLOOR: 20 if case.avoid else 2, EDGE: inf}
                price += prices.get(kind, crossed)
            best = min(best, (price, next(order), path), key=lambda found: found[:2])
    return best[2] if best[0] < inf else []


@pytest.mark.parametrize("draws", [1, 12])
def test_straight_paths_as_the_plain_method_finds_them(draws: int) -> None:
    dug = 0
    for seed in range(CASES):
        case, rng, other_rng = Case(seed), Rng.of(seed), Rng.of(seed)
        case.corridor_width = 1
        for one, other in case.pairs:
            before = case.kinds.copy()
            path = plain_straight(case, one, other, other_rng, draws)
            style = CorridorStyle(1, case.avoid, case.reuse, case.anywhere)
            found = dig_straight(case.dungeon, style, one, other, rng.state, draws, case.passed)
            rooms = [one] + [int(case.owners[cell]) - 1 for cell, _ in path if case.owners[cell]]
            assert case.passed[:found].tolist() == [
                room for at, room in enumerate(rooms) if path and (at == 0 or room != rooms[at - 1])
            ]
            solid = {cell for cell, _ in path if before[cell] not in (FLOOR, CORRIDOR, DOOR)}
            now_open = np.isin(case.kinds, OPEN) & ~np.isin(before, OPEN)
            assert {tuple(cell) for cell in np.argwhere(now_open).tolist()} == solid
            dug += bool(path)
    assert dug > CASES / 4


def test_wide_corridors_dig_reachable_rock() -> None:
    for seed in range(100):
        narrow, wide = Case(seed), Case(seed)
        narrow.corridor_width, wide.corridor_width = 1, 3
        for one, other in narrow.pairs[:1]:
            narrow.dig(one, other, Rng.of(seed))
            before = wide.kinds.copy()
            wide.dig(one, other, Rng.of(seed))
            expected = narrow.kinds == CORRIDOR
            for row, column in np.argwhere((narrow.kinds == CORRIDOR) & (before == ROCK)).tolist():
                for down in (-1, 1):
                    for line in (row, row + down):  # Up and down, and from there sideways, as far as there is rock.
                        if narrow.kinds[line, column] not in (ROCK, CORRIDOR):
                            break
                        expected[line, column] = True
                        for near in (column - 1, column + 1):
                            expected[line, near] |= before[line, near] == ROCK
            assert np.array_equal(wide.kinds == CORRIDOR, expected)
