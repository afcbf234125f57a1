"""Engines: projects of several levels, which a game engine or a level editor opens.

Each engine is a module that builds the files of a project from maps: the levels, one tileset and picture that all of
them share, and a file that shows the levels. `_export` makes the maps, and `_folder` writes the files so that a later
export replaces only what was exported before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import isqrt
from pathlib import Path

from ..core.entries import Entry, declare
from ..core.params import Params
from ..core.registry import Registry
from ..core.tilemap import TileMap


@dataclass(frozen=True, slots=True)
class Level:
    """A map of a project."""

    name: str
    """Name of the level, such as level-1, from which its file gets its name."""
    map: TileMap
    """The map. All maps of a project have the same tileset."""


@dataclass(frozen=True, slots=True)
class Project:
    """The files of a project by path, relative to its folder and with slashes."""

    files: Mapping[str, bytes]
    """Files that the next export replaces, or removes if it does not write them."""
    starters: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are written only where there is none, and that belong to the user from then on."""


@dataclass(frozen=True, kw_only=True)
class Engine(Entry):
    """A game engine or level editor, and how a project for it is built.

    The decorator `engine` declares a function `(levels, options, folder)` that returns the files of a project from a
    sequence of `Level`s. The folder is absolute. It may not exist yet, and the function only reads from it.
    """

    params: type[Params] = field(default=Params, kw_only=False)
    program: str
    """Name and version of the program, such as Godot 4."""
    format: str
    """Name of the format of the levels."""

    def build(self, levels: Sequence[Level], options: Params, folder: Path) -> Project:
        """Return the files of a project."""
        project: Project = self.body(levels, options, folder)
        return project


engine = declare(Engine)
"""Declare a function `(levels, options, folder)` as an engine, with the fields of `Engine`."""
engine_registry: Registry[Engine] = Registry("engine", "engines", Engine)


@dataclass(frozen=True, slots=True)
class ExportedProject:
    """The result of `export_project`: what an export did to the files of a folder."""

    folder: Path
    """Folder of the project."""
    engine: str
    """Name of the engine."""
    seeds: Mapping[str, str]
    """Seed of each level, by the name of the level."""
    written: tuple[str, ...]
    """Files that are new or have new content. These and the following paths are relative to the folder."""
    unchanged: tuple[str, ...]
    """Files that already had the content of this export."""
    removed: tuple[str, ...]
    """Files of the previous export that this export does not contain."""
    kept: tuple[str, ...]
    """Edited files that were left as they are."""


def arrange_levels(sizes: Sequence[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    """Return the place x, y of each level, in rows of a grid that is about as wide as it is high.

    Parameters
    ----------
    sizes : sequence of (int, int)
        Width and height of each level.
    gap : int
        Distance between two levels.

    Returns
    -------
    list of (int, int)
        Left and top edge of each level, in the unit of the sizes.

    Examples
    --------
    >>> arrange_levels([(10, 5), (12, 5), (8, 6)], 2)
    [(0, 0), (12, 0), (0, 7)]
    """
    columns = isqrt(len(sizes) - 1) + 1
    widths = [max(width for width, _ in sizes[column::columns]) for column in range(columns) if column < len(sizes)]
    heights = [max(height for _, height in sizes[first : first + columns]) for first in range(0, len(sizes), columns)]
    left = [0, *accumulate(width + gap for width in widths)]
    top = [0, *accumulate(height + gap for height in heights)]
    return [(left[number % columns], top[number // columns]) for number in range(len(sizes))]
