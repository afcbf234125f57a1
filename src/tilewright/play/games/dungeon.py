"""Dungeon: walk to an exit, find keys for locks and doors, and survive fights.

The player walks along the axes. A lock such as the marker `lock red` is closed until a `key red` is found, and a door
until a key of its color. Keys are never used up. With `health`, entering the cell of an enemy costs health
once, a potion gives health back, and the player must not run out of it; without, enemies take no part. Treasures and
coins are collected on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...core.params import Params, param
from ...kernels.walks import WORD_BITS, WalkLevel, find_walk
from ..board import STEPS, Cell, GameBoard
from ..game import game
from ..game_rules import GameRules, Solution


class DungeonGameParams(Params):
    """Parameters of the dungeon game."""

    health: int = param(0, ge=0, le=1000, typical=(0, 20))
    """Health of the player at the start, and its maximum; 0 for a game without fights."""
    enemy_damage: int = param(1, ge=0, le=1000, typical=(0, 5))
    """Health that an enemy costs."""
    boss_damage: int = param(2, ge=0, le=1000, typical=(0, 10))
    """Health that a boss costs."""
    potion_health: int = param(2, ge=0, le=1000, typical=(0, 10))
    """Health that a potion gives back."""


class DungeonState(NamedTuple):
    """The cell of the player, its keys and health, and the cells of enemies and potions that are gone."""

    player: Cell
    keys: frozenset[str]
    health: int
    gone: frozenset[Cell]


class DungeonRules(GameRules[DungeonState, DungeonGameParams]):
    """Rules of the dungeon game."""

    moves = tuple(STEPS)

    def __init__(self, board: GameBoard, params: DungeonGameParams) -> None:
        super().__init__(board, params)
        self.start = board.one("player", "player_on_target")
        self.exits = frozenset(board.some("exit"))
        self.is_open = ~board.mask("wall", "brick", "spike", "crate") | board.mask("door", "lock", "player", "exit")
        self.keys = board.colors("key")
        """Colors of the keys by cell."""
        self.locks = {**board.colors("door"), **board.colors("lock")}
        """Colors of the doors and locks by cell."""
        self.effects: dict[Cell, int] = {}
        """Changes of health by cell."""
        if params.health:
            self.effects = {
                **dict.fromkeys(board.cells("enemy"), -params.enemy_damage),
                **dict.fromkeys(board.cells("boss"), -params.boss_damage),
                **dict.fromkeys(board.cells("potion"), params.potion_health),
            }

    def begin(self) -> DungeonState:
        return self._enter(self.start, DungeonState(self.start, frozenset(), self.params.health, frozenset()))

    def step(self, state: DungeonState, move: str) -> DungeonState | None:
        row, column = state.player[0] + STEPS[move][0], state.player[1] + STEPS[move][1]
        if not self.board.contains(row, column) or not self.is_open[row, column]:
            return None
        if not self.locks.get((row, column), frozenset()) <= state.keys:
            return None
        after = self._enter((row, column), state)
        return None if self.params.health and after.health <= 0 else after

    def _enter(self, cell: Cell, state: DungeonState) -> DungeonState:
        health, gone = state.health, state.gone
        if cell in self.effects and cell not in gone:
            health, gone = min(health + self.effects[cell], self.params.health), gone | {cell}
        return DungeonState(cell, state.keys | self.keys.get(cell, frozenset()), health, gone)

    def is_won(self, state: DungeonState) -> bool:
        return state.player in self.exits

    def list_pickups(self) -> Mapping[Cell, str]:
        return {cell: role for role in ("treasure", "coin", "gold") for cell in self.board.cells(role)}

    def list_events(self, before: DungeonState, move: str, after: DungeonState) -> Iterator[tuple[str, Cell]]:
        if after.keys != before.keys:
            yield "key", after.player
        if after.gone != before.gone:
            yield "fight" if self.effects[after.player] < 0 else "potion", after.player

    def list_changes(self, state: DungeonState) -> Mapping[Cell, str]:
        taken = [cell for cell, colors in self.keys.items() if colors <= state.keys]
        return dict.fromkeys([*state.gone, *taken], "floor")


@game(
    DungeonRules,
    params=DungeonGameParams,
    roles=(
        "player", "exit", "key", "door", "lock", "enemy", "boss", "potion", "treasure", "coin", "gold", "wall", "spike"
    ),
    events=("key", "fight", "potion", "treasure", "coin", "gold"),
    limit=1 << 22,
)  # fmt: skip
def dungeon(rules: DungeonRules, limit: int) -> Solution:
    level, words = _make_level(rules)
    visited, result = np.zeros(level.is_open.size, dtype=np.uint8), np.zeros(2, dtype=np.int64)
    start = rules.board.flat_index(rules.start)
    walk = find_walk(level, start, words, limit, visited, result)
    return Solution.of(rules, walk, visited, result)


def _make_level(rules: DungeonRules) -> tuple[WalkLevel, int]:
    """Return the level for the solver, and the number of words of its states."""
    rows, columns = rules.board.shape
    shape = (rows + 2, columns + 2)
    # Keys that open nothing, and enemies that cost nothing, do not distinguish states.
    colors = sorted(frozenset[str]().union(*rules.locks.values()))
    bits = {color: number for number, color in enumerate(colors)}
    effects, items = np.zeros(shape, dtype=np.int32), np.full(shape, -1, dtype=np.int32)
    effective = sorted(cell for cell, effect in rules.effects.items() if effect)
    for number, (row, column) in enumerate(effective, len(bits)):
        effects[row + 1, column + 1], items[row + 1, column + 1] = rules.effects[row, column], number
    words = -(-(len(bits) + len(effective)) // WORD_BITS)
    kinds = np.zeros(shape, dtype=np.int32)
    none = frozenset[str]()
    sets = [(none, none)]
    for row, column in {**rules.keys, **rules.locks}:
        kinds[row + 1, column + 1] = len(sets)
        sets.append((rules.keys.get((row, column), none), rules.locks.get((row, column), none)))
    keys, locks = (
        np.array([_pack(own[side], bits, words) for own in sets], dtype=np.int32).reshape(len(sets), words)
        for side in (0, 1)
    )
    is_exit = np.zeros((rows, columns), dtype=np.uint8)
    for cell in rules.exits:
        is_exit[cell] = 1
    level = WalkLevel(
        is_open=np.pad(rules.is_open.astype(np.uint8), 1).reshape(-1),
        is_exit=np.pad(is_exit, 1).reshape(-1),
        effects=effects.reshape(-1),
        items=items.reshape(-1),
        keys=keys,
        locks=locks,
        kinds=kinds.reshape(-1),
        shifts=np.array([-1, 1, -columns - 2, columns + 2], dtype=np.int64),
        max_health=rules.params.health,
    )
    return level, words


def _pack(colors: frozenset[str], bits: Mapping[str, int], words: int) -> list[int]:
    """Return the words with the bits of key colors."""
    found = [0] * words
    for color in colors & bits.keys():
        found[bits[color] // WORD_BITS] |= 1 << (bits[color] % WORD_BITS)
    return found
