"""Use of samples by the maps learned from them: tiles and patterns that occur, copied blocks, and degenerate maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.caching import cached_by_size
from ..core.entries import Technique
from ..core.errors import ANOTHER_SEED, Problem
from ..core.plan import make_plan
from ..core.registry import techniques
from ..core.samples import Samples, Training
from ..core.tilemap import TileMap
from .novelty import SampleBlocks, min_difference
from .patterns import Coding, PatternCounts, Tiles, Wrap, list_views, pad_map, wraps

MIN_CELLS = 64
"""Smaller maps are never reported as degenerate."""
MIN_VARIETY = 0.2
"""A map is dominated by a tile if the fraction of other tiles is less than this multiple of that in the samples."""
MIN_SAMPLE = 0.25
"""Smaller samples, as a fraction of the map's cells, are repeated by design, so their copies are not reported."""
COPY_AREA = 0.5
"""A map is nearly a copy if one copied block has this fraction of the cells of the map or of a sample."""
COPY_SIDE = 0.75
"""Edge length of a copied block, as a fraction of the map's and the sample's shorter edge, from which a copy that no
square covers is suspected."""
COPY_DIFFERENCE = 0.1
"""A map is nearly a copy if at most this multiple of the cells differ that do not have the most common tile."""

HIGH_DIVERGENCE = 2.0
"""Divergence above which a learned map is reported; that of a random map is 3 to 8."""


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
    return _compare_variety(counts, samples.tile_counts, most) if most < len(samples.labels) else 1.0


def _compare_variety(counts: NDArray[np.int64], sample_counts: NDArray[np.int64], tile: int) -> float:
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


def find_degeneracy(map: TileMap) -> tuple[Problem, ...]:
    """Return the problems of a learned map: (almost) one tile only, nearly a copy of a sample, or a high divergence.

    The command line and the studio show them as warnings.

    Parameters
    ----------
    map : TileMap
        Map with its recipe.

    Returns
    -------
    tuple of Problem
        The problems; empty for maps of other techniques and for maps of less than 64 cells.
    """
    recipe = map.recipe
    if recipe is None or "tiles_used" not in map.numbers or map.cells.size < MIN_CELLS:
        return ()
    entry, ids = techniques.get(recipe.technique), make_plan(recipe).site.ids
    training = entry.training_of(recipe.params)
    if training is None:
        return tuple(_find_single_tile(map, len(ids)))
    samples = training.samples
    axes = wraps(training.wrap_sample, samples.axes)
    views = [(ids[view], wrap) for view, wrap in list_views(samples.maps, axes, training.symmetries)]
    counts = np.bincount(np.concatenate([view.reshape(-1) for view, _ in views]), minlength=len(map.tileset))
    single = [*_find_single_tile(map, int(np.count_nonzero(counts)))]
    variety = single or [*_find_dominant_tile(map, counts)]
    return (*variety, *_find_copy(map, entry, views, counts), *_find_high_divergence(map))


def _find_single_tile(map: TileMap, tiles: int) -> Iterator[Problem]:
    """Yield a problem if the technique used only one of several tiles."""
    if map.numbers["tiles_used"] == 1 and tiles > 1:
        name = map.tileset[int(np.bincount(map.cells.reshape(-1)).argmax())].name
        text = f"the map has only one of {tiles} tiles, {name!r}; try another seed or a min_coverage above 0"
        yield Problem((), "one_tile", name, text, (ANOTHER_SEED,))


def _find_dominant_tile(map: TileMap, counts: NDArray[np.int64]) -> Iterator[Problem]:
    """Yield a problem if one tile fills almost all of the map, but not of the samples; `counts` are the samples'."""
    own = np.bincount(map.cells.reshape(-1))
    most = int(own.argmax())
    if _compare_variety(own, counts, most) < MIN_VARIETY:
        name = map.tileset[most].name
        fractions = f"{own[most] / own.sum():.0%} of the map, but {counts[most] / counts.sum():.0%} of the samples"
        text = f"{name!r} fills {fractions}; try another seed"
        yield Problem((), "dominant_tile", name, text, (ANOTHER_SEED,))


def _find_copy(
    map: TileMap, entry: Technique, views: Sequence[tuple[Tiles, Wrap]], counts: NDArray[np.int64]
) -> Iterator[Problem]:
    """Yield a problem if a map is nearly a copy of a sample or of a part of it; `views` are the samples'.

    A sample that wraps around along all axes is a texture to repeat, so its copies are no problem.
    """
    side = int(map.numbers["copied_block"])
    bound = COPY_DIFFERENCE * (1 - int(counts.max()) / int(counts.sum()))
    for view, wrap in views:
        if all(wrap) or view.ndim != map.cells.ndim or view.size < MIN_SAMPLE * map.cells.size:
            continue
        is_large = side**view.ndim >= COPY_AREA * min(map.cells.size, view.size)
        is_suspect = side >= COPY_SIDE * min(*map.shape, *view.shape)
        if is_large or (is_suspect and min_difference(map.cells, view, wrap) <= bound):
            smaller = [name for name in ("pattern_size", "pattern_sizes") if name in entry.params.model_fields]
            advice = f"try another seed, a larger sample{f' or a smaller {smaller[0]}' if smaller else ''}"
            block = "x".join([str(side)] * view.ndim)
            text = f"the map is nearly a copy of the sample (a block of {block} cells is equal); {advice}"
            yield Problem((), "copy", side, text, (ANOTHER_SEED,))
            return


def _find_high_divergence(map: TileMap) -> Iterator[Problem]:
    """Yield a problem if the technique reports a high divergence."""
    value = map.numbers.get("divergence", 0.0)
    if value > HIGH_DIVERGENCE:
        text = (
            f"the divergence of {value:.2f} is high: the map has other patterns than the sample; try more iterations,"
            " smaller patterns or another seed"
        )
        yield Problem((), "divergence", value, text, (ANOTHER_SEED,))
