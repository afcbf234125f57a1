"""Similarity: what maps are compared with, and how, and the comparison of one map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, Problem, problem
from ..core.grid import Grid, Label
from ..core.params import Params, param
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.samples import DEFAULT_PATTERN_SIZE, Samples
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import novelty
from .patterns import (
    AxesOf,
    Coding,
    PatternCounts,
    Tiles,
    divergences,
    find_axis_problems,
    iter_view_wraps,
    iter_views,
    pad_map,
    wraps,
)

MAX_CELLS = 512
"""Of a window."""


class Similarity(Params):
    """Samples that maps are compared with, and how both are read."""

    like: Samples = param(...)
    """One or several maps: files, drawings, or names of built-in samples."""
    pattern_size: int = param(DEFAULT_PATTERN_SIZE, ge=1, le=MAX_CELLS, typical=(2, 5))
    """Side of the windows that are compared."""
    wrap_sample: AxesOf = param("none")
    """Axes along which the samples wrap, such as xy."""
    wrap: AxesOf = param("none")
    """Axes along which the map wraps, such as xy."""
    symmetries: Literal[1, 2, 8] = param(1)
    """Views of the samples that count: 1 as they are, 2 mirrored left to right too, 8 also turned by quarters."""

    def find_problems(self) -> Iterator[Problem]:
        cells = self.pattern_size**self.like.axes
        if cells > MAX_CELLS:
            text = f"windows of at most {MAX_CELLS} cells, {self.pattern_size} has {cells:,}"
            yield problem(text, at="pattern_size")
            return
        yield from find_axis_problems("wrap_sample", "the sample", self.wrap_sample, self.like.axes)
        yield from find_axis_problems("wrap", "the map", self.wrap, self.like.axes)
        for number, grid in enumerate(self.like):
            sides = zip(grid.shape, wraps(self.wrap_sample, self.like.axes), strict=True)
            if any(side < self.pattern_size and not round_ for side, round_ in sides):
                which = f"sample {number + 1}" if len(self.like) > 1 else "the sample"
                size = "x".join(map(str, reversed(grid.shape)))
                text = f"{which} of {size} cells is smaller than a window of {self.pattern_size}; see pattern_size"
                yield problem(text, at="like", rule="sample_size")

    def compare(self, map: TileMap) -> Comparison:
        """A map, compared."""
        if map.cells.ndim != self.like.axes:
            kinds = {2: "is flat", 3: "has levels"}
            text = f"the map {kinds[map.cells.ndim]} and the sample {kinds[self.like.axes]}; both must be of a kind"
            raise InvalidRecipe(text, at="like")
        looks = tuple(grid.tileset for grid in self.like)
        return Comparison(map, self, _number_samples(self, looks, map.tileset))


def find_similarity(recipe: Recipe) -> Similarity | None:
    """What the maps of a recipe are like: its training data; None where it has none."""
    training = techniques.get(recipe.technique).training_of(recipe.params)
    if training is None:
        return None
    # Bare words become the tileset's tiles as the pipeline makes them.
    renamed, samples = dict(recipe.tiles), training.samples
    words = [renamed.get(word, word) for word in samples.labels]
    return Similarity.validate(
        {
            "like": Samples([Grid(words, tiles) for tiles in samples.maps]),
            "pattern_size": training.pattern_size,
            "wrap_sample": training.wrap_sample,
            "wrap": training.wrap,
            "symmetries": training.symmetries,
        }
    )


@dataclass(frozen=True, eq=False)
class NumberedSamples:
    """Samples whose tiles bear a tileset's numbers; those that it lacks have numbers of their own behind them."""

    views: tuple[tuple[Tiles, tuple[bool, ...]], ...]
    """The samples, also turned and mirrored, and along which axes each wraps."""
    coding: Coding
    patterns: PatternCounts


@lru_cache(maxsize=4)
def _number_samples(similarity: Similarity, tilesets: tuple[Tileset | None, ...], tileset: Tileset) -> NumberedSamples:
    """Worked out once for many maps of one tileset. Equal samples may have other looks, which count here."""
    samples, axes = similarity.like, similarity.like.axes
    unknown: dict[str, int] = {}
    views = []
    for grid, own in zip(samples, tilesets, strict=True):
        tiles = _number_words(grid, own, tileset, unknown)[grid.cells]
        wrap = wraps(similarity.wrap_sample, axes)
        turns = zip(iter_views(tiles, similarity.symmetries), iter_view_wraps(wrap, similarity.symmetries), strict=True)
        views += [(np.ascontiguousarray(view), round_) for view, round_ in turns]
    size = similarity.pattern_size
    coding = Coding(size, axes, len(tileset) + len(unknown))
    return NumberedSamples(
        tuple(views), coding, PatternCounts.of(coding, [_pad_wrapped(view, size, wrap) for view, wrap in views])
    )


def _pad_wrapped(map: Tiles, size: int, wrap: Sequence[bool]) -> Tiles:
    return pad_map(map, size, wrap, [(False, False)] * map.ndim, 0)


def _number_words(
    grid: Grid, own_tileset: Tileset | None, tileset: Tileset, unknown: dict[str, int]
) -> NDArray[np.int64]:
    """(word,) each word of a grid as a number of the tileset, by name, then glyph; bare words then by number too.

    Where both come with looks, names go first: a glyph whose tile is named by another word is not the same tile. Words
    that the tileset lacks are numbered in `strange`, which gains those that are new.
    """
    found: dict[Label, int | None]
    if own_tileset is None:
        found = {word: tileset.find(word) for word in grid.labels}
    else:
        found = {word: tileset.by_name.get(str(word)) for word in grid.labels}
        named = set(found.values())
        glyphs = {word: own_tileset[own].glyph for word in grid.labels if (own := own_tileset.find(word)) is not None}
        for word, glyph in glyphs.items():
            number = tileset.by_glyph.get(glyph)
            if found[word] is None and number not in named:
                found[word] = number
    numbers = [
        len(tileset) + unknown.setdefault(str(word), len(unknown)) if number is None else number
        for word, number in found.items()
    ]
    return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A map and what it is compared with; each number is worked out when it is asked for."""

    map: TileMap
    similarity: Similarity
    samples: NumberedSamples

    @property
    def wrap(self) -> tuple[bool, ...]:
        return wraps(self.similarity.wrap, self.map.cells.ndim)

    @cached_property
    def patterns(self) -> PatternCounts | None:
        """The map's; None where it is smaller than a window."""
        wide = _pad_wrapped(self.map.cells, self.similarity.pattern_size, self.wrap)
        found = PatternCounts.of(self.samples.coding, [wide])
        return found if found.total else None

    @cached_property
    def divergences(self) -> tuple[float, float] | None:
        """Of the map from the samples, and of the samples from the map."""
        return None if self.patterns is None else divergences(self.patterns, self.samples.patterns)

    @cached_property
    def copied_share(self) -> float | None:
        """The share of the map's windows that the samples have."""
        own = self.patterns
        if own is None:
            return None
        return int(own.counts[self.samples.patterns.count(own.keys) > 0].sum()) / own.total

    @cached_property
    def copied_side(self) -> int:
        """The side of the largest block of the map that the samples have."""
        return novelty.find_copied_side(self.map.cells, self.wrap, self.samples.views)

    @cached_property
    def min_difference(self) -> float:
        """From the nearest sample."""
        return min(novelty.min_difference(self.map.cells, view, wrap) for view, wrap in self.samples.views)
