"""Keys and locks: simulated playthroughs that find out which keys, locks and cells can be reached.

A marker `lock red` blocks its cell until a red key is found. A marker `key red` is such a key and opens all locks of
its color permanently. Colors are arbitrary words. Keys are never used up and no path closes again, so the set of
reachable cells only grows. Every order of play ends with the same cells, keys and locks, so one simulated playthrough
is enough.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.deprecation import renamed_names
from ..core.tilemap import Marker, TileMap
from .paths import Places, read_cells, steps_from

KEY, LOCK = "key", "lock"


@dataclass(frozen=True, eq=False)
class Playthrough:
    """Result of a simulated playthrough in which all reachable keys are taken and all of their locks are opened."""

    reached: NDArray[np.bool_]
    """Mask of the reached cells."""
    rounds: tuple[tuple[str, ...], ...]
    """Colors of the keys found in each round: before any lock is opened, after the locks of these keys are opened, ...
    """
    missing: tuple[Marker, ...]
    """Keys and locks that were not reached."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Colors of all keys, in the order in which they were found."""
        return tuple(color for found in self.rounds for color in found)


def play(map: TileMap, start: Places = "start", *, without: Container[str] = ()) -> Playthrough:
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
    Playthrough

    Examples
    --------
    >>> import tilewright as tw
    >>> cave = tw.make("caves", width=30, height=12, seed=7)
    >>> cave = tw.shape(tw.shape(cave, "connect"), "place")
    >>> play(cave).keys
    ()
    """
    keys, locks = (_find_colored(map, kind) for kind in (KEY, LOCK))
    starts = read_cells(map, start, "start")
    found_keys: dict[str, None] = {}
    rounds: list[tuple[str, ...]] = []
    while True:
        accessible = map.passable.copy()
        for marker, color in locks:
            if color not in found_keys:
                accessible[_cell(map, marker)] = False
        open_starts = starts[accessible[tuple(starts.T)]]
        reached = np.isfinite(steps_from(accessible, open_starts)) if len(open_starts) else np.zeros_like(accessible)
        new_keys = {
            color: None
            for marker, color in keys
            if reached[_cell(map, marker)] and color not in found_keys and color not in without
        }
        if not new_keys:
            missing = tuple(marker for marker, _ in (*keys, *locks) if not reached[_cell(map, marker)])
            return Playthrough(reached, tuple(rounds), missing)
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


def _find_ends(map: TileMap) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    starts, exits = ([_cell(map, m) for m in map.markers if m.name == name] for name in ("start", "exit"))
    return starts, exits


def _find_colored(map: TileMap, kind: str) -> list[tuple[Marker, str]]:
    """Return the keys or locks of a map with their colors; a plain `key` opens a plain `lock`."""
    named = [(marker, marker.name.split(" ", 1)) for marker in map.markers]
    return [(marker, words[1] if len(words) > 1 else "") for marker, words in named if words[0] == kind]


def _cell(map: TileMap, marker: Marker) -> tuple[int, ...]:
    return (marker.level, marker.y, marker.x)[-len(map.shape) :]


__getattr__ = renamed_names(__name__, Play="Playthrough")
