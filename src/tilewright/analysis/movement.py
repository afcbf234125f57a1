"""Movement range of units on war maps: the cells that a unit reaches in one turn, and what they cost.

A tileset defines the movement costs of its tiles by movement type, such as foot, tread and sea. A unit cannot enter a
tile without a cost for its type. Tiles without any costs cost 1 if they are passable. Whether a tile is passable does
not matter otherwise: it says where people walk, and ships do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UnknownName
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .paths import Places, distances


def movement_range(map: TileMap, start: Places, *, unit: str, points: float) -> NDArray[np.float64]:
    """Return the movement points that a unit needs to each cell; infinity for cells that it cannot reach.

    Steps go along the axes. The cost of a path is the sum of the costs of the cells that it enters, so its first cell
    costs nothing.

    Parameters
    ----------
    map : TileMap
        Map with a tileset that defines movement costs, such as awbw.
    start : str, sequence of int or ndarray
        Marker name, cell, cells or mask of the unit, or of several.
    unit : str
        Movement type of the unit: foot, boot, tread, tyre, air, sea, lander or pipe in the tileset awbw.
    points : float
        Movement points of the unit.

    Returns
    -------
    ndarray of float, same shape as the map

    Raises
    ------
    UnknownName
        If the tileset defines no costs for the unit.
    InvalidRecipe
        If the unit cannot be at its start.

    Examples
    --------
    >>> import tilewright as tw
    >>> skirmish = tw.run("skirmish", seed=1)
    >>> start = tuple(np.argwhere(skirmish.where("plain"))[0])
    >>> int(np.isfinite(movement_range(skirmish, start, unit="air", points=1)).sum()) <= 5
    True
    """
    costs = unit_costs(map.tileset, unit)[map.cells]
    found = distances(np.isfinite(costs), start, costs=costs, away=True)
    return np.where(found <= points, found, np.inf)


def unit_costs(tileset: Tileset, unit: str) -> NDArray[np.float64]:
    """Return (tile,) the cost for a unit to enter each tile; infinity for tiles that it cannot enter."""
    known = {name for tile in tileset for name, _ in tile.costs}
    if unit not in known:
        raise UnknownName("unit type", unit, known, f"tileset {tileset.name!r} defines no costs for it")
    costs = [dict(tile.costs) or {unit: 1.0 if tile.passable else np.inf} for tile in tileset]
    return np.array([of_tile.get(unit, np.inf) for of_tile in costs])
