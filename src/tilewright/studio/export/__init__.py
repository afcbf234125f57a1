"""Tab Export: files of the map, and code that makes the same map."""
