# Runs a scene and prints JSON: whether each cell is solid, how far rays from each open cell reach, in cells, and the
# path from the marker start to the marker exit. godot --script physics.gd -- SCENE WIDTH HEIGHT CELL_SIZE
extends SceneTree

const MIN_FRAMES := 30
const MAX_FRAMES := 600  # Navigation is synchronized in another thread, after some frames.
const OFF_CENTER := Vector2(0.7, 1.3)  # A point on an edge between two polygons of a body is not inside the body.
const DIRECTIONS := [Vector2.UP, Vector2.RIGHT, Vector2.DOWN, Vector2.LEFT]
var scene: Node2D
var frames := 0


func _initialize() -> void:
	scene = load(OS.get_cmdline_user_args()[0]).instantiate()
	root.add_child(scene)


func _physics_process(_delta: float) -> bool:
	frames += 1
	if frames < MIN_FRAMES:
		return false
	var arguments := OS.get_cmdline_user_args()
	var size := float(arguments[3])
	var start := get_first_node_in_group("start") as Node2D
	var goal := get_first_node_in_group("exit") as Node2D
	var path := []
	if start and goal:
		var map := scene.get_world_2d().navigation_map
		for point: Vector2 in NavigationServer2D.map_get_path(map, start.position, goal.position, true):
			path.append([point.x / size, point.y / size])
		if path.is_empty() and frames < MAX_FRAMES:
			return false
	var found := _probe(int(arguments[1]), int(arguments[2]), size)
	found["path"] = path
	print("RESULT ", JSON.stringify(found))
	return true


func _probe(width: int, height: int, size: float) -> Dictionary:
	var space := scene.get_world_2d().direct_space_state
	var solid := []
	var reach := []
	for y in height:
		for x in width:
			var place := Vector2(x + 0.5, y + 0.5) * size + OFF_CENTER
			var point := PhysicsPointQueryParameters2D.new()
			point.position = place
			solid.append(not space.intersect_point(point, 1).is_empty())
			for direction: Vector2 in [] if solid[-1] else DIRECTIONS:
				var ray := PhysicsRayQueryParameters2D.create(place, place + direction * size * (width + height))
				var hit := space.intersect_ray(ray)
				reach.append(-1.0 if hit.is_empty() else place.distance_to(hit.position) / size)
	return {"solid": solid, "reach": reach}
