"""Maps that grow cell by cell from what samples have beside what."""
