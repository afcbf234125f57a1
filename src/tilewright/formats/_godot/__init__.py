"""Maps as scenes of Godot 4.3 or newer, with a tileset resource and a picture.

`values` formats and parses Godot's text files; `atlas` assigns the sprites of a tileset to tiles of atlas sources;
`resources` writes the tileset; `scenes` writes the nodes of a map; `reading` restores the map.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from ...core.params import Params, param
from ...core.tileset import Sheet


def _read_res(path: str) -> str:
    if path and not path.startswith("res://"):
        raise ValueError(f"must start with res://, got {path!r}")
    return path.replace("\\", "/")


class GodotParams(Params):
    """Options of scenes."""

    res: Annotated[str, AfterValidator(_read_res)] = param("")
    """Folder of the scene in the project, such as res://levels; by default found with the file project.godot in a
    folder above, else res://."""
    tile_size: int = param(16, ge=1, le=256)
    """Width and height of a drawn sprite in pixels; a tileset with its own picture has its own size."""
    image_path: Annotated[str, AfterValidator(_read_res)] = param("")
    """Path of the tileset's own picture in the project, such as res://art/tiles.png; by default where it is in the
    project, or a copy beside the scene."""
    collisions: bool = param(True)
    """Whether impassable tiles stop bodies (physics layer 1)."""
    occluders: bool = param(True)
    """Whether tiles that block sight also block light."""
    navigation: bool | None = param(None)
    """Whether passable tiles have a navigation polygon (navigation layer 1); by default up to 65,536 cells, because
    Godot is slow with more."""
    terrains: bool = param(True)
    """Whether skins become terrains, so that Godot joins the tiles that are painted in its editor."""
    packed: bool | None = param(None)
    """Whether to store cells in base64 (needs Godot 4.3) instead of as numbers; by default above 4,096 cells."""


ROOT = "res://"
PROJECT_FILE = "project.godot"


def find_folder(options: GodotParams, path: Path) -> str:
    """Return the folder of a scene in its project, ending with a slash."""
    if options.res:
        return options.res if options.res.endswith("/") else f"{options.res}/"
    root = find_root(path)
    inner = path.parent.relative_to(root).as_posix() if root else "."
    return ROOT if inner == "." else f"{ROOT}{inner}/"


def find_picture(sheet: Sheet, options: GodotParams, path: Path) -> str:
    """Return the path of the user's own picture in the project; empty if it must be copied beside the scene."""
    if options.image_path:
        return options.image_path
    root = find_root(path)
    return locate_picture(sheet, root) if root else ""


def locate_picture(sheet: Sheet, root: Path) -> str:
    """Return the path of the user's own picture in the project with this folder; empty if it is elsewhere."""
    if not sheet.path or not sheet.picture:
        return ""
    picture = Path(os.path.realpath(sheet.path))
    return f"{ROOT}{picture.relative_to(root).as_posix()}" if picture.is_relative_to(root) else ""


def picture_name(sheet: Sheet) -> str:
    """Return the file name of a copy of the user's own picture."""
    return PurePosixPath(sheet.image.replace("\\", "/")).name or "picture.png"


def find_root(path: Path) -> Path | None:
    """Return the folder above a file that contains project.godot; None if there is none or the file has no folder."""
    if not path.is_absolute():
        return None
    folder = Path(os.path.realpath(path.parent))
    return next((one for one in (folder, *folder.parents) if (one / PROJECT_FILE).is_file()), None)
