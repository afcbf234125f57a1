"""Block sizes: the amount of work between two frames, usually a few hundredths of a second. They never change a map.

Tests set smaller ones with `tilewright.testing.block_size`.
"""

from __future__ import annotations

SIZES = {
    "aggregation": 1 << 20,  # steps
    "behaviour": 1 << 16,  # situations or neighborhoods of fashion
    "bridges": 1 << 21,  # cells that spread
    "bsp": 1 << 10,  # partitions with one room each
    "caves": 1 << 24,  # cells
    "corridors": 1 << 18,  # cells visited in the search of a corridor
    "corridors.heap": 1 << 10,  # initial size of the heap, which grows if needed
    "diffusion": 1 << 30,  # products of weights and values
    "drunkard": 1 << 20,  # steps
    "dungeon": 1 << 21,  # cells
    "fashion": 1 << 24,  # neighbors
    "fashion.window": 1 << 16,  # cells, besides those shared with the next window
    "flood": 1 << 20,  # cells
    "improve": 1 << 21,  # cells of measured maps
    "links": 1 << 24,  # pairs of rooms
    "markov": 1 << 15,  # cells
    "maze": 1 << 19,  # steps
    "noise": 1 << 18,  # cells of an octave
    "patterns": 1 << 21,  # cells of windows
    "random": 1 << 24,  # cells
    "rooms": 1 << 21,  # cells of tried rooms
    "rules": 1 << 24,  # neighbors and rules
    "snake": 1 << 19,  # steps
    "tunnels": 1 << 22,  # steps
    "voronoi": 1 << 20,  # cells
    "voronoi.points": 1 << 21,  # squares
    "voronoi.samples": 1 << 20,
    "wfc": 1 << 17,  # choices times patterns
}


def block_size(name: str) -> int:
    """Return the number of cells, steps or other units in a block of work.

    Examples
    --------
    >>> block_size("markov")
    32768
    """
    return SIZES[name]
