"""A test map of halls: rooms in rows, joined by passages one cell wide, with optional loops."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilewright as tw
from tests.cases import read_table
from tilewright.core.tilemap import Room, TileMap
from tilewright.core.tilesets import tilesets


def halls(seed: int, *, columns: int = 5, rows: int = 4, loops: float = 0.0) -> TileMap:
    """Join every room to an earlier one; `loops` is the probability that other neighbors are joined as well."""
    random = np.random.default_rng(seed)
    tiles = tilesets.get("dungeon")
    cells = np.full((rows * 7 + 1, columns * 9 + 1), tiles.id("wall"))
    rooms = [Room(x * 9 + 2, y * 7 + 2, 6, 4) for y in range(rows) for x in range(columns)]
    for room in rooms:
        cells[room.y : room.y + room.height, room.x : room.x + room.width] = tiles.id("floor")
    links = []
    for number in range(1, len(rooms)):
        near = [number - 1] * (number % columns > 0) + [number - columns] * (number >= columns)
        first = near[int(random.integers(len(near)))]
        links += [(other, number) for other in near if other == first or random.random() < loops]
    for one, other in links:
        a, b = rooms[one], rooms[other]
        if a.y == b.y:
            cells[a.y + int(random.integers(4)), a.x + 6 : b.x] = tiles.id("corridor")
        else:
            cells[a.y + 4 : b.y, a.x + int(random.integers(6))] = tiles.id("corridor")
    return TileMap(cells, tiles, rooms=rooms, links=links)


KINDS: dict[str, dict[str, Any]] = read_table(__file__, "kinds of maps")


def make_map(kind: str, seed: int, width: int = 40, height: int = 26, **more: Any) -> TileMap:
    """Return a map of a kind."""
    if kind == "halls":
        return halls(seed)
    words = {"seed": seed, "width": width, "height": height, **KINDS[kind], **more}
    return tw.make(words.pop("technique"), **words)
