"""Random placement of rooms against a direct version that compares every new room with all earlier cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.generators.rooms import RoomsParams, make_layout_arrays
from tilewright.kernels.corridors import DOOR, EDGE, FLOOR, ROCK, WALL, DungeonArrays, as_rooms
from tilewright.kernels.scatter import (
    DRAWN_DOOR,
    DRAWN_FLOOR,
    DRAWN_WALL,
    INNER_DOOR,
    LayoutArrays,
    ScatterState,
    scatter,
)

CASES = 200
LAYOUTS = (
    {"drawing": "xxDxx\nxooox\nxxxxx", "weight": 2.0},
    {"drawing": "ooo\n.o.\nxox\nxxx\nxxx", "weight": 1.0},
    {"drawing": "xxxxxxx\nxoxxoox\nxoDooxx\nDoxxooD\nxxxxxxx", "weight": 0.5},
)


def make_layouts(p: RoomsParams) -> LayoutArrays:
    return make_layout_arrays(p.layouts, p.plain, p.turned, p.width, p.height)


class Case:
    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        height, width = (int(side) for side in chance.integers(7, 24, 2))
        layouts = LAYOUTS[: seed % 4] if seed % 2 else ()
        self.p = RoomsParams(
            width=width, height=height, spacing=int(chance.integers(1, 4)), room_width=(1, 5), room_height=(2, 4),
            patience=int(chance.integers(1, 30)), layouts=layouts, plain=float(chance.integers(0, 2)) if layouts else 1,
            rooms=int(chance.integers(1, 15)),
        )  # fmt: skip
        self.kinds = np.where(chance.random((height, width)) < (seed % 3) * 0.02, EDGE, ROCK).astype(np.uint8)
        self.kinds[0] = self.kinds[-1] = self.kinds[:, 0] = self.kinds[:, -1] = EDGE
        self.owners = np.zeros(self.kinds.shape, dtype=np.int32)
        self.seed = seed

    def run_scatter(self, budget: int) -> tuple[list[list[int]], NDArray[np.uint8], NDArray[np.int32]]:
        kinds, owners, p = self.kinds.copy(), self.owners.copy(), self.p
        assert p.rooms is not None
        drawn, state, rooms = make_layouts(p), ScatterState.new(), np.empty((p.rooms, 4), dtype=np.int64)
        taken, stream = np.zeros(kinds.size, dtype=np.uint8), Rng.of(self.seed).state
        dungeon = DungeonArrays(kinds.reshape(-1), owners.reshape(-1), as_rooms(rooms), p.width)
        while scatter(dungeon, taken, p.sizes, p.spacing, drawn, stream, state, p.patience, budget):
            pass
        return rooms[: state.count].tolist(), kinds, owners


def plain_scatter(case: Case) -> tuple[list[list[int]], NDArray[np.uint8], NDArray[np.int32]]:
    p, rng, choice = case.p, Rng.of(case.seed), make_layouts(case.p)
    kinds, owners = case.kinds.copy(), case.owners.copy()
    floors: set[tuple[int, int]] = set()
    walls: set[tuple[int, int]] = set()
    doorways: set[tuple[int, int]] = set()
    found: list[list[int]] = []
    failed = 0
    min_width, max_width, min_height, max_height = p.sizes

    def is_near(cell: tuple[int, int]) -> bool:
        return any(max(abs(cell[0] - y), abs(cell[1] - x)) <= p.spacing for y, x in floors)

    while len(found) < (p.rooms or 0) and failed < p.patience:
        failed += 1
        mark = rng.random() * choice.weights[-1]
        kind = next((at for at, weight in enumerate(choice.weights) if mark < weight), len(choice.weights) - 1)
        doors: list[tuple[tuple[int, int], tuple[int, int]]] = []
        new: dict[tuple[int, int], int] = {}
        if kind == 0:
            width, height = rng.between(min_width, max_width), rng.between(min_height, max_height)
            x, y = 1 + rng.below(p.width - 1 - width), 1 + rng.below(p.height - 1 - height)
            new = {(y + row, x + column): DRAWN_FLOOR for row in range(height) for column in range(width)}
        else:
            width, height, first = choice.layouts[kind - 1].tolist()
            y, x = rng.below(p.height - height + 1), rng.below(p.width - width + 1)
            drawing = choice.cells[first : first + width * height].reshape(height, width)
            new = {(y + row, x + column): int(drawing[row, column]) for row, column in np.ndindex(height, width)}
            for (row, column), drawn in new.items():
                if drawn == DRAWN_DOOR:
                    for down, across in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                        if new.get((row - down, column - across)) == DRAWN_FLOOR:
                            doors.append(((row, column), (row + down, column + across)))
                            break
        inside = [cell for cell, drawn in new.items() if drawn in (DRAWN_FLOOR, INNER_DOOR)]
        solid = [cell for cell, drawn in new.items() if drawn == DRAWN_WALL]
        if any(kinds[cell] == EDGE or is_near(cell) or cell in walls | doorways for cell in inside):
            continue
        if any(kinds[cell] == FLOOR or cell in doorways for cell in solid):
            continue
        if any(kinds[at] in (EDGE, WALL, FLOOR) or kinds[out] in (EDGE, WALL) for at, out in doors):
            continue
        for cell in inside:
            kinds[cell], owners[cell] = (FLOOR if new[cell] == DRAWN_FLOOR else DOOR), len(found) + 1
        for row, column in solid:
            thin = any(max(abs(row - y), abs(column - x)) == 1 for y, x in inside)
            if kinds[row, column] == ROCK and (doors or not thin):
                kinds[row, column] = WALL
        floors |= set(inside)
        walls |= set(solid)
        doorways |= {cell for pair in doors for cell in pair}
        (top, left), (bottom, right) = np.min(inside, axis=0).tolist(), np.max(inside, axis=0).tolist()
        found.append([left, top, right - left + 1, bottom - top + 1])
        failed = 0
    return found, kinds, owners


def test_scattering_as_the_plain_method_does() -> None:
    placed = 0
    for seed in range(CASES):
        case = Case(seed)
        rooms, kinds, owners = case.run_scatter(1 << 20)
        plain_rooms, plain_kinds, plain_owners = plain_scatter(case)
        assert rooms == plain_rooms, seed
        assert np.array_equal(kinds, plain_kinds), seed
        assert np.array_equal(owners, plain_owners), seed
        placed += len(rooms)
    assert placed > 3 * CASES


def test_blocks_change_nothing() -> None:
    for seed in range(60):
        case = Case(seed)
        whole = case.run_scatter(1 << 20)
        for budget in (1, 7, 100):
            rooms, kinds, owners = case.run_scatter(budget)
            assert rooms == whole[0]
            assert np.array_equal(kinds, whole[1])
            assert np.array_equal(owners, whole[2])
