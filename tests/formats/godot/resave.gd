# Loads a scene and saves it again under another name: godot --script resave.gd -- SCENE COPY
extends SceneTree


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	print("RESULT ", ResourceSaver.save(load(arguments[0]), arguments[1]))
	quit()
