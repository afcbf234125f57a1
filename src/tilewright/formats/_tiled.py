"""A map as a Tiled 1.10 document: plain data in the shape of Tiled's JSON, which TMX and TMJ both write.

Orthogonal; the tileset stands inside the map, its picture beside it. Every tile says in custom properties what it is
(`tile_id`, `name`, `glyph`, `color`, `passable`, ...; its kind is Tiled's class), so that engines can ask and reading
gives back the same tileset. A map with levels has a tile layer for each, of which the first is visible. Markers are
points at the centres of their cells and rooms are rectangles, in object layers of these names. Properties of the map:
`tilewright` (how it was made, JSON), `links` (pairs of room numbers, JSON), `number.NAME` and `layer.NAME` (a float
layer, packed as in recipes; left out of maps over 65,536 cells).

A tileset with a sheet of its own keeps it: a tile's local id is its `sprite`. Tiles without a sprite come from a
second, drawn picture, and tiles that share one from a second tileset on the same picture: every tile has its own gid.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator

from ..core.errors import InvalidRecipe
from ..core.grid import INLINE_CELLS, pack
from ..core.params import Params, param
from ..core.provenance import provenance
from ..core.tilemap import TileMap
from ..core.tileset import Sheet, Tile, Tileset
from ._sheet import MOST_COLUMNS, arranged, as_png, drawn, picture_size, sprite_rows

Document = dict[str, Any]
"""Tiled's JSON as Python data, but a layer's `data` is an array of gids, (row, column), and a tileset may hold
`picture`: the bytes of a picture that is to stand inside the file."""


def is_beside(path: str) -> bool:
    """Whether a path is relative, on every system."""
    windows = PureWindowsPath(path)
    return bool(path) and "://" not in path and not (windows.drive or windows.root or PurePosixPath(path).is_absolute())


def _read_path(path: str) -> str:
    if path and not is_beside(path):
        raise ValueError(f"must be relative to the map's file, got {path!r}")
    return path.replace("\\", "/")


class TiledParams(Params):
    tile_size: int = param(16, ge=1, le=256)
    """Writing: pixels along a drawn sprite; a tileset with its own picture brings its size along."""
    image_path: Annotated[str, AfterValidator(_read_path)] = param("")
    """Writing: where the tileset's own picture lies, relative to the map; without it a copy is written beside."""
    layer: str = param("")
    """Reading: the tile layer to read, by name or by number from 1; without it the first visible one."""


class Color(str):
    """A property that Tiled shows as a colour."""


def document(
    map: TileMap, options: TiledParams, name: str, *, embedded: bool = False
) -> tuple[Document, dict[str, bytes]]:
    """The document of a map and the pictures to be written beside it, by file name."""
    tilesets, gids, pictures = _tilesets(map.tileset, options, PurePosixPath(name).stem, embedded)
    size = tilesets[0]["tilewidth"], tilesets[0]["tileheight"]
    layers = [*_tile_layers(map, gids), *_object_layers(map, *size)]
    objects = [one for layer in layers for one in layer.get("objects", ())]
    for number, part in enumerate(layers, 1):
        part["id"] = number
    for number, part in enumerate(objects, 1):
        part["id"] = number
    return {
        "type": "map",
        "version": "1.10",
        "tiledversion": "1.10.2",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "width": map.width,
        "height": map.height,
        "tilewidth": size[0],
        "tileheight": size[1],
        "infinite": False,
        "nextlayerid": len(layers) + 1,
        "nextobjectid": len(objects) + 1,
        "properties": _properties(_about(map)),
        "tilesets": tilesets,
        "layers": layers,
    }, pictures


def _properties(values: Mapping[str, object]) -> list[dict[str, object]]:
    kinds = {bool: "bool", int: "int", float: "float", str: "string", Color: "color"}
    return [{"name": name, "type": kinds[type(value)], "value": value} for name, value in values.items()]


def _about(map: TileMap) -> dict[str, object]:
    """What is known about the whole map."""
    about: dict[str, object] = {"tilewright": json.dumps(provenance(map), separators=(",", ":"))}
    if map.links:
        about["links"] = json.dumps(map.links)
    for name, number in map.numbers.items():
        about[f"number.{name}"] = number if math.isfinite(number) else str(number)
    if map.cells.size <= INLINE_CELLS:
        for name, layer in map.layers.items():
            about[f"layer.{name}"] = pack(layer.astype("<f8").tobytes())
    return about


# -- layers ---------------------------------------------------------------------------------------------------


def _tile_layers(map: TileMap, gids: NDArray[np.uint32]) -> Iterator[Document]:
    flat = map.cells.ndim == 2
    for number, level in enumerate(map.cells[None] if flat else map.cells):
        yield {
            "type": "tilelayer",
            "id": 0,
            "name": "tiles" if flat else f"level {number}",
            "x": 0,
            "y": 0,
            "width": map.width,
            "height": map.height,
            "opacity": 1,
            "visible": number == 0,
            **({} if flat else {"properties": _properties({"level": number})}),
            "data": gids[level],
        }


def _object_layers(map: TileMap, width: int, height: int) -> Iterator[Document]:
    rooms = [
        _object(
            f"room {number}", "room", room.x * width, room.y * height, room.width * width, room.height * height, {}
        )
        for number, room in enumerate(map.rooms)
    ]
    markers = [
        _object(marker.name, "marker", (marker.x + 0.5) * width, (marker.y + 0.5) * height, 0, 0, {"point": True})
        | ({"properties": _properties({"level": marker.level})} if map.cells.ndim == 3 else {})
        for marker in map.markers
    ]
    for name, objects in (("rooms", rooms), ("markers", markers)):
        if objects:
            yield {
                "type": "objectgroup",
                "id": 0,
                "name": name,
                "x": 0,
                "y": 0,
                "opacity": 1,
                "visible": True,
                "draworder": "index",
                "objects": objects,
            }


def _object(
    name: str, kind: str, x: float, y: float, width: float, height: float, more: Mapping[str, object]
) -> Document:
    place = {"x": x, "y": y, "width": width, "height": height, "rotation": 0}
    return {"id": 0, "name": name, "type": kind, **place, "visible": True, **more}


# -- tilesets -------------------------------------------------------------------------------------------------


def _tilesets(
    tileset: Tileset, options: TiledParams, stem: str, embedded: bool
) -> tuple[list[Document], NDArray[np.uint32], dict[str, bytes]]:
    """Tiled's tilesets, the gid of every tile, and the pictures that they need beside the map."""
    cut, bare = _shared_out(tileset)
    tilesets: list[Document] = []
    gids = np.zeros(len(tileset), dtype=np.uint32)
    pictures: dict[str, bytes] = {}
    free = 1

    def add(part: Document, tiles: Mapping[int, int], picture: bytes, file_name: str) -> None:
        nonlocal free
        if embedded:
            part["picture"] = picture
        elif picture:
            pictures[file_name] = picture
        entries = [_tile(tileset[number], number, local) for local, number in sorted(tiles.items())]
        tilesets.append({"firstgid": free, **part, "tiles": entries})
        for local, number in tiles.items():
            gids[number] = free + local
        free += part["tilecount"]

    if tileset.sheet is not None:
        part, picture = _cut_part(tileset, tileset.sheet, options, embedded)
        for number, tiles in enumerate(cut):
            add({**part, "name": f"{tileset.name} ({number + 1})" if number else tileset.name}, tiles, picture, part["image"])
    if bare:
        sheet = tileset.sheet
        size = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size,) * 2
        name = f"{tileset.name} (drawn)" if sheet else tileset.name
        image = f"{stem}-tiles.png"
        part, picture = _drawn_part([tileset[number] for number in bare], size, name, image)
        add(part, dict(enumerate(bare)), picture, image)
    return tilesets, gids, pictures


def _shared_out(tileset: Tileset) -> tuple[list[dict[int, int]], list[int]]:
    """Which tile stands where: tiles by sprite, in as many tilesets as one sprite has tiles; and those without."""
    cut: list[dict[int, int]] = [{}]
    bare: list[int] = []
    for number, tile in enumerate(tileset):
        if tileset.sheet is None or tile.sprite is None:
            bare.append(number)
            continue
        if all(tile.sprite in tiles for tiles in cut):
            cut.append({})
        next(tiles for tiles in cut if tile.sprite not in tiles)[tile.sprite] = number
    return cut, bare


def _cut_part(tileset: Tileset, sheet: Sheet, options: TiledParams, embedded: bool) -> tuple[Document, bytes]:
    """A tileset on the user's picture, and the picture if it is to be written."""
    if embedded and not sheet.picture:
        raise InvalidRecipe(f"tileset {tileset.name!r}: its picture {sheet.image} was not read, so it cannot be embedded")
    rows = sprite_rows(tileset, sheet)
    width, height = picture_size(sheet)
    image = options.image_path or (PurePosixPath(sheet.image.replace("\\", "/")).name if sheet.picture else sheet.image)
    properties = {"tilewright": "sheet"} | ({"image": sheet.image} if image != sheet.image or embedded else {})
    return {
        "name": tileset.name,
        "image": image,
        "imagewidth": width or 2 * sheet.margin + sheet.columns * (sheet.tile_width + sheet.spacing) - sheet.spacing,
        "imageheight": height or 2 * sheet.margin + rows * (sheet.tile_height + sheet.spacing) - sheet.spacing,
        "tilewidth": sheet.tile_width,
        "tileheight": sheet.tile_height,
        "tilecount": rows * sheet.columns,
        "columns": sheet.columns,
        "margin": sheet.margin,
        "spacing": sheet.spacing,
        "properties": _properties(properties),
    }, b"" if options.image_path and not embedded else sheet.picture


def _drawn_part(tiles: list[Tile], size: tuple[int, ...], name: str, image: str) -> tuple[Document, bytes]:
    pixels = arranged(drawn(tiles, *size))
    return {
        "name": name,
        "image": image,
        "imagewidth": pixels.shape[1],
        "imageheight": pixels.shape[0],
        "tilewidth": size[0],
        "tileheight": size[1],
        "tilecount": len(tiles),
        "columns": min(MOST_COLUMNS, len(tiles)),
        "margin": 0,
        "spacing": 0,
        "properties": _properties({"tilewright": "drawn"}),
    }, as_png(pixels)


def _tile(tile: Tile, number: int, local: int) -> Document:
    about: dict[str, object] = {
        "tile_id": number,
        "name": tile.name,
        "glyph": tile.glyph,
        "color": Color("#ff" + tile.color[1:]),
        "passable": tile.passable,
    }
    if tile.sprite is not None:
        about["sprite"] = tile.sprite
    if tile.code is not None:
        about["code"] = tile.code
    about |= {f"cost.{mover}": cost for mover, cost in tile.costs}
    return {"id": local, **({"type": tile.kind} if tile.kind else {}), "properties": _properties(about)}
