"""Mini dungeons: a path of a given length with enemies, potions and a given number of treasures.

The level is a path without shortcuts, so that the player meets everything on it in order.
Potions are placed where the player would die without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tilewright import GaveUp, Rng, make

from .different import SequenceStack, fill_places
from .kernels.agent_queue import BALANCES, MAX_POPS
from .kernels.mdungeons import EMPTY, EXIT, GOBLIN, HEALING, HEALTH, OGRE, PLAYER, POTION, TREASURE, solve_mdungeons
from .problem import Content, Control, PcgProblem, Report
from .walks import Cell, find_distances, trace_path

TOLERANCE = 4
MIN_ENEMIES = 8
MIN_LENGTH = MIN_ENEMIES + 2
MIN_DIFFERENCE = 0.4
MAX_EVENTS = 46
"""Maximum number of events: half of the 96 cells must be empty or walls, and player and exit need two."""
TRIES = 60
SWAPS = 13_000
ROUNDING = 1e-9
DRAWS = 20
"""Number of random sequences to try that are short enough."""
DAMAGES = {GOBLIN: 1, OGRE: 2}
MORE_ENEMIES = (0, 0, 0, 1, 2, 4, 8)
OGRE_SHARES = (0.0, 0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class DungeonLevel:
    """A level, and the tiles that the player meets in order."""

    cells: NDArray[np.int64]
    events: NDArray[np.uint8]


class MiniDungeonProblem(PcgProblem):
    name = "mdungeons"
    shape = (12, 8)
    tiles = (
        {"name": "wall", "glyph": "#", "passable": False},
        {"name": "floor", "glyph": "."},
        {"name": "player", "glyph": "@"},
        {"name": "exit", "glyph": "E"},
        {"name": "potion", "glyph": "p"},
        {"name": "treasure", "glyph": "t"},
        {"name": "goblin", "glyph": "g"},
        {"name": "ogre", "glyph": "o"},
    )
    ranges = (("col_treasures", 0, 19), ("solution_length", 16, 47))
    game = "dungeon,health=5"

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        found = fill_places(self._make_one, _find_conflicts, controls, rng, report, tries=TRIES, swaps=SWAPS)
        return [level.cells.tolist() for level in found]

    def _make_one(self, control: Control, rng: Rng) -> DungeonLevel | None:
        high = control["solution_length"] + TOLERANCE
        events = _draw_events(control["col_treasures"], min(high - 2, MAX_EVENTS), rng)
        low = max(MIN_LENGTH, len(events) + 2, control["solution_length"] - TOLERANCE)
        path = self._draw_path(rng.between(low, high), rng)
        if path is None:
            return None
        cells = np.zeros(self.shape, dtype=np.int64)
        for cell in path:
            cells[cell] = EMPTY
        cells[path[0]], cells[path[-1]] = PLAYER, EXIT
        for place, event in zip(sorted(rng.shuffle(range(1, len(path) - 1))[: len(events)]), events, strict=True):
            cells[path[place]] = event
        met = find_events(cells)
        return DungeonLevel(cells, met) if met is not None and len(met) == len(events) else None

    def _draw_path(self, length: int, rng: Rng) -> list[Cell] | None:
        """Return the cells of a random path without shortcuts; None if there is none of this length."""
        height, width = self.shape
        try:
            map = make("snake", width=width, height=height, border=0, length=length, seed=str(rng.bits()))
        except GaveUp:
            return None
        start, exit = ((marker.y, marker.x) for marker in map.markers)
        return trace_path(find_distances(map.passable, start), exit)


def _draw_events(treasures: int, most: int, rng: Rng) -> list[int]:
    """Return at most that many events: enemies, treasures and potions that keep the player alive, in random order."""
    least = max(0, treasures - TOLERANCE)
    for _ in range(DRAWS):
        count = least if rng.chance(0.5) else rng.between(least, treasures + TOLERANCE)
        share = rng.choice(OGRE_SHARES)
        enemies = [OGRE if rng.chance(share) else GOBLIN for _ in range(MIN_ENEMIES + rng.choice(MORE_ENEMIES))]
        space = most - count - len(enemies) - 2
        potions = rng.below(space + 1) if space > 0 and rng.chance(0.6) else 0
        events = _add_potions(_arrange([TREASURE] * count, enemies, [POTION] * potions, rng))
        if len(events) <= most:
            return events
    # The shortest sequence with as many treasures as fit: the control may be impossible.
    shortest = _add_potions([GOBLIN] * MIN_ENEMIES)
    count = min(least, most - len(shortest))
    cut = rng.below(count + 1)
    return [*[TREASURE] * cut, *shortest, *[TREASURE] * (count - cut)]


def _arrange(treasures: list[int], enemies: list[int], potions: list[int], rng: Rng) -> list[int]:
    """Return all events, divided into runs, in random order."""
    if rng.chance(0.25):
        return rng.shuffle([*treasures, *enemies, *potions])
    runs = []
    for events in (treasures, enemies, potions):
        cuts = sorted(rng.below(len(events) + 1) for _ in range(rng.below(4)))
        runs += [events[one:two] for one, two in pairwise([0, *cuts, len(events)])]
    return [event for run in rng.shuffle(runs) for event in run]


def _add_potions(wanted: Sequence[int]) -> list[int]:
    """Return events with a potion before each enemy that would kill the player."""
    health, events = HEALTH, []
    for event in wanted:
        damage = DAMAGES.get(event, 0)
        while health <= damage:
            health = min(HEALTH, health + HEALING)
            events.append(POTION)
        health = min(HEALTH, health + HEALING) if event == POTION else health - damage
        events.append(event)
    return events


def find_events(cells: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """Return the tiles that the benchmark's agents meet on their path to the exit; None if they find none."""
    level = np.pad(cells, 1).astype(np.uint8)
    places = np.concatenate([np.argwhere(level == tile)[0] for tile in (PLAYER, EXIT)])
    path = np.empty((MAX_POPS, 3), dtype=np.int64)
    for balance in BALANCES:
        if length := solve_mdungeons(level, places, balance, path):
            met = path[:length, 2]
            return met[met >= POTION].astype(np.uint8)
    return None


def _find_conflicts(one: DungeonLevel, others: Sequence[DungeonLevel]) -> NDArray[np.bool_]:
    if not others:
        return np.zeros(0, dtype=np.bool_)
    hamming = np.count_nonzero(np.stack([other.cells for other in others]) != one.cells, axis=(1, 2)) / one.cells.size
    limits = 1 - (MIN_DIFFERENCE - hamming * 0.2) / 0.8 - ROUNDING
    ratios = SequenceStack([other.events for other in others]).compare(one.events, limits)
    is_similar: NDArray[np.bool_] = (1 - ratios) * 0.8 + hamming * 0.2 < MIN_DIFFERENCE
    return is_similar


PROBLEM = MiniDungeonProblem()
