"""Private modules of the technique `fashion`."""
