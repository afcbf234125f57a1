"""Maps from documents, our own and other people's.

Our own give back the same map. Of a foreign one a single tile layer is read (`layer` chooses); tiles are called by
their `name` property where it is unique, else `tile7` by their number in the tileset; cells without a tile hold
`empty`. Flips and rotations are dropped, infinite maps are put together from their chunks, named points become
markers and objects of the class `room` become rooms. A tileset outside the map that cannot be had is done without.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, UnknownName
from ...core.grid import MOST_CELLS, unpack
from ...core.tilemap import Marker, Room, TileMap
from .. import Found, Source
from . import Document, TiledParams
from .cells import Gids, layer_gids, used_gids
from .document import TiledLayer, TiledMap, TiledObject, checked, json_in
from .tiles import complete, tileset_of


def found_in(data: Document, source: Source, options: TiledParams) -> list[Found]:
    """The map of a document, and what it carries about how it was made."""
    document = checked(TiledMap, data)
    layers = list(_unfolded(document.layers))
    tile_layers = [layer for layer in layers if layer.type == "tilelayer"]
    # Anybody may call a property `level`; in our own files it tells which one a layer or a marker is on.
    ours = "tilewright" in document.properties
    levels = _levels(tile_layers) if ours and not options.layer else None
    chosen = levels or [_chosen(tile_layers, options.layer)]
    gids = _stacked(chosen, document)
    tilesets = [complete(tileset, source) for tileset in sorted(document.tilesets, key=lambda one: one.firstgid)]
    tileset, table = tileset_of(tilesets, used_gids(gids), source)
    cells = np.stack([np.stack([table[row] for row in level]) for level in gids])
    cells = cells if levels else cells[0]
    objects = [one for layer in layers for one in layer.objects]
    rooms, links = _rooms(objects, document)
    numbers = [layer.properties.get("level", 0) if ours else 0 for layer in chosen]
    map = TileMap(
        cells,
        tileset,
        rooms=rooms,
        links=links,
        markers=_markers(objects, document, cells.shape, numbers),
        numbers=_numbers(document.properties) if ours else {},
        layers=_float_layers(document.properties, cells.shape) if ours else {},
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


def _chosen(layers: list[TiledLayer], wanted: str) -> TiledLayer:
    """The layer asked for, else the first one that can be seen."""
    if not layers:
        raise InvalidRecipe("holds no tile layer")
    if not wanted:
        return next((layer for layer in layers if layer.visible), layers[0])
    named = [layer for layer in layers if layer.name == wanted]
    if named:
        return named[0]
    if wanted.isascii() and wanted.isdecimal() and 0 < int(wanted[:9]) <= len(layers):
        return layers[int(wanted[:9]) - 1]
    raise UnknownName("layer", wanted, [layer.name for layer in layers])


def _levels(layers: list[TiledLayer]) -> list[TiledLayer] | None:
    """The layers of a map with levels, from the lowest; None for any other map."""
    by_level = {layer.properties.get("level"): layer for layer in layers}
    if not layers or not all(number in by_level for number in range(len(layers))):
        return None
    return [by_level[number] for number in range(len(layers))]


def _stacked(layers: list[TiledLayer], document: TiledMap) -> list[Gids]:
    """The gids of layers of one size, which together are no more than one map may have."""
    claimed = sum((layer.width or document.width) * (layer.height or document.height) for layer in layers)
    if claimed > MOST_CELLS:
        raise TooLarge(f"{claimed:,} cells are more than the {MOST_CELLS:,} that are read")
    if len(layers) > 1 and any(layer.chunks for layer in layers):
        raise InvalidRecipe("a map with levels cannot be infinite as well; choose one with layer")
    gids = [layer_gids(layer, document) for layer in layers]
    if len({one.shape for one in gids}) > 1:
        raise InvalidRecipe("all levels of a map have the same size")
    return gids


# -- what else is known ---------------------------------------------------------------------------------------


def _rooms(objects: list[TiledObject], document: TiledMap) -> tuple[list[Room], list[tuple[int, int]]]:
    """Objects of the class room that lie on the map, and their links, which tell rooms by their names' numbers."""
    rooms: list[Room] = []
    numbers: dict[str, int] = {}
    for one in objects:
        if one.kind == "room" and not one.point:
            x, width = round(one.x / document.tilewidth), round(one.width / document.tilewidth)
            y, height = round(one.y / document.tileheight), round(one.height / document.tileheight)
            if 0 <= x < x + width <= document.width and 0 <= y < y + height <= document.height:
                numbers[one.name] = len(rooms)
                rooms.append(Room(x, y, width, height))
    links = []
    told = json_in(document.properties.get("links"))
    for pair in told if isinstance(told, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            ends = [numbers.get(f"room {number}") for number in pair]
            links += [(ends[0], ends[1])] if ends[0] is not None and ends[1] is not None else []
    return rooms, links


def _markers(
    objects: list[TiledObject], document: TiledMap, shape: tuple[int, ...], levels: list[Any]
) -> Iterator[Marker]:
    """Points with a name that lie on the map, on one of these levels."""
    for one in objects:
        if one.point and (one.name or one.kind == "marker"):
            column, row = int(one.x // document.tilewidth), int(one.y // document.tileheight)
            level = one.properties.get("level", 0)
            if 0 <= column < shape[-1] and 0 <= row < shape[-2] and level in levels:
                yield Marker(one.name, column, row, levels.index(level))


def _numbers(about: Mapping[str, Any]) -> dict[str, float]:
    numbers = {}
    for name, value in about.items():
        if name.startswith("number."):
            try:
                numbers[name.removeprefix("number.")] = float(value)
            except ValueError:
                raise InvalidRecipe(f"property {name!r}: must be a number", got=value, rule="type") from None
    return numbers


def _float_layers(about: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    """The float layers; without those that no longer fit, because the map was resized or only a level is read."""
    layers = {}
    size = 8 * math.prod(shape)
    for name, value in about.items():
        if name.startswith("layer."):
            with suppress(InvalidRecipe, ValueError):
                layers[name.removeprefix("layer.")] = np.frombuffer(unpack(value, size), dtype="<f8").reshape(shape)
    return layers
