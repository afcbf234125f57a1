"""Maps as scenes of Godot 4.3 or newer, with a tileset resource and a picture.

`values` formats and parses Godot's text files; `atlas` assigns the sprites of a tileset to tiles of atlas sources;
`resources` writes the tileset; `scenes` writes the nodes of a map; `reading` restores the map; `project` finds the
paths of files in a Godot project.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from ...core.params import Params, param


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
