"""Block sizes: how much work is done at once, mostly a few hundredths of a second. They never change a map.

Tests choose smaller ones with `tilewright.testing.block_size`.
"""

from __future__ import annotations

SIZES = {
    "aggregation": 1 << 20,  # steps
    "behaviour": 1 << 16,  # situations or neighborhoods of fashion
    "bridges": 1 << 21,  # cells that spread
    "bsp": 1 << 10,  # parts with a room each
    "caves": 1 << 24,  # cells
    "corridors": 1 << 18,  # cells looked at in the search of a corridor
    "corridors.heap": 1 << 10,  # cells that may wait; more when more are needed
    "drunkard": 1 << 20,  # steps
    "dungeon": 1 << 21,  # cells
    "fashion": 1 << 24,  # neighbors
    "fashion.window": 1 << 16,  # cells, besides those that the next window needs again
    "flood": 1 << 20,  # cells
    "links": 1 << 24,  # pairs of rooms
    "markov": 1 << 15,  # cells
    "maze": 1 << 19,  # steps
    "noise": 1 << 18,  # cells of an octave
    "patterns": 1 << 21,  # cells of windows
    "random": 1 << 24,  # cells
    "rooms": 1 << 21,  # cells of rooms that are tried
    "rules": 1 << 24,  # neighbors and rules
    "tunnels": 1 << 22,  # steps
    "voronoi": 1 << 20,  # cells
    "voronoi.points": 1 << 21,  # squares
    "voronoi.samples": 1 << 20,
    "wfc": 1 << 17,  # choices times patterns
}


def block_size(name: str) -> int:
    """Return how many cells, steps or the like of this work are done at once."""
    return SIZES[name]
