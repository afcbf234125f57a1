"""Private modules of the technique `maze`."""
