"""Block sizes: the amount of work between two frames, usually a few hundredths of a second. They never change a map."""

from __future__ import annotations

from collections.abc import Iterator

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


def split_blocks(name: str, size: int, count: int, width: int = 1) -> Iterator[slice]:
    """Split `count` rows of `width` cells into blocks of about `size` cells, and yield the rows of each block.

    Examples
    --------
    >>> list(split_blocks("caves", 40, 5, 20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, block_size(name, size) // max(1, width))
    for first in range(0, count, step):
        yield slice(first, min(first + step, count))
