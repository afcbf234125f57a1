"""Tab Search: the best maps of a recipe by two measures, and selection by eye."""
