"""What a map for two players needs: a field whose halves change together, sites for buildings, and ways."""
