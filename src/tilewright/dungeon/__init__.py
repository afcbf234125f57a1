"""Dungeons: links between rooms, doors, and corridors that join them."""
