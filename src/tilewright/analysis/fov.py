"""Field of view: which cells can be seen from a cell.

Symmetric shadowcasting: of two cells that one can see through, each sees the other or neither does, so nobody is shot
at from the dark; and it is computed in whole numbers alone. A wall is seen if any of it is in the light, so rooms show
all of their walls. Maps with levels are refused: take one level.

Source: Ford, "Symmetric shadowcasting", https://www.albertford.com/shadowcasting, 2017.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap
from ..kernels.fov import cast
from .paths import Places, read_cells
from .regions import Walkable, passable_of

MAX_SIDE = 1 << 20
"""Sides of larger maps would make the slopes overflow."""


def field_of_view(
    map: Walkable, viewer: Places, *, radius: int | None = None, through: Iterable[str] = ()
) -> NDArray[np.bool_]:
    """The cells that are seen from a cell, itself included; several viewers see what any of them sees.

    One sees through passable cells, and through tiles named in `through`, such as water; an array says so itself. With
    a radius, only cells within a circle count: those with dx^2 + dy^2 <= radius * (radius + 1).

    >>> clear = np.array([[1, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)
    >>> field_of_view(clear, (1, 0)).astype(int)
    array([[1, 1, 1, 1],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    clear = passable_of(map)
    if clear.ndim != 2:
        raise InvalidRecipe(f"sight needs a map of one level, got {len(clear)}; take one of them", at="map")
    if max(clear.shape) > MAX_SIDE:
        raise InvalidRecipe(f"sight needs sides of at most {MAX_SIDE:,}, got {max(clear.shape):,}", at="map")
    if isinstance(map, TileMap):
        words = [through] if isinstance(through, str) else list(through)
        clear = clear | map.where(*words) if words else clear
    elif through:
        raise InvalidRecipe("names tiles of a TileMap; an array already says what one sees through", at="through")
    reach = 2 * MAX_SIDE**2 if radius is None else _square_radius(radius)
    viewers = read_cells(map, viewer, "viewer")
    inside = viewers[~clear[tuple(viewers.T)]]
    if len(inside):
        raise InvalidRecipe(f"nothing can be seen from within a wall, got {tuple(inside[0].tolist())}", at="viewer")
    seen = np.zeros(clear.shape, dtype=np.uint8)
    for row, column in viewers.tolist():
        cast(clear.view(np.uint8), row, column, reach, seen)
    return seen.view(np.bool_)


def _square_radius(radius: int) -> int:
    try:
        whole = -1 if isinstance(radius, bool) else index(radius)
    except TypeError:
        whole = -1
    if whole < 0:
        raise InvalidRecipe("a whole number from 0 up", at="radius", got=radius, rule="range")
    whole = min(whole, 2 * MAX_SIDE)
    return whole * (whole + 1)
