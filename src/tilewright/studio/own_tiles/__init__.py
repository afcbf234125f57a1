"""The user's own tiles: a picture of sprites that becomes a tileset."""
