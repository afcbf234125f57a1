"""Passages one cell wide, the doorways among them, and doors."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.tilemap import TileMap
from .regions import Walkable, passable_of, regions_of

Mask: TypeAlias = NDArray[np.bool_]
Rooms: TypeAlias = Literal["rooms", "openings"]
"""Kind of room: the rooms stored in the map, or open areas of passable 2x2 blocks."""


def passages(map: Walkable) -> Mask:
    """Return the mask of passages one cell wide, between two walls and open in both directions.

    The walls are cells of the map, so no passage runs along its edge. Bends and dead ends are not passages. Only for 2D
    maps.

    >>> passages(np.array([[1, 0, 0, 0, 1], [1, 1, 1, 1, 1], [1, 0, 0, 0, 1]], dtype=bool)).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0],
           [0, 0, 0, 0, 0]])
    """
    vertical, horizontal = _find_narrow(passable_of(map))
    return vertical | horizontal


def doorways(map: TileMap, *, of: Rooms | None = None, min_cells: int = 1) -> Mask:
    """Return the mask of passages next to a room. Only for 2D maps.

    Parameters
    ----------
    map : TileMap
        A 2D map.
    of : {"rooms", "openings"}, optional
        Use the rooms of the map, or its open areas: connected passable 2x2 blocks. By default its rooms, if it has any.
    min_cells : int
        Minimum number of passable cells of a room.

    Returns
    -------
    ndarray of bool, same shape as the map

    Examples
    --------
    >>> import tilewright as tw
    >>> dungeon = tw.make("rooms", width=40, height=20, seed=7)
    >>> bool((doorways(dungeon) & ~passages(dungeon)).any())
    False
    """
    passable = map.passable
    vertical, horizontal = _find_narrow(passable)
    kind = of or ("rooms" if map.rooms else "openings")
    sizes = _room_sizes(map, passable) if kind == "rooms" else _opening_sizes(passable)
    room = (sizes >= min_cells) & (sizes > 0)
    # If the outline of a room includes its walls, the doorway is inside the outline. Then the next cell of the room
    # must not be a passage itself.
    wide = room & ~(vertical | horizontal)
    found: Mask = (_leads_to(room, vertical, horizontal) & (sizes == 0)) | _leads_to(wide, vertical, horizontal)
    return found


def find_doors(map: TileMap) -> Mask:
    """Return the mask of doors: tiles named `door`, or with a name that ends in `door`, such as `red door`."""
    is_door = np.array([name.split(" ")[-1] == "door" for name in map.tileset.names])
    doors: Mask = is_door[map.cells]
    return doors


def _find_narrow(passable: Mask) -> tuple[Mask, Mask]:
    """Return the masks of vertical and of horizontal passages."""
    vertical, horizontal = np.zeros_like(passable), np.zeros_like(passable)
    middle = passable[1:-1, 1:-1]
    rows = passable[:-2, 1:-1], passable[2:, 1:-1]
    columns = passable[1:-1, :-2], passable[1:-1, 2:]
    vertical[1:-1, 1:-1] = middle & rows[0] & rows[1] & ~columns[0] & ~columns[1]
    horizontal[1:-1, 1:-1] = middle & columns[0] & columns[1] & ~rows[0] & ~rows[1]
    return vertical, horizontal


def _room_sizes(map: TileMap, passable: Mask) -> NDArray[np.int64]:
    """Return the number of passable cells in the room of each passable cell; 0 outside rooms.

    Where rooms overlap, the largest of these numbers is returned.
    """
    sizes = np.zeros(map.shape, dtype=np.int64)
    for room in map.rooms:
        inside = np.s_[room.y : room.y + room.height, room.x : room.x + room.width]
        sizes[inside] = np.maximum(sizes[inside], np.count_nonzero(passable[inside]))
    return np.where(passable, sizes, 0)


def _opening_sizes(passable: Mask) -> NDArray[np.int64]:
    """Return the number of cells in the open area of each cell; 0 outside open areas."""
    areas = regions_of(find_blocks(passable))
    return areas.sizes[areas.labels]


def find_blocks(mask: Mask) -> Mask:
    """Return the cells in 2x2 blocks of a mask."""
    square = np.pad(mask[1:, 1:] & mask[1:, :-1] & mask[:-1, 1:] & mask[:-1, :-1], 1)
    return square[1:, 1:] | square[1:, :-1] | square[:-1, 1:] | square[:-1, :-1]


def _leads_to(goal: Mask, vertical: Mask, horizontal: Mask) -> Mask:
    """Return the passages with a goal cell at one of their ends."""
    padded = np.pad(goal, 1)
    return (vertical & (padded[:-2, 1:-1] | padded[2:, 1:-1])) | (horizontal & (padded[1:-1, :-2] | padded[1:-1, 2:]))
