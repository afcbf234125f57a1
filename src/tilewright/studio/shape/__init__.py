"""Tab Shape: the shapers that follow the technique, and the recipe as text."""
