extends SceneTree
func _init():
	await process_frame
	var expected = JSON.parse_string(FileAccess.get_file_as_string("res://solid.json"))
	for name in expected:
		var node = load("res://" + name + ".tmx").instantiate()
		root.add_child(node)
		for i in range(4): await physics_frame
		var space = node.get_world_2d().direct_space_state
		var wrong = 0
		for y in range(expected[name].size()):
			for x in range(expected[name][y].size()):
				var query = PhysicsPointQueryParameters2D.new()
				query.position = Vector2(x * 16 + 11, y * 16 + 5)
				var is_solid = space.intersect_point(query).size() > 0
				if is_solid != bool(expected[name][y][x]): wrong += 1
		var kinds = {}
		var nodes = [node]
		while nodes:
			var one = nodes.pop_back()
			kinds[one.get_class()] = kinds.get(one.get_class(), 0) + 1
			nodes.append_array(one.get_children())
		print("RESULT ", JSON.stringify({"wrong": wrong, "kinds": kinds}))
		node.free()
		for i in range(2): await physics_frame
	quit()
