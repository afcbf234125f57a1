extends SceneTree
func count(node):
    for child in node.get_children():
        if child is TileMapLayer:
            print("layer ", child.name, " ", child.get_used_cells().size())
        count(child)
func _init():
    count(load("res://level.ldtk").instantiate())
    quit()
