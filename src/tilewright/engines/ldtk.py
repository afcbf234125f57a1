"""LDtk 1.5: one project (.ldtk) with all levels in one world, and one tileset with its picture.

Open `levels.ldtk` in LDtk. The levels are side by side in the world view, with the names level_1, level_2 and so on.
They share the layers, the rules that choose sprites, and the entities. A tileset's own picture is copied. All levels
are in one file, so after an edit in LDtk, exporting again with `edited=keep` keeps the complete project.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ..core.params import param
from ..formats._ldtk import LdtkParams
from ..formats._ldtk.writing import write_project
from . import Level, Project, arrange_levels, engine

PROJECT = "levels.ldtk"


class LdtkProjectParams(LdtkParams):
    level: ClassVar[str] = ""  # type: ignore[misc]  # an option of reading
    layer: ClassVar[str] = ""  # type: ignore[misc]
    gap: int = param(2, ge=0, le=1000)
    """Number of cells between two levels in the world."""


@engine(LdtkProjectParams, program="LDtk", format="ldtk")
def ldtk(levels: Sequence[Level], options: LdtkProjectParams, folder: Path) -> Project:
    maps = [(level.name, level.map) for level in levels]
    places = arrange_levels([(map.width, map.height) for _, map in maps], options.gap)
    # The path is a bare name, so that the user's own picture is copied and the folder is complete.
    return Project(write_project(maps, options, Path(PROJECT), places=places))
