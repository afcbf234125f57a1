"""Maps whose every window is one of a sample's, decided cell by cell."""
