"""Block sizes: the amount of work between two frames, usually a few hundredths of a second. They never change a map."""

from __future__ import annotations

ALL = ""
"""Name of the limit for all blocks."""
limits: dict[str, int] = {}
"""Limits of block sizes by name, which `tilewright.testing.block_size` sets."""


def block_size(name: str, size: int) -> int:
    """Return the number of cells, steps or other units in a block of work, unless a test limits it.

    Examples
    --------
    >>> block_size("markov", 1 << 15)
    32768
    """
    return min(size, limits.get(name, size), limits.get(ALL, size))
