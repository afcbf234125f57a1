"""Maps from documents, our own and other people's.

Our own give back the same map. Of a foreign one a single tile layer is read (`layer` chooses); tiles are called by
their `name` property where it is unique, else `tile7` by their number in the tileset; cells without a tile hold
`empty`. Flips and rotations are dropped, infinite maps are put together from their chunks, named points become
markers and objects of the class `room` become rooms. A tileset outside the map that cannot be had is done without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, UnknownName, quoted
from ...core.grid import unpack
from ...core.tilemap import Marker, Room, TileMap
from .. import Found, Source
from . import Document, TiledParams
from .cells import layer_gids, used_gids
from .document import TiledLayer, TiledMap, TiledObject, checked, json_in
from .tiles import complete, tileset_of

MOST_BYTES = 1 << 27
"""Larger documents are not read: what stands in memory is a multiple of the file."""


def read_bounded(content: bytes) -> bytes:
    if len(content) > MOST_BYTES:
        size = f"{len(content) / 2**20:,.0f} MB"
        raise TooLarge(f"{size} are more than the {MOST_BYTES >> 20} MB that are read of a Tiled file; use npz or png")
    return content


def found_in(data: Document, source: Source, options: TiledParams) -> list[Found]:
    """The map of a document, and what it carries about how it was made."""
    document = checked(TiledMap, data)
    layers = list(_unfolded(document.layers))
    chosen = _chosen([layer for layer in layers if layer.type == "tilelayer"], options.layer)
    gids = [layer_gids(layer, document) for layer in chosen]
    levelled = not options.layer and "level" in chosen[0].properties
    tilesets = [complete(tileset, source) for tileset in sorted(document.tilesets, key=lambda one: one.firstgid)]
    tileset, table = tileset_of(tilesets, used_gids(gids), source)
    cells = np.stack([np.stack([table[row] for row in level]) for level in gids])
    objects = [one for layer in layers for one in layer.objects]
    rooms, links = _rooms(objects, document)
    map = TileMap(
        cells if levelled else cells[0],
        tileset,
        rooms=rooms,
        links=links,
        markers=_markers(objects, document, cells.shape),
        numbers=_numbers(document.properties),
        layers=_float_layers(document.properties, cells.shape if levelled else cells.shape[1:]),
    )
    carried = json_in(document.properties.get("tilewright"))
    return [Found(map, carried if isinstance(carried, dict) else {})]


def _unfolded(layers: tuple[TiledLayer, ...], visible: bool = True) -> Iterator[TiledLayer]:
    """All layers, groups opened; what a hidden group holds is hidden."""
    for layer in layers:
        shown = visible and layer.visible
        if layer.type == "group":
            yield from _unfolded(layer.layers, shown)
        else:
            yield layer if shown == layer.visible else layer.model_copy(update={"visible": shown})


def _chosen(layers: list[TiledLayer], wanted: str) -> list[TiledLayer]:
    """The layer asked for; else all levels of a map that has them; else the first one that can be seen."""
    if not layers:
        raise InvalidRecipe("holds no tile layer")
    if wanted:
        named = [layer for layer in layers if layer.name == wanted]
        if named:
            return named[:1]
        if wanted.isascii() and wanted.isdecimal() and 0 < int(wanted[:9]) <= len(layers):
            return [layers[int(wanted[:9]) - 1]]
        raise UnknownName("layer", wanted, [layer.name for layer in layers])
    levels = {layer.properties.get("level"): layer for layer in layers}
    if len(levels) == len(layers) and all(number in levels for number in range(len(layers))):
        return [levels[number] for number in range(len(layers))]
    return [next((layer for layer in layers if layer.visible), layers[0])]


# -- what else is known ---------------------------------------------------------------------------------------


def _rooms(objects: list[TiledObject], document: TiledMap) -> tuple[list[Room], list[tuple[int, int]]]:
    """Objects of the class room, and their links, which tell rooms by the numbers in their names."""
    rooms: list[Room] = []
    numbers: dict[str, int] = {}
    for one in objects:
        if one.kind == "room" and not one.point:
            numbers[one.name] = len(rooms)
            across, down = document.tilewidth, document.tileheight
            rooms.append(
                Room(round(one.x / across), round(one.y / down), round(one.width / across), round(one.height / down))
            )
    links = []
    told = json_in(document.properties.get("links"))
    for pair in told if isinstance(told, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            ends = [numbers.get(f"room {number}") for number in pair]
            links += [(ends[0], ends[1])] if ends[0] is not None and ends[1] is not None else []
    return rooms, links


def _markers(objects: list[TiledObject], document: TiledMap, shape: tuple[int, ...]) -> Iterator[Marker]:
    """Points with a name, if they lie on the map."""
    for one in objects:
        column, row = int(one.x // document.tilewidth), int(one.y // document.tileheight)
        level = one.properties.get("level", 0)
        inside = 0 <= column < shape[2] and 0 <= row < shape[1] and level in range(shape[0])
        if one.point and inside and (one.name or one.kind == "marker"):
            yield Marker(one.name, column, row, int(level))


def _numbers(about: Mapping[str, Any]) -> dict[str, float]:
    numbers = {}
    for name, value in about.items():
        if name.startswith("number."):
            try:
                numbers[name.removeprefix("number.")] = float(value)
            except ValueError:
                raise InvalidRecipe(f"property {name!r}: must be a number, got {quoted(value)}") from None
    return numbers


def _float_layers(about: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    layers = {}
    size = 8 * int(np.prod(shape))
    for name, value in about.items():
        if name.startswith("layer."):
            raw = unpack(value, size)
            if len(raw) != size:
                raise InvalidRecipe(f"property {name!r}: {len(raw):,} bytes do not make a layer of shape {list(shape)}")
            layers[name.removeprefix("layer.")] = np.frombuffer(raw, dtype="<f8").reshape(shape)
    return layers
