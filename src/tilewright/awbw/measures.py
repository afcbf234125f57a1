"""Measures of maps for war games: ownership and distances. They do not apply to tilesets without countries.

Properties are the tiles with a country; properties without an owner have the country `neutral`. Players are the
countries with a headquarters. Paths are those of infantry, the unit type `foot`, with the movement costs of the
tileset. The cost of a path is the sum of the costs of the cells that it enters, so its first cell, the headquarters,
costs nothing. If the tileset defines no costs for infantry, each step costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..analysis.paths import distances
from ..analysis.survey import Survey
from ..core.entries import measure
from ..core.owners import NEUTRAL
from ..core.tilemap import TileMap
from ..core.tileset import Tileset

HEADQUARTERS = "headquarters"
BASE = "base"
WITHOUT_INCOME = ("com tower", "lab")
"""Properties without income, as in Advance Wars By Web; all other properties have equal income."""
INFANTRY = "foot"
POINTS_A_DAY = 3
"""Movement points of infantry per day."""


@measure(unit="players", group="players")
def player_count(survey: Survey) -> float | None:
    """Number of countries with a headquarters. Does not apply to tilesets without countries."""
    return len(_list_players(survey.map)) if any(tile.country for tile in survey.map.tileset) else None


@measure(unit="fraction", group="players")
def income_balance(survey: Survey) -> float | None:
    """Ratio of the lowest to the highest starting income of the players; 1 is fair.

    Headquarters, cities, bases, airports and ports give equal income, com towers and labs give none. Applies if at
    least two players have a headquarters.
    """
    map = survey.map
    has_income = np.array([tile.kind not in WITHOUT_INCOME for tile in map.tileset])[map.cells]
    incomes = [(_find_owned(map, country) & has_income).sum() for country in _list_players(map)]
    return float(min(incomes) / max(incomes)) if len(incomes) > 1 else None


@measure(unit="fraction", group="players")
def distance_balance(survey: Survey) -> float | None:
    """Fairness of walking distances from headquarters to neutral properties: from 0 to 1, where 1 is fair.

    For each player, the distances from the headquarters to all neutral properties are sorted. The shortest distances of
    all players are compared first, then their second shortest distances, and so on. Each comparison gives a ratio: the
    lowest of these distances divided by the highest. The balance is the mean of these ratios, so that near properties
    count as much as far ones. The n-th ratio is 0 if only some players can reach n properties, and it does not count if
    no player can. Applies if at least two players have a headquarters and a neutral property can be reached.
    """
    map = survey.map
    players = _list_players(map)
    goals = _find_owned(map, NEUTRAL)
    if len(players) < 2 or not goals.any():
        return None
    starts = (_find_owned(map, country, HEADQUARTERS) for country in players)
    steps = np.stack([np.sort(_foot_distances(map, start)[goals]) for start in starts])
    steps = steps[:, np.isfinite(steps).any(axis=0)]
    if not steps.size:
        return None
    lowest, highest = steps.min(axis=0), steps.max(axis=0)
    # Teleports cost nothing, so the lowest and the highest distance may both be 0.
    return float(np.mean(np.where(highest > 0, lowest / np.where(highest > 0, highest, 1), 1)))


@measure(unit="days", group="players")
def first_contact(survey: Survey) -> float | None:
    """Number of days until infantry units of two players can meet if they walk toward each other.

    The value is half of the cost of the cheapest path from a headquarters or base of one player to a headquarters or
    base of another player, divided by 3, the movement points of infantry per day. Does not apply if no such path
    exists.
    """
    map = survey.map
    starts = {country: _find_owned(map, country, HEADQUARTERS, BASE) for country in _list_players(map)}
    costs = [
        float(_foot_distances(map, starts[one])[starts[other]].min(initial=np.inf))
        for one, other in combinations(starts, 2)
    ]
    nearest = min(costs, default=np.inf)
    return nearest / (2 * POINTS_A_DAY) if np.isfinite(nearest) else None


@measure(unit="fraction", group="players")
def capturable_reach(survey: Survey) -> float | None:
    """Fraction of all properties that infantry can reach on foot from any headquarters.

    A value of 1 means that no transport units are needed. Applies if the map has a headquarters.
    """
    map = survey.map
    properties = np.array([bool(tile.country) for tile in map.tileset])[map.cells]
    starts = np.array([tile.kind == HEADQUARTERS for tile in map.tileset])[map.cells] & properties
    if not starts.any():
        return None
    return float(np.isfinite(_foot_distances(map, starts)[properties]).mean())


def foot_costs(tileset: Tileset) -> NDArray[np.float64]:
    """Return (tile,) the cost for infantry to enter each tile; infinity for impassable tiles."""
    costs = [dict(tile.costs).get(INFANTRY, 1.0) if tile.passable else np.inf for tile in tileset]
    return np.array(costs, dtype=np.float64)


def _find_owned(map: TileMap, country: str, *kinds: str) -> NDArray[np.bool_]:
    """Return the mask of the cells that belong to a country; with `kinds`, only of cells with tiles of these kinds."""
    fits = [tile.country == country and (not kinds or tile.kind in kinds) for tile in map.tileset]
    return np.array(fits)[map.cells]


def _list_players(map: TileMap) -> Sequence[str]:
    """Return the countries with a headquarters, in the order of the tileset."""
    present = np.bincount(map.cells.reshape(-1), minlength=len(map.tileset)) > 0
    found = [
        tile.country
        for tile, is_present in zip(map.tileset, present.tolist(), strict=True)
        if is_present and tile.kind == HEADQUARTERS and tile.country not in ("", NEUTRAL)
    ]
    return list(dict.fromkeys(found))


def _foot_distances(map: TileMap, starts: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the cost of the walking path from the nearest start to each cell."""
    starts = starts & map.passable
    if not starts.any():
        return np.full(map.shape, np.inf)
    return distances(map.passable, starts, costs=foot_costs(map.tileset)[map.cells], away=True)
