# Saves a picture of a scene: godot --resolution WIDTHxHEIGHT --script render.gd -- SCENE PICTURE
extends SceneTree

const FRAMES := 5
var frames := 0


func _initialize() -> void:
	root.add_child(load(OS.get_cmdline_user_args()[0]).instantiate())


func _process(_delta: float) -> bool:
	frames += 1
	if frames == FRAMES:
		root.get_texture().get_image().save_png(OS.get_cmdline_user_args()[1])
	return frames >= FRAMES
