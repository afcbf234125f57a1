"""Private modules of the technique `caves`."""
