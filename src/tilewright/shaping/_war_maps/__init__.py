"""Maps for two players: cells that change in symmetric pairs, sites for buildings, causeways and roads."""
