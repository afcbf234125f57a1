"""Block sizes: how much work is done between two yields, a few hundredths of a second. They never change a map.

Tests choose smaller ones with `tilewright.testing.block_size`.
"""

from __future__ import annotations

SIZES = {
    "aggregation": 1 << 20,  # steps
    "bridges": 1 << 21,  # cells that spread
    "bsp": 1 << 10,  # parts with a room each
    "caves": 1 << 24,  # cells
    "corridors": 1 << 18,  # cells looked at in the search of a corridor
    "corridors.heap": 1 << 10,  # cells that may wait; more when more are needed
    "drunkard": 1 << 20,  # steps
    "dungeon": 1 << 21,  # cells
    "fashion": 1 << 24,  # neighbors
    "flood": 1 << 20,  # cells
    "links": 1 << 24,  # pairs of rooms
    "maze": 1 << 19,  # steps
    "noise": 1 << 18,  # cells of an octave
    "random": 1 << 24,  # cells
    "rooms": 1 << 21,  # cells of rooms that are tried
    "rules": 1 << 24,  # neighbors and rules
    "tunnels": 1 << 22,  # steps
    "voronoi": 1 << 20,  # cells
    "voronoi.points": 1 << 21,  # squares
    "voronoi.samples": 1 << 20,
}


def block_size(name: str) -> int:
    """Return how many cells, steps or the like of this work are done between two yields."""
    return SIZES[name]
