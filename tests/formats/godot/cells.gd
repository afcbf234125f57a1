# Writes what Godot knows about every cell of a scene to a file, as 32-bit integers: godot --script cells.gd -- SCENE OUT
extends SceneTree


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var root: Node = load(arguments[0]).instantiate()
	var numbers := PackedInt32Array()
	for layer: TileMapLayer in root.find_children("*", "TileMapLayer", true, false):
		var cells := layer.get_used_cells()
		numbers.append(cells.size())
		for cell: Vector2i in cells:
			var atlas := layer.get_cell_atlas_coords(cell)
			var source := layer.tile_set.get_source(layer.get_cell_source_id(cell)) as TileSetAtlasSource
			var data := layer.get_cell_tile_data(cell)
			numbers.append_array([
				cell.x,
				cell.y,
				layer.get_cell_source_id(cell),
				atlas.x,
				atlas.y,
				layer.get_cell_alternative_tile(cell),
				int(source.has_tile(atlas) and source.texture != null),
				data.get_custom_data("tile_id") if data else -1,
				int(data.get_custom_data("passable")) if data else -1,
				_count(layer.tile_set.get_physics_layers_count(), data, "collision"),
				_count(layer.tile_set.get_occlusion_layers_count(), data, "occluder"),
				_count(layer.tile_set.get_navigation_layers_count(), data, "navigation"),
			])
	var file := FileAccess.open(arguments[1], FileAccess.WRITE)
	file.store_buffer(numbers.to_byte_array())
	file.close()
	root.free()
	quit()


func _count(layers: int, data: TileData, what: String) -> int:
	if layers == 0 or data == null:
		return 0
	if what == "collision":
		return data.get_collision_polygons_count(0)
	if what == "occluder":
		return data.get_occluder_polygons_count(0)
	return int(data.get_navigation_polygon(0) != null)
