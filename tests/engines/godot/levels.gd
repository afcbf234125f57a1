extends SceneTree
## Shows all levels of the main scene, and prints what is shown as JSON after RESULT.


func _initialize() -> void:
	run()


func run() -> void:
	var main: Node2D = load(ProjectSettings.get_setting("application/run/main_scene")).instantiate()
	root.add_child(main)
	await process_frame
	var found: Array = []
	for step: int in range(main.count + 1):
		found.append(describe(main))
		press("ui_right")
		await process_frame
	press("ui_left")
	await process_frame
	found.append(describe(main))
	press("ui_left")
	await process_frame
	found.append(describe(main))
	main.level = 2
	found.append(describe(main))
	print("RESULT ", JSON.stringify({"count": main.count, "shown": found}))
	quit()


func press(action: String) -> void:
	var event: InputEventAction = InputEventAction.new()
	event.action = action
	event.pressed = true
	root.push_input(event)


func describe(main: Node2D) -> Dictionary:
	var cells: int = 0
	var invalid: int = 0
	for layer: TileMapLayer in main.shown.find_children("*", "TileMapLayer"):
		for cell: Vector2i in layer.get_used_cells():
			cells += 1
			if layer.get_cell_tile_data(cell) == null:
				invalid += 1
	return {
		"level": main.level,
		"name": str(main.shown.name),
		"children": main.get_child_count(),
		"tileset": main.shown.find_children("*", "TileMapLayer")[0].tile_set.resource_path,
		"cells": cells,
		"invalid": invalid,
		"title": main.get_node("Title/Label").text,
		"zoom": main.get_node("Camera").zoom.x,
		"center": [main.get_node("Camera").position.x, main.get_node("Camera").position.y],
	}
