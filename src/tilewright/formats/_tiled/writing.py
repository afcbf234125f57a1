"""Build documents from maps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ...core.grid import MAX_INLINE_CELLS, pack
from ...core.provenance import build_provenance
from ...core.tilemap import TileMap
from .._artwork import Artwork
from .._layers import sprite_layers
from . import CELLS, LEVEL_OF_MARKER, NUMBER_OF_ROOM, SPRITES, Document, TiledParams, digest_gids
from .elements import encode_properties
from .sprites import SpriteGids, build_tilesets, needs_cells


def build_document(
    map: TileMap, options: TiledParams, path: Path, *, embedded: bool
) -> tuple[Document, dict[str, bytes]]:
    """Return the document of a map, and the pictures to write beside it, by file name."""
    tilesets, gids, pictures = build_tilesets(map.tileset, options, path, embedded=embedded)
    width, height = tilesets[0]["tilewidth"], tilesets[0]["tileheight"]
    tops = [*_iter_tile_layers(map, gids, width, height), *_iter_object_layers(map, width, height)]
    layers = [one for layer in tops for one in (layer, *layer.get("layers", ()))]
    objects = [one for layer in layers for one in layer.get("objects", ())]
    for parts in (layers, objects):
        for number, part in enumerate(parts, 1):
            part["id"] = number
    return {
        "type": "map",
        "version": "1.10",
        "tiledversion": "1.10.2",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "width": map.width,
        "height": map.height,
        "tilewidth": width,
        "tileheight": height,
        "infinite": False,
        "nextlayerid": len(layers) + 1,
        "nextobjectid": len(objects) + 1,
        "properties": encode_properties(_map_properties(map)),
        "tilesets": tilesets,
        "layers": tops,
    }, pictures


def _map_properties(map: TileMap) -> dict[str, object]:
    """Return the properties of the map."""
    about: dict[str, object] = {"tilewright": json.dumps(build_provenance(map), separators=(",", ":"))}
    if map.links:
        about["links"] = json.dumps(map.links)
    for name, number in map.numbers.items():
        about[f"number_{name}"] = number
    if map.cells.size <= MAX_INLINE_CELLS:
        for name, layer in map.layers.items():
            about[f"layer_{name}"] = pack(layer.astype("<f8").tobytes())
    return about


# -- layers ---------------------------------------------------------------------------------------------------


def _iter_tile_layers(map: TileMap, gids: SpriteGids, width: int, height: int) -> Iterator[Document]:
    """Yield the tile layers of a map, given the size of a cell. A level with several layers is a group."""
    layers = _build_layers(map, gids, width, height)
    if map.cells.ndim == 2:
        yield from _describe_layers(layers, {})
        return
    for number in range(map.shape[0]):
        level = [{**layer, "data": layer["data"][number]} for layer in layers]
        described, name, visible = _describe_layers(level, {"level": number}), f"level {number}", number == 0
        if len(level) == 1:
            yield {**described[0], "name": name, "visible": visible}
        else:
            yield {**_make_layer("group", name, visible=visible), "layers": described}


def _describe_layers(layers: Sequence[Document], about: Mapping[str, object]) -> list[Document]:
    """Return the layers of a level with their properties, by which they are found when the file is read."""
    has_cells = layers[0]["name"] == CELLS
    drawing = {"drawing": digest_gids([layer["data"] for layer in layers[1:]])} if has_cells else {}
    return [
        {**layer, "properties": encode_properties({**about, "tilewright": CELLS, **drawing})}
        if layer["name"] == CELLS
        else {**layer, "properties": encode_properties({**about, "tilewright": SPRITES})}
        for layer in layers
    ]


def _build_layers(map: TileMap, gids: SpriteGids, width: int, height: int) -> list[Document]:
    """Return the tile layers. The `data` of a map with levels has all levels."""
    artwork = Artwork.of(map.tileset)
    tiles = np.array([*(sprite.tile for sprite in artwork.sprites), -1], dtype=np.int32)
    has_plain = not np.array_equal(gids.solid, gids.plain)
    both = np.concatenate([gids.solid, gids.plain])
    layers = [_build_cells_layer(map, gids)] if needs_cells(artwork) else []
    for layer in sprite_layers(map, keep_hidden=True):
        part = {**_make_layer("tilelayer", layer.name), "width": layer.sprites.shape[-1]}
        part["height"] = layer.sprites.shape[-2]
        if layer.offset != (0, 0):
            part |= {"offsetx": layer.offset[1] * width, "offsety": layer.offset[0] * height}
            part["data"] = np.take(gids.plain, layer.sprites)
        elif has_plain:
            is_below = np.take(tiles, layer.sprites) != map.cells
            part["data"] = np.take(both, layer.sprites + is_below * np.int32(len(gids.solid)))
        else:
            part["data"] = np.take(gids.solid, layer.sprites)
        layers.append(part)
    return layers


def _build_cells_layer(map: TileMap, gids: SpriteGids) -> Document:
    """Return a transparent layer with the tile of every cell.

    It carries the collision shapes of tiles whose sprites are between cells.
    """
    is_between = np.zeros(len(map.tileset), dtype=np.bool_)
    for plane in Artwork.of(map.tileset).planes:
        for table in plane.tables if plane.is_dual else ():
            is_between[table.tiles] = True
    own = np.arange(len(map.tileset))
    part = {**_make_layer("tilelayer", CELLS), "opacity": 0, "width": map.width, "height": map.height}
    return {**part, "data": np.where(is_between, gids.solid[own], gids.plain[own])[map.cells]}


def _iter_object_layers(map: TileMap, width: int, height: int) -> Iterator[Document]:
    """Yield the object layers of rooms and markers. Their coordinates are in pixels, given the size of a cell."""
    area = {"godot_node_type": "area"}  # Godot's importer makes other rectangles solid.
    rooms = []
    for number, room in enumerate(map.rooms):
        place = (room.x * width, room.y * height, room.width * width, room.height * height)
        named = {NUMBER_OF_ROOM: number} if room.name else {}
        rooms.append(_make_object(room.name or f"room {number}", "room", *place, {**area, **named}))
    markers = []
    for marker in map.markers:
        level = {LEVEL_OF_MARKER: marker.level} if map.cells.ndim == 3 else {}
        x, y, about = (marker.x + 0.5) * width, (marker.y + 0.5) * height, {**marker.properties, **level}
        markers.append({**_make_object(marker.name, marker.name or "marker", x, y, 0, 0, about), "point": True})
    for name, objects in (("rooms", rooms), ("markers", markers)):
        if objects:
            yield {**_make_layer("objectgroup", name), "draworder": "index", "objects": objects}


def _make_layer(kind: str, name: str, *, visible: bool = True) -> Document:
    return {"type": kind, "id": 0, "name": name, "x": 0, "y": 0, "opacity": 1, "visible": visible}


def _make_object(
    name: str, kind: str, x: float, y: float, width: float, height: float, about: Mapping[str, object]
) -> Document:
    place = {"x": x, "y": y, "width": width, "height": height, "rotation": 0}
    shape = {"id": 0, "name": name, "type": kind, **place, "visible": True}
    return {**shape, "properties": encode_properties(about)} if about else shape
