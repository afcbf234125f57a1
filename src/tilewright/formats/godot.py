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

from collections.abc import Mapping
from pathlib import Path

from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._godot import GodotParams, find_folder
from ._godot.reading import read_scene
from ._godot.resources import build_tileset
from ._godot.scenes import encode_scene


def read(source: Source, options: GodotParams) -> list[LoadedMap]:
    return [read_scene(source)]


@file_format(GodotParams, read=read, extensions=(".tscn",), use="game engines", engines=("Godot 4",))
def godot(map: TileMap, options: GodotParams, path: Path) -> Mapping[str, bytes]:
    folder = find_folder(options, path)
    name = f"{path.stem}-tiles.tres"
    files = build_tileset(map.tileset, options, path.with_name(name), folder)
    scene = encode_scene(map, files, options, name=path.stem, tileset=folder + name)
    return {path.name: scene, name: files.resource, **files.pictures}
