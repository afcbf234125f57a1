"""Warnings about a finished map: markers that could not be placed, and degenerate maps learned from samples.

The command line and the studio show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.entries import Technique
from ..core.errors import ANOTHER_SEED, Fix, Problem, pluralize
from ..core.plan import make_plan
from ..core.registry import techniques
from ..core.samples import Samples
from ..core.tilemap import TileMap
from .novelty import min_difference
from .patterns import AXES, EDGES, Tiles, Wrap, list_views, wraps
from .sample_use import MIN_CELLS, MIN_EDGE, MIN_VARIETY, compare_variety, find_common_edges, take_edge

UNPLACED = "unplaced "
"""Start of the names of numbers that count missing markers, such as `unplaced goblin`."""
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


def find_map_warnings(map: TileMap) -> tuple[Problem, ...]:
    """Return the problems of a finished map."""
    unplaced = {name: int(number) for name, number in map.numbers.items() if name.startswith(UNPLACED)}
    return (*find_degeneracy(map), *(_describe_unplaced(name, count) for name, count in unplaced.items()))


def count_unplaced(numbers: Mapping[str, float], names: Iterable[str], missing: Mapping[str, int]) -> dict[str, float]:
    """Return the numbers of a map with the number of missing markers of each name.

    Markers that are not missing have no number. Numbers of other markers stay the same.

    >>> count_unplaced({"try": 2, "unplaced orc": 1}, ["orc", "goblin"], {"goblin": 3})
    {'try': 2, 'unplaced goblin': 3.0}
    """
    stale = {UNPLACED + name for name in names}
    kept = {name: number for name, number in numbers.items() if name not in stale}
    return kept | {UNPLACED + name: float(count) for name, count in missing.items()}


def _describe_unplaced(key: str, count: int) -> Problem:
    name = key.removeprefix(UNPLACED)
    text = f"{pluralize(count, 'marker')} {name!r} could not be placed: the map has too few cells that fit"
    return Problem(("shaping",), "unplaced", count, text, (ANOTHER_SEED,), "")


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
    lost = _find_lost_edges(map, entry, samples, ids)
    return (*variety, *lost, *_find_copy(map, entry, views, counts), *_find_high_divergence(map))


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
    if compare_variety(own, counts, most) < MIN_VARIETY:
        name = map.tileset[most].name
        fractions = f"{own[most] / own.sum():.0%} of the map, but {counts[most] / counts.sum():.0%} of the samples"
        text = f"{name!r} fills {fractions}; try another seed"
        yield Problem((), "dominant_tile", name, text, (ANOTHER_SEED,))


def _find_lost_edges(map: TileMap, entry: Technique, samples: Samples, ids: NDArray[np.int64]) -> Iterator[Problem]:
    """Yield a problem if all of several samples have a tile along their edges and the map does not.

    Techniques with the parameter sample_edges keep it there.
    """
    assert map.recipe is not None
    params = map.recipe.params.model_dump(include={"sample_edges", "wrap"})
    if params.get("sample_edges") != () or len(samples.maps) < 2:
        return
    wrap = params.get("wrap", "none")
    common = {
        edge: int(ids[tile])
        for edge, tile in find_common_edges(samples.maps).items()
        if wrap == "none" or AXES[-1 - EDGES[edge][0]] not in wrap
    }
    lost = [edge for edge, tile in common.items() if (take_edge(map.cells, edge) == tile).mean() < MIN_EDGE]
    if lost:
        names, tile = list(common), map.tileset[common[lost[0]]].name
        keeps = f"sample_edges={','.join(names)} keeps it"
        text = f"all {len(samples.maps):,} samples have {tile!r} along their edges; {keeps}"
        fix = Fix("set", ("params", "sample_edges"), names)
        yield Problem(("params", "sample_edges"), "lost_edges", tile, text, (fix,), "")


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
