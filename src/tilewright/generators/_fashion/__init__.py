"""Private parts of the technique fashion."""
