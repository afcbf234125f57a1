"""Doorways: the narrow places of a map, and those among them where a door belongs."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.deprecation import renamed_keywords
from ..core.tilemap import TileMap
from .regions import Walkable, passable_of, regions_of

Mask: TypeAlias = NDArray[np.bool_]
Rooms: TypeAlias = Literal["rooms", "openings"]
"""What counts as a room: the map's rooms, or open areas made of 2x2 blocks of passable cells."""


def passages(map: Walkable) -> Mask:
    """The cells of passages one cell wide: between two walls, with a way on before and behind. For maps of one level.

    The walls are cells of the map, so that no passage runs along its edge; a bend is no passage, nor is a dead end.

    >>> passages(np.array([[1, 0, 0, 0, 1], [1, 1, 1, 1, 1], [1, 0, 0, 0, 1]], dtype=bool)).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0],
           [0, 0, 0, 0, 0]])
    """
    upright, level = _find_narrow(passable_of(map))
    return upright | level


@renamed_keywords(least="min_cells")
def doorways(map: TileMap, *, of: Rooms | None = None, min_cells: int = 1) -> Mask:
    """The cells of passages beside a room of at least so many passable cells. For maps of one level.

    Rooms are those of the map; if it has none, open areas: passable 2x2 blocks that hang together.
    """
    passable = map.passable
    upright, level = _find_narrow(passable)
    sizes = (
        _room_sizes(map, passable)
        if (of or ("rooms" if map.rooms else "openings")) == "rooms"
        else _opening_sizes(passable)
    )
    room = (sizes >= min_cells) & (sizes > 0)
    # Where the outline of a room holds its walls, too, the doorway lies inside: then what is beyond must be wide.
    wide = room & ~(upright | level)
    found: Mask = (_leads_to(room, upright, level) & (sizes == 0)) | _leads_to(wide, upright, level)
    return found


def _find_narrow(passable: Mask) -> tuple[Mask, Mask]:
    """Passages that one walks up and down, and those from left to right."""
    upright, level = np.zeros_like(passable), np.zeros_like(passable)
    middle = passable[1:-1, 1:-1]
    rows = passable[:-2, 1:-1], passable[2:, 1:-1]
    columns = passable[1:-1, :-2], passable[1:-1, 2:]
    upright[1:-1, 1:-1] = middle & rows[0] & rows[1] & ~columns[0] & ~columns[1]
    level[1:-1, 1:-1] = middle & columns[0] & columns[1] & ~rows[0] & ~rows[1]
    return upright, level


def _room_sizes(map: TileMap, passable: Mask) -> NDArray[np.int64]:
    """How many passable cells the room of each passable cell has, 0 outside; the largest where rooms overlap."""
    sizes = np.zeros(map.shape, dtype=np.int64)
    for room in map.rooms:
        inside = np.s_[room.y : room.y + room.height, room.x : room.x + room.width]
        sizes[inside] = np.maximum(sizes[inside], np.count_nonzero(passable[inside]))
    return np.where(passable, sizes, 0)


def _opening_sizes(passable: Mask) -> NDArray[np.int64]:
    """How many cells the open area of each cell has, 0 where it is in none."""
    blocks = passable[:-1, :-1] & passable[1:, :-1] & passable[:-1, 1:] & passable[1:, 1:]
    open_ = np.zeros_like(passable)
    for part in (np.s_[:-1, :-1], np.s_[1:, :-1], np.s_[:-1, 1:], np.s_[1:, 1:]):
        open_[part] |= blocks
    areas = regions_of(open_)
    return areas.sizes[areas.labels]


def _leads_to(goal: Mask, upright: Mask, level: Mask) -> Mask:
    """The passages that have such a cell before them or behind."""
    wide = np.pad(goal, 1)
    return (upright & (wide[:-2, 1:-1] | wide[2:, 1:-1])) | (level & (wide[1:-1, :-2] | wide[1:-1, 2:]))
