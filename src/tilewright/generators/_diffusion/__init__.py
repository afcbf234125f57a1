"""Private modules of the technique `diffusion`."""
