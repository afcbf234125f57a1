"""Where a wave stands: its cells, each the first cell of a window, and the cells of the map under these windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Topology:
    """A map of a shape, under windows of a size that never reach over an edge."""

    shape: tuple[int, ...]
    """Of the map, in array order."""
    wrap: tuple[bool, ...]
    size: int

    @property
    def axes(self) -> int:
        return len(self.shape)

    @property
    def map_cells(self) -> int:
        return prod(self.shape)

    @cached_property
    def wave_shape(self) -> tuple[int, ...]:
        """The shape of the wave."""
        return tuple(
            side if round_ else side - self.size + 1 for side, round_ in zip(self.shape, self.wrap, strict=True)
        )

    @property
    def cells(self) -> int:
        return prod(self.wave_shape)

    @cached_property
    def neighbors(self) -> NDArray[np.int32]:
        """(cell of the wave, direction) or -1; back along every axis, then forth."""
        return find_neighbors(self.wave_shape, self.wrap)

    @cached_property
    def map_neighbors(self) -> NDArray[np.int32]:
        """The same of the map's cells."""
        return find_neighbors(self.shape, self.wrap)

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """(cell of the map,) the cell of the wave that decides it."""
        return self._owners_and_offsets[0]

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """(cell of the map,) its place in its owner's window."""
        return self._owners_and_offsets[1]

    @cached_property
    def _owners_and_offsets(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The window that begins at a cell decides it; near an edge the last one that there is."""
        owners, offsets = np.zeros(self.shape, dtype=np.int32), np.zeros(self.shape, dtype=np.int32)
        for axis, (side, there) in enumerate(zip(self.shape, self.wave_shape, strict=True)):
            along = np.arange(side, dtype=np.int32)
            first = np.minimum(along, there - 1)
            spread = [-1 if other == axis else 1 for other in range(self.axes)]
            owners = owners * np.int32(there) + first.reshape(spread)
            offsets = offsets * np.int32(self.size) + (along - first).reshape(spread)
        return owners.reshape(-1), offsets.reshape(-1)

    @cached_property
    def owned_cells(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(cell of the wave + 1,) where its cells of the map begin in the list of all of them; and that list."""
        order = np.argsort(self.owners, kind="stable").astype(np.int32)
        firsts = np.zeros(self.cells + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.owners, minlength=self.cells), out=firsts[1:])
        return firsts, order

    def locate(self, cell: int) -> tuple[int, ...]:
        """(row, column) of the map, or (level, row, column), of a cell of the wave."""
        return tuple(int(part) for part in np.unravel_index(cell, self.wave_shape))

    def box(self, cell: int, radius: int) -> NDArray[np.int64]:
        """The cells of the wave that are not farther from one of them than that along any axis."""
        spans = []
        for at, side, round_ in zip(self.locate(cell), self.wave_shape, self.wrap, strict=True):
            if 2 * radius + 1 >= side:
                spans.append(np.arange(side))
            elif round_:
                spans.append(np.arange(at - radius, at + radius + 1) % side)
            else:
                spans.append(np.arange(max(0, at - radius), min(side, at + radius + 1)))
        return np.ravel_multi_index(np.ix_(*spans), self.wave_shape).reshape(-1)


@lru_cache(maxsize=4)
def get_topology(shape: tuple[int, ...], wrap: tuple[bool, ...], size: int) -> Topology:
    """Kept, because many maps of one size are made."""
    return Topology(shape, wrap, size)


def find_neighbors(shape: Sequence[int], wrap: Sequence[bool]) -> NDArray[np.int32]:
    cells = np.arange(prod(shape), dtype=np.int32).reshape(tuple(shape))
    ways = []
    for step in (1, -1):
        for axis, round_ in enumerate(wrap):
            moved = np.roll(cells, step, axis=axis)
            if not round_:
                edge = [slice(None)] * len(shape)
                edge[axis] = slice(0, 1) if step == 1 else slice(-1, None)
                moved[tuple(edge)] = -1
            ways.append(moved.reshape(-1))
    return np.ascontiguousarray(np.stack(ways, axis=1))
