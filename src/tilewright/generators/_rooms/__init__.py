"""Private modules of the technique `rooms`."""
