"""A target: the windows of some samples, in every size that counts, and all that a map is compared with them by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding, PatternCounts, Sides, Tiles, Wrap, iter_view_wraps, iter_views, pad_map
from ...core.seeds import Rng
from ...kernels.patterns import Cells


@dataclass(frozen=True, eq=False)
class TargetDistribution:
    """Samples, as tiles numbered from 0 on, and how their windows are read."""

    samples: tuple[Tiles, ...]
    tiles: int
    sizes: tuple[int, ...]
    weights: tuple[float, ...]
    """Of the sizes; together 1."""
    wrap: Wrap
    """Of the samples."""
    sides: Sides
    """Edges that count, of samples and maps alike."""
    symmetry: int = 1
    has_unknown: bool = False
    """Whether maps may hold a tile that the samples lack."""

    @property
    def unknown_tile(self) -> int:
        """Stands for all tiles that the samples lack."""
        return self.tiles + self.has_edges

    @property
    def axes(self) -> int:
        return self.samples[0].ndim

    @property
    def has_edges(self) -> bool:
        return any(any(edges) for edges in self.sides)

    @cached_property
    def codings(self) -> tuple[Coding, ...]:
        return tuple(Coding(size, self.axes, self.tiles + self.has_edges + self.has_unknown) for size in self.sizes)

    @cached_property
    def views(self) -> tuple[tuple[Tiles, Wrap], ...]:
        """The samples, also turned and mirrored, and how each wraps."""
        return tuple(
            view
            for sample in self.samples
            for view in zip(iter_views(sample, self.symmetry), iter_view_wraps(self.wrap, self.symmetry), strict=True)
        )

    def frame_views(self, size: int) -> list[Tiles]:
        return [pad_map(view, size, wrap, self.sides, self.tiles) for view, wrap in self.views]

    @cached_property
    def windows(self) -> tuple[PatternCounts, ...]:
        """By size."""
        return tuple(PatternCounts.of(coding, self.frame_views(coding.size)) for coding in self.codings)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """(tile,) how often it occurs in the samples."""
        counts = sum(np.bincount(sample.reshape(-1), minlength=self.tiles) for sample in self.samples)
        return np.asarray(counts, dtype=np.int64)

    def draw_map(self, shape: Sequence[int], rng: Rng) -> NDArray[np.int64]:
        """A map by chance, its tiles as common as in the samples."""
        bounds = np.cumsum(self.frequencies)
        numbers = (rng.cells(shape) * float(bounds[-1])).astype(np.int64)
        return np.searchsorted(bounds, numbers, side="right")

    def list_stamps(self, number: int) -> tuple[Cells, NDArray[np.int64]]:
        """All windows of a size that lie within the samples, (window, cell); and which edges that count each touches.

        An edge is a bit: before the first cell of axis 0, behind its last, then those of axis 1 and so on.
        """
        size = self.sizes[number]
        none = [(False, False)] * self.axes
        tiles, touched = [], []
        for view, wrap in self.views:
            wide = pad_map(view, size, wrap, none, 0)
            shape = tuple(side - size + 1 for side in wide.shape)
            windows = np.lib.stride_tricks.sliding_window_view(wide, (size,) * self.axes)
            tiles.append(windows.reshape(-1, size**self.axes).astype(np.uint16))
            touched.append(find_touched_edges(shape, self.sides).reshape(-1))
        return np.ascontiguousarray(np.concatenate(tiles)), np.concatenate(touched)


def find_touched_edges(shape: Sequence[int], sides: Sides) -> NDArray[np.int64]:
    """For windows by their first cells, which edges that count each touches, as bits."""
    touched = np.zeros(tuple(shape), dtype=np.int64)
    for axis, edges in enumerate(sides):
        for end, counts in enumerate(edges):
            if counts:
                at = [slice(None)] * len(shape)
                at[axis] = slice(0, 1) if end == 0 else slice(-1, None)
                touched[tuple(at)] |= 1 << (2 * axis + end)
    return touched
