"""Paths of files in a Godot project."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from ...core.tileset import Sheet
from . import GodotParams

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
