"""Measures of maps for war games: ownership and distances. None for tilesets without countries.

Properties are the tiles with a country; unowned ones belong to `neutral`. Players are the countries with a
headquarters. Paths are those of infantry, the unit type `foot`, with the movement costs of the tileset. A path costs
the sum of the cells it enters, so the cell of the headquarters itself is free. Without costs for infantry, each step
costs 1.
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
"""Properties without income, as in Advance Wars By Web; all others have equal income."""
INFANTRY = "foot"
POINTS_A_DAY = 3
"""Movement points of infantry per day."""


@measure(unit="players")
def player_count(survey: Survey) -> float | None:
    """Number of countries with a headquarters. Does not apply to tilesets without countries."""
    return len(_list_players(survey.map)) if any(tile.country for tile in survey.map.tileset) else None


@measure(unit="fraction")
def income_balance(survey: Survey) -> float | None:
    """Ratio of the lowest to the highest starting income of the players; 1 is fair.

    Headquarters, cities, bases, airports and ports give equal income, com towers and labs none. Applies if at least two
    players have a headquarters.
    """
    map = survey.map
    has_income = np.array([tile.kind not in WITHOUT_INCOME for tile in map.tileset])[map.cells]
    incomes = [(_find_owned(map, country) & has_income).sum() for country in _list_players(map)]
    return float(min(incomes) / max(incomes)) if len(incomes) > 1 else None


@measure(unit="fraction")
def distance_balance(survey: Survey) -> float | None:
    """Mean ratio of the shortest to the longest walking distance of players to neutral properties; 1 is fair.

    The distances of each player to all neutral properties are sorted. The nearest ones are compared, then the second
    ones, and so on: the smallest divided by the largest. The balance is the mean of these ratios, so that near
    properties count as much as far ones. The ratio is 0 if only some players can reach a property. Properties that no
    player can reach do not count. Applies if at least two players have a headquarters and a neutral property can be
    reached.
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
    # Teleports cost nothing, so both distances may be 0.
    return float(np.mean(np.where(highest > 0, lowest / np.where(highest > 0, highest, 1), 1)))


@measure(unit="days")
def first_contact(survey: Survey) -> float | None:
    """Number of days until the infantry of two opponents meets, if they walk towards each other.

    Half of the cheapest path between headquarters or bases of two players, divided by the 3 points that infantry moves
    per day. Does not apply if no two opponents can reach each other on foot.
    """
    map = survey.map
    starts = {country: _find_owned(map, country, HEADQUARTERS, BASE) for country in _list_players(map)}
    costs = [
        float(_foot_distances(map, starts[one])[starts[other]].min(initial=np.inf))
        for one, other in combinations(starts, 2)
    ]
    nearest = min(costs, default=np.inf)
    return nearest / (2 * POINTS_A_DAY) if np.isfinite(nearest) else None


@measure(unit="fraction")
def capturable_reach(survey: Survey) -> float | None:
    """Fraction of all properties that infantry can reach from a headquarters; 1 needs no transports.

    Applies if there is a headquarters.
    """
    map = survey.map
    properties = np.array([bool(tile.country) for tile in map.tileset])[map.cells]
    starts = np.array([tile.kind == HEADQUARTERS for tile in map.tileset])[map.cells] & properties
    if not starts.any():
        return None
    return float(np.isfinite(_foot_distances(map, starts)[properties]).mean())


def foot_costs(tileset: Tileset) -> NDArray[np.float64]:
    """Return the cost for infantry to enter each tile; infinity if it cannot."""
    costs = [dict(tile.costs).get(INFANTRY, 1.0) if tile.passable else np.inf for tile in tileset]
    return np.array(costs, dtype=np.float64)


def _find_owned(map: TileMap, country: str, *kinds: str) -> NDArray[np.bool_]:
    """Return the mask of the cells that belong to a country, of some kinds or of any."""
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
