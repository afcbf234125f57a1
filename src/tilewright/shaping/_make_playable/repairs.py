"""Repairs: cells to change, by the roles that they get.

In dungeons, passages through walls; in platformer levels, bridges, steps, cleared walls and removed spikes; in
ladder-and-gold levels, ladders, also through walls and in place of enemies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from math import inf
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.roles import role_of_name
from ...core.tilemap import TileMap
from ...kernels.platformer import EDITS, RepairArrays, find_repairs
from ...play.board import STEPS, Cell, GameBoard
from ...play.game_rules import find_tiles_of_roles
from ...play.games.dungeon import DungeonRules
from ...play.games.platformer import PlatformerRules, build_level, encode_state
from ...play.games.runner import RunnerRules

Mask: TypeAlias = NDArray[np.bool_]
Changes: TypeAlias = Mapping[Cell, str]
"""Roles of the changed cells."""
GROUND = ("platform", "wall", "brick")
"""Roles of new ground, the best first: platforms never block the player from below."""
DANGERS = ("spike", "enemy", "boss")
STEP, DIG, DIG_EDGE, LADDER = 1, 1 << 16, 1 << 24, 1 << 16
"""Costs of a step, of opening a cell, of opening one at the edge of the map, and of a new ladder."""
MAX_DUNGEON_STATES, MAX_PLATFORMER_STATES = 1 << 18, 1 << 22
MAX_KEYS = 8
PENDING = 4
"""Space for pending states, as a multiple of all states."""
State = TypeVar("State", bound=Any)
Steps = Callable[[State], Iterable[tuple[State, int]]]
"""Function that returns the next states, with the costs of the steps to them."""
DungeonState: TypeAlias = tuple[Cell, tuple[str, ...]]
RunnerState: TypeAlias = tuple[Cell, bool]
"""A cell, and whether it gets a ladder."""


def find_fixed_cells(board: GameBoard, locked: Mask) -> Mask:
    """Return the cells that must not change: locked ones, and those of the player, exits, keys and gold."""
    return locked | board.mask("player", "player_on_target", "exit", "key", "gold", "treasure", "target", "crate")


def choose_role(board: GameBoard, *roles: str) -> str:
    """Return the first role that a tile of the tileset has; empty if none has one."""
    tiles = find_tiles_of_roles(board)
    return next((role for role in roles if role in tiles), "")


def apply_changes(map: TileMap, changes: Changes) -> TileMap:
    """Return the map with changed cells, without the dangers that were marked there."""
    board = GameBoard(map)
    tiles = find_tiles_of_roles(board)
    cells = map.cells.copy()
    for cell, role in changes.items():
        cells[cell] = tiles[role]
    kept = [one for one in map.markers if (one.y, one.x) not in changes or role_of_name(one.name) not in DANGERS]
    return map.replace(cells=cells, markers=kept)


def find_cheapest_walk(
    first: State, is_goal: Callable[[State], bool], list_steps: Steps[State], max_states: float = inf
) -> list[State]:
    """Return the states of the cheapest walk to a goal; empty if there is none.

    Of equally cheap walks, the walk to the first state in ascending order counts.
    """
    costs, sources = {first: 0}, dict[State, State]()
    pending = [(0, first)]
    while pending and len(costs) < max_states:
        cost, state = heappop(pending)
        if cost > costs[state]:
            continue
        if is_goal(state):
            walk = [state]
            while walk[-1] in sources:
                walk.append(sources[walk[-1]])
            return walk[::-1]
        for following, price in list_steps(state):
            total = cost + price
            if total < costs.get(following, inf):
                costs[following], sources[following] = total, state
                heappush(pending, (total, following))
    return []


def repair_dungeon(rules: DungeonRules, locked: Mask) -> Changes:
    """Return the cheapest passages to the keys that are needed and to an exit; none if there are none."""
    floor, closed, fixed = choose_role(rules.board, "floor"), ~rules.is_open, find_fixed_cells(rules.board, locked)
    rows, columns = closed.shape

    def list_steps(state: DungeonState) -> Iterator[tuple[DungeonState, int]]:
        (row, column), keys = state
        held = frozenset(keys)
        for to in ((row + down, column + right) for down, right in STEPS.values()):
            if not rules.board.contains(*to) or not rules.locks.get(to, frozenset()) <= held:
                continue
            following = to, tuple(sorted(held | rules.keys[to])) if to in rules.keys else keys
            if not closed[to]:
                yield following, STEP
            elif not fixed[to]:
                is_edge = to[0] in (0, rows - 1) or to[1] in (0, columns - 1)
                yield following, STEP + (DIG_EDGE if is_edge else DIG)

    walk = find_cheapest_walk(
        (rules.start, tuple(sorted(rules.keys.get(rules.start, ())))),
        lambda state: state[0] in rules.exits,
        list_steps,
        MAX_DUNGEON_STATES if floor else 0,
    )
    return {cell: floor for cell, _ in walk if closed[cell]}


def repair_platformer(rules: PlatformerRules, locked: Mask) -> Changes:
    """Return the cheapest changes with which the level can be finished; none if there are none."""
    level = build_level(rules)
    level = level._replace(air_levels=level.air_levels + 1)  # one more for a player on new ground
    per_keys = level.flags.size * level.air_levels * level.directions
    ground, floor = choose_role(rules.board, *GROUND), choose_role(rules.board, "floor")
    if level.key_count > MAX_KEYS or per_keys << level.key_count > MAX_PLATFORMER_STATES or not ground or not floor:
        return {}
    total = per_keys << level.key_count
    fixed = find_fixed_cells(rules.board, locked).view(np.uint8).reshape(-1)
    changes = np.empty(4 * level.flags.size, dtype=np.int64)
    count = find_repairs(
        level,
        encode_state(level, rules),
        RepairArrays(fixed, int(ground != GROUND[0]), np.zeros(EDITS, dtype=np.int64), level.air_levels - 1),
        np.full(total, np.inf),
        np.empty(total, dtype=np.int32),
        np.empty(total, dtype=np.uint8),
        np.empty(PENDING * total),
        np.empty(PENDING * total, dtype=np.int64),
        changes,
    )
    found: dict[tuple[int, int], str] = {}
    for change in changes[: max(count, 0)][::-1].tolist():
        row, column = divmod(change // 2, level.columns)
        found[row, column] = ground if change % 2 else floor
    return found


def repair_runner(rules: RunnerRules, locked: Mask) -> Changes:
    """Return ladders with which all gold and an exit can be reached, one after the other; none if there are none."""
    ladder = choose_role(rules.board, "ladder")
    if not ladder:
        return {}
    terrain = Terrain(rules, locked)
    cell, left = rules.start, set(rules.gold - {rules.start})
    while left:
        walk = terrain.find_walk(cell, left)
        if not walk:
            return {}
        cell = walk[-1]
        left.difference_update(walk)
    if rules.exits and cell not in rules.exits and not terrain.find_walk(cell, set(rules.exits)):
        return {}
    return dict.fromkeys(terrain.added, ladder)


class Terrain:
    """A level to which ladders are added. Walks over it never dig.

    Parameters
    ----------
    rules : RunnerRules
        Rules on the level.
    locked : ndarray of bool
        Cells that must not change.
    """

    def __init__(self, rules: RunnerRules, locked: Mask) -> None:
        self.solid = rules.walls | rules.bricks
        self.ladders, self.ropes = rules.ladders.copy(), rules.ropes
        self.closed = self.solid | rules.enemies
        self.fixed = find_fixed_cells(rules.board, locked) | rules.board.mask("coin")
        self.enter_ladders = rules.params.enter_ladders
        self.added: list[Cell] = []

    def find_walk(self, start: Cell, goals: set[Cell]) -> list[Cell]:
        """Return the cells of the cheapest walk to one of the goals, and add its ladders; empty if there is none."""
        walk = find_cheapest_walk((start, False), lambda state: state[0] in goals, self._list_steps)
        for cell, gets_ladder in walk:
            if gets_ladder and not self.ladders[cell]:
                self._add_ladder(cell)
        return [cell for cell, _ in walk]

    def _add_ladder(self, cell: Cell) -> None:
        self.ladders[cell], self.solid[cell], self.closed[cell] = True, False, False
        self.added.append(cell)

    def _list_steps(self, state: RunnerState) -> Iterator[tuple[RunnerState, int]]:
        cell, gets_ladder = state
        row, column = cell
        rows, columns = self.solid.shape
        climbs = gets_ladder or self.ladders[cell]
        below = (row + 1, column)
        has_below = row + 1 < rows
        if not climbs and not self.fixed[cell]:
            yield (cell, True), LADDER
        is_carried = climbs or self.ropes[cell] or not has_below or self.solid[below] or self.ladders[below]
        if not is_carried:
            yield from self._enter(below)
            return
        for side in (-1, 1):
            if 0 <= column + side < columns:
                yield from self._enter((row, column + side))
        if climbs and row:
            yield from self._enter((row - 1, column))
        steps_onto = self.enter_ladders and has_below and (self.solid[below] or self.ladders[below])
        if has_below and (climbs or self.ropes[cell] or steps_onto):
            yield from self._enter(below)

    def _enter(self, cell: Cell) -> Iterator[tuple[RunnerState, int]]:
        if not self.closed[cell]:
            yield (cell, False), STEP
        elif not self.fixed[cell]:
            yield (cell, True), STEP + LADDER
