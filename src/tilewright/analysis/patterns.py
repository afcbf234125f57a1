"""Patterns of maps: N×N blocks of tiles, their counts, and the divergence of two maps.

A pattern has a key: the sum of its tiles times multipliers. With few possible patterns, keys are unique and dense
integers. Otherwise keys are 64-bit hashes; two different patterns have the same key with probability 2^-64.

Source of the divergence: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019,
after Kullback and Leibler, "On information and sufficiency", 1951.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ..core.errors import Problem, problem
from ..core.samples import Samples
from ..core.seeds import CELL_GAMMA, MASK, mix
from ..core.tilemap import format_size
from ..kernels.exact import log

Tiles: TypeAlias = NDArray[np.integer[Any]]
"""(row, column) or (level, row, column) tiles of a map, numbered from 0."""
Keys: TypeAlias = NDArray[np.uint64]
Wrap: TypeAlias = Sequence[bool]
"""Whether the map wraps around, by axis."""
Sides: TypeAlias = Sequence[tuple[bool, bool]]
"""For each axis, whether patterns include the edge before the first cell, and the edge after the last cell."""

AXES = ("x", "y", "z")
"""Axis names; the first name is that of the last axis of an array."""
EDGES = {"left": (-1, 0), "right": (-1, 1), "top": (-2, 0), "bottom": (-2, 1), "below": (-3, 0), "above": (-3, 1)}
"""Axis of every edge, and whether it is at the start (0) or the end (1) of the axis."""
Edge = Literal["left", "right", "top", "bottom", "below", "above"]
DENSE_KEYS = 1 << 20
"""Maximum number of possible patterns with dense keys."""
SMOOTHING = 1e-6
"""Added to every count, so that no fraction is 0."""


def _read_axes(value: Any) -> Any:
    """Replace true by all axes, and false or an empty string by none."""
    names = {"true": "xyz", "false": "none", "": "none"}
    return names.get(str(value).lower(), value) if isinstance(value, (bool, str)) else value


AxesOf = Annotated[Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"], BeforeValidator(_read_axes)]
"""Names of axes."""


def wraps(axes: str, dimensions: int) -> tuple[bool, ...]:
    """Return, for each axis of an array with `dimensions` dimensions, whether its name is in `axes`."""
    return tuple(AXES[dimensions - 1 - axis] in axes for axis in range(dimensions))


def find_axis_problems(name: str, what: str, axes: str, dimensions: int) -> list[Problem]:
    """Return the problems of the axes along which a map or a sample wraps around. `xyz` is allowed for 2D maps."""
    wrong = dimensions == 2 and "z" in axes and axes != "xyz"
    text = f"{what} has no z axis to wrap around; got {axes!r}"
    return [problem(text, at=name, rule="dimensions", instead=axes.replace("z", "") or "none")] if wrong else []


def sides_of(edges: Iterable[str], dimensions: int) -> Sides:
    """Return, for each axis of an array, whether its two edges are among `edges`."""
    ends = [[False, False] for _ in range(dimensions)]
    for edge in edges:
        axis, end = EDGES[edge]
        ends[axis][end] = True
    return tuple((before, behind) for before, behind in ends)


def find_edge_problems(name: str, edges: Sequence[str], dimensions: int, wrapped: Mapping[str, str]) -> list[Problem]:
    """Return the problems of a parameter that names edges.

    `wrapped` has the axes along which maps and samples wrap around, by the parameter that says so.
    """
    if dimensions == 2 and set(edges) & {"below", "above"}:
        instead = [edge for edge in edges if edge not in ("below", "above")]
        return [problem("below and above need a sample with levels", at=name, rule="dimensions", instead=instead)]
    problems = []
    for edge in edges:
        axis = AXES[-1 - EDGES[edge][0]]
        for other, axes in wrapped.items():
            if axis in axes:
                text = f"there is no edge {edge}, because {other} includes {axis}"
                instead = [one for one in edges if one != edge]
                problems.append(problem(text, at=name, rule="conflict", instead=instead))
    return problems


def find_sample_problems(name: str, samples: Samples, size: int, wrap: Wrap, see: str) -> Iterator[Problem]:
    """Yield a problem of the parameter `name` for each sample that is smaller than a pattern and does not wrap.

    `see` is the parameter with the size of patterns.
    """
    for number, grid in enumerate(samples):
        if any(side < size and not wraps_around for side, wraps_around in zip(grid.shape, wrap, strict=True)):
            shown = format_size(grid.shape)
            text = f"{samples.describe(number)} of {shown} cells is smaller than a pattern of {size} cells; see {see}"
            yield problem(text, at=name, rule="sample_size", remove=[see])


@dataclass(frozen=True)
class Coding:
    """Conversion of patterns of one size to keys."""

    size: int
    axes: int
    tiles: int
    """Number of tiles; one more, for cells outside the map, if patterns include edges."""

    @property
    def cells(self) -> int:
        return int(self.size**self.axes)

    @property
    def bound(self) -> int:
        """Exclusive upper limit of the keys; 0 if they are not dense."""
        return self.tiles**self.cells if self.cells <= 64 and self.tiles**self.cells <= DENSE_KEYS else 0

    @cached_property
    def multipliers(self) -> Keys:
        """(cell,) multipliers in array order."""
        if self.bound:
            return np.array([self.tiles**number for number in range(self.cells)], dtype=np.uint64)
        return np.array([mix((number + 1) * CELL_GAMMA & MASK) | 1 for number in range(self.cells)], dtype=np.uint64)

    def keys(self, padded: Tiles) -> Keys:
        """Return the keys of all patterns of a map, indexed by their first cells."""
        shape = tuple(max(0, side - self.size + 1) for side in padded.shape)
        keys = np.zeros(shape, dtype=np.uint64)
        if not keys.size:
            return keys
        for start, multiplier in zip(product(range(self.size), repeat=self.axes), self.multipliers, strict=True):
            part = padded[tuple(slice(first, first + side) for first, side in zip(start, shape, strict=True))]
            keys += part.astype(np.uint64) * multiplier
        return keys


def pad_map(map: Tiles, size: int, wrap: Wrap, sides: Sides | None = None, beyond: int = 0) -> Tiles:
    """Return a map extended by the cells that patterns cover beyond its edges.

    Along an axis that wraps around, these are copies of the first `size - 1` cells. At other edges that patterns
    include, by default none, it is one cell with the value `beyond`.
    """
    padded = map
    for axis, (wraps_around, edges) in enumerate(zip(wrap, sides or ((False, False),) * map.ndim, strict=True)):
        if wraps_around:
            repeated = np.arange(map.shape[axis] + size - 1) % map.shape[axis]
            padded = np.take(padded, repeated, axis=axis)
        elif any(edges):
            margin = [(0, 0)] * map.ndim
            margin[axis] = (int(edges[0]), int(edges[1]))
            padded = np.pad(padded, margin, constant_values=beyond)
    return padded


def iter_views(map: Tiles, symmetries: int) -> Iterator[Tiles]:
    """Yield the symmetric views of a map: 1 unchanged, 2 with the mirror image, 8 with rotations of the levels."""
    for number in range(symmetries):
        view = np.rot90(map, number // 2, axes=(-2, -1))
        yield view[..., ::-1] if number % 2 else view


def iter_view_wraps(wrap: Wrap, symmetries: int) -> Iterator[tuple[bool, ...]]:
    """Yield, for each view, whether each axis wraps around; a quarter turn swaps rows and columns."""
    for number in range(symmetries):
        yield (*wrap[:-2], wrap[-1], wrap[-2]) if number // 2 % 2 else tuple(wrap)


def list_views(maps: Iterable[Tiles], wrap: Wrap, symmetries: int) -> list[tuple[Tiles, tuple[bool, ...]]]:
    """Return the symmetric views of maps, and for each view whether each axis wraps around."""
    return [
        (np.ascontiguousarray(view), view_wrap)
        for map in maps
        for view, view_wrap in zip(iter_views(map, symmetries), iter_view_wraps(wrap, symmetries), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class PatternCounts:
    """Counts of the distinct patterns of one size in some maps, by ascending key."""

    coding: Coding
    keys: Keys
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, coding: Coding, maps: Sequence[Tiles]) -> PatternCounts:
        """Count the patterns of maps that are already padded."""
        all_keys = np.concatenate([coding.keys(map).reshape(-1) for map in maps])
        keys, counts = np.unique(all_keys, return_counts=True)
        return cls(coding, keys, counts.astype(np.int64))

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def count(self, keys: Keys) -> NDArray[np.int64]:
        """Return the number of occurrences of each key."""
        places = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        return np.where(self.keys[places] == keys, self.counts[places], 0)


def smooth_counts(counts: NDArray[np.integer[Any]], total: int) -> NDArray[np.float64]:
    """Return the fractions of patterns, smoothed so that no fraction is 0."""
    return (counts.astype(np.float64) + SMOOTHING) / ((total + SMOOTHING) * (1.0 + SMOOTHING))


def divergences(one: PatternCounts, other: PatternCounts) -> tuple[float, float]:
    """Return the Kullback-Leibler divergence of `one` from `other`, and of `other` from `one`.

    The first grows with patterns that `other` lacks, the second with patterns that `one` lacks. Both are 0 if the
    fractions of all patterns are equal. The sums run over the union of both sets of patterns.
    """
    keys = np.union1d(one.keys, other.keys)
    one_fractions = smooth_counts(one.count(keys), one.total)
    other_fractions = smooth_counts(other.count(keys), other.total)
    log_ratio = log(one_fractions) - log(other_fractions)
    return _sum(one_fractions * log_ratio), _sum(-other_fractions * log_ratio)


def divergence(one: PatternCounts, other: PatternCounts, weight: float = 0.5) -> float:
    """Return the weighted mean of both `divergences`; `weight` is the weight of the first of them."""
    forward, backward = divergences(one, other)
    return weight * forward + (1.0 - weight) * backward


def _sum(values: NDArray[np.float64]) -> float:
    """Return a sum in a fixed order; the order of NumPy's own sum depends on the machine."""
    return float(np.add.accumulate(values)[-1]) if values.size else 0.0
