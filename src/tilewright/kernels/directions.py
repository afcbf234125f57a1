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


@part
def count_directions(directions: int) -> int:
    """Return the number of directions in a set, which has a bit for each."""
    return (directions & 1) + (directions >> 1 & 1) + (directions >> 2 & 1) + (directions >> 3 & 1)
