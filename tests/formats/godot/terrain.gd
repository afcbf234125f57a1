# Paints the cells of a terrain with Godot's own solver and prints the atlas coordinates that it picks:
# godot --script terrain.gd -- TILESET SET TERRAIN CELLS, where CELLS is a file of JSON, a list of [x, y].
extends SceneTree


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var layer := TileMapLayer.new()
	layer.tile_set = load(arguments[0])
	var cells: Array[Vector2i] = []
	for cell: Array in JSON.parse_string(FileAccess.get_file_as_string(arguments[3])):
		cells.append(Vector2i(cell[0], cell[1]))
	layer.set_cells_terrain_connect(cells, int(arguments[1]), int(arguments[2]))
	var found := []
	for cell: Vector2i in cells:
		var atlas := layer.get_cell_atlas_coords(cell)
		found.append([layer.get_cell_source_id(cell), atlas.x, atlas.y, layer.get_cell_alternative_tile(cell)])
	print("RESULT ", JSON.stringify(found))
	layer.free()
	quit()
