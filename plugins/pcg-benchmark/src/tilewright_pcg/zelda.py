"""Zelda: a player, a key and a door at given distances, and enemies.

Walls are added to an open map while it stays connected. Then key, door and player are placed at cells with the wanted
distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright import Rng, TileMap, shape

from .different import SequenceStack, fill_places
from .problem import Content, Control, PcgProblem, Report
from .walks import find_distances, trace_path

WALL, EMPTY, PLAYER, KEY, DOOR, ENEMY = range(6)
TOLERANCE = 2
MIN_STEPS = 18
"""Minimum number of steps from the player to the key and on to the door."""
MIN_DIFFERENCE, MAX_RATIO = 0.3, 0.69
"""Minimum difference of the paths of two contents, and a similarity below which they differ."""
FLOOR_SHARES = (0.45, 0.6)
TRIES = 1000


@dataclass(frozen=True, eq=False)
class ZeldaLevel:
    """A level, and its path from the player to the key as the benchmark writes it."""

    cells: NDArray[np.int64]
    path: NDArray[np.uint8]


class ZeldaProblem(PcgProblem):
    name = "zelda"
    shape = (7, 11)
    tiles = (
        {"name": "wall", "glyph": "#", "passable": False},
        {"name": "floor", "glyph": "."},
        {"name": "player", "glyph": "@"},
        {"name": "key", "glyph": "k"},
        {"name": "door", "glyph": "D", "role": "exit"},
        {"name": "enemy", "glyph": "e"},
    )
    ranges = (("player_key", 11, 18), ("key_door", 11, 18))
    game = "dungeon"

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        found = fill_places(self._make_one, _find_conflicts, controls, rng, report, tries=TRIES)
        return [level.cells.tolist() for level in found]

    def _make_one(self, control: Control, rng: Rng) -> ZeldaLevel | None:
        share = FLOOR_SHARES[0] + (FLOOR_SHARES[1] - FLOOR_SHARES[0]) * rng.random()
        empty = TileMap(np.full(self.shape, EMPTY), self.tileset)
        is_open = shape(empty, "thicken", floor_share=share, seed=str(rng.bits())).passable
        floors = [(int(row), int(column)) for row, column in np.argwhere(is_open)]
        key = rng.choice(floors)
        steps = find_distances(is_open, key)
        door = _choose_at(steps, control["key_door"], rng)
        if door is None:
            return None
        is_passable = is_open.copy()
        is_passable[door] = False
        player = _choose_at(find_distances(is_passable, key), control["player_key"], rng)
        if player is None:
            return None
        cells = np.where(is_open, EMPTY, WALL).astype(np.int64)
        cells[player], cells[key], cells[door] = PLAYER, KEY, DOOR
        free = rng.shuffle([cell for cell in floors if cell not in (player, key, door)])
        for cell in free[: rng.between(2, 4)]:
            cells[cell] = ENEMY
        return ZeldaLevel(cells, _write_path(trace_path(find_distances(is_passable, player), key), self.shape))


def _choose_at(steps: NDArray[np.int64], wanted: int, rng: Rng) -> tuple[int, int] | None:
    """Return a random cell whose number of steps is within the tolerance; at least half of the minimum length."""
    low, high = max(MIN_STEPS // 2, wanted - TOLERANCE), wanted + TOLERANCE
    found = np.argwhere((steps >= low) & (steps <= high))
    if not len(found):
        return None
    row, column = found[rng.below(len(found))]
    return int(row), int(column)


def _write_path(path: Sequence[tuple[int, int]], shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a path as the benchmark compares it: mirrored so that it starts in the upper left quarter."""
    rows, columns = shape
    flips_rows, flips_columns = path[0][0] > rows / 2, path[0][1] > columns / 2
    text = "".join(
        f"{columns - 1 - column if flips_columns else column},{rows - 1 - row if flips_rows else row}|"
        for row, column in path
    )
    return np.frombuffer(text.encode(), dtype=np.uint8).copy()


def _find_conflicts(one: ZeldaLevel, others: Sequence[ZeldaLevel]) -> NDArray[np.bool_]:
    ratios = SequenceStack([other.path for other in others]).compare(one.path, MAX_RATIO)
    # The benchmark compares 1 - ratio with 0.3.
    return 1 - ratios < MIN_DIFFERENCE


PROBLEM = ZeldaProblem()
