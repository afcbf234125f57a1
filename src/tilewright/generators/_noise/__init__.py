"""Parts of the technique `noise`."""
