"""Private modules of the technique `noise`."""
