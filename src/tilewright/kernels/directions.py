"""Directions on a flattened map: 0..3 are north, east, south, west."""

from __future__ import annotations

from . import part


@part
def shift_of(direction: int, columns: int) -> int:
    """Return the shift of the flat index to the neighbor in a direction."""
    if direction == 0:
        return -columns
    if direction == 1:
        return 1
    return columns if direction == 2 else -1
