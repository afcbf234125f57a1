"""Parameters of the technique patterns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ...analysis import patterns
from ...core.caching import cached_by_size
from ...core.errors import Problem, pluralize, problem
from ...core.model import LearningParams, TrainingParams
from ...core.params import MAX_SIDE, Sized, param, size_param
from ...core.samples import Samples, Training
from ...core.seeds import Rng
from .target import TargetDistribution

STEPS_PER_CELL = {"draft": 22, "normal": 1000, "best": 4000}
"""Annealing steps or generations per cell of the map, by quality."""
MIN_SPLIT = 800
"""Minimum number of annealing steps per cell that are split into several runs."""


class PatternsTrainingParams(TrainingParams):
    """Samples, and how their patterns are extracted."""

    renamed: ClassVar[Mapping[str, str]] = {"symmetries": "symmetry", "borders": "sample_edges"}
    quick_trial: ClassVar[Mapping[str, Any]] = {"quality": "draft"}
    pattern_sizes: tuple[int, ...] | None = param(None, min_length=1, max_length=8)
    """Edge lengths of the patterns to compare; by default 3, or 2 for small samples or maps."""
    size_weights: tuple[float, ...] | None = param(None, max_length=8)
    """Weight of each pattern size; by default equal."""
    wrap_sample: patterns.AxesOf = param("none")
    """Axes along which the sample wraps, such as xy."""
    symmetry: Literal[1, 2, 8] = param(1)
    """Number of views of the sample: 1 as it is, 2 also mirrored left to right, 8 all rotations and reflections."""
    sample_edges: tuple[patterns.Edge, ...] = param((), max_length=6)
    """Edges of the map to match with those of the sample: left, right, top, bottom; with levels also below, above."""


class PatternsParams(PatternsTrainingParams, LearningParams, Sized):
    renamed: ClassVar[Mapping[str, str]] = {
        **PatternsTrainingParams.renamed,
        "part_side": "block_size",
        "mut_times": "max_stamps",
    }
    technique: ClassVar[str] = "patterns"
    samples_per_map: int | None = param(None, ge=1, le=1000, typical=(1, 8))
    """Number of samples that a map imitates, chosen at random for each map; by default all of them together."""
    width: int = size_param(40, ge=2)
    """Number of columns of the map."""
    height: int = size_param(30, ge=2)
    """Number of rows of the map."""
    depth: int | None = param(None, ge=1, le=MAX_SIDE, typical=(1, 32))
    """Number of levels of the map; by default that of the sample."""
    wrap: patterns.AxesOf = param("none")
    """Axes along which the map wraps, such as xy."""
    optimiser: Literal["annealing", "evolution", "genetic"] = param("annealing")
    """Optimizer: simulated annealing of cells, evolution by stamps of the sample, or genetic with crossover as well."""
    quality: Literal["draft", "normal", "best"] = param("normal")
    """Number of iterations per cell of the map: 22 for a draft, 1,000 normally, 4,000 for the best maps."""
    iterations: int | None = param(None, ge=0, le=1 << 40, typical=(1000, 10_000_000))
    """Number of annealing steps or generations; by default set by quality."""
    population: int = param(1, ge=1, le=1000, typical=(1, 20))
    """Number of maps to optimize, of which the best is kept; in evolution and genetic, they compete."""
    islands: int = param(1, ge=1, le=1000, typical=(1, 16))
    """Number of independent populations, optimized in parallel; the best map of all is kept."""
    block_size: int = param(64, ge=8, le=MAX_SIDE, typical=(16, 256), hidden_unless=("optimiser", "annealing"))
    """Edge length of the blocks into which annealing splits large maps."""
    max_copy: int | None = param(None, ge=0, le=MAX_SIDE, typical=(0, 24), hidden_unless=("optimiser", "annealing"))
    """Maximum edge length of a square copied from the sample, in cells; by default three patterns, 0 for no limit."""
    min_coverage: float = param(0.0, ge=0, le=1)
    """Fraction of the sample's patterns that should occur in the map; a map with less causes a warning."""
    inter_weight: float = param(0.5, ge=0, le=1)
    """Weight of two goals: 1 avoids patterns that are not in the sample, 0 avoids missing patterns of the sample."""
    max_stamps: int = param(1, ge=1, le=1000, typical=(1, 10), hidden_unless=("optimiser", "evolution", "genetic"))
    """Maximum number of stamps of the sample per mutation, in evolution and genetic."""
    noise: float = param(0.0, ge=0, le=1000, typical=(0, 0.1), hidden_unless=("optimiser", "evolution", "genetic"))
    """Amplitude of random noise added to the fitness in comparisons of maps, in evolution and genetic."""

    @property
    def shape(self) -> tuple[int, ...]:
        flat = (self.height, self.width)
        if self.sample.axes == 2:
            return flat
        return (self.depth or self.sample.grids[0].shape[0], *flat)

    def choose_samples(self, rng: Rng) -> PatternsParams:
        """Return params with the samples that one map imitates, and the pattern sizes of all samples."""
        count = len(self.sample.grids)
        if self.samples_per_map is None or self.samples_per_map >= count:
            return self
        numbers = sorted(rng.shuffle(range(count))[: self.samples_per_map])
        return self.model_copy(update={"sample": self.sample.choose(numbers), "pattern_sizes": self.sizes})

    @property
    def labels(self) -> tuple[str, ...]:
        return self.sample.labels

    @property
    def wrapped(self) -> patterns.Wrap:
        """Whether the map wraps, by axis."""
        return patterns.wraps(self.wrap, self.sample.axes)

    @property
    def sides(self) -> patterns.Sides:
        """For every axis, whether its two edges are compared."""
        return patterns.sides_of(self.sample_edges, self.sample.axes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Edge lengths of the compared patterns."""
        if self.pattern_sizes is not None:
            return self.pattern_sizes
        return (max(2, min(3, *self.shape, *(side for grid in self.sample for side in grid.shape))),)

    @property
    def training(self) -> Training:
        """The sample, with the largest pattern size."""
        return Training(
            samples=self.sample,
            pattern_size=max(self.sizes),
            wrap_sample=self.wrap_sample,
            wrap=self.wrap,
            symmetries=self.symmetry,
        )

    @property
    def steps(self) -> int:
        """Number of annealing steps or generations."""
        return prod(self.shape) * STEPS_PER_CELL[self.quality] if self.iterations is None else self.iterations

    def split_steps(self) -> tuple[int, ...]:
        """Return the steps of the runs for each map, of which the best is kept.

        Long annealing is split, because even slow cooling may end in a bad map. The first quarter of the steps is split
        as if there were no more steps, so annealing with four times the steps begins with the same runs and cannot end
        in a worse map.
        """
        runs: list[int] = []
        steps = self.steps
        while self.optimiser == "annealing" and steps >= MIN_SPLIT * prod(self.shape):
            quarter = steps // 4
            runs += [steps - 2 * quarter, quarter]
            steps = quarter
        return (steps, *reversed(runs))

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """Weights of the pattern sizes, with a sum of 1."""
        given = self.size_weights or (1.0,) * len(self.sizes)
        total = 0.0
        for weight in given:
            total += weight
        return tuple(weight / total for weight in given)

    def make_target(self, sides: patterns.Sides, has_unknown: bool) -> TargetDistribution:
        """Return the target of maps with these edges; `has_unknown` if they have tiles that are not in the sample."""
        wrap = patterns.wraps(self.wrap_sample, self.sample.axes)
        sides = tuple(sides)
        return _make_target(
            self.sample, self.sizes, self.weights, wrap, sides, self.symmetry, has_unknown, self.max_copy
        )

    def find_problems(self) -> Iterator[Problem]:
        yield from self._find_size_problems()
        yield from self._find_axis_problems()
        yield from self._find_weight_problems()

    def _find_size_problems(self) -> Iterator[Problem]:
        largest = max(self.sizes)
        cells = largest**self.sample.axes
        if any(size < 1 for size in self.sizes) or largest < 2:
            text = f"must be at least 1, and one of them at least 2, got {list(self.sizes)}"
            yield problem(text, at="pattern_sizes")
            return
        if len(set(self.sizes)) < len(self.sizes):
            yield problem(f"must contain each size once, got {list(self.sizes)}", at="pattern_sizes", rule="duplicate")
            return
        if cells > 512:
            yield problem(f"must have at most 512 cells per pattern, {largest} has {cells:,}", at="pattern_sizes")
            return
        edges = (False,) * self.sample.axes
        yield from patterns.find_sample_problems("sample", self.sample, largest, edges, "pattern_sizes")
        for name, side in zip(("width", "height", "depth"), reversed(self.shape), strict=False):
            if side < largest:
                text = f"must be at least the pattern size {largest}, got {side}; see pattern_sizes"
                yield problem(text, at=name, instead=largest)
        if self.max_copy is not None and 0 < self.max_copy < largest:
            text = f"must be at least the pattern size {largest}, or 0 for no limit, got {self.max_copy}"
            yield problem(text, at="max_copy", instead=largest)

    def _find_axis_problems(self) -> Iterator[Problem]:
        yield from patterns.find_axis_problems("wrap", "the map", self.wrap, self.sample.axes)
        yield from patterns.find_axis_problems("wrap_sample", "the sample", self.wrap_sample, self.sample.axes)
        if self.sample.axes == 2 and self.depth is not None:
            text = "needs a sample with levels, but this one is flat; leave depth out"
            yield problem(text, at="depth", remove=["depth"])
        wrapped = {"wrap": self.wrap, "wrap_sample": self.wrap_sample}
        yield from patterns.find_edge_problems("sample_edges", self.sample_edges, self.sample.axes, wrapped)

    def _find_weight_problems(self) -> Iterator[Problem]:
        if self.size_weights is None:
            return
        if len(self.size_weights) != len(self.sizes):
            sizes = pluralize(len(self.sizes), "pattern size")
            text = f"must contain one weight for each of {sizes}, got {len(self.size_weights)}"
            yield problem(text, at="size_weights")
        elif min(self.size_weights) < 0 or not 0 < max(self.size_weights) < np.inf:
            text = f"must not be negative, and not all 0, got {list(self.size_weights)}"
            yield problem(text, at="size_weights")


@cached_by_size
def _make_target(
    sample: Samples,
    sizes: tuple[int, ...],
    weights: tuple[float, ...],
    wrap: patterns.Wrap,
    sides: patterns.Sides,
    symmetry: int,
    has_unknown: bool,
    max_copy: int | None,
) -> TargetDistribution:
    """Return a target distribution; cached, because many maps are made from one sample."""
    tiles = len(sample.labels)
    return TargetDistribution(sample.maps, tiles, sizes, weights, wrap, sides, symmetry, has_unknown, max_copy)
