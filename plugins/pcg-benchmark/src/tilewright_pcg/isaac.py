"""Isaac: rooms with links on a grid, and rooms for start, boss, shop and treasure.

A content is a dictionary: `layout` has the door bits of the 4x4 rooms (1 left, 2 up, 4 right, 8 down), and `start`,
`boss`, `shop` and `treasure` are numbers of rooms. As a map, a room is a block of 3x3 cells: its center, and a door on
each linked side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright import InvalidRecipe, Marker, Rng, TileMap, make

from .problem import Content, Control, PcgProblem, Report
from .walks import find_distances

SIDE = 4
COLUMNS = "abcd"
"""Letters of the columns in the names of rooms."""
MAP_SIDE = 24
"""Width and height of the maps from which graphs of rooms are taken."""
MAX_LOOPS = 0.7
"""Maximum of the parameter `loops` of the technique rooms."""
PLACES = ("start", "boss", "shop", "treasure")
DOORS = ((1, 1, 0), (2, 0, 1), (4, 1, 2), (8, 2, 1))
"""Bit, row and column of each door in the block of its room."""
MIN_DISTANCE = 8
ROOM_MARGIN = 4
"""Rooms beyond the control that a content needs: the benchmark accepts sizes from the control + 3.2 on."""
TRIES = 400
PLACEMENTS = 60
"""Number of places for start and boss to try in a graph."""


class IsaacProblem(PcgProblem):
    name = "isaac"
    shape = (3 * SIDE, 3 * SIDE)
    tiles = (
        {"name": "wall", "glyph": "#", "passable": False},
        {"name": "floor", "glyph": "."},
        {"name": "door", "glyph": "+", "role": "floor"},
    )
    ranges = (("map_size", 6, 15),)

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        return [self._make_one(control, rng.child("place", place)) for place, control in enumerate(controls)]

    def _make_one(self, control: Control, rng: Rng) -> Content:
        # Controls from 13 on need more rooms than there are.
        least = min(SIDE * SIDE, control["map_size"] + ROOM_MARGIN)
        for _ in range(TRIES):
            layout = _grow_layout(rng.between(least, SIDE * SIDE), rng)
            if (places := _place_rooms(layout, rng)) is not None:
                return {"layout": layout, **places}
        raise AssertionError(f"no content of {TRIES} has the distance {MIN_DISTANCE}")

    def to_map(self, content: Content) -> TileMap:
        checked = _check(content)
        places = [Marker(name, *_center(checked[name])) for name in PLACES]
        return TileMap(_draw_layout(checked["layout"]), self.tileset, markers=places)

    def to_content(self, map: TileMap) -> Content:
        cells = self.number_tiles(map)
        layout = [
            sum(bit for bit, down, right in DOORS if cells[row + down, column + right])
            for row in range(0, 3 * SIDE, 3)
            for column in range(0, 3 * SIDE, 3)
        ]
        found = {marker.name: marker.y // 3 * SIDE + marker.x // 3 for marker in map.markers}
        for name in PLACES:
            if name not in found:
                raise InvalidRecipe(f"isaac: the map has no marker {name}", at="map", rule="missing")
        return {"layout": layout, **{name: found[name] for name in PLACES}}


def _check(content: Any) -> Mapping[str, Any]:
    count = SIDE * SIDE
    is_valid = isinstance(content, Mapping) and set(content) == {"layout", *PLACES} and len(content["layout"]) == count
    if not is_valid or any(not 0 <= number < count for number in [*content["layout"], *(content[n] for n in PLACES)]):
        names = ", ".join(PLACES)
        raise InvalidRecipe(f"isaac: a content must have a layout of {count} numbers, and {names}", at="content",
                            rule="shape")  # fmt: skip
    checked: Mapping[str, Any] = content
    return checked


def _center(room: int) -> tuple[int, int]:
    """Return the x and y of the center of a room on the map."""
    return int(room) % SIDE * 3 + 1, int(room) // SIDE * 3 + 1


def _grow_layout(count: int, rng: Rng) -> list[int]:
    """Return the door bits of a random graph with that many rooms."""
    loops = MAX_LOOPS * rng.random()
    map = make("rooms", width=MAP_SIDE, height=MAP_SIDE, graph=f"{SIDE}x{SIDE}", rooms=count, loops=loops,
               seed=str(rng.bits()))  # fmt: skip
    # The name of a room is its cell, as in a spreadsheet: b1 is to the right of a1, and a2 below it.
    rooms = [COLUMNS.index(room.name[0]) + SIDE * (int(room.name[1:]) - 1) for room in map.rooms]
    layout = [0] * (SIDE * SIDE)
    for one, two in map.links:
        is_across = rooms[two] == rooms[one] + 1
        layout[rooms[one]] |= 4 if is_across else 8
        layout[rooms[two]] |= 1 if is_across else 2
    return layout


def _draw_layout(layout: Sequence[int]) -> NDArray[np.int64]:
    cells = np.zeros((3 * SIDE, 3 * SIDE), dtype=np.int64)
    for room, doors in enumerate(layout):
        row, column = room // SIDE * 3, room % SIDE * 3
        cells[row + 1, column + 1] = doors > 0
        for bit, down, right in DOORS:
            if doors & bit:
                cells[row + down, column + right] = 2
    return cells


def _place_rooms(layout: Sequence[int], rng: Rng) -> dict[str, int] | None:
    """Return rooms for all places, or None if the distance from start to boss is too short wherever they are."""
    used = [room for room, doors in enumerate(layout) if doors]
    cells = _draw_layout(layout) > 0
    for _ in range(PLACEMENTS):
        start, boss, shop, treasure = rng.shuffle(used)[:4]
        # The benchmark measures between these cells of the map, not between the rooms.
        first, last = divmod(start, SIDE), divmod(boss, SIDE)
        is_open = cells.copy()
        is_open[first] = is_open[last] = True
        if find_distances(is_open, first)[last] >= MIN_DISTANCE:
            return {"start": start, "boss": boss, "shop": shop, "treasure": treasure}
    return None


PROBLEM = IsaacProblem()
