"""Keys and locks: simulated playthroughs that find out which keys, locks and cells can be reached.

A marker `lock red` blocks its cell until a red key is found. A marker `key red` is such a key and opens all locks of
its color permanently. Colors are arbitrary words. Keys are never used up and no path closes again, so the set of
reachable cells only grows. Every order of play ends with the same cells, keys and locks, so one simulated playthrough
is enough.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.tilemap import Marker, TileMap
from .paths import Places, read_cells, shortest_path, steps_from

KEY, LOCK = "key", "lock"


Cell: TypeAlias = tuple[int, ...]
Colored: TypeAlias = Sequence[tuple[Marker, str]]
"""Keys or locks, each with its color."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a walk onto a cell."""

    cell: Cell
    """(row, column), or (level, row, column)."""
    keys: tuple[str, ...] = ()
    """Colors of the keys taken at this cell."""
    locks: tuple[str, ...] = ()
    """Colors of the locks opened at this cell."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """Result of a simulated playthrough in which all reachable keys are taken and all of their locks are opened."""

    reached: NDArray[np.bool_]
    """Mask of the reached cells."""
    rounds: tuple[tuple[str, ...], ...]
    """Colors of the keys found in each round: before any lock is opened, after the locks of these keys are opened, ...
    """
    missing: tuple[Marker, ...]
    """Keys and locks that were not reached."""
    map: TileMap = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    """(cell, axis) cells to start from."""
    without: Container[str] = field(default=(), repr=False)
    """Colors of the keys that are not taken."""

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Walk that takes the nearest key until no more can be reached, and then goes to the nearest exit.

        The first move is onto the start, the first of several. It is no step, so the walk has `len(moves) - 1` steps.
        A lock is opened when the walk enters its cell. There are no moves if all starts are in walls or locked. The
        walk is not always the shortest one that ends at the exit.
        """
        return tuple(_Walk(self.map, self.without).play(self.starts))

    @property
    def keys(self) -> tuple[str, ...]:
        """Colors of all keys, in the order in which they were found."""
        return tuple(color for found in self.rounds for color in found)


def play(map: TileMap, start: Places = "start", *, without: Container[str] = ()) -> Exploration:
    """Simulate a playthrough: walk, take keys and open locks until no more cells can be reached.

    Parameters
    ----------
    map : TileMap
        Map with markers such as `key red` and `lock red`.
    start : str, sequence of int or ndarray
        Marker name, cell, cells or mask to start from. Starts in walls reach no cells.
    without : container of str
        Colors of the keys that are not taken.

    Returns
    -------
    Exploration

    Examples
    --------
    >>> import tilewright as tw
    >>> cave = tw.make("caves", width=30, height=12, seed=7)
    >>> cave = tw.shape(tw.shape(cave, "connect"), "place")
    >>> play(cave).keys
    ()
    >>> len(play(cave).moves) - 1 == tw.measure(cave, "path_length")["path_length"]
    True
    """
    keys, locks = (_find_colored(map, kind) for kind in (KEY, LOCK))
    starts = read_cells(map, start, "start")
    found_keys: dict[str, None] = {}
    rounds: list[tuple[str, ...]] = []
    while True:
        accessible = _find_accessible(map, locks, found_keys)
        open_starts = starts[accessible[tuple(starts.T)]]
        reached = np.isfinite(steps_from(accessible, open_starts)) if len(open_starts) else np.zeros_like(accessible)
        colors = (color for marker, color in keys if reached[_cell(map, marker)])
        new_keys = dict.fromkeys(color for color in colors if color not in found_keys and color not in without)
        if not new_keys:
            missing = tuple(marker for marker, _ in (*keys, *locks) if not reached[_cell(map, marker)])
            return Exploration(reached, tuple(rounds), missing, map, starts, without)
        found_keys |= new_keys
        rounds.append(tuple(new_keys))


def is_solvable(map: TileMap) -> bool | None:
    """Return whether an exit, all keys and all locks can be reached from each start, in any order of play.

    Return None for maps without the markers start and exit.
    """
    starts, exits = _find_ends(map)
    if not starts or not exits:
        return None
    games = [play(map, start) for start in starts]
    return all(not game.missing and any(game.reached[exit] for exit in exits) for game in games)


def needed_keys(map: TileMap) -> tuple[str, ...] | None:
    """Return the key colors without which no exit can be reached from any start.

    Return None if no exit can be reached, or if the map has no markers start and exit.
    """
    starts, exits = _find_ends(map)

    def can_win(*without: str) -> bool:
        games = (play(map, start, without=without) for start in starts)
        return any(game.reached[exit] for game in games for exit in exits)

    if not can_win():
        return None
    colors = dict.fromkeys(color for _, color in _find_colored(map, KEY))
    return tuple(color for color in colors if not can_win(color))


class _Walk:
    """A player on a map: the keys that it has, and the locks that it has opened."""

    def __init__(self, map: TileMap, without: Container[str]) -> None:
        self.map = map
        keys = _find_colored(map, KEY)
        self.keys = [(_cell(map, marker), color) for marker, color in keys if color not in without]
        self.locks = _find_colored(map, LOCK)
        self.taken: dict[str, None] = {}
        self.opened: set[Cell] = set()

    def play(self, starts: NDArray[np.int64]) -> list[Move]:
        accessible = _find_accessible(self.map, self.locks, ())
        open_starts = [cell for cell in map(tuple, starts.tolist()) if accessible[cell]]
        if not open_starts:
            return []
        moves = [self._enter(open_starts[0])]
        while path := self._find_path(moves[-1].cell, (cell for cell, color in self.keys if color not in self.taken)):
            moves += map(self._enter, path)
        return [*moves, *map(self._enter, self._find_path(moves[-1].cell, _find_ends(self.map)[1]))]

    def _enter(self, cell: Cell) -> Move:
        new_keys = tuple(dict.fromkeys(color for at, color in self.keys if at == cell and color not in self.taken))
        locks = [color for marker, color in self.locks if _cell(self.map, marker) == cell]
        new_locks = () if cell in self.opened else tuple(dict.fromkeys(locks))
        self.taken |= dict.fromkeys(new_keys)
        self.opened.add(cell)
        return Move(cell, new_keys, new_locks)

    def _find_path(self, start: Cell, goals: Iterable[Cell]) -> list[Cell]:
        """Return the path to the nearest goal, the first of equally near ones, without the start."""
        accessible = _find_accessible(self.map, self.locks, self.taken)
        steps = steps_from(accessible, np.array([start]))
        goal = min((goal for goal in goals if np.isfinite(steps[goal])), key=steps.__getitem__, default=start)
        return [tuple(cell) for cell in shortest_path(accessible, start, goal)[1:].tolist()]


def _find_accessible(map: TileMap, locks: Colored, keys: Container[str]) -> NDArray[np.bool_]:
    """Return the mask of passable cells without those of locks whose keys are missing."""
    accessible = map.passable.copy()
    for marker, color in locks:
        if color not in keys:
            accessible[_cell(map, marker)] = False
    return accessible


def _find_ends(map: TileMap) -> tuple[list[Cell], list[Cell]]:
    starts, exits = ([_cell(map, m) for m in map.markers if m.name == name] for name in ("start", "exit"))
    return starts, exits


def _find_colored(map: TileMap, kind: str) -> list[tuple[Marker, str]]:
    """Return the keys or locks of a map with their colors; a plain `key` opens a plain `lock`."""
    named = [(marker, marker.name.split(" ", 1)) for marker in map.markers]
    return [(marker, words[1] if len(words) > 1 else "") for marker, words in named if words[0] == kind]


def _cell(map: TileMap, marker: Marker) -> Cell:
    return (marker.level, marker.y, marker.x)[-len(map.shape) :]
