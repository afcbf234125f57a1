"""Field of view: cells visible from a cell.

The method is symmetric shadowcasting with integers only: if one transparent cell sees another, the second also sees the
first. A wall is visible if any part of it is visible, so all walls of a room are visible. Only for 2D maps.

The tileset decides which tiles block sight: walls do, water and pits do not, and closed doors do, although they are
passable. A viewer in a doorway sees both sides of it.

Source: Ford, "Symmetric shadowcasting", https://www.albertford.com/shadowcasting, 2017.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..core.params import check_integer
from ..core.tilemap import TileMap
from ..kernels.fov import cast
from .paths import Places, read_cells
from .regions import Walkable, passable_of

MAX_SIDE = 1 << 20
"""Maximum edge length of a map; slopes would overflow on larger maps."""


def field_of_view(map: Walkable, viewer: Places, *, radius: int | None = None) -> NDArray[np.bool_]:
    """Return the mask of cells visible from a cell, including the cell itself.

    Cells are transparent unless their tile blocks sight (`Tileset.blocks_sight`).

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A 2D map, or a mask of transparent cells.
    viewer : str, sequence of int or ndarray
        Marker name, cell, cells or mask. With several viewers, a cell is visible if any of them sees it.
    radius : int, optional
        Radius of view: only cells with dx^2 + dy^2 <= radius * (radius + 1) are visible. Unlimited by default.

    Returns
    -------
    ndarray of bool, same shape as the map

    Raises
    ------
    InvalidRecipe
        If the map is a 3D map, or if a viewer is in a wall: a cell that is impassable and blocks sight.

    Examples
    --------
    >>> clear = np.array([[1, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1]], dtype=bool)
    >>> field_of_view(clear, (1, 0)).astype(int)
    array([[1, 1, 1, 1],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    standable = clear = passable_of(map)
    if clear.ndim != 2:
        raise InvalidRecipe(f"must have one level, got {len(clear)}", at="map")
    if max(clear.shape) > MAX_SIDE:
        raise InvalidRecipe(f"must be at most {MAX_SIDE:,} cells wide and high, got {max(clear.shape):,}", at="map")
    if isinstance(map, TileMap):
        clear = ~map.tileset.blocks_sight[map.cells]
        standable = standable | clear
    far = 2 * MAX_SIDE if radius is None else min(check_integer("radius", radius, 0), 2 * MAX_SIDE)
    viewers = read_cells(map, viewer, "viewer")
    inside = viewers[~standable[tuple(viewers.T)]]
    if len(inside):
        raise InvalidRecipe(f"must not be in a wall, got {tuple(inside[0].tolist())}", at="viewer")
    seen = np.zeros(clear.shape, dtype=np.uint8)
    for row, column in viewers.tolist():
        cast(clear.view(np.uint8), row, column, far * (far + 1), seen)
    return seen.view(np.bool_)
