"""Build documents from maps."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from ...core.grid import MAX_INLINE_CELLS, pack
from ...core.provenance import build_provenance
from ...core.tilemap import TileMap
from ...core.tileset import Sheet, Tile, Tileset
from .. import _sheet
from .._artwork import draw_sprites, encode_sheet
from .._textures import SIDE
from . import Document, TiledParams
from .elements import tiles_to_xml

Gids = NDArray[np.uint32]
Size = tuple[int, int]
"""Width and height of a sprite in pixels."""
Places = tuple[tuple[int, int], ...]
"""Pairs of local id in the document's tileset and tile id."""


class ColorProperty(str):
    """A property that Tiled shows as a color."""


def build_document(
    map: TileMap, options: TiledParams, path: Path, *, embedded: bool
) -> tuple[Document, dict[str, bytes]]:
    """Return the document of a map, and the pictures to write beside it, by file name."""
    tilesets, gids, pictures = (
        _build_embedded_tileset(map.tileset, options)
        if embedded
        else _build_external_tilesets(map.tileset, options, path)
    )
    width, height = tilesets[0]["tilewidth"], tilesets[0]["tileheight"]
    layers = [*_iter_tile_layers(map, gids), *_iter_object_layers(map, width, height)]
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
        "properties": _encode_properties(_map_properties(map)),
        "tilesets": tilesets,
        "layers": layers,
    }, pictures


def _encode_properties(values: Mapping[str, object]) -> list[Document]:
    kinds = {bool: "bool", int: "int", float: "float", str: "string", ColorProperty: "color"}
    return [{"name": name, "type": kinds[type(value)], "value": value} for name, value in values.items()]


def _map_properties(map: TileMap) -> dict[str, object]:
    """Return the properties of the map."""
    about: dict[str, object] = {"tilewright": json.dumps(build_provenance(map), separators=(",", ":"))}
    if map.links:
        about["links"] = json.dumps(map.links)
    for name, number in map.numbers.items():
        about[f"number.{name}"] = number if math.isfinite(number) else str(number)
    if map.cells.size <= MAX_INLINE_CELLS:
        for name, layer in map.layers.items():
            about[f"layer.{name}"] = pack(layer.astype("<f8").tobytes())
    return about


# -- layers ---------------------------------------------------------------------------------------------------


def _iter_tile_layers(map: TileMap, gids: Gids) -> Iterator[Document]:
    flat = map.cells.ndim == 2
    for number, level in enumerate(map.cells[None] if flat else map.cells):
        layer = _make_layer("tilelayer", "tiles" if flat else f"level {number}", visible=number == 0)
        layer |= {"width": map.width, "height": map.height, "data": gids[level]}
        yield layer if flat else {**layer, "properties": _encode_properties({"level": number})}


def _iter_object_layers(map: TileMap, width: int, height: int) -> Iterator[Document]:
    """Yield the object layers of rooms and markers. Their coordinates are in pixels, given the size of a cell."""
    rooms = [
        _make_object(
            f"room {number}", "room", room.x * width, room.y * height, room.width * width, room.height * height
        )
        for number, room in enumerate(map.rooms)
    ]
    markers = []
    for marker in map.markers:
        point = _make_object(marker.name, "marker", (marker.x + 0.5) * width, (marker.y + 0.5) * height, 0, 0)
        level = {"level": marker.level} if map.cells.ndim == 3 else {}
        markers.append({**point, "point": True, "properties": _encode_properties(level)})
    for name, objects in (("rooms", rooms), ("markers", markers)):
        if objects:
            yield {**_make_layer("objectgroup", name), "draworder": "index", "objects": objects}


def _make_layer(kind: str, name: str, *, visible: bool = True) -> Document:
    return {"type": kind, "id": 0, "name": name, "x": 0, "y": 0, "opacity": 1, "visible": visible}


def _make_object(name: str, kind: str, x: float, y: float, width: float, height: float) -> Document:
    place = {"x": x, "y": y, "width": width, "height": height, "rotation": 0}
    return {"id": 0, "name": name, "type": kind, **place, "visible": True}


# -- tilesets -------------------------------------------------------------------------------------------------


def _build_external_tilesets(
    tileset: Tileset, options: TiledParams, path: Path
) -> tuple[list[Document], Gids, dict[str, bytes]]:
    """Return tilesets with external pictures, the gid of every tile, and the pictures by file name."""
    if tileset.sheet is not None and not tileset.sheet.picture and not options.image_path:
        tileset = tileset.model_copy(update={"sheet": None})  # The picture is not available, so sprites are drawn.
    sheet, image = tileset.sheet, f"{path.stem}-tiles.png"
    on_sheet, bare = _assign_sprites(tileset)
    parts: list[tuple[Document, dict[int, int]]] = []
    pictures: dict[str, bytes] = {}
    if sheet is not None:
        place = options.image_path or _relative_path(sheet, path)
        part = _make_sheet_tileset(tileset, sheet, place)
        for number, tiles in enumerate(on_sheet, 1):
            parts.append(({**part, "name": tileset.name if number == 1 else f"{tileset.name} ({number})"}, tiles))
        if sheet.picture and not place:
            pictures[part["image"]] = sheet.picture
    if bare:
        size = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
        pictures[image], (width, height) = encode_sheet([tileset[number] for number in bare], *size)
        part = _make_tileset(f"{tileset.name} (drawn)" if sheet else tileset.name, size, len(bare), "drawn")
        part |= {"image": image, "imagewidth": width, "imageheight": height}
        parts.append(({**part, "columns": min(_sheet.MAX_COLUMNS, len(bare))}, dict(enumerate(bare))))
    gids = np.zeros(len(tileset), dtype=np.uint32)
    tilesets: list[Document] = []
    free = 1
    for part, tiles in parts:
        for local, number in tiles.items():
            gids[number] = free + local
        places = tuple(sorted(tiles.items()))
        tilesets.append({"firstgid": free, **part, "tiles": _encode_tiles(tileset, places, None)})
        free += part["tilecount"]
    return tilesets, gids, pictures


def _build_embedded_tileset(tileset: Tileset, options: TiledParams) -> tuple[list[Document], Gids, dict[str, bytes]]:
    """Return one tileset with a picture per tile, because Tiled supports embedded sheets only since 1.11."""
    sheet = tileset.sheet
    size = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
    part = _make_tileset(tileset.name, size, len(tileset), "embedded", sheet)
    entries = _encode_tiles(tileset, tuple((number, number) for number in range(len(tileset))), size)
    gids = np.arange(1, len(tileset) + 1, dtype=np.uint32)
    return [{"firstgid": 1, **part, "columns": 0, "tiles": entries}], gids, {}


@dataclass(frozen=True, slots=True)
class _TilesetKey:
    """A cache key of a tileset, compared by its content."""

    digest: str
    picture: bytes
    tileset: Tileset = field(compare=False)

    @classmethod
    def of(cls, tileset: Tileset) -> _TilesetKey:
        return cls(tileset.digest, tileset.sheet.picture if tileset.sheet else b"", tileset)


class TileEntries(tuple[Document, ...]):
    """The tiles of a tileset in a document, and as XML, which is cached for all maps of the tileset."""

    @cached_property
    def xml(self) -> str:
        return tiles_to_xml(self)


def _encode_tiles(tileset: Tileset, places: Places, size: Size | None) -> TileEntries:
    """Describe tiles, given as pairs of local id and tile id.

    With a size, the description includes a picture of each tile.
    """
    width, height = size or (SIDE, SIDE)
    describe = (
        _encode_tiles_cached
        if len(places) * width * height <= _sheet.MAX_CACHED_PIXELS
        else _encode_tiles_cached.__wrapped__
    )
    return describe(_TilesetKey.of(tileset), places, size)


@lru_cache(maxsize=8)
def _encode_tiles_cached(key: _TilesetKey, places: Places, size: Size | None) -> TileEntries:
    tileset = key.tileset
    entries = [_encode_tile(tileset[number], number, local) for local, number in places]
    if size is not None:
        sprites = draw_sprites(tileset.tiles, *size)
        pictures = dict(enumerate(map(_sheet.encode_png, sprites))) | _sheet.cut_sprites(tileset)
        for entry, (_, number) in zip(entries, places, strict=True):
            entry |= {"picture": pictures[number], "imagewidth": size[0], "imageheight": size[1]}
    return TileEntries(entries)


def _assign_sprites(tileset: Tileset) -> tuple[list[dict[int, int]], list[int]]:
    """Return tiles by sprite for each tileset, and tiles without a sprite.

    There are as many tilesets as the most common sprite has tiles.
    """
    on_sheet: list[dict[int, int]] = [{}]
    bare: list[int] = []
    for number, tile in enumerate(tileset):
        if tileset.sheet is None or tile.sprite is None:
            bare.append(number)
            continue
        if all(tile.sprite in tiles for tiles in on_sheet):
            on_sheet.append({})
        next(tiles for tiles in on_sheet if tile.sprite not in tiles)[tile.sprite] = number
    return on_sheet, bare


def _relative_path(sheet: Sheet, path: Path) -> str:
    """Return the path from a map's file to the user's picture; empty if there is none or its location is unknown."""
    try:
        known = sheet.path and path.is_absolute()
        return Path(os.path.relpath(sheet.path, path.parent)).as_posix() if known else ""
    except ValueError:  # The picture is on another drive.
        return ""


def _make_sheet_tileset(tileset: Tileset, sheet: Sheet, place: str) -> Document:
    """Return a tileset that uses the user's picture, at `place` or, if the picture can be copied, beside the map."""
    rows = _sheet.count_sprite_rows(tileset)
    width, height = _sheet.picture_size(sheet) or (
        sheet.margin + sheet.columns * (sheet.tile_width + sheet.spacing) - sheet.spacing,
        sheet.margin + rows * (sheet.tile_height + sheet.spacing) - sheet.spacing,
    )
    original = sheet.image.replace("\\", "/")
    image = place or (PurePosixPath(original).name if sheet.picture else original)
    part = _make_tileset(tileset.name, (sheet.tile_width, sheet.tile_height), rows * sheet.columns, "sheet", sheet)
    part |= {"columns": sheet.columns, "margin": sheet.margin, "spacing": sheet.spacing}
    return part | {"image": image, "imagewidth": width, "imageheight": height}


def _make_tileset(name: str, size: Sequence[int], count: int, look: str, sheet: Sheet | None = None) -> Document:
    """Return the common data of tilesets. `look` stores the origin of the picture, which readers need."""
    about = {"tilewright": look} | ({"sheet": json.dumps(sheet.to_data())} if sheet else {})
    sizes = {"tilewidth": size[0], "tileheight": size[1], "tilecount": count}
    return {"name": name, **sizes, "margin": 0, "spacing": 0, "properties": _encode_properties(about)}


def _encode_tile(tile: Tile, number: int, local: int) -> Document:
    about: dict[str, object] = {
        "tile_id": number,
        "name": tile.name,
        "glyph": tile.glyph,
        "color": ColorProperty("#ff" + tile.color[1:]),
        "passable": tile.passable,
    }
    if tile.sprite is not None:
        about["sprite"] = tile.sprite
    if tile.code is not None:
        about["code"] = tile.code
    about |= {f"cost.{mover}": cost for mover, cost in tile.costs}
    kind = {"type": tile.kind} if tile.kind else {}
    return {"id": local, **kind, "properties": _encode_properties(about)}
