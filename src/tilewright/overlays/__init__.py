"""Overlays: tints, lines and legends drawn over a map."""
