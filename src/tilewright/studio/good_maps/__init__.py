"""Section Only good maps: requirements, the share of seeds that meet them, and the search for such seeds."""
