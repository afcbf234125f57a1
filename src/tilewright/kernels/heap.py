"""Binary heap in two arrays: keys, smallest first, and their cells."""

from __future__ import annotations

from . import part
from .types import Float64_1D, Int64_1D


@part
def sift_up(keys: Float64_1D, cells: Int64_1D, place: int) -> None:
    """Move the entry at a position up to its place."""
    key, cell = keys[place], cells[place]
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place], cells[place] = keys[parent], cells[parent]
        place = parent
    keys[place], cells[place] = key, cell


@part
def sift_down(keys: Float64_1D, cells: Int64_1D, size: int) -> None:
    """Replace the first of `size + 1` entries by the last, and move it down to its place."""
    key, cell = keys[size], cells[size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], cells[place] = keys[child], cells[child]
        place = child
    keys[place], cells[place] = key, cell


@part
def push(keys: Float64_1D, cells: Int64_1D, size: int, key: float, cell: int) -> int:
    """Add an entry to a heap of `size` entries; return their number."""
    keys[size], cells[size] = key, cell
    sift_up(keys, cells, size)
    return size + 1


@part
def pop(keys: Float64_1D, cells: Int64_1D, size: int) -> int:
    """Remove the first of `size` entries; return the number of the others."""
    sift_down(keys, cells, size - 1)
    return size - 1
