"""Rooms that are drawn by hand."""
