"""LDtk projects: levels with an IntGrid, auto layers with rules, and entities; also for Unity, Bevy, Godot and others.

The value of a cell is its tile id + 1, and values have the names and colors of tiles. The sprites are auto layers whose
rules are made from the tileset's skins, so that the picture follows when cells are painted in the editor. Markers are
entities of their own name with their properties as fields, rooms are resizable entities `Room`, and the levels of a 3D
map are levels of different depth. Tiles that are drawn over a ground, such as doors, are in a second IntGrid, `Things`.

Reading gives the same map, with everything that was edited. Projects of others are read too: an IntGrid, or else tile
layers, and entities; `level` selects one of several levels. Tiles must be square.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..core.tilemap import TileMap
from . import file_format
from ._ldtk import LdtkParams
from ._ldtk.reading import read_project
from ._ldtk.writing import write_project


@file_format(
    LdtkParams,
    read=read_project,
    use="game engines",
    engines=("LDtk", "Unity (LDtkToUnity)", "Bevy (bevy_ecs_ldtk)", "Godot 4 (godot-ldtk-importer)", "Excalibur"),
)
def ldtk(map: TileMap, options: LdtkParams, path: Path) -> Mapping[str, bytes]:
    return write_project([(path.stem, map)], options, path)
