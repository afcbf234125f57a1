"""Maps whose windows are those of samples."""
