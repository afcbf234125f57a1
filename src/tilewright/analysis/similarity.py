"""Similarity of maps and samples: settings of the comparison, and the comparison of one map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..core.caching import cached_by_size
from ..core.errors import InvalidRecipe, Problem, problem
from ..core.grid import Grid, Label
from ..core.params import Params, param
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.samples import DEFAULT_PATTERN_SIZE, Samples
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from . import novelty, patterns
from .patterns import AxesOf, Coding, PatternCounts, Tiles, list_views, pad_map, wraps

MAX_CELLS = 512
"""Maximum number of cells of a pattern."""


class Similarity(Params):
    """Samples to compare maps with, and settings of the comparison."""

    like: Samples = param(..., metavar="SAMPLE,...")
    """Samples to compare with: files, folders, quoted globs such as "maps/*.csv", drawings, or names of built-in
    samples; with a format as in awbw:maps."""
    pattern_size: int = param(DEFAULT_PATTERN_SIZE, ge=1, le=MAX_CELLS, typical=(2, 5))
    """Edge length of the compared patterns in cells."""
    wrap_sample: AxesOf = param("none")
    """Axes along which the samples wrap around, such as xy."""
    wrap: AxesOf = param("none")
    """Axes along which the map wraps around, such as xy."""
    symmetries: Literal[1, 2, 8] = param(1)
    """Symmetric views of the samples to include: 1 unchanged, 2 also mirror images, 8 also rotations."""

    def find_problems(self) -> Iterator[Problem]:
        cells = self.pattern_size**self.like.axes
        if cells > MAX_CELLS:
            text = f"patterns must have at most {MAX_CELLS} cells, {self.pattern_size} has {cells:,}"
            yield problem(text, at="pattern_size")
            return
        yield from patterns.find_axis_problems("wrap_sample", "the sample", self.wrap_sample, self.like.axes)
        yield from patterns.find_axis_problems("wrap", "the map", self.wrap, self.like.axes)
        wrap = wraps(self.wrap_sample, self.like.axes)
        yield from patterns.find_sample_problems("like", self.like, self.pattern_size, wrap, "pattern_size")

    def compare(self, map: TileMap) -> Comparison:
        """Compare a map with the samples."""
        if map.cells.ndim != self.like.axes:
            kinds = {2: "is flat", 3: "has levels"}
            both = f"the map {kinds[map.cells.ndim]} but the sample {kinds[self.like.axes]}"
            text = f"{both}; both must be flat or have levels"
            raise InvalidRecipe(text, at="like")
        tilesets = tuple(grid.tileset for grid in self.like)
        return Comparison(map, self, _number_samples(self, tilesets, map.tileset))


def find_similarity(recipe: Recipe) -> Similarity | None:
    """Return the settings to compare maps of a recipe with its training data; None if it has no training data."""
    training = techniques.get(recipe.technique).training_of(recipe.params)
    if training is None:
        return None
    # Resolve labels to tiles as the pipeline does.
    renamed, samples = dict(recipe.tiles), training.samples
    labels = [renamed.get(label, label) for label in samples.labels]
    like = Samples([Grid(labels, tiles) for tiles in samples.maps])
    names = ("pattern_size", "wrap_sample", "wrap", "symmetries")
    return Similarity.validate({"like": like, **{name: getattr(training, name) for name in names}})


@dataclass(frozen=True, eq=False)
class NumberedSamples:
    """Samples in the tile numbers of a tileset; tiles that are not in the tileset get higher numbers."""

    views: tuple[tuple[Tiles, tuple[bool, ...]], ...]
    """Tiles of each symmetric view of the samples, and whether each axis wraps around."""
    coding: Coding
    patterns: PatternCounts

    @cached_property
    def blocks(self) -> novelty.SampleBlocks:
        """Index of the blocks of all views."""
        return novelty.SampleBlocks(self.views)


@cached_by_size
def _number_samples(similarity: Similarity, tilesets: tuple[Tileset | None, ...], tileset: Tileset) -> NumberedSamples:
    """Convert samples to the tile numbers of a tileset, cached for many maps.

    The tilesets are an argument because equal samples may have different tilesets.
    """
    samples, axes = similarity.like, similarity.like.axes
    unknown: dict[str, int] = {}
    views = []
    for grid, own in zip(samples, tilesets, strict=True):
        tiles = _number_labels(grid, own, tileset, unknown)[grid.cells]
        views += list_views([tiles], wraps(similarity.wrap_sample, axes), similarity.symmetries)
    size = similarity.pattern_size
    coding = Coding(size, axes, len(tileset) + len(unknown))
    patterns = PatternCounts.of(coding, [pad_map(view, size, wrap) for view, wrap in views])
    return NumberedSamples(tuple(views), coding, patterns)


def _number_labels(grid: Grid, base: Tileset | None, tileset: Tileset, unknown: dict[str, int]) -> NDArray[np.int64]:
    """Return the tile number of each label of a grid: the tile with this name, or else with this glyph.

    If the grid has no tileset, labels may also be tile numbers. If it has one, names take precedence: a glyph does not
    match a tile that another label names. Labels that match no tile get numbers after the last tile, which are added to
    `unknown`.
    """
    found: dict[Label, int | None]
    if base is None:
        found = {label: tileset.find(label) for label in grid.labels}
    else:
        found = {label: tileset.by_name.get(str(label)) for label in grid.labels}
        named = set(found.values())
        glyphs = {label: base[own].glyph for label in grid.labels if (own := base.find(label)) is not None}
        for label, glyph in glyphs.items():
            number = tileset.by_glyph.get(glyph)
            if found[label] is None and number not in named:
                found[label] = number
    numbers = [
        len(tileset) + unknown.setdefault(str(label), len(unknown)) if number is None else number
        for label, number in found.items()
    ]
    return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A map and the samples it is compared with; each property is computed on first access."""

    map: TileMap
    similarity: Similarity
    samples: NumberedSamples

    @property
    def wrap(self) -> tuple[bool, ...]:
        return wraps(self.similarity.wrap, self.map.cells.ndim)

    @cached_property
    def patterns(self) -> PatternCounts | None:
        """Pattern counts of the map; None if the map is smaller than a pattern."""
        padded = pad_map(self.map.cells, self.similarity.pattern_size, self.wrap)
        found = PatternCounts.of(self.samples.coding, [padded])
        return found if found.total else None

    @cached_property
    def divergences(self) -> tuple[float, float] | None:
        """Divergence of the map from the samples, and of the samples from the map."""
        return None if self.patterns is None else patterns.divergences(self.patterns, self.samples.patterns)

    @cached_property
    def copied_share(self) -> float | None:
        """Fraction of the map's patterns that occur in the samples."""
        own = self.patterns
        if own is None:
            return None
        return int(own.counts[self.samples.patterns.count(own.keys) > 0].sum()) / own.total

    @cached_property
    def copied_side(self) -> int:
        """Edge length of the largest block of the map that occurs in the samples."""
        return self.samples.blocks.find_copied_side(self.map.cells, self.wrap)

    @cached_property
    def min_difference(self) -> float:
        """Smallest fraction of cells that differ from a sample."""
        return min(novelty.min_difference(self.map.cells, view, wrap) for view, wrap in self.samples.views)
