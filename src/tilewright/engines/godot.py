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

from .. import data
from ..formats._godot import PROJECT_FILE, ROOT, GodotParams, find_folder, find_root, locate_picture
from ..formats._godot.resources import build_tileset
from ..formats._godot.scenes import encode_scene
from ..formats._godot.values import format_section, quote
from . import Engine, Level, Project

LEVELS, TILESET, SCENE, SCRIPT = "levels", "tiles.tres", "main.tscn", "main.gd"


def build(levels: Sequence[Level], options: GodotParams, folder: Path) -> Project:
    own = find_folder(options, folder / SCENE)
    inner = f"{own}{LEVELS}/"
    tileset = levels[0].map.tileset
    is_new = find_root(folder / SCENE) is None and not options.res
    if is_new and tileset.sheet is not None and not options.image_path:
        options = options.model_copy(update={"image_path": locate_picture(tileset.sheet, folder)})
    tiles = build_tileset(tileset, options, folder / LEVELS / TILESET, inner)
    files = {SCENE: _write_main_scene(own), SCRIPT: data.read_text("templates", "godot.gd").encode()}
    for level in levels:
        scene = encode_scene(level.map, tiles, options, name=level.name, tileset=inner + TILESET)
        files[f"{LEVELS}/{level.name}.tscn"] = scene
    files |= {f"{LEVELS}/{name}": content for name, content in {TILESET: tiles.resource, **tiles.pictures}.items()}
    return Project(files, {PROJECT_FILE: _write_project_file(folder.name)} if is_new else {})


def _write_main_scene(folder: str) -> bytes:
    """Return the scene that shows a level. The folder is its place in the project."""
    sections = [
        "[gd_scene load_steps=2 format=3]\n\n",
        format_section(f'ext_resource type="Script" path={quote(folder + SCRIPT)} id="1"', {}),
        format_section('node name="Main" type="Node2D"', {"script": 'ExtResource("1")'}),
        format_section('node name="Camera" type="Camera2D" parent="."', {}),
        format_section('node name="Title" type="CanvasLayer" parent="."', {}),
        format_section('node name="Label" type="Label" parent="Title"', {"offset_left": "8.0", "offset_top": "4.0"}),
    ]
    return "".join(sections).encode()


def _write_project_file(name: str) -> bytes:
    """Return a project file with the least that Godot needs; its editor adds the rest."""
    return (
        "config_version=5\n\n"
        f'[application]\n\nconfig/name={quote(name or "Levels")}\nrun/main_scene="{ROOT}{SCENE}"\n\n'
        "[rendering]\n\nenvironment/defaults/default_clear_color=Color(0.07, 0.07, 0.09, 1)\n"
        'renderer/rendering_method="gl_compatibility"\n'
        'renderer/rendering_method.mobile="gl_compatibility"\n'
        "textures/canvas_textures/default_texture_filter=0\n"
    ).encode()


godot = Engine(
    name="godot",
    params=GodotParams,
    build=build,
    program="Godot 4",
    format="godot",
    doc=__doc__,
)
