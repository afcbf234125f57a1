"""Measures of maps for war games: who owns what, and how far everybody has to walk. None without countries.

Properties are the tiles that have a country, which for those that anybody may take is `neutral`. Players are the
countries that have a headquarters. Ways are those of infantry, the mover `foot`, by the tileset's movement costs: a way
costs what the cells cost that it enters, so from a headquarters its own cell is free. Where the tileset knows no costs
for infantry, each step costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measure
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .paths import distances
from .survey import Survey

NEUTRAL = "neutral"
HEADQUARTERS = "headquarters"
BASE = "base"
WITHOUT_INCOME = ("com tower", "lab")
"""Properties that are worth owning but pay nothing, as in Advance Wars By Web; each other one pays the same."""
INFANTRY = "foot"
POINTS_A_DAY = 3
"""How far infantry moves in a day."""


@measure(unit="players")
def player_count(survey: Survey) -> float | None:
    """How many countries have a headquarters; it does not apply to tilesets without countries."""
    return len(_list_players(survey.map)) if any(tile.country for tile in survey.map.tileset) else None


@measure(unit="share")
def income_balance(survey: Survey) -> float | None:
    """How evenly the players are paid at the start: the least income by the most; 1 is fair.

    Headquarters, cities, bases, airports and ports pay the same, com towers and labs nothing. It applies where at least
    two players have a headquarters.
    """
    map = survey.map
    paid = np.array([tile.kind not in WITHOUT_INCOME for tile in map.tileset])[map.cells]
    paying = [(_find_owned(map, country) & paid).sum() for country in _list_players(map)]
    return float(min(paying) / max(paying)) if len(paying) > 1 else None


@measure(unit="share")
def distance_balance(survey: Survey) -> float | None:
    """How evenly near the neutral properties are to the players' headquarters, on foot; 1 is fair.

    Each player's ways to all neutral properties are sorted, and the nearest ones are compared, the second ones, and so
    on: the least by the most. The balance is the mean of these shares, so near properties count as much as far ones. It
    is 0 for those that some players can walk to and others cannot; those that nobody can walk to do not count. It
    applies where at least two players have a headquarters and there is a neutral property to walk to.
    """
    map = survey.map
    sides = _list_players(map)
    goals = _find_owned(map, NEUTRAL)
    if len(sides) < 2 or not goals.any():
        return None
    starts = (_find_owned(map, country, HEADQUARTERS) for country in sides)
    ways = np.stack([np.sort(_foot_distances(map, start)[goals]) for start in starts])
    ways = ways[:, np.isfinite(ways).any(axis=0)]
    if not ways.size:
        return None
    least, most = ways.min(axis=0), ways.max(axis=0)
    # Teleports cost nothing: two that are both at hand are equally near.
    return float(np.mean(np.where(most > 0, least / np.where(most > 0, most, 1), 1)))


@measure(unit="days")
def first_contact(survey: Survey) -> float | None:
    """How many days infantry of two opponents walks until it meets, if both walk towards each other.

    The cheapest way between headquarters or bases of two players, halved, by the 3 points that infantry moves in a day.
    It does not apply where no two opponents have a way on foot to each other.
    """
    map = survey.map
    starts = {country: _find_owned(map, country, HEADQUARTERS, BASE) for country in _list_players(map)}
    ways = [
        float(_foot_distances(map, starts[one])[starts[other]].min(initial=np.inf))
        for one, other in combinations(starts, 2)
    ]
    nearest = min(ways, default=np.inf)
    return nearest / (2 * POINTS_A_DAY) if np.isfinite(nearest) else None


@measure(unit="share")
def capturable_reach(survey: Survey) -> float | None:
    """The share of all properties that infantry from some headquarters can walk to; 1 needs no transports.

    It applies where there is a headquarters.
    """
    map = survey.map
    properties = np.array([bool(tile.country) for tile in map.tileset])[map.cells]
    starts = np.array([tile.kind == HEADQUARTERS for tile in map.tileset])[map.cells] & properties
    if not starts.any():
        return None
    return float(np.isfinite(_foot_distances(map, starts)[properties]).mean())


def foot_costs(tileset: Tileset) -> NDArray[np.float64]:
    """(tile,) what entering it costs infantry; infinite where it cannot walk."""
    costs = [dict(tile.costs).get(INFANTRY, 1.0) if tile.passable else np.inf for tile in tileset]
    return np.array(costs, dtype=np.float64)


def _find_owned(map: TileMap, country: str, *kinds: str) -> NDArray[np.bool_]:
    """The cells that belong to a country, of some kinds or of any."""
    fits = [tile.country == country and (not kinds or tile.kind in kinds) for tile in map.tileset]
    return np.array(fits)[map.cells]


def _list_players(map: TileMap) -> Sequence[str]:
    """The countries that have a headquarters, in the order of the tileset."""
    present = np.bincount(map.cells.reshape(-1), minlength=len(map.tileset)) > 0
    found = [
        tile.country
        for tile, there in zip(map.tileset, present.tolist(), strict=True)
        if there and tile.kind == HEADQUARTERS and tile.country not in ("", NEUTRAL)
    ]
    return list(dict.fromkeys(found))


def _foot_distances(map: TileMap, starts: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What the way on foot from the nearest start to every cell costs."""
    starts = starts & map.passable
    if not starts.any():
        return np.full(map.shape, np.inf)
    return distances(map.passable, starts, costs=foot_costs(map.tileset)[map.cells], away=True)
