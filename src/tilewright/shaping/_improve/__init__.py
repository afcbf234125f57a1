"""Parts of the shaper improve."""
