"""Autotiling: pieces of rivers, roads and pipes that must fit their neighbors."""
