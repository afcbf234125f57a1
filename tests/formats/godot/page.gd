
# The test puts the functions of docs/engines/godot.md before these lines.
func _initialize() -> void:
	var things: Node2D = load("res://levels/things.tscn").instantiate()
	var ground: TileMapLayer = things.get_node("Ground")
	var found := []
	for cell: Vector2i in things.get_node("Things").get_used_cells():
		remove_thing(things, cell)
		var data := ground.get_cell_tile_data(cell)
		var walks := data.get_navigation_polygon(0) != null
		found.append([
			cell.x, cell.y, data.get_custom_data("tile_id"), walks, data.get_collision_polygons_count(0) == 0,
			is_passable(ground, Vector2(cell * 16 + Vector2i(8, 8))),
		])
	var left := (things.get_node("Things") as TileMapLayer).get_used_cells().size()
	things.free()
	var levels: Node2D = load("res://levels/levels.tscn").instantiate()
	show_level(levels, 2)
	var shown := []
	for level: Node2D in levels.find_children("Level*", "Node2D", false):
		for layer: TileMapLayer in level.get_children():
			shown.append([level.visible, layer.enabled])
	levels.free()
	print("RESULT ", JSON.stringify({"ground": found, "left": left, "shown": shown}))
	quit()
