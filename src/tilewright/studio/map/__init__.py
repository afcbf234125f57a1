"""The map of the page: canvas, what it receives, and measures."""
