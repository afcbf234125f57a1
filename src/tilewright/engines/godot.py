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

from ..formats._godot import GodotParams
from ..formats._godot.project import PROJECT_FILE, ROOT, find_folder, find_root, locate_picture
from ..formats._godot.resources import build_tileset
from ..formats._godot.scenes import encode_scene
from ..formats._godot.values import format_section, quote
from . import Engine, Level, Project

LEVELS, TILESET, SCENE, SCRIPT = "levels", "tiles.tres", "main.tscn", "main.gd"
PROGRAM_TEXT = """\
extends Node2D
## Shows one of the levels that are in the folder "levels" beside this script.
##
## The arrow keys left and right show the previous and the next level. To use a level in a scene of your own:
## add_child(load("res://levels/level-1.tscn").instantiate())

## Number of the level, from 1.
@export var level: int = 1:
	set(number):
		level = number
		if is_node_ready():
			show_level()

## Number of levels in the folder.
var count: int = 0
## Root node of the level that is shown.
var shown: Node2D


func _ready() -> void:
	while ResourceLoader.exists(path_of(count + 1)):
		count += 1
	get_viewport().size_changed.connect(fit_camera)
	show_level()


func _unhandled_input(event: InputEvent) -> void:
	if event.is_action_pressed("ui_right"):
		level += 1
	elif event.is_action_pressed("ui_left"):
		level -= 1


## Return the path of a level's scene.
func path_of(number: int) -> String:
	var folder: String = get_script().resource_path.get_base_dir()
	return folder.path_join("levels/level-%d.tscn" % number)


## Replace the level that is shown. The first level follows the last one.
func show_level() -> void:
	if count == 0:
		push_error("There is no scene %s" % path_of(1))
		return
	var number: int = wrapi(level, 1, count + 1)
	if number != level:
		level = number
		return
	if shown != null:
		remove_child(shown)
		shown.queue_free()
	shown = load(path_of(level)).instantiate()
	add_child(shown)
	$Title/Label.text = "Level %d of %d" % [level, count]
	fit_camera()


## Show all cells of the level, enlarged by an integer so that all pixels have the same size.
func fit_camera() -> void:
	if shown == null:
		return
	var area: Rect2 = Rect2()
	for layer: TileMapLayer in shown.find_children("*", "TileMapLayer"):
		var cells: Rect2 = Rect2(layer.get_used_rect())
		var size: Vector2 = layer.tile_set.tile_size
		var part: Rect2 = layer.transform * Rect2(cells.position * size, cells.size * size)
		area = area.merge(part) if area.has_area() else part
	if area.has_area():
		var scales: Vector2 = get_viewport_rect().size / area.size
		var zoom: float = minf(scales.x, scales.y)
		$Camera.position = area.get_center()
		$Camera.zoom = Vector2.ONE * (floorf(zoom) if zoom >= 1.0 else zoom)
"""


def build(levels: Sequence[Level], options: GodotParams, folder: Path) -> Project:
    own = find_folder(options, folder / SCENE)
    inner = f"{own}{LEVELS}/"
    tileset = levels[0].map.tileset
    is_new = find_root(folder / SCENE) is None and not options.res
    if is_new and tileset.sheet is not None and not options.image_path:
        options = options.model_copy(update={"image_path": locate_picture(tileset.sheet, folder)})
    tiles = build_tileset(tileset, options, folder / LEVELS / TILESET, inner)
    files = {SCENE: _write_main_scene(own), SCRIPT: PROGRAM_TEXT.encode()}
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
