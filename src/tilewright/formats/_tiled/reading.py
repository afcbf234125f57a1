"""Build maps from documents, written by Tilewright or by other programs.

Documents written by Tilewright give the same map. Of other documents, the visible tile layers are read as one: in each
cell, the tile of the topmost layer that has one. Tiles that are always above others are things, drawn over the ground
around them. `layer` selects a single layer instead. Tiles are named by their `name` property if it is unique, else by
their local id, such as `tile7`; cells without a tile get `empty`. Flips, rotations and offsets are ignored, infinite
maps are assembled from their chunks, named points become markers, and objects of the class `room` become rooms.
Pictures of several tilesets are combined. An external tileset or picture that cannot be opened is replaced by plain
tiles, with a warning.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, UnknownName, check_limit
from ...core.grid import MAX_CELLS, unpack
from ...core.tilemap import Marker, Room, TileMap
from .. import LoadedMap, Source
from .._documents import parse_inner_json, validate
from . import LEVEL_OF_MARKER, NUMBER_OF_ROOM, Document, TiledParams
from .cells import LevelGids, decode_levels, find_used_gids, read_level
from .document import LIMITS, TiledLayer, TiledMap, TiledObject
from .tiles import build_tileset, resolve_tileset

ROOM_NAME = re.compile(r"room (\d{1,9})")
"""Name of a room without a name of its own."""


def read_document(data: Document, source: Source, options: TiledParams) -> list[LoadedMap]:
    """Return the map of a document and its provenance."""
    document = validate(TiledMap, data)
    layers = list(_iter_layers(document.layers))
    tile_layers = [layer for layer in layers if layer.type == "tilelayer"]
    if not tile_layers:
        raise InvalidRecipe("contains no tile layer")
    # Other programs may also use a property `level`; in Tilewright's files it is the level of a layer or marker.
    is_own = "tilewright" in document.properties
    levels = _find_levels(tile_layers) if is_own else {}
    chosen = _choose_levels(tile_layers, levels, options.layer)
    stacks = _read_levels(list(chosen.values()), document)
    top, left = stacks[0].place
    tilesets = [resolve_tileset(tileset, source) for tileset in sorted(document.tilesets, key=lambda one: one.firstgid)]
    used = find_used_gids([gids for stack in stacks for gids in stack.used])
    tileset, table = build_tileset(tilesets, used, set() if is_own else stacks[0].things, source)
    tileset, cells = decode_levels(stacks, tileset, table)
    cells = cells if levels and chosen == levels else cells[0]
    objects = [
        one.model_copy(update={"x": one.x - left * document.tilewidth, "y": one.y - top * document.tileheight})
        for layer in layers
        for one in layer.objects
    ]
    rooms, links = _read_rooms(objects, document, cells.shape)
    markers = _read_markers(objects, document, cells.shape, list(chosen), is_deep=bool(levels))
    map = TileMap(
        cells,
        tileset,
        rooms=rooms,
        links=links,
        markers=markers,
        numbers=_read_numbers(document.properties) if is_own else {},
        layers=_read_float_layers(document.properties, cells.shape) if is_own else {},
    )
    provenance = parse_inner_json(document.properties.get("tilewright"), LIMITS)
    return [LoadedMap(map, provenance if isinstance(provenance, dict) else {})]


def _iter_layers(layers: tuple[TiledLayer, ...], visible: bool = True) -> Iterator[TiledLayer]:
    """Yield all layers, including the layers in groups. Layers in hidden groups are hidden."""
    for layer in layers:
        shown = visible and layer.visible
        if layer.type == "group":
            yield from _iter_layers(layer.layers, shown)
        else:
            yield layer if shown == layer.visible else layer.model_copy(update={"visible": shown})


Levels = dict[int, list[TiledLayer]]
"""Layers by level, from the lowest."""


def _choose_levels(layers: list[TiledLayer], levels: Levels, wanted: str) -> Levels:
    """Return the layers to read: the requested layer or level, or else all layers that a map is made of."""
    if not wanted:
        shown = [layer for layer in layers if layer.visible or "tilewright" in layer.properties]
        return levels or {0: shown or layers[:1]}
    named = [layer for layer in layers if layer.name == wanted]
    is_number = wanted.isascii() and wanted.isdecimal()
    if not named and levels:
        number = int(wanted[:9]) - 1 if is_number else next((n for n in levels if wanted == f"level {n}"), -1)
        if number in levels:
            return {number: levels[number]}
    elif not named and is_number and 0 < int(wanted[:9]) <= len(layers):
        named = [layers[int(wanted[:9]) - 1]]
    if not named:
        raise UnknownName("layer", wanted, [layer.name for layer in layers] + [f"level {n}" for n in levels])
    level = named[0].properties.get("level", 0) if levels else 0
    return {level: named[:1]}


def _find_levels(layers: list[TiledLayer]) -> Levels:
    """Return the layers of a 3D map by level; empty for any other map.

    Layers without a level, which were added in the editor, are ignored.
    """
    levels: Levels = {}
    for layer in layers:
        number = layer.properties.get("level")
        if isinstance(number, int):
            levels.setdefault(number, []).append(layer)
    return {number: levels[number] for number in sorted(levels)} if set(levels) == {*range(len(levels))} else {}


def _read_levels(levels: list[list[TiledLayer]], document: TiledMap) -> list[LevelGids]:
    """Return the gids of levels of equal size."""
    claimed = sum(
        (layer.width or document.width) * (layer.height or document.height) for layers in levels for layer in layers
    )
    check_limit("cells", claimed, MAX_CELLS)
    if len(levels) > 1 and any(layer.chunks for layers in levels for layer in layers):
        raise InvalidRecipe("a map with levels cannot be infinite; select one with layer")
    stacks = [read_level(layers, document) for layers in levels]
    if len({stack.flat.shape for stack in stacks}) > 1:
        raise InvalidRecipe("all levels of a map must have the same size")
    return stacks


# -- objects and properties -----------------------------------------------------------------------------------


def _read_rooms(
    objects: list[TiledObject], document: TiledMap, shape: tuple[int, ...]
) -> tuple[list[Room], list[tuple[int, int]]]:
    """Return the objects of the class room inside the map, and their links.

    Links refer to the numbers of rooms, which are in their names, or properties of those that have another name.
    """
    rooms: list[Room] = []
    positions: dict[int, int] = {}
    for one in objects:
        if one.kind == "room" and not one.point:
            x, width = round(one.x / document.tilewidth), round(one.width / document.tilewidth)
            y, height = round(one.y / document.tileheight), round(one.height / document.tileheight)
            if 0 <= x < x + width <= shape[-1] and 0 <= y < y + height <= shape[-2]:
                number, numbered = one.properties.get(NUMBER_OF_ROOM), ROOM_NAME.fullmatch(one.name)
                is_named = type(number) is int or not numbered
                number = int(numbered[1]) if numbered and not is_named else number
                if type(number) is int:
                    positions[number] = len(rooms)
                rooms.append(Room(x, y, width, height, one.name if is_named else ""))
    links = []
    pairs = parse_inner_json(document.properties.get("links"), LIMITS)
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2:
            ends = [positions.get(number) if type(number) is int else None for number in pair]
            links += [(ends[0], ends[1])] if ends[0] is not None and ends[1] is not None else []
    return rooms, links


def _read_markers(
    objects: list[TiledObject], document: TiledMap, shape: tuple[int, ...], levels: list[Any], *, is_deep: bool
) -> Iterator[Marker]:
    """Yield the points inside the map, with a name or a class, that are on one of these levels."""
    for one in objects:
        if not one.point or not (one.name or one.kind):
            continue
        about = dict(one.properties)
        level = 0
        if is_deep:  # In files of 0.1, every marker has the class `marker` and a property `level`.
            is_old = one.kind == "marker" and LEVEL_OF_MARKER not in about
            level = about.pop("level" if is_old else LEVEL_OF_MARKER, 0)
        column, row = int(one.x // document.tilewidth), int(one.y // document.tileheight)
        if 0 <= column < shape[-1] and 0 <= row < shape[-2] and level in levels:
            name = one.name or ("" if one.kind == "marker" else one.kind)
            yield Marker(name, column, row, levels.index(level), about)


def _select_properties(about: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the properties of a kind by name: `number_NAME`, or `number.NAME` as in files of 0.1."""
    marks = (f"{kind}_", f"{kind}.")
    return {name[len(kind) + 1 :]: value for name, value in about.items() if name.startswith(marks)}


def _read_numbers(about: Mapping[str, Any]) -> dict[str, float]:
    numbers = {}
    for name, value in _select_properties(about, "number").items():
        try:
            numbers[name] = float(value)
        except ValueError:
            raise InvalidRecipe(f"property 'number_{name}': must be a number", got=value, rule="type") from None
    return numbers


def _read_float_layers(about: Mapping[str, Any], shape: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    """Return the float layers.

    Layers that do not fit, because the map was resized or one level is read, are omitted.
    """
    layers = {}
    size = 8 * math.prod(shape)
    for name, value in _select_properties(about, "layer").items():
        with suppress(InvalidRecipe, ValueError):
            layers[name] = np.frombuffer(unpack(value, size), dtype="<f8").reshape(shape)
    return layers
