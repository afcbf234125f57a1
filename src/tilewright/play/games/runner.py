"""Ladder-and-gold game: collect all gold by walking, climbing, hanging, falling and digging.

The player walks on walls and bricks, climbs ladders, hangs on ropes and falls where nothing carries it. It digs away
bricks diagonally below it; holes stay open. The game is won when all gold is collected and, if there is an exit, the
player has reached it. In games of this kind enemies follow the player; the solver does not compute their moves, so that
they take no part by default. With `enemies` they stay where they are, and touching one loses the game. The solver first
looks for a walk without digging, which it finds if there is one, and then searches through the holes that can be dug.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe
from ...core.params import Params, param
from ...kernels import runner as kernels
from ...kernels.runner import BRICK, ENEMY, EXIT, GOLD, LADDER, ROPE, WALL, make_board
from ...kernels.states import UNSOLVED
from ..board import Cell, GameBoard
from ..game import game
from ..game_rules import GameRules, Solution

HOLES_COST = 8
"""Number of states that a state with holes counts as, because it represents all cells that the player reaches."""
SIDES = {"left": -1, "right": 1, "dig left": -1, "dig right": 1}


class RunnerParams(Params):
    """Parameters of the ladder-and-gold game."""

    dig: bool = param(True)
    """Whether the player can dig bricks away."""
    enemies: bool = param(False)
    """Whether enemies are fixed, and touching one loses the game; otherwise, enemies take no part."""
    enter_ladders: bool = param(True)
    """Whether the player can climb down onto a ladder from the cell above it."""


class RunnerState(NamedTuple):
    """The cell of the player, the gold that is left, and the bricks that were dug away."""

    player: Cell
    gold: frozenset[Cell]
    holes: frozenset[Cell]


class RunnerRules(GameRules[RunnerState, RunnerParams]):
    """Rules of the ladder-and-gold game."""

    moves = ("left", "right", "up", "down", "dig left", "dig right")

    def __init__(self, board: GameBoard, params: RunnerParams) -> None:
        super().__init__(board, params)
        self.start = board.one("player", "player_on_target")
        self.gold = frozenset(board.cells("gold", "coin", "treasure"))
        self.exits = frozenset(board.cells("exit"))
        if not self.gold and not self.exits:
            raise InvalidRecipe(f"{board.game}: the map has no gold and no exit", rule="role")
        self.bricks = board.mask("brick")
        self.walls = board.mask("wall")
        self.ladders = board.mask("ladder")
        self.ropes = board.mask("rope")
        self.enemies = board.mask("enemy", "boss", "spike") if params.enemies else board.mask("spike")

    @property
    def note(self) -> str:
        count = len(self.board.cells("enemy", "boss"))
        if self.params.enemies or not count:
            return ""
        return f"{count:,} {'enemy' if count == 1 else 'enemies'} left out, because enemies do not move here"

    def begin(self) -> RunnerState:
        return RunnerState(self.start, self.gold - {self.start}, frozenset())

    def step(self, state: RunnerState, move: str) -> RunnerState | None:
        row, column = state.player
        if not self._is_carried(state):
            return self._enter(state, row + 1, column) if move == "down" else None
        if move in ("left", "right"):
            return self._enter(state, row, column + SIDES[move])
        if move == "up":
            return self._enter(state, row - 1, column) if self.ladders[row, column] else None
        if move == "down":
            rows = self.board.shape[0]
            holds = self.ladders[row, column] or self.ropes[row, column]
            steps_onto = self.params.enter_ladders and row + 1 < rows and self.ladders[row + 1, column]
            return self._enter(state, row + 1, column) if holds or steps_onto else None
        return self._dig(state, SIDES[move])

    def _is_carried(self, state: RunnerState) -> bool:
        row, column = state.player
        below = row + 1
        if self.ladders[row, column] or self.ropes[row, column] or below == self.board.shape[0]:
            return True
        return bool(self._blocks(state, below, column) or self.ladders[below, column])

    def _blocks(self, state: RunnerState, row: int, column: int) -> bool:
        return bool(self.walls[row, column] or (self.bricks[row, column] and (row, column) not in state.holes))

    def _enter(self, state: RunnerState, row: int, column: int) -> RunnerState | None:
        if not self.board.contains(row, column) or self._blocks(state, row, column) or self.enemies[row, column]:
            return None
        return RunnerState((row, column), state.gold - {(row, column)}, state.holes)

    def _dig(self, state: RunnerState, side: int) -> RunnerState | None:
        row, column = state.player[0] + 1, state.player[1] + side
        if not self.params.dig or not self.board.contains(row, column):
            return None
        is_brick = self.bricks[row, column] and (row, column) not in state.holes
        is_free = not self._blocks(state, row - 1, column) and not self.ladders[row - 1, column]
        return RunnerState(state.player, state.gold, state.holes | {(row, column)}) if is_brick and is_free else None

    def is_won(self, state: RunnerState) -> bool:
        return not state.gold and (not self.exits or state.player in self.exits)

    def list_events(self, before: RunnerState, move: str, after: RunnerState) -> Iterator[tuple[str, Cell]]:
        if after.gold != before.gold:
            yield "gold", after.player
        for cell in after.holes - before.holes:
            yield "dig", cell
        if not self._is_carried(before):
            yield "fall", after.player

    def list_changes(self, state: RunnerState) -> Mapping[Cell, str]:
        return dict.fromkeys([*(self.gold - state.gold), *state.holes], "floor")


@game(
    RunnerRules,
    params=RunnerParams,
    roles=("player", "gold", "coin", "treasure", "exit", "enemy", "boss", "spike", "ladder", "rope", "brick", "wall"),
    events=("gold", "dig", "fall"),
    suits=(("gold", "rope"), ("gold", "ladder")),
    limit=1 << 16,
)
def runner(rules: RunnerRules, limit: int) -> Solution:
    cells = _encode(rules)
    board = make_board(cells, enter_ladders=rules.params.enter_ladders)
    start = rules.board.flat_index(rules.start)
    visited, result = np.zeros(board.cells.size, dtype=np.uint8), np.zeros(2, dtype=np.int64)
    moves = kernels.collect_gold(board, start, visited, limit, result)
    explored = int(result[1])
    if result[0] == UNSOLVED and rules.params.dig and explored < limit:
        golden, bricks = (np.flatnonzero(np.pad(cells & bit, 1)).astype(np.int32) for bit in (GOLD, BRICK))
        places = np.concatenate([golden, bricks])
        most = max(1, (limit - explored) // HOLES_COST)
        moves = kernels.dig_for_gold(board, start, places, golden.size, visited, most, result)
        explored += HOLES_COST * int(result[1])
    result[1] = explored
    return Solution.of(rules, moves, visited, result)


def _encode(rules: RunnerRules) -> NDArray[np.uint8]:
    """Return the bits of all cells."""
    cells = np.zeros(rules.board.shape, dtype=np.uint8)
    masks = {WALL: rules.walls, BRICK: rules.bricks, LADDER: rules.ladders, ROPE: rules.ropes, ENEMY: rules.enemies}
    for bit, mask in masks.items():
        cells |= mask * np.uint8(bit)
    for bit, places in ((GOLD, rules.gold), (EXIT, rules.exits)):
        for cell in places:
            cells[cell] |= bit
    return cells
