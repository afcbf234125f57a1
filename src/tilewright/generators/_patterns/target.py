"""Target distribution: the pattern counts of samples, for every pattern size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, PatternCounts, Sides, Tiles, Wrap, list_views, pad_map
from ...core.seeds import Rng
from ...kernels.types import Uint16_2D


@dataclass(frozen=True, eq=False)
class TargetDistribution:
    """Samples of tile indices, and how their patterns are extracted."""

    samples: tuple[Tiles, ...]
    tiles: int
    """Number of tiles."""
    sizes: tuple[int, ...]
    """Edge lengths of the patterns."""
    weights: tuple[float, ...]
    """Weights of the sizes, with a sum of 1."""
    wrap: Wrap
    """Axes along which the samples wrap."""
    sides: Sides
    """Edges of samples and maps that are compared."""
    symmetry: int = 1
    has_unknown: bool = False
    """Whether maps may have tiles that are not in the samples."""
    max_copy: int | None = None
    """Maximum edge length in cells of a block copied from a sample; None for three patterns, 0 for no limit."""

    @property
    def unknown_tile(self) -> int:
        """Index of all tiles that are not in the samples."""
        return self.tiles + self.has_edges

    @property
    def axes(self) -> int:
        return self.samples[0].ndim

    @property
    def has_edges(self) -> bool:
        """Whether any edge is compared."""
        return any(any(edges) for edges in self.sides)

    @cached_property
    def codings(self) -> tuple[Coding, ...]:
        """Pattern keys of every size."""
        return tuple(Coding(size, self.axes, self.tiles + self.has_edges + self.has_unknown) for size in self.sizes)

    @cached_property
    def views(self) -> tuple[tuple[Tiles, Wrap], ...]:
        """All views of the samples, and the axes along which each wraps."""
        return tuple(list_views(self.samples, self.wrap, self.symmetry))

    def frame_views(self, size: int) -> list[Tiles]:
        """Return all views, padded at edges that wrap or are compared."""
        return [pad_map(view, size, wrap, self.sides, self.tiles) for view, wrap in self.views]

    @cached_property
    def windows(self) -> tuple[PatternCounts, ...]:
        """Pattern counts of every size."""
        return tuple(PatternCounts.of(coding, self.frame_views(coding.size)) for coding in self.codings)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """(tile,) number of cells with each tile in the samples."""
        counts = sum(np.bincount(sample.reshape(-1), minlength=self.tiles) for sample in self.samples)
        return np.asarray(counts, dtype=np.int64)

    def draw_map(self, shape: Sequence[int], rng: Rng) -> NDArray[np.int64]:
        """Return a random map with the tile frequencies of the samples."""
        bounds = np.cumsum(self.frequencies)
        numbers = (rng.cells(shape) * float(bounds[-1])).astype(np.int64)
        return np.searchsorted(bounds, numbers, side="right")

    def list_stamps(self, number: int) -> tuple[Uint16_2D, NDArray[np.int64]]:
        """Return (window, cell) all windows of a size inside the samples, and the compared edges that each touches.

        Edges are bits: the start of axis 0, its end, the start of axis 1, and so on.
        """
        size = self.sizes[number]
        tiles, touched = [], []
        for view, wrap in self.views:
            wide = pad_map(view, size, wrap)
            shape = tuple(side - size + 1 for side in wide.shape)
            windows = np.lib.stride_tricks.sliding_window_view(wide, (size,) * self.axes)
            tiles.append(windows.reshape(-1, size**self.axes).astype(np.uint16))
            touched.append(find_touched_edges(shape, self.sides).reshape(-1))
        return np.ascontiguousarray(np.concatenate(tiles)), np.concatenate(touched)


def find_touched_edges(shape: Sequence[int], sides: Sides) -> NDArray[np.int64]:
    """Return, for windows by their first cells, the compared edges that each touches, as bits."""
    touched = np.zeros(tuple(shape), dtype=np.int64)
    for axis, edges in enumerate(sides):
        for end, counts in enumerate(edges):
            if counts:
                at = [slice(None)] * len(shape)
                at[axis] = slice(0, 1) if end == 0 else slice(-1, None)
                touched[tuple(at)] |= 1 << (2 * axis + end)
    return touched
