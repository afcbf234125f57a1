"""Platformer: run and jump to an exit, over gaps, onto ledges and past spikes.

The player is one cell wide and high. In a tick it moves at most one cell sideways and then one cell up or down. A jump
rises `jump_height` cells, stays at its height for some ticks, and falls one cell in a tick; on level ground it
crosses a gap of `jump_length` columns. A ceiling ends the rise.

Walls block. Platforms can be passed from below and from the sides, carry the player, and let it drop on the move down.
Ladders can be climbed in both directions and carry the player. A spring throws the player up. Spikes kill, and so do
enemies unless the player falls onto them, which makes it bounce. Doors are closed until a key is found. The exit opens
when all keys are found. Coins are collected on the way. A player that falls out of the map is lost, unless the map
has a `floor`; the other sides of the map are closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...core.errors import Problem, problem
from ...core.params import Params, param
from ...kernels import platformer as kernels
from ...kernels.platformer import PlatformerLevel, allow_no_changes, explore_platformer
from ..board import Cell, GameBoard
from ..game import game
from ..game_rules import GameRules, Solution

MAX_STATES = 1 << 26
"""Maximum number of states, reached or not: cells, ticks in the air, directions and sets of keys. Each takes a byte."""
MAX_KEYS = 20


class PlatformerParams(Params):
    """Physics of the platformer."""

    jump_height: int = param(3, ge=1, le=32, typical=(1, 6))
    """Cells that a jump rises."""
    jump_length: int = param(7, ge=2, le=128, typical=(2, 14))
    """Width of the widest gap in level ground that a jump crosses; at least twice its height."""
    air_control: bool = param(True)
    """Whether the player can change its direction in the air; otherwise it keeps that of the take-off."""
    running_jumps: bool = param(True)
    """Whether a jump can start sideways; otherwise its first tick only rises, and it crosses one column less."""
    spring_height: int = param(6, ge=1, le=64, typical=(2, 10))
    """Cells that a spring throws the player up."""
    floor: bool = param(False)
    """Whether the map has a floor below its last row."""

    def find_problems(self) -> list[Problem]:
        if self.jump_length < 2 * self.jump_height:
            text = f"must be at least twice jump_height, {2 * self.jump_height}, got {self.jump_length}"
            return [problem(text, at="jump_length", rule="range")]
        return []

    @property
    def hang_time(self) -> int:
        """Ticks between the rise and the fall of a jump."""
        return self.jump_length - 2 * self.jump_height


class PlatformerState(NamedTuple):
    """The cell of the player, the rest of its jump, its direction in the air, and the keys that it has found."""

    player: Cell
    air: int
    """Ticks until the player falls; it rises while they exceed `hang_time`. 0 if it is not jumping."""
    direction: int
    """Direction of a player without air control in the air: -1, 0 or 1."""
    keys: frozenset[Cell]


SIDES = {"wait": 0, "left": -1, "right": 1, "up": 0, "down": 0, "jump": 0, "jump left": -1, "jump right": 1}


class PlatformerRules(GameRules[PlatformerState, PlatformerParams]):
    """Rules of the platformer."""

    moves = tuple(SIDES)

    def __init__(self, board: GameBoard, params: PlatformerParams) -> None:
        super().__init__(board, params)
        self.start = board.one("player", "player_on_target")
        self.exits = frozenset(board.some("exit"))
        self.keys = frozenset(board.cells("key"))
        self.walls = board.mask("wall", "brick", "crate")
        self.doors = board.mask("door", "lock")
        self.platforms = board.mask("platform")
        self.ladders = board.mask("ladder")
        self.springs = board.mask("spring")
        self.spikes = board.mask("spike")
        self.enemies = board.mask("enemy", "boss")

    def begin(self) -> PlatformerState:
        return PlatformerState(self.start, 0, 0, self.keys & {self.start})

    def step(self, state: PlatformerState, move: str) -> PlatformerState | None:
        row, column = state.player
        is_carried = state.air == 0 and self._is_carried(state, row, column)
        if is_carried and move in ("up", "down"):
            return self._climb(state, 1 if move == "down" else -1)
        if move in ("up", "down"):
            return None
        air, side = state.air, SIDES[move]
        if move.startswith("jump"):
            if not is_carried or self._is_blocked(state, row - 1, column):
                return None
            if side and not self.params.running_jumps:
                return None
            air = self.params.jump_height + self.params.hang_time
        direction = 0
        if not self.params.air_control:
            if not is_carried:
                side = state.direction
            direction = side
        if not self._is_blocked(state, row, column + side):
            column += side
        return self._fall(state, row, column, air, direction)

    def _climb(self, state: PlatformerState, down: int) -> PlatformerState | None:
        """Return the state after climbing a ladder, or dropping through a platform."""
        row, column = state.player
        to = row + down
        if self._is_blocked(state, to, column):
            return None
        drops = down > 0 and (self.ladders[to, column] or self.platforms[to, column])
        if not self.ladders[row, column] and not drops:
            return None
        return self._enter(state, to, column, 0, 0, falls=False)

    def _fall(self, state: PlatformerState, row: int, column: int, air: int, direction: int) -> PlatformerState | None:
        """Return the state after the vertical part of a tick: rise, hang, or fall."""
        hang = self.params.hang_time
        falls = False
        if air > hang:
            if self._is_blocked(state, row - 1, column):
                air = hang
            else:
                row, air = row - 1, air - 1
        elif air > 0:
            air -= 1
        elif not self._is_carried(state, row, column):
            row, falls = row + 1, True
            if row == self.board.shape[0]:
                return None
        return self._enter(state, row, column, air, direction, falls=falls)

    def _enter(
        self, state: PlatformerState, row: int, column: int, air: int, direction: int, *, falls: bool
    ) -> PlatformerState | None:
        if self.spikes[row, column] or (self.enemies[row, column] and not falls):
            return None
        hang = self.params.hang_time
        if self.enemies[row, column]:
            air = hang + 1
        elif self.springs[row, column] and air <= hang:
            air = hang + self.params.spring_height
        after = PlatformerState((row, column), air, direction, state.keys | (self.keys & {(row, column)}))
        if air == 0 and self._is_carried(after, row, column):
            return after._replace(direction=0)
        return after

    def _is_blocked(self, state: PlatformerState, row: int, column: int) -> bool:
        """Return whether the player cannot be in a cell: a wall, a closed door, or outside the map."""
        if not self.board.contains(row, column):
            return True
        return bool(self.walls[row, column] or (self.doors[row, column] and not state.keys))

    def _is_carried(self, state: PlatformerState, row: int, column: int) -> bool:
        """Return whether a player in this cell does not fall."""
        if self.ladders[row, column]:
            return True
        below = row + 1
        if below == self.board.shape[0]:
            return self.params.floor
        return self._is_blocked(state, below, column) or bool(
            self.platforms[below, column] or self.ladders[below, column]
        )

    def is_won(self, state: PlatformerState) -> bool:
        return state.player in self.exits and state.keys == self.keys

    def list_pickups(self) -> Mapping[Cell, str]:
        return {cell: role for role in ("coin", "gold", "treasure") for cell in self.board.cells(role)}

    def list_events(self, before: PlatformerState, move: str, after: PlatformerState) -> Iterator[tuple[str, Cell]]:
        if move.startswith("jump"):
            yield "jump", before.player
        if after.keys != before.keys:
            yield "key", after.player
        if self.enemies[after.player]:
            yield "stomp", after.player
        if self.springs[after.player] and after.air >= self.params.spring_height:
            yield "spring", after.player

    def list_changes(self, state: PlatformerState) -> Mapping[Cell, str]:
        return dict.fromkeys(state.keys, "floor")


@game(
    PlatformerRules,
    params=PlatformerParams,
    roles=(
        "player", "exit", "key", "door", "lock", "wall", "brick", "platform", "ladder", "spring", "spike", "enemy",
        "boss", "coin", "gold", "treasure",
    ),
    events=("jump", "key", "stomp", "spring", "coin", "gold", "treasure"),
    suits=(("spike", "platform"), ("spring",)),
)  # fmt: skip
def platformer(rules: PlatformerRules, limit: int) -> Solution:
    level = build_level(rules)
    cells = level.flags.size
    total = (cells * level.air_levels * level.directions) << level.key_count
    visited = np.zeros(cells, dtype=np.uint8)
    if level.key_count > MAX_KEYS or total > MAX_STATES:
        return Solution(None, (), visited.reshape(rules.board.shape).view(np.bool_), 0)
    size = min(limit, total)
    order, sources, moves = np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size, np.uint8)
    result = np.empty(2, dtype=np.int64)
    start = allow_no_changes(), encode_state(level, rules)
    explored = explore_platformer(level, *start, np.zeros(total, np.uint8), visited, order, sources, moves, result)
    won, has_more = result.tolist()
    names: list[str] = []
    place = won
    while place > 0:
        names.append(PlatformerRules.moves[moves[place]])
        place = int(sources[place])
    solved = True if won >= 0 else None if has_more else False
    return Solution(solved, tuple(reversed(names)), visited.reshape(rules.board.shape).view(np.bool_), explored)


def build_level(rules: PlatformerRules) -> PlatformerLevel:
    """Return the level as the kernel reads it."""
    flags = (
        (rules.walls, kernels.WALL),
        (rules.doors, kernels.DOOR),
        (rules.platforms, kernels.PLATFORM),
        (rules.ladders, kernels.LADDER),
        (rules.springs, kernels.SPRING),
        (rules.spikes, kernels.SPIKE),
        (rules.enemies, kernels.ENEMY),
    )
    grid = np.zeros(rules.board.shape, dtype=np.uint8)
    for mask, flag in flags:
        grid |= mask.view(np.uint8) * np.uint8(flag)
    for cell in rules.exits:
        grid[cell] |= kernels.EXIT
    keys = np.zeros_like(grid)
    for number, cell in enumerate(sorted(rules.keys)[:MAX_KEYS], 1):
        keys[cell] = number
    params = rules.params
    top = max(params.jump_height, params.spring_height if rules.springs.any() else 1)
    return PlatformerLevel(
        flags=grid.reshape(-1),
        keys=keys.reshape(-1),
        key_count=len(rules.keys),
        rows=grid.shape[0],
        columns=grid.shape[1],
        jump_height=params.jump_height,
        hang_time=params.hang_time,
        spring_height=params.spring_height,
        air_levels=params.hang_time + top + 1,
        directions=1 if params.air_control else 3,
        running_jumps=int(params.running_jumps),
        floor=int(params.floor),
    )


def encode_state(level: PlatformerLevel, rules: PlatformerRules) -> int:
    """Return the number of the first state."""
    cell = rules.start[0] * level.columns + rules.start[1]
    keys = 1 << int(level.keys[cell]) - 1 if level.keys[cell] else 0
    digit = 1 if level.directions > 1 else 0
    return (keys * level.directions + digit) * level.air_levels * level.flags.size + cell
