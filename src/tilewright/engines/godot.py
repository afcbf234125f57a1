"""Godot 4.3 or newer: one scene per level, one tileset and picture, and a scene that shows any of the levels.

`levels/level-1.tscn` and so on are scenes of the format `godot`; `levels/tiles.tres` is their tileset. `main.tscn`
shows a level: its property `level` is the number, and the arrow keys left and right show the previous and the next one.
In your own scene, load a level with `load("res://levels/level-1.tscn").instantiate()`.

If the folder is in a Godot project, the paths in the files are relative to the project, and the project file is not
touched. Otherwise a project file `project.godot` is written, which starts `main.tscn`. It is only written where there
is none, because Godot's editor changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template

from .. import data
from ..formats._godot import PROJECT_FILE, ROOT, GodotParams, find_folder, find_root, locate_picture
from ..formats._godot.resources import build_tileset
from ..formats._godot.scenes import encode_scene
from ..formats._godot.values import quote
from . import Level, Project, engine

LEVELS, TILESET, SCENE, SCRIPT = "levels", "tiles.tres", "main.tscn", "main.gd"


@engine(GodotParams, program="Godot 4", format="godot")
def godot(levels: Sequence[Level], options: GodotParams, folder: Path) -> Project:
    own = find_folder(options, folder / SCENE)
    inner = f"{own}{LEVELS}/"
    tileset = levels[0].map.tileset
    is_new = find_root(folder / SCENE) is None and not options.res
    if is_new and tileset.sheet is not None and not options.image_path:
        options = options.model_copy(update={"image_path": locate_picture(tileset.sheet, folder)})
    tiles = build_tileset(tileset, options, folder / LEVELS / TILESET, inner)
    files = {SCENE: _fill("main.tscn", script=own + SCRIPT), SCRIPT: data.read_text("templates", "godot.gd").encode()}
    for level in levels:
        scene = encode_scene(level.map, tiles, options, name=level.name, tileset=inner + TILESET)
        files[f"{LEVELS}/{level.name}.tscn"] = scene
    files |= {f"{LEVELS}/{name}": content for name, content in {TILESET: tiles.resource, **tiles.pictures}.items()}
    starter = _fill(PROJECT_FILE, name=folder.name or "Levels", scene=ROOT + SCENE)
    return Project(files, {PROJECT_FILE: starter} if is_new else {})


def _fill(template: str, **values: str) -> bytes:
    """Return a template with values in place of its names, as strings of Godot."""
    quoted = {name: quote(value) for name, value in values.items()}
    return Template(data.read_text("templates", template)).substitute(quoted).encode()
