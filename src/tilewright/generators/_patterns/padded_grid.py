"""Padded grid: a flat map with a margin, which holds the cells that patterns cover beyond the edges."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Sides, Tiles, Wrap
from ...kernels.types import Int32_1D, Uint16_1D


class PaddedGrid:
    """Flat indices of the cells and N x N windows of maps of one shape."""

    def __init__(self, shape: tuple[int, ...], wrap: Wrap, sides: Sides, margin: int) -> None:
        self.shape, self.wrap, self.sides, self.margin = shape, wrap, sides, margin
        self.padded_shape = tuple(side + 2 * margin for side in shape)
        self.size = prod(self.padded_shape)
        self.strides = np.array([prod(self.padded_shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64)
        self.inner = tuple(slice(margin, margin + side) for side in shape)
        self.homes, self.twins = self._link_copies() if any(wrap) else (np.empty(0, np.int32), np.empty(0, np.int32))

    def _link_copies(self) -> tuple[Int32_1D, Int32_1D]:
        """Return, for every flat index, the cell of which it is a copy, and the next copy of the same cell or -1."""
        homes = np.zeros(self.padded_shape, dtype=np.int64)
        holds = np.ones(self.padded_shape, dtype=np.bool_)  # whether it is a cell or a copy of one
        for axis, (side, round_, stride) in enumerate(zip(self.shape, self.wrap, self.strides, strict=True)):
            along = np.arange(self.padded_shape[axis]) - self.margin
            inside = (along >= 0) & ((along < side) | round_)
            form = [-1 if other == axis else 1 for other in range(len(self.shape))]
            homes += (((along % side if round_ else along) + self.margin) * stride).reshape(form)
            holds &= inside.reshape(form)
        flat, places = homes.reshape(-1), np.flatnonzero(holds.reshape(-1))
        places = places[np.argsort(flat[places], kind="stable")]  # a cell precedes its copies
        twins = np.full(self.size, -1, dtype=np.int32)
        same = flat[places[1:]] == flat[places[:-1]]
        twins[places[:-1][same]] = places[1:][same]
        return flat.astype(np.int32), twins

    def flat_index(self, cell: tuple[int, ...]) -> int:
        """Return the flat index of a cell."""
        return int(np.dot(np.array(cell) + self.margin, self.strides))

    def window_starts(self, size: int) -> tuple[slice, ...]:
        """Return the range of first cells of windows along each axis; one cell more at edges that are compared."""
        spans = []
        for side, round_, edges in zip(self.shape, self.wrap, self.sides, strict=True):
            last = side if round_ else side - size + 1 + int(edges[1])
            spans.append(slice(self.margin - int(edges[0]), self.margin + last))
        return tuple(spans)

    def count_windows(self, size: int) -> int:
        """Return the number of windows of a size."""
        return prod(max(0, span.stop - span.start) for span in self.window_starts(size))

    def window_offsets(self, size: int) -> NDArray[np.int64]:
        """Return the offsets of a window's cells from its first cell."""
        starts = np.array(list(product(range(size), repeat=len(self.shape))), dtype=np.int64)
        return starts @ self.strides

    def pad(self, tiles: Tiles, beyond: int) -> Uint16_1D:
        """Return a map as a flat array with its margin, filled with `beyond` or with copies of wrapped cells."""
        wide: NDArray[np.uint16] = np.full(self.padded_shape, beyond, dtype=np.uint16)
        wide[self.inner] = tiles
        flat = wide.reshape(-1)
        if self.homes.size:
            copies = self.twins[self.twins >= 0]
            flat[copies] = flat[self.homes[copies]]
        return flat
