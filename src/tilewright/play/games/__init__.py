"""Built-in games, one per module."""
