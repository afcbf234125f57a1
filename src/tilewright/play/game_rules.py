"""Rules of a game on a board, in plain Python, and the results of solvers.

Solvers find moves in compiled code. The rules replay these moves: they give the path, the events and the pictures of a
playthrough, and the tests compare them with the solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.tilemap import Marker, TileMap
from .board import Cell, GameBoard

S = TypeVar("S")
P = TypeVar("P")


@dataclass(frozen=True, eq=False)
class Solution:
    """Result of a solver."""

    solved: bool | None
    """Whether the map can be finished; None if the search reached its limit."""
    moves: tuple[str, ...]
    """Moves of the solution; empty if none was found."""
    visited: NDArray[np.bool_]
    """Mask of the cells that the search reached."""
    explored: int
    """Number of states that the search examined."""

    @classmethod
    def of(
        cls, rules: GameRules[Any, Any], moves: NDArray[np.int32], visited: NDArray[np.uint8], result: NDArray[np.int64]
    ) -> Solution:
        """Return what a kernel found on a board with a margin of one cell.

        Parameters
        ----------
        rules
            Rules on the board.
        moves
            Moves of the solution, as positions in the moves of the rules.
        visited
            1 for each cell that the search reached, flattened with the margin.
        result
            1 if the map can be finished, 0 if it cannot, and -1 if it is unknown; and the number of examined states.
        """
        rows, columns = rules.board.shape
        return cls(
            solved=None if result[0] < 0 else bool(result[0]),
            moves=tuple([rules.moves[move] for move in moves.tolist()]),
            visited=visited.reshape(rows + 2, columns + 2)[1:-1, 1:-1].astype(np.bool_),
            explored=int(result[1]),
        )


class GameRules(ABC, Generic[S, P]):
    """Rules of a game on a board. States are hashable.

    Parameters
    ----------
    board : GameBoard
        The map. Rules raise InvalidRecipe if it lacks a player or an exit, for example.
    params
        Parameters of the game.
    """

    moves: ClassVar[tuple[str, ...]]
    """Names of all moves, in the order in which they are tried."""

    def __init__(self, board: GameBoard, params: P) -> None:
        self.board, self.params = board, params

    @property
    def note(self) -> str:
        """What a reader of the verdict must know, such as tiles that take no part; by default nothing."""
        return ""

    @abstractmethod
    def begin(self) -> S:
        """Return the first state."""

    @abstractmethod
    def step(self, state: S, move: str) -> S | None:
        """Return the state after a move; None if the move is impossible or loses the game."""

    @abstractmethod
    def is_won(self, state: S) -> bool:
        """Return whether the game is won."""

    def find_player(self, state: S) -> Cell:
        """Return the cell of the player; by default, the attribute `player` of the state."""
        cell: Cell = state.player  # type: ignore[attr-defined]
        return cell

    def list_pickups(self) -> Mapping[Cell, str]:
        """Return the cells with things that are taken at the first visit and change no rule, with their roles."""
        return {}

    def list_events(self, before: S, move: str, after: S) -> Iterator[tuple[str, Cell]]:
        """Yield the kinds and cells of the events of a move."""
        yield from ()

    def list_changes(self, state: S) -> Mapping[Cell, str]:
        """Return the cells that differ from the first state, with the roles that they show, such as floor."""
        return {}

    def draw(self, state: S, taken: Iterable[Cell] = ()) -> TileMap:
        """Return the map in a state: without what was taken, with crates moved, and with the marker player."""
        changes = {**dict.fromkeys(taken, "floor"), **self.list_changes(state)}
        return draw_state(self.board, changes, self.find_player(state))


def draw_state(board: GameBoard, changes: Mapping[Cell, str], player: Cell) -> TileMap:
    """Return the map of a board with changed cells and the marker `player`.

    A changed cell shows the first tile of the tileset with its role; markers of a changed cell are left out.
    """
    map = board.map
    cells = map.cells.copy()
    tiles = find_tiles_of_roles(board)
    started = set(board.cells("player", "player_on_target"))
    shown = {cell: "target" if cell in board.cells("player_on_target") else "floor" for cell in started}
    for cell, role in {**shown, **changes}.items():
        if role in tiles and map.tileset[int(cells[cell])].game_role != role:
            cells[cell] = tiles[role]
    gone = {*started, *changes}
    markers = [marker for marker in map.markers if (marker.y, marker.x) not in gone]
    return map.replace(cells=cells, markers=[*markers, Marker("player", player[1], player[0])], recipe=None)


def find_tiles_of_roles(board: GameBoard) -> dict[str, int]:
    """Return the tile for each role that the tileset has: the most common one on the map, or else the first."""
    counts = np.bincount(board.map.cells.ravel(), minlength=len(board.map.tileset))
    found: dict[str, int] = {}
    for number, tile in enumerate(board.map.tileset):
        role: Any = tile.game_role
        if role not in found or counts[number] > counts[found[role]]:
            found[role] = number
    return found
