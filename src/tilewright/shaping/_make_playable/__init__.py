"""Parts of make_playable: places for start and exit, and the repairs of each game."""
