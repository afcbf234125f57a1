"""Keys and locks: playing a map, to see whether all of it can be reached.

A marker `lock red` closes its cell to whoever has no red key; a marker `key red` is one, and opens every lock of its
colour for good. Colours are any words. Since keys are never used up and no way is shut again, what a player can reach
only grows: whoever goes on as long as something is left to do ends with the same cells, keys and locks, whatever
was done first. So one play stands for every order of play.
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
    """What a player gets to who takes every key and opens every lock that can be opened."""

    reached: NDArray[np.bool_]
    """The cells that were walked on."""
    rounds: tuple[tuple[str, ...], ...]
    """The colours of the keys found before any lock is opened, then after those locks are, and so on."""
    missing: tuple[Marker, ...]
    """Keys and locks that were never reached."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The colours of all keys, in the order in which they were found."""
        return tuple(color for found in self.rounds for color in found)


def play(map: TileMap, start: Places = "start", *, without: Container[str] = ()) -> Playthrough:
    """Play a map from its start: walk, take keys, open locks, until nothing changes.

    Keys of the colours in `without` are left lying. A start in a wall leads nowhere.
    """
    keys, locks = (_find_colored(map, kind) for kind in (KEY, LOCK))
    starts = read_cells(map, start, "start")
    held: dict[str, None] = {}
    rounds: list[tuple[str, ...]] = []
    while True:
        open_ = map.passable.copy()
        for marker, color in locks:
            if color not in held:
                open_[_cell(map, marker)] = False
        begin = starts[open_[tuple(starts.T)]]
        reached = np.isfinite(steps_from(open_, begin)) if len(begin) else np.zeros_like(open_)
        fresh = {
            color: None
            for marker, color in keys
            if reached[_cell(map, marker)] and color not in held and color not in without
        }
        if not fresh:
            missing = tuple(marker for marker, _ in (*keys, *locks) if not reached[_cell(map, marker)])
            return Playthrough(reached, tuple(rounds), missing)
        held |= fresh
        rounds.append(tuple(fresh))


def is_solvable(map: TileMap) -> bool | None:
    """Whether an exit, every key and every lock can be reached from each start, in whatever order one plays.

    None for maps without the markers start and exit.
    """
    starts, exits = _find_ends(map)
    if not starts or not exits:
        return None
    games = [play(map, start) for start in starts]
    return all(not game.missing and any(game.reached[exit] for exit in exits) for game in games)


def needed_keys(map: TileMap) -> tuple[str, ...] | None:
    """The colours of the keys that no exit can be reached without, from any start.

    None where no exit can be reached at all, or the map has no markers start and exit.
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
    """The keys or locks of a map with their colours; one that is called key, and no more, opens what is called lock."""
    named = [(marker, marker.name.split(" ", 1)) for marker in map.markers]
    return [(marker, words[1] if len(words) > 1 else "") for marker, words in named if words[0] == kind]


def _cell(map: TileMap, marker: Marker) -> tuple[int, ...]:
    return (marker.level, marker.y, marker.x)[-len(map.shape) :]


__getattr__ = renamed_names(__name__, Play="Playthrough")
