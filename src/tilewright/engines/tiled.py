"""Tiled: one map (.tmx) per level, one tileset (.tsx) and picture, and a world (.world) with all levels.

Open `levels.world` in Tiled (*World*, *Load World*) to see and edit all levels side by side. The levels share the
tileset in `tiles.tsx`, so a change of the tileset changes all of them. A tileset's own picture is copied.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ..core.params import param
from ..formats._tiled import TiledParams
from ..formats._tiled.sharing import write_levels
from . import Engine, Level, Project
from ._layout import arrange_levels

WORLD = "levels.world"


class TiledProjectParams(TiledParams):
    layer: ClassVar[str] = ""  # type: ignore[misc]  # an option of reading
    gap: int = param(2, ge=0, le=1000)
    """Number of cells between two levels in the world."""


def build(levels: Sequence[Level], options: TiledProjectParams, folder: Path) -> Project:
    files, cell = write_levels({level.name: level.map for level in levels}, options)
    return Project({WORLD: _write_world(levels, options.gap, *cell), **files})


def _write_world(levels: Sequence[Level], gap: int, width: int, height: int) -> bytes:
    """Return the world, which has the place of each level in pixels, given the size of a cell."""
    places = arrange_levels([(level.map.width, level.map.height) for level in levels], gap)
    maps = [
        {
            "fileName": f"{level.name}.tmx",
            "x": x * width,
            "y": y * height,
            "width": level.map.width * width,
            "height": level.map.height * height,
        }
        for level, (x, y) in zip(levels, places, strict=True)
    ]
    return (json.dumps({"maps": maps, "onlyShowAdjacentMaps": False, "type": "world"}, indent=2) + "\n").encode()


tiled = Engine(
    name="tiled",
    params=TiledProjectParams,
    build=build,
    program="Tiled",
    format="tmx",
    doc=__doc__,
)
