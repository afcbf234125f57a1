"""Maps in blocks: enough to measure them together, and few enough to keep them in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

MAPS_PER_BLOCK, CELLS_PER_BLOCK = 128, 1 << 20
T = TypeVar("T")


def iter_blocks(items: Iterable[T], count_cells: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield items with a map in blocks whose maps fit in memory. `count_cells` returns the cells of an item's map."""
    block: list[T] = []
    cells = 0
    for item in items:
        block.append(item)
        cells += count_cells(item)
        if len(block) == MAPS_PER_BLOCK or cells >= CELLS_PER_BLOCK:
            yield block
            block, cells = [], 0
    if block:
        yield block
