"""Parts of the technique voronoi."""
