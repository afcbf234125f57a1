"""What can be drawn over a map."""
