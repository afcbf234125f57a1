"""Use of samples by the maps learned from them: tiles and patterns that occur, and copied blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.caching import cached_by_size
from ..core.samples import Samples, Training
from .novelty import SampleBlocks
from .patterns import EDGES, Coding, PatternCounts, Tiles, list_views, pad_map, wraps

MIN_CELLS = 64
"""Smaller maps are never reported as degenerate."""
MIN_EDGE_SIDE = 4
"""Minimum width and height of maps with edges."""
MIN_EDGE = 0.75
"""All maps share an edge if the same tile has at least this fraction of its cells in each of them."""
MAX_INSIDE = 0.5
"""A tile marks an edge only if it has at most this fraction of the cells inside."""
MIN_VARIETY = 0.2
"""A map is dominated by a tile if the fraction of other tiles is less than this multiple of that in the samples."""


def measure_sample_use(cells: Tiles, training: Training | None) -> dict[str, float]:
    """Return the numbers that techniques report about a learned map.

    Parameters
    ----------
    cells : ndarray of int
        Map as positions in the labels of the samples.
    training : Training or None
        Samples, and how they are compared. With None, for maps made from rules, only tiles are counted.

    Returns
    -------
    dict of str to float
        `tiles_used`, the number of different tiles, and `copied_block`, the edge length of the largest square or cube
        that occurs in a sample. Blocks of one tile count as single cells.
    """
    numbers = {"tiles_used": float(np.count_nonzero(np.bincount(cells.reshape(-1))))}
    if training is not None:
        blocks = _index_blocks(training.samples, training.wrap_sample, training.symmetries)
        numbers["copied_block"] = float(blocks.find_copied_side(cells, wraps(training.wrap, cells.ndim)))
    return numbers


def find_coverage(cells: Tiles, training: Training) -> float:
    """Return the fraction of the different patterns of the samples that occur in a map."""
    known = _count_patterns(training.samples, training.wrap_sample, training.symmetries, training.pattern_size)
    own = PatternCounts.of(known.coding, [pad_map(cells, training.pattern_size, wraps(training.wrap, cells.ndim))])
    return int(np.count_nonzero(own.count(known.keys))) / len(known.keys)


def find_variety(cells: Tiles, samples: Samples) -> float:
    """Return the fraction of cells without the map's most common tile, divided by that fraction in the samples.

    A map that one tile has absorbed has a variety near 0. Maps of less than 64 cells are too small to tell; for them,
    and if the most common tile is not in the samples, the result is 1.
    """
    counts = np.bincount(cells.reshape(-1))
    most = int(counts.argmax()) if cells.size >= MIN_CELLS else len(samples.labels)
    return compare_variety(counts, samples.tile_counts, most) if most < len(samples.labels) else 1.0


def compare_variety(counts: NDArray[np.int64], sample_counts: NDArray[np.int64], tile: int) -> float:
    """Return the fraction of cells without a tile in a map, divided by that fraction in the samples."""
    total, sample_total = int(counts.sum()), int(sample_counts.sum())
    expected = 1 - int(sample_counts[tile]) / sample_total
    return (1 - int(counts[tile]) / total) / expected if expected else 1.0


@cached_by_size
def _index_blocks(samples: Samples, wrap: str, symmetries: int) -> SampleBlocks:
    return SampleBlocks(list_views(samples.maps, wraps(wrap, samples.axes), symmetries))


@cached_by_size
def _count_patterns(samples: Samples, wrap: str, symmetries: int, size: int) -> PatternCounts:
    views = list_views(samples.maps, wraps(wrap, samples.axes), symmetries)
    coding = Coding(size, samples.axes, len(samples.labels))
    return PatternCounts.of(coding, [pad_map(view, size, round_) for view, round_ in views])


def find_common_edges(maps: Sequence[Tiles]) -> dict[str, int]:
    """Return the edges of 2D maps that all of them share, each with its tile, such as the walls around rooms.

    >>> room = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 0, 0], [1, 1, 1, 1]])
    >>> find_common_edges([room, room[:, ::-1]])
    {'left': 1, 'right': 1, 'top': 1, 'bottom': 1}
    >>> find_common_edges([room, room * 0])
    {}
    """
    if not maps or any(map.ndim != 2 or min(map.shape) < MIN_EDGE_SIDE for map in maps):
        return {}
    inner = np.bincount(np.concatenate([map[1:-1, 1:-1].ravel() for map in maps]))
    found = {}
    for edge in ("left", "right", "top", "bottom"):
        lines = [take_edge(map, edge) for map in maps]
        tile = int(np.bincount(np.concatenate(lines)).argmax())
        inside = int(inner[tile]) / int(inner.sum()) if tile < len(inner) else 0.0
        if inside <= MAX_INSIDE and min(float((line == tile).mean()) for line in lines) >= MIN_EDGE:
            found[edge] = tile
    return found


def take_edge(map: Tiles, edge: str) -> Tiles:
    """Return the cells along an edge of a 2D map."""
    axis, at_end = EDGES[edge]
    cells: Tiles = np.take(map, -1 if at_end else 0, axis=axis)
    return cells
