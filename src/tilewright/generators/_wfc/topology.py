"""Topology of a wave: its cells, their neighbors, and the map cells that each of them determines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size


@dataclass(frozen=True)
class Topology:
    """Grid of a map and of its wave, whose cells are the first cells of N x N blocks inside the map."""

    shape: tuple[int, ...]
    """Shape of the map, in array order."""
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
        """Shape of the wave."""
        return tuple(
            side if round_ else side - self.size + 1 for side, round_ in zip(self.shape, self.wrap, strict=True)
        )

    @property
    def cells(self) -> int:
        return prod(self.wave_shape)

    @cached_property
    def neighbors(self) -> NDArray[np.int32]:
        """(wave cell, direction) neighbor or -1; backward along every axis, then forward."""
        return find_neighbors(self.wave_shape, self.wrap)

    @cached_property
    def map_neighbors(self) -> NDArray[np.int32]:
        """(map cell, direction) neighbor or -1."""
        return find_neighbors(self.shape, self.wrap)

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """(map cell,) owner: the wave cell that determines the tile of the map cell."""
        return self._owners_and_offsets[0]

    @cached_property
    def offsets(self) -> NDArray[np.int32]:
        """(map cell,) position of the map cell in the pattern of its owner."""
        return self._owners_and_offsets[1]

    @cached_property
    def _owners_and_offsets(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Owners and offsets. The block that starts at a cell determines it; near an edge, the last block does."""
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
        """(wave cell + 1,) start of the map cells of each owner in a list, and the list of all map cells by owner."""
        order = np.argsort(self.owners, kind="stable").astype(np.int32)
        firsts = np.zeros(self.cells + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.owners, minlength=self.cells), out=firsts[1:])
        return firsts, order

    def locate(self, cell: int) -> tuple[int, ...]:
        """Return the (row, column) or (level, row, column) of a wave cell on the map."""
        return tuple(int(part) for part in np.unravel_index(cell, self.wave_shape))

    def box(self, cell: int, radius: int) -> NDArray[np.int64]:
        """Return the wave cells at most `radius` from a wave cell along every axis."""
        spans = []
        for at, side, round_ in zip(self.locate(cell), self.wave_shape, self.wrap, strict=True):
            if 2 * radius + 1 >= side:
                spans.append(np.arange(side))
            elif round_:
                spans.append(np.arange(at - radius, at + radius + 1) % side)
            else:
                spans.append(np.arange(max(0, at - radius), min(side, at + radius + 1)))
        return np.ravel_multi_index(np.ix_(*spans), self.wave_shape).reshape(-1)


@cached_by_size
def get_topology(shape: tuple[int, ...], wrap: tuple[bool, ...], size: int) -> Topology:
    """Return a topology; cached, because many maps of one size are made."""
    return Topology(shape, wrap, size)


def find_neighbors(shape: Sequence[int], wrap: Sequence[bool]) -> NDArray[np.int32]:
    """Return (cell, direction) the neighbors of every cell of a grid, or -1."""
    cells = np.arange(prod(shape), dtype=np.int32).reshape(tuple(shape))
    columns = []
    for step in (1, -1):
        for axis, round_ in enumerate(wrap):
            moved = np.roll(cells, step, axis=axis)
            if not round_:
                edge = [slice(None)] * len(shape)
                edge[axis] = slice(0, 1) if step == 1 else slice(-1, None)
                moved[tuple(edge)] = -1
            columns.append(moved.reshape(-1))
    return np.ascontiguousarray(np.stack(columns, axis=1))
