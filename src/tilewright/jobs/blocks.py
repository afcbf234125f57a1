"""Maps in blocks: enough to measure them together, and few enough to keep them in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from ..core.tilemap import TileMap

MAPS_PER_BLOCK, CELLS_PER_BLOCK = 128, 1 << 20


class Attempt(Protocol):
    """Something with a map, or None if it could not be made."""

    @property
    def map(self) -> TileMap | None: ...


A = TypeVar("A", bound=Attempt)


def iter_blocks(attempts: Iterable[A]) -> Iterator[list[A]]:
    """Yield attempts in blocks whose maps fit in memory."""
    block: list[A] = []
    cells = 0
    for attempt in attempts:
        block.append(attempt)
        cells += 0 if attempt.map is None else attempt.map.cells.size
        if len(block) == MAPS_PER_BLOCK or cells >= CELLS_PER_BLOCK:
            yield block
            block, cells = [], 0
    if block:
        yield block
