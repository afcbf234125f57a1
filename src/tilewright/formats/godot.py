"""Scenes of Godot 4.3 or newer: TileMapLayer nodes with collision, occluders, navigation and terrains.

Written for `level.tscn` are also the tileset `level-tiles.tres` and its picture `level-tiles.png`. Each layer of
sprites is a TileMapLayer: Ground, further ones where terrains lie over each other, and Things, such as doors and trees
that are drawn over the ground. Skins whose sprites are between cells have a layer that is shifted by half a cell.
Collision, occluder and navigation of a cell are those of the map's tile, in the layer that shows it; ground under a
thing has none. A tile that only sprites between cells show has them in an invisible layer, Cells. Custom data of a
tile are its name, kind and so on.

Markers are Marker2D nodes in a group of their name, with their properties as metadata. Rooms are ReferenceRect nodes,
which only the editor shows; the node Rooms has the links as metadata. A map with levels has a node for each level,
and only the layers of the first are visible and enabled. A tileset with its own picture keeps it; sprites that are not
in it are in a second picture. Files are placed beside the scene, so write it into the folder of your project.

Reading accepts files of this format, also after they were saved by Godot. Tiles that were painted there are read;
markers, rooms and other data are those of the original map. Layers such as heights are stored for maps of up to 65,536
cells. Other scenes are not read.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, TooLarge, pluralize
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._data import MAX_LABEL, StoredMap, decode_array
from ._godot import GodotParams, find_folder
from ._godot.atlas import BARE, CELL_ITSELF, MAX_ALTERNATIVES
from ._godot.resources import build_tileset
from ._godot.scenes import CELL, LEVEL, encode_scene
from ._godot.values import TextSection, parse_sections, read_string

MAX_BYTES = 1 << 29
"""Maximum size of a scene."""
MAX_CODES = 1 << 20
"""Maximum number of tiles of a tileset."""
LABEL = "metadata/tilewright"
UNFLIPPED = np.uint64((1 << 48) * MAX_ALTERNATIVES - 1)
"""Bits of a code without those that flip a tile."""

LabelAtlas = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Sorted codes of the tiles of a tileset, their tile ids and their roles."""


def read(source: Source, options: GodotParams) -> LoadedMap:
    """Return the map of a scene. Its tiles are those of the layers, and all other data come from its label."""
    if len(source.content) > MAX_BYTES:
        raise TooLarge(f"a scene must have at most {MAX_BYTES >> 20} MB, got {len(source.content) >> 20} MB")
    try:
        sections = parse_sections(source.content.decode())
    except UnicodeDecodeError:
        raise InvalidRecipe("not UTF-8 text", rule="format") from None
    label = next((one.properties[LABEL] for one in sections if LABEL in one.properties), "")
    if not label:
        raise InvalidRecipe("not a scene of Tilewright: it has no label (metadata/tilewright)", rule="format")
    if len(label) > 2 * MAX_LABEL:
        raise TooLarge(f"its label must have at most {MAX_LABEL:,} characters")
    stored = parse_json(read_string(label), "its label is not JSON")
    atlas = _read_atlas(stored.pop("atlas", None))
    data = StoredMap.read(stored, source.content)
    return data.build_map(_read_cells(sections, data.shape, atlas), data.read_layers())


@file_format(GodotParams, read=read, extensions=(".tscn",), use="game engines", engines=("Godot 4",))
def godot(map: TileMap, options: GodotParams, path: Path) -> Mapping[str, bytes]:
    folder = find_folder(options, path)
    name = f"{path.stem}-tiles.tres"
    files = build_tileset(map.tileset, options, path.with_name(name), folder)
    scene = encode_scene(map, files, options, name=path.stem, tileset=folder + name)
    return {path.name: scene, name: files.resource, **files.pictures}


def _read_cells(sections: list[TextSection], shape: tuple[int, ...], atlas: LabelAtlas) -> NDArray[Any]:
    """Return the cells. A cell without a tile of its own, because a thing was removed, has the tile of the ground."""
    codes, tiles, roles = atlas
    levels = shape[0] if len(shape) == 3 else 1
    cells = np.full((levels, *shape[-2:]), -1, dtype=np.int64)
    layers = [one for one in sections if one.attributes.get("type") == '"TileMapLayer"']
    tables = [(_find_level(one, levels), _read_table(one)) for one in layers]
    for wanted in (BARE, CELL_ITSELF):
        for level, table in tables:
            used_codes = (table["code"] & UNFLIPPED).astype(np.int64)
            place = np.minimum(np.searchsorted(codes, used_codes), len(codes) - 1)
            unknown = codes[place] != used_codes
            if unknown.any():
                raise InvalidRecipe(f"{pluralize(int(unknown.sum()), 'cell')} have tiles that its tileset lacks")
            used = roles[place] == wanted
            row, column = table["y"][used].astype(np.int64), table["x"][used].astype(np.int64)
            inside = (row >= 0) & (row < cells.shape[1]) & (column >= 0) & (column < cells.shape[2])
            if not inside.all():
                raise InvalidRecipe("has tiles outside the map", rule="outside")
            cells[level, row, column] = tiles[place][used]
    empty = np.argwhere(cells < 0)
    if len(empty):
        level, row, column = empty[0]
        raise InvalidRecipe(f"{pluralize(len(empty), 'cell')} without a tile, the first at {column}, {row}")
    return cells.reshape(shape)


def _read_atlas(value: Any) -> LabelAtlas:
    """Return the sorted codes of the label, with the tile id and the role of each."""
    if not isinstance(value, list) or len(value) != 2 or type(value[0]) is not int or not 1 <= value[0] <= MAX_CODES:
        raise InvalidRecipe("must be the number of its tiles and their codes", at="atlas", rule="type")
    table = decode_array(value[1], (value[0], 3), np.int64, "atlas")
    codes, first = np.unique(table[:, 0], return_index=True)
    return codes, table[first, 1], table[first, 2]


def _find_level(layer: TextSection, levels: int) -> int:
    """Return the level of a layer of tiles, from the name of its parent."""
    parent = read_string(layer.attributes.get("parent", '"."'))
    if parent == ".":
        return 0
    number = parent.removeprefix(LEVEL)
    if not number.isascii() or not number.isdecimal() or int(number[:6]) >= levels:
        raise InvalidRecipe(f"the layer {layer.attributes.get('name', '')} is in no level", rule="outside")
    return int(number)


def _read_table(layer: TextSection) -> NDArray[Any]:
    """Return the cells of a layer of tiles."""
    name = layer.attributes.get("name", "a layer")
    value = layer.properties.get("tile_map_data", "PackedByteArray()")
    inner = value.removeprefix("PackedByteArray(").removesuffix(")").strip()
    try:
        if inner.startswith('"'):
            content = base64.b64decode(inner.strip('"'), validate=True)
        else:
            content = bytes(int(number) for number in inner.split(",")) if inner else b""
    except (binascii.Error, ValueError):
        raise InvalidRecipe(f"the cells of {name} are not bytes", rule="format") from None
    if not content:
        return np.empty(0, dtype=CELL)
    if content[:2] != bytes(2) or len(content) % CELL.itemsize != 2:
        raise InvalidRecipe(f"the cells of {name} are truncated, or of another version", rule="format")
    return np.frombuffer(content, dtype=CELL, offset=2)
