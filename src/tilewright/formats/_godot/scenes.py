"""The scene of a map: a layer of tiles for each layer of sprites, markers and rooms."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...core.errors import TooLarge, check_limit
from ...core.tilemap import Cells, Marker, TileMap, format_size
from .._data import describe_map, encode_label, pack_array
from .._layers import SpriteLayer, sprite_layers
from . import GodotParams
from .atlas import Atlas, Codes
from .resources import TilesetFiles
from .values import IDENTIFIER_CHARACTERS, UniqueNames, format_section, format_value, format_vector, quote

MAX_SIDE = (1 << 15) - 1
"""Maximum width and height of a map: Godot stores the coordinates of cells in 16 bits."""
MAX_CELLS = 1 << 24
"""Maximum number of cells in all layers together; each takes 16 bytes in the file."""
MAX_NUMBERS = 1 << 12
"""Maximum number of cells that are written as numbers by default."""
MAX_NAVIGATION_CELLS = 1 << 16
"""Maximum number of cells with navigation by default: Godot makes a region of each cell."""
LEVEL = "Level"
"""Name of the node of a level, before its number."""
CELL = np.dtype([("x", "<i2"), ("y", "<i2"), ("code", "<u8")])
"""A cell in `tile_map_data`."""
NEAREST_FILTER = 1
"""Number of the texture filter that keeps pixels sharp."""
Properties = dict[str, str]
"""Properties of a node as they are written, by name."""


def encode_scene(map: TileMap, files: TilesetFiles, options: GodotParams, *, name: str, tileset: str) -> bytes:
    """Encode the scene of a map.

    Parameters
    ----------
    map
        The map.
    files
        Files of its tileset.
    options
        Options of the format.
    name
        Name of the root node.
    tileset
        Path of the tileset's .tres file in the project.

    Returns
    -------
    bytes
        Content of the .tscn file.

    Raises
    ------
    TooLarge
        If the map has too many rows, columns or cells.
    """
    if max(map.width, map.height) > MAX_SIDE:
        size = format_size(map.shape)
        raise TooLarge(f"godot: a map must have at most {MAX_SIDE:,} cells per side, got {size}; crop it, or use npz")
    layers = sprite_layers(map, keep_hidden=True)
    check_limit("cells", len(layers) * map.cells.size, MAX_CELLS, of="godot: layers")
    packed = map.cells.size > MAX_NUMBERS if options.packed is None else options.packed
    root = {"texture_filter": str(NEAREST_FILTER)} if not files.atlas.sheet else {}
    table = files.atlas.to_table()
    label = {**describe_map(map), "atlas": [len(table), pack_array(table)]}
    root["metadata/tilewright"] = quote(encode_label(map, label, "scene"))
    root_name = UniqueNames().add(name, "Map")
    sections = [
        f"[gd_scene format={4 if packed else 3}]\n\n",
        format_section(f'ext_resource type="TileSet" path={quote(tileset)} id="1"', {}),
        format_section(f'node name={quote(root_name)} type="Node2D"', root),
        *_iter_levels(map, layers, files, _layer_properties(map, options), packed=packed),
        *_iter_rooms(map, files.cell),
        *_iter_markers(map, files.cell),
    ]
    return "".join(sections).encode()


# -- tiles ----------------------------------------------------------------------------------------------------


def _layer_properties(map: TileMap, options: GodotParams) -> Properties:
    """Return the properties that all layers of tiles have."""
    too_many = options.navigation is None and map.cells.size > MAX_NAVIGATION_CELLS
    return {"navigation_enabled": "false"} if too_many else {}


def _iter_levels(
    map: TileMap, layers: list[SpriteLayer], files: TilesetFiles, common: Properties, *, packed: bool
) -> Iterator[str]:
    """Yield the layers of tiles. The layers of a map with levels are below a node for each level.

    Only the first level is visible, and only its layers are enabled: collision and navigation do not depend on
    visibility.
    """
    if map.cells.ndim == 2:
        yield from _iter_layers(map.cells, layers, files, ".", common, packed=packed)
        return
    for number, cells in enumerate(map.cells):
        name = f"{LEVEL}{number}"
        hidden = {"visible": "false"} if number else {}
        properties = {"enabled": "false", **common} if number else common
        yield format_section(f'node name="{name}" type="Node2D" parent="."', {**hidden, "metadata/level": str(number)})
        level = [SpriteLayer(layer.name, layer.offset, layer.sprites[number]) for layer in layers]
        yield from _iter_layers(cells, level, files, name, properties, packed=packed)


def _iter_layers(
    cells: Cells, layers: list[SpriteLayer], files: TilesetFiles, parent: str, common: Properties, *, packed: bool
) -> Iterator[str]:
    """Yield the layers of a map or a level, bottom first."""
    atlas, (width, height) = files.atlas, files.cell
    carrier = _find_carriers(cells, layers, atlas)
    for number, layer in enumerate(layers):
        head = f'node name="{_layer_name(layer.name)}" type="TileMapLayer" parent="{parent}"'
        row, column = layer.offset
        place = {"position": format_vector("Vector2", (column * width, row * height))} if row or column else {}
        codes, is_used = np.take(atlas.bare, layer.sprites), layer.sprites >= 0
        is_used &= np.take(atlas.is_visible, layer.sprites)
        if not place:
            is_cell = carrier == number
            np.copyto(codes, np.take(atlas.solid, layer.sprites), where=is_cell)
            is_used |= is_cell
        data = {"tile_map_data": _encode_cells(codes, is_used, packed=packed)}
        yield format_section(head, {**place, **common, **data, "tile_set": 'ExtResource("1")'})
    if len(atlas.invisible):
        data = {"tile_map_data": _encode_cells(atlas.invisible[cells], carrier < 0, packed=packed)}
        head = f'node name="Cells" type="TileMapLayer" parent="{parent}"'
        yield format_section(head, {**common, **data, "tile_set": 'ExtResource("1")'})


def _find_carriers(cells: Cells, layers: list[SpriteLayer], atlas: Atlas) -> NDArray[np.int16]:
    """Return the number of the layer that shows the tile of each cell; -1 if there is none.

    The lowest of several layers counts: those above show decoration, such as shadows.
    """
    carrier = np.full(cells.shape, -1, dtype=np.int16)
    for number, layer in reversed(list(enumerate(layers))):
        if layer.sprites.shape == cells.shape and not any(layer.offset):
            carrier[(atlas.tiles[layer.sprites] == cells) & (layer.sprites >= 0)] = number
    return carrier


def _layer_name(name: str) -> str:
    """Return the name of a node, such as Ground2 for the layer `ground 2`."""
    return name.title().replace(" ", "")


def _encode_cells(codes: Codes, mask: NDArray[np.bool_], *, packed: bool) -> str:
    """Return the cells of a layer as an array of bytes."""
    rows, columns = np.nonzero(mask)
    table = np.empty(len(rows), dtype=CELL)
    table["x"], table["y"], table["code"] = columns, rows, codes[mask]
    content = bytes(2) + table.tobytes() if len(rows) else b""
    if packed:
        return f'PackedByteArray("{base64.b64encode(content).decode()}")'
    return f"PackedByteArray({', '.join(map(str, content))})"


# -- rooms and markers ----------------------------------------------------------------------------------------


def _iter_rooms(map: TileMap, cell: tuple[int, int]) -> Iterator[str]:
    """Yield the rooms as frames that only the editor shows."""
    if not map.rooms:
        return
    links = ", ".join(f"[{one}, {other}]" for one, other in map.links)
    yield format_section('node name="Rooms" type="Node2D" parent="."', {"metadata/links": f"[{links}]"})
    width, height = cell
    for number, room in enumerate(map.rooms):
        edges = {
            "offset_left": room.x * width,
            "offset_top": room.y * height,
            "offset_right": (room.x + room.width) * width,
            "offset_bottom": (room.y + room.height) * height,
        }
        properties = {name: format_value(float(edge)) for name, edge in edges.items()}
        properties |= {"mouse_filter": "2", "metadata/room": str(number)}
        if room.name:
            properties["metadata/name"] = quote(room.name)
        yield format_section(f'node name="Room{number}" type="ReferenceRect" parent="Rooms"', properties)


def _iter_markers(map: TileMap, cell: tuple[int, int]) -> Iterator[str]:
    """Yield the markers as nodes in a group of their name. Properties of a marker are its metadata."""
    if not map.markers:
        return
    yield format_section('node name="Markers" type="Node2D" parent="."', {})
    names = UniqueNames()
    for marker in map.markers:
        group = f" groups=[{quote(marker.name)}]" if marker.name else ""
        head = f'node name={quote(names.add(marker.name, "marker"))} type="Marker2D" parent="Markers"{group}'
        yield format_section(head, _marker_properties(map, marker, cell))


def _marker_properties(map: TileMap, marker: Marker, cell: tuple[int, int]) -> Properties:
    place = ((marker.x + 0.5) * cell[0], (marker.y + 0.5) * cell[1])
    found = {
        "position": format_vector("Vector2", place),
        "metadata/marker": quote(marker.name),
        "metadata/cell": format_vector("Vector2i", (marker.x, marker.y)),
    }
    if map.cells.ndim == 3:
        found["metadata/level"] = str(marker.level)
    names = UniqueNames("marker", "cell", "level", forbidden=IDENTIFIER_CHARACTERS)
    return found | {
        f"metadata/{names.add(name, 'property')}": format_value(value) for name, value in marker.properties.items()
    }
