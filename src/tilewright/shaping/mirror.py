"""Mirror: make the map symmetric by copying one part of it onto the others.

All cells that correspond under the symmetry take the tile of the cell in the kept part, or of a locked one. If two of
them are locked to different tiles, the shaper gives up. Rivers, roads and other pieces are reoriented in the copies. A
piece on the axis that is not symmetric is kept; `autotile` with `keep: pieces` joins it to its new neighbors. With
`countries`, the buildings of one country in the kept part belong to the next country in the next copy, and so on.
Layers are copied with the cells. Markers and rooms in the kept part appear in every copy, with their links; those in
other parts and rooms that cross the axis are removed. Each level of a 3D map is mirrored separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe, short_repr
from ..core.owners import Countries, change_owners, find_countries
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import Marker, Room, TileMap
from ..core.tileset import Tileset

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
"""Moves of each symmetry, without the identity.

A move is a string of steps that are applied in order: swap left and right (x), top and bottom (y), or the two axes (d).
"""


class MirrorParams(Params):
    axis: Axis = param("horizontal")
    """Symmetry: swap left and right, top and bottom, both, mirror at a diagonal, half or quarter turns, or all."""
    keep: Literal["first", "second"] = param("first")
    """Whether to copy the first part in reading order (left, top) onto the others, or the last."""
    countries: Countries = param((), max_length=1000)
    """Countries that follow each other from copy to copy, by name or initials; by default owners do not change."""

    @field_validator("countries")
    @classmethod
    def _check_countries(cls, countries: tuple[str, ...]) -> tuple[str, ...]:
        if len(countries) == 1:
            raise ValueError(f"give two or more, or none, got {short_repr(countries)}")
        return countries


@shaper(MirrorParams)
def mirror(map: TileMap, p: MirrorParams, site: Site, rng: Rng) -> TileMap:
    places = find_images(map.shape, p.axis, "axis")
    kept: Places = reduce(np.minimum if p.keep == "first" else np.maximum, places)
    source = _choose_sources(kept, site) if site.has_locks else kept
    cells = map.cells.reshape(-1)[source]
    if p.countries or any(tile.joins for tile in map.tileset):
        cells = _turn_pieces(cells, source, kept, places, map.tileset, p)
    if site.has_locks:
        _check_locks(map, cells, source, site)
    rooms, links = _mirror_rooms(map, kept, places)
    return map.replace(
        cells=cells,
        layers={name: layer.reshape(-1)[source] for name, layer in map.layers.items()},
        rooms=rooms,
        links=links,
        markers=_mirror_markers(map, kept, places),
    )


def _choose_sources(kept: Places, site: Site) -> Places:
    """Return the flat index of the cell that each cell copies.

    This is a locked cell among the cells that correspond to it, if there is one, otherwise the cell in the kept part.
    """
    groups = kept.reshape(-1)
    locks = np.flatnonzero(site.locked)
    decides = np.full(groups.size, -1, dtype=np.int64)
    decides[groups[locks[::-1]]] = locks[::-1]  # in reverse, so that the first in reading order wins
    return np.where(decides[kept] >= 0, decides[kept], kept)


def _turn_pieces(
    cells: NDArray[Any], source: Places, kept: Places, places: list[Places], tileset: Tileset, p: MirrorParams
) -> NDArray[Any]:
    """Return the copied tiles, with reoriented pieces and with the owners of buildings changed.

    A piece is transformed by the move that maps its source to the cell. With `p.countries`, a building that belongs to
    one of these countries gets the next country in the next copy of the kept part, and so on.
    """
    moves = ("", *MOVES[p.axis])
    move_index, part = _find_moves(source, places), _find_moves(kept, places)
    turned = np.stack([tileset.reorient_tiles(move) for move in moves])
    copied: NDArray[Any] = turned[move_index, cells]
    if p.countries:
        order = find_countries(p.countries, tileset, "countries")
        used = np.bincount(copied.reshape(-1), minlength=len(tileset)) > 0
        shifts = [dict(zip(order, order[step:] + order[:step], strict=True)) for step in range(len(order))]
        owner_tables = np.stack([change_owners(tileset, owners, used, "countries") for owners in shifts])
        copied = owner_tables[(part - part.reshape(-1)[source]) % len(order), copied]
    return copied.astype(tileset.dtype)


def _find_moves(source: Places, places: list[Places]) -> Places:
    """Return the index of the first move that maps each cell's source to the cell; 0 is the identity."""
    move_index = np.zeros(source.shape, dtype=np.int64)
    for number in reversed(range(len(places))):
        move_index[places[number] == source] = number
    return move_index


def _check_locks(map: TileMap, cells: NDArray[Any], source: Places, site: Site) -> None:
    """Raise GaveUp if a locked cell would get another tile."""
    clash = np.flatnonzero(site.locked & (cells != map.cells))
    if clash.size:
        pair = np.array([source.reshape(-1)[clash[0]], clash[0]])
        text = "two corresponding cells are locked to different tiles"
        raise GaveUp(text, cells=np.column_stack(np.unravel_index(pair, map.shape)).tolist())


def _mirror_rooms(map: TileMap, kept: Places, places: list[Places]) -> tuple[list[Room], list[tuple[int, int]]]:
    """Copy the rooms of the kept part and the links between them to every image."""
    own = np.arange(kept.size).reshape(kept.shape) == kept
    inside = [
        number
        for number, room in enumerate(map.rooms)
        if own[..., room.y : room.y + room.height, room.x : room.x + room.width].all()
    ]
    ids: dict[Room, int] = {}
    links: dict[tuple[int, int], None] = {}
    for image in places:
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


def _mirror_markers(map: TileMap, kept: Places, places: list[Places]) -> list[Marker]:
    """Copy the markers of the kept part to every image."""
    found: dict[Marker, None] = {}
    for image in places:
        for marker in map.markers:
            place: Any = (marker.level, marker.y, marker.x)[-kept.ndim :]
            if kept[place] == np.ravel_multi_index(place, map.shape):
                *level, row, column = (int(part) for part in np.unravel_index(image[place], map.shape))
                found[replace(marker, x=column, y=row, level=level[0] if level else 0)] = None
    return list(found)


# -- symmetries --------------------------------------------------------------------------------------------------


def apply_move(places: Places, move: str) -> Places:
    """Apply a move to an array with axes (..., row, column)."""
    for step in move:
        places = places.swapaxes(-1, -2) if step == "d" else np.flip(places, -1 if step == "x" else -2)
    return places


def find_images(shape: Sequence[int], axis: Axis, name: str) -> list[Places]:
    """Return (row, column) flat indices of the cells, then of their images under each move.

    `name` is the name of the parameter, for errors.
    """
    if any("d" in move for move in MOVES[axis]) and shape[-1] != shape[-2]:
        raise InvalidRecipe(f"{axis} needs a square map, this one is {shape[-1]}x{shape[-2]}", at=name, rule="missing")
    here: Places = np.arange(int(np.prod(shape))).reshape(tuple(shape))
    return [here, *(apply_move(here, move) for move in MOVES[axis])]
