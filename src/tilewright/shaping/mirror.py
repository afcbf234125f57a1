"""Mirror: make the map symmetric by copying one part of it onto the others.

Cells that belong together under the symmetry all take the tile of the one in the kept part, or of one that is locked;
two that are locked to different tiles make it give up. Layers are copied with the cells. Markers and rooms in the
kept part appear in every copy, with their links; those of the other parts, and rooms that lie across, are dropped.
The levels of a 3D map are mirrored each by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import GaveUp, InvalidRecipe
from ..core.params import Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import Marker, Room, TileMap

Places: TypeAlias = NDArray[np.int64]
Axis: TypeAlias = Literal[
    "horizontal", "vertical", "both", "half_turn", "diagonal", "antidiagonal", "quarter_turn", "all"
]


MOVES: Mapping[Axis, tuple[str, ...]] = {
    "horizontal": ("x",),
    "vertical": ("y",),
    "both": ("x", "y", "xy"),
    "half_turn": ("xy",),
    "diagonal": ("d",),
    "antidiagonal": ("dxy",),
    "quarter_turn": ("dx", "xy", "dy"),
    "all": ("x", "y", "xy", "d", "dx", "dy", "dxy"),
}
"""The moves that leave a symmetric map as it is: swap left and right (x), top and bottom (y), x and y (d), in order."""


class MirrorParams(Params):
    axis: Axis = param("horizontal")
    """Swap left and right, top and bottom, both, over a diagonal, by half or quarter turns, or all of these."""
    keep: Literal["first", "second"] = param("first")
    """Copy the first part in reading order (left, top) onto the others, or the last."""


@shaper(MirrorParams)
def mirror(map: TileMap, p: MirrorParams, site: Site, rng: Rng) -> TileMap:
    if any("d" in move for move in MOVES[p.axis]) and map.width != map.height:
        raise InvalidRecipe(f"mirror: axis: {p.axis} needs a square map, this one is {map.width}x{map.height}")
    here: Places = np.arange(map.cells.size).reshape(map.shape)
    images = [here, *(_moved(here, move) for move in MOVES[p.axis])]
    kept: Places = reduce(np.minimum if p.keep == "first" else np.maximum, images)
    source = _with_locks(kept, map, site) if site.has_locks else kept
    rooms, links = _rooms(map, kept, images)
    return map.replaced(
        cells=map.cells.reshape(-1)[source],
        layers={name: layer.reshape(-1)[source] for name, layer in map.layers.items()},
        rooms=rooms,
        links=links,
        markers=_markers(map, kept, images),
    )


def _moved(places: Places, move: str) -> Places:
    for step in move:
        places = places.swapaxes(-1, -2) if step == "d" else np.flip(places, -1 if step == "x" else -2)
    return places


def _with_locks(kept: Places, map: TileMap, site: Site) -> Places:
    """Where each cell's tile comes from: from the locked one of those that belong together, if there is one."""
    cells, groups = map.cells.reshape(-1), kept.reshape(-1)
    locks = np.flatnonzero(site.locked)
    decides = np.full(cells.size, -1, dtype=np.int64)
    decides[groups[locks[::-1]]] = locks[::-1]  # the first in reading order is written last
    clash = locks[cells[decides[groups[locks]]] != cells[locks]]
    if clash.size:
        pair = np.array([decides[groups[clash[0]]], clash[0]])
        raise GaveUp(
            "two cells that belong together are locked to different tiles",
            cells=np.column_stack(np.unravel_index(pair, map.shape)).tolist(),
        )
    return np.where(decides[kept] >= 0, decides[kept], kept)


def _rooms(map: TileMap, kept: Places, images: list[Places]) -> tuple[list[Room], list[tuple[int, int]]]:
    """The rooms of the kept part in every copy, and the links inside each."""
    own = np.arange(kept.size).reshape(kept.shape) == kept
    inside = [
        number
        for number, room in enumerate(map.rooms)
        if own[..., room.y : room.y + room.height, room.x : room.x + room.width].all()
    ]
    ids: dict[Room, int] = {}
    links: dict[tuple[int, int], None] = {}
    for image in images:
        copies = {}
        for number in inside:
            room = map.rooms[number]
            corners = image[..., [room.y, room.y + room.height - 1], [room.x, room.x + room.width - 1]]
            *_, rows, columns = np.unravel_index(corners.reshape(-1)[:2], map.shape)
            (top, bottom), (left, right) = sorted(rows.tolist()), sorted(columns.tolist())
            copy = Room(left, top, right - left + 1, bottom - top + 1)
            copies[number] = ids.setdefault(copy, len(ids))
        links |= {(copies[a], copies[b]): None for a, b in map.links if a in copies and b in copies}
    return list(ids), list(links)


def _markers(map: TileMap, kept: Places, images: list[Places]) -> list[Marker]:
    """The markers of the kept part in every copy."""
    found: dict[Marker, None] = {}
    for image in images:
        for marker in map.markers:
            place: Any = (marker.level, marker.y, marker.x)[-kept.ndim :]
            if kept[place] == np.ravel_multi_index(place, map.shape):
                *level, row, column = (int(part) for part in np.unravel_index(image[place], map.shape))
                found[Marker(marker.name, column, row, *level)] = None
    return list(found)
