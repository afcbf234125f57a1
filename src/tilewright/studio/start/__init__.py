"""Tab Start: goals to begin with, and the search in all recipes and techniques."""
