"""Box-pushing puzzle: push crates onto all targets.

The player walks along the axes and pushes one crate at a time; crates cannot be pulled. Walls and bricks block. The
puzzle is solved when every target has a crate. The solver finds a solution with the fewest pushes; the walks between
pushes are the shortest ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...core.errors import InvalidRecipe
from ...core.params import Params
from ...kernels.crates import make_board
from ...kernels.sokoban import add_walks, find_pushes, make_tables
from ..board import STEPS, Cell, GameBoard
from ..game import game
from ..game_rules import GameRules, Solution


class SokobanParams(Params):
    """Parameters of the box-pushing puzzle: there are none."""


class SokobanState(NamedTuple):
    """The cells of the player and of the crates."""

    player: Cell
    crates: frozenset[Cell]


class SokobanRules(GameRules[SokobanState, SokobanParams]):
    """Rules of the box-pushing puzzle."""

    moves = tuple(STEPS)

    def __init__(self, board: GameBoard, params: SokobanParams) -> None:
        super().__init__(board, params)
        self.start = board.one("player", "player_on_target")
        self.targets = frozenset(board.some("target", "crate_on_target", "player_on_target"))
        self.crates = frozenset(board.some("crate", "crate_on_target"))
        self.is_open = ~board.mask("wall", "brick")
        if len(self.crates) < len(self.targets):
            text = f"the map must have a crate for each target, got {len(self.crates)} for {len(self.targets)}"
            raise InvalidRecipe(f"{board.game}: {text}", rule="role")
        if self.start in self.crates or not self.is_open[self.start]:
            raise InvalidRecipe(f"{board.game}: the player must start on a free cell", rule="role")

    def begin(self) -> SokobanState:
        return SokobanState(self.start, self.crates)

    def step(self, state: SokobanState, move: str) -> SokobanState | None:
        to = self._shift(state.player, move)
        if to is None:
            return None
        if to not in state.crates:
            return SokobanState(to, state.crates)
        beyond = self._shift(to, move)
        if beyond is None or beyond in state.crates:
            return None
        return SokobanState(to, state.crates - {to} | {beyond})

    def _shift(self, cell: Cell, move: str) -> Cell | None:
        """Return the cell next to a cell; None if it is blocked or outside the map."""
        row, column = cell[0] + STEPS[move][0], cell[1] + STEPS[move][1]
        return (row, column) if self.board.contains(row, column) and self.is_open[row, column] else None

    def is_won(self, state: SokobanState) -> bool:
        return self.targets <= state.crates

    def list_events(self, before: SokobanState, move: str, after: SokobanState) -> Iterator[tuple[str, Cell]]:
        for cell in after.crates - before.crates:
            yield "push", cell

    def list_changes(self, state: SokobanState) -> Mapping[Cell, str]:
        left = {cell: "target" if cell in self.targets else "floor" for cell in self.crates - state.crates}
        now = {cell: "crate_on_target" if cell in self.targets else "crate" for cell in state.crates}
        return {**left, **now}


@game(
    SokobanRules,
    params=SokobanParams,
    roles=("player", "crate", "target", "crate_on_target", "player_on_target", "wall", "brick"),
    events=("push",),
    suits=(("crate", "target"),),
)
def sokoban(rules: SokobanRules, limit: int) -> Solution:
    targets, crates = (
        np.array(sorted(map(rules.board.flat_index, cells)), dtype=np.int32) for cells in (rules.targets, rules.crates)
    )
    board = make_board(rules.is_open)
    tables = make_tables(board.cells.size, targets.size, crates.size)
    visited, result = np.zeros(board.cells.size, dtype=np.uint8), np.zeros(2, dtype=np.int64)
    first = np.append(crates, np.int32(0))
    player = rules.board.flat_index(rules.start)
    pushes = find_pushes(board, targets, first, player, tables, visited, limit, result)
    moves = add_walks(board, first, player, pushes)
    return Solution.of(rules, moves, visited, result)
