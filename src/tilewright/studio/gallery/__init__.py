"""Tab Gallery: variations of the map, as pictures and in a plot."""
