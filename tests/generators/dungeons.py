"""Checks of properties of all maps with rooms and corridors, and random options for them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from tilewright import TileMap

Mask = NDArray[np.bool_]
SIZES = ((3, 3), (3, 50), (200, 5), (7, 7), (4, 6), (5, 9), (20, 20), (40, 25), (60, 40), (33, 12), (11, 30))


def some_options(chance: Random) -> dict[str, Any]:
    width, height = chance.choice(SIZES)
    options: dict[str, Any] = {
        "width": width,
        "height": height,
        "links": chance.choice(["delaunay", "nearest", "row"]),
        "loops": chance.choice([0, 0.2, 1]),
        "longest_loop": chance.choice([3, 5, 8, 30]),
        "corridors": chance.choice(["winding", "straight"]),
        "corridor_width": chance.choice([1, 1, 2, 3]),
        "avoid": chance.random() < 0.7,
        "reuse": chance.random() < 0.7,
        "doors": chance.choice(["near", "anywhere"]),
        "spacing": chance.choice([1, 2, 3, 3, 3, 5]),
    }
    if chance.random() < 0.3:
        options["rooms"] = chance.randint(1, 20)
    if chance.random() < 0.4:
        for name, side in (("room_width", width), ("room_height", height)):
            least = chance.randint(1, min(6, side - 2))
            options[name] = (least, chance.randint(least, 12))
    return options


def inside(map: TileMap, number: int) -> tuple[slice, slice]:
    room = map.rooms[number]
    return np.s_[room.y : room.y + room.height, room.x : room.x + room.width]


def check_paths(map: TileMap) -> None:
    """Check that all open cells are connected and enclosed by walls, and that doors are in walls."""
    floor, corridor, door, wall = (map.where(name) for name in ("floor", "corridor", "door", "wall"))
    is_open = floor | corridor | door
    assert np.array_equal(is_open, map.passable)
    assert ndimage.label(is_open)[1] == 1
    assert not np.concatenate((is_open[0], is_open[-1], is_open[:, 0], is_open[:, -1])).any()
    beside = ndimage.binary_dilation(is_open, np.ones((3, 3))) & ~is_open
    assert wall[beside].all()
    for row, column in np.argwhere(door).tolist():
        up, down = is_open[row - 1, column], is_open[row + 1, column]
        left, right = is_open[row, column - 1], is_open[row, column + 1]
        assert (up and down and not left and not right) or (left and right and not up and not down)
        assert door[row - 1 : row + 2, column].sum() == 1
        assert door[row, column - 1 : column + 2].sum() == 1
    assert len(find_linked_groups(map)) <= 1, "links join all rooms"


def check_rooms(map: TileMap, options: dict[str, Any], sizes: tuple[int, int, int, int]) -> None:
    """Check that rooms do not overlap, keep their distance, and have only doors as openings where there is space."""
    owners = np.zeros(map.shape, dtype=np.int64)
    for number, room in enumerate(map.rooms):
        assert sizes[0] <= room.width <= sizes[1]
        assert sizes[2] <= room.height <= sizes[3]
        place, spacing = inside(map, number), options["spacing"]
        around = owners[
            max(0, room.y - spacing) : place[0].stop + spacing, max(0, room.x - spacing) : place[1].stop + spacing
        ]
        assert not around.any()
        owners[place] = number + 1
    assert np.array_equal(map.where("floor"), owners > 0)
    if options["spacing"] >= 3:
        assert not (ndimage.binary_dilation(owners > 0) & map.where("corridor")).any()


def find_linked_groups(map: TileMap) -> set[int]:
    """Return the first room of every group of linked rooms."""
    first = list(range(len(map.rooms)))
    for _ in first:
        for one, other in map.links:
            first[one] = first[other] = min(first[one], first[other])
    return set(first)


def count_doors(map: TileMap, number: int) -> int:
    """Return the number of doors in a room's walls."""
    mask = np.zeros(map.shape, dtype=np.bool_)
    mask[inside(map, number)] = True
    return int((ndimage.binary_dilation(mask) & map.where("door")).sum())
