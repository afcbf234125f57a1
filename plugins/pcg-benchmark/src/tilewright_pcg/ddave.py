"""Danger Dave: a platform level with start, exit and number of diamonds given exactly.

Random blocks are placed around the given start and exit. If the benchmark's agent finds a path in such a level,
diamonds are placed on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright import Rng

from .different import fill_places
from .kernels.agent_queue import BALANCES, MAX_POPS
from .kernels.ddave import DIAMOND, EMPTY, EXIT, KEY, PLAYER, SOLID, SPIKE, solve_ddave
from .problem import Content, Control, PcgProblem, Report
from .walks import Cell, find_distances

MIN_JUMPS, MAX_JUMPS = 2, 11
MIN_DIFFERENCE, MAX_DIFFERENCE = 7.2, 77
"""Range of the differences of visits in which two contents differ."""
BLOCK_SHARES = (0.15, 0.45)
MAX_SPIKES = 4
TRIES = 4000


@dataclass(frozen=True, eq=False)
class DaveLevel:
    """A level, and the rows and columns that the agent's path visits."""

    cells: NDArray[np.int64]
    visits: NDArray[np.int64]


class DaveProblem(PcgProblem):
    name = "ddave"
    shape = (7, 11)
    tiles = (
        {"name": "wall", "glyph": "#", "passable": False},
        {"name": "floor", "glyph": "."},
        {"name": "player", "glyph": "@"},
        {"name": "exit", "glyph": "E"},
        {"name": "diamond", "glyph": "c"},
        {"name": "key", "glyph": "k"},
        {"name": "spike", "glyph": "^"},
    )
    ranges = (("sx", 0, 10), ("sy", 5, 6), ("ex", 0, 10), ("ey", 0, 2), ("diamonds", 0, 6))
    game = "platformer,jump_height=2,jump_length=5,running_jumps=false,floor=true"

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        found = fill_places(self._make_one, _find_conflicts, controls, rng, report, tries=TRIES)
        return [level.cells.tolist() for level in found]

    def _make_one(self, control: Control, rng: Rng) -> DaveLevel | None:
        start, exit = (control["sy"], control["sx"]), (control["ey"], control["ex"])
        rows, columns = self.shape
        share = BLOCK_SHARES[0] + (BLOCK_SHARES[1] - BLOCK_SHARES[0]) * rng.random()
        cells = np.where(rng.randoms(rows * columns).reshape(self.shape) < share, SOLID, EMPTY).astype(np.int64)
        for row, column in (start, exit):
            if row + 1 < rows:
                cells[row + 1, column] = SOLID
        cells[start] = cells[exit] = EMPTY
        is_near = find_distances(cells != SOLID, start) > 0
        cells[~is_near] = SOLID
        cells[start] = PLAYER
        if not is_near[exit]:
            return None
        cells[exit] = EXIT
        free = rng.shuffle([(int(row), int(column)) for row, column in np.argwhere(cells == EMPTY)])
        if not free:
            return None
        cells[free[0]] = KEY
        for cell in free[1 : 1 + rng.between(0, MAX_SPIKES)]:
            cells[cell] = SPIKE
        path = find_path(cells)
        if path is None:
            return None
        spots = rng.shuffle([cell for cell in dict.fromkeys(map(_as_cell, path)) if cells[cell] == EMPTY])
        if len(spots) < control["diamonds"]:
            return None
        chosen = spots[: control["diamonds"]]
        for cell in chosen:
            cells[cell] = DIAMOND
        path = find_path(cells) if chosen else path
        if path is None or not MIN_JUMPS <= path[-1, 2] <= MAX_JUMPS:
            return None
        if any(find_path(cells, cell) is None for cell in chosen):
            return None
        return DaveLevel(cells, path[:, :2])


def _as_cell(visit: NDArray[np.int64]) -> Cell:
    return int(visit[0]), int(visit[1])


def find_path(cells: NDArray[np.int64], target: Cell | None = None) -> NDArray[np.int64] | None:
    """Return the path that the benchmark's agents find: row, column and jumps so far at each cell.

    Without a target, the path leads to the key and then to the exit. Return None if the agents find none.
    """
    level = np.pad(cells, 1).astype(np.uint8)
    places = np.concatenate([np.argwhere(level == tile)[0] for tile in (PLAYER, EXIT, KEY)])
    goal = np.array((-1, -1) if target is None else (target[0] + 1, target[1] + 1), dtype=np.int64)
    path = np.empty((MAX_POPS, 3), dtype=np.int64)
    for balance in BALANCES:
        if length := solve_ddave(level, places, goal, balance, path):
            return path[:length] - (1, 1, 0)
    return None


def _differ(first: DaveLevel, second: DaveLevel) -> bool:
    rows, columns = first.cells.shape
    corner = np.minimum(first.visits.min(axis=0), second.visits.min(axis=0))
    one, two = (
        np.bincount((level.visits - corner) @ (columns, 1), minlength=rows * columns).reshape(rows, columns)
        for level in (first, second)
    )
    difference = min(np.abs(one - two).sum(), np.abs(one[:, ::-1] - two).sum())
    return bool(MIN_DIFFERENCE <= difference <= MAX_DIFFERENCE)


def _find_conflicts(one: DaveLevel, others: Sequence[DaveLevel]) -> NDArray[np.bool_]:
    return np.array([not (_differ(one, other) and _differ(other, one)) for other in others], dtype=np.bool_)


PROBLEM = DaveProblem()
