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
