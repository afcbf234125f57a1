"""Private modules of the technique `voronoi`."""
