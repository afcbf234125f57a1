"""Windows of maps: which patterns of a size occur, how often, and how far two maps are apart by them.

A window is known by a key: the sum of its tiles times multipliers. Where all keys are below a bound they are numbers in
a dense range; otherwise they are any, and two patterns share a key with a chance of one in 2^64.

Source of the divergence: Lucas and Volz, "Tile pattern KL-divergence for analysing and evolving game levels", 2019,
after Kullback and Leibler, "On information and sufficiency", 1951.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from ..core.errors import Problem, problem
from ..core.seeds import CELL_GAMMA, MASK, mix
from ..kernels.exact import log

Tiles: TypeAlias = NDArray[np.integer[Any]]
"""(row, column) or (level, row, column) tiles of a map, numbered from 0 on."""
Keys: TypeAlias = NDArray[np.uint64]
Wrap: TypeAlias = Sequence[bool]
"""Whether a map wraps, by axis."""
Sides: TypeAlias = Sequence[tuple[bool, bool]]
"""Whether the edge before the first cell counts, and that behind the last, by axis."""

AXES = ("x", "y", "z")
"""In the order in which people name them: the last of an array first."""
DENSE_KEYS = 1 << 20
"""Up to so many possible patterns, keys are dense."""
SMOOTHING = 1e-6
"""Added to every count, so that no share is 0."""


def _read_axes(value: Any) -> Any:
    """true and false stand for all axes and none, as does no word at all."""
    words = {"true": "xyz", "false": "none", "": "none"}
    return words.get(str(value).lower(), value) if isinstance(value, (bool, str)) else value


AxesOf = Annotated[Literal["none", "x", "y", "z", "xy", "xz", "yz", "xyz"], BeforeValidator(_read_axes)]
"""Axes as people write them."""


def wraps(axes: str, dimensions: int) -> tuple[bool, ...]:
    """Whether each axis of an array of so many is one of these."""
    return tuple(AXES[dimensions - 1 - axis] in axes for axis in range(dimensions))


def find_axis_problems(name: str, what: str, axes: str, dimensions: int) -> list[Problem]:
    """What is wrong with axes along which a map or a sample is to wrap; all three mean as many as there are."""
    wrong = dimensions == 2 and "z" in axes and axes != "xyz"
    text = f"{what} is flat, so that it has no z to wrap along; got {axes!r}"
    return [problem(text, at=name, rule="dimensions", instead=axes.replace("z", "") or "none")] if wrong else []


@dataclass(frozen=True)
class Coding:
    """How windows of a size become keys."""

    size: int
    axes: int
    tiles: int
    """How many tiles there are; with an edge that counts, one more stands for what is beyond it."""

    @property
    def cells(self) -> int:
        return int(self.size**self.axes)

    @property
    def bound(self) -> int:
        """All keys are below it; 0 where they are too many to be dense."""
        return self.tiles**self.cells if self.cells <= 64 and self.tiles**self.cells <= DENSE_KEYS else 0

    @cached_property
    def multipliers(self) -> Keys:
        """(cell,) in array order."""
        if self.bound:
            return np.array([self.tiles**number for number in range(self.cells)], dtype=np.uint64)
        return np.array([mix((number + 1) * CELL_GAMMA & MASK) | 1 for number in range(self.cells)], dtype=np.uint64)

    def keys(self, padded: Tiles) -> Keys:
        """The keys of all windows of a map, by their first cells."""
        shape = tuple(max(0, side - self.size + 1) for side in padded.shape)
        keys = np.zeros(shape, dtype=np.uint64)
        if not keys.size:
            return keys
        for start, multiplier in zip(product(range(self.size), repeat=self.axes), self.multipliers, strict=True):
            part = padded[tuple(slice(first, first + side) for first, side in zip(start, shape, strict=True))]
            keys += part.astype(np.uint64) * multiplier
        return keys


def pad_map(map: Tiles, size: int, wrap: Wrap, sides: Sides, beyond: int) -> Tiles:
    """A map with what windows see of it beyond its edges: itself where it wraps, one cell where the edge counts."""
    wide = map
    for axis, (round_, edges) in enumerate(zip(wrap, sides, strict=True)):
        if round_:
            repeated = np.arange(map.shape[axis] + size - 1) % map.shape[axis]
            wide = np.take(wide, repeated, axis=axis)
        elif any(edges):
            margin = [(0, 0)] * map.ndim
            margin[axis] = (int(edges[0]), int(edges[1]))
            wide = np.pad(wide, margin, constant_values=beyond)
    return wide


def iter_views(map: Tiles, symmetries: int) -> Iterator[Tiles]:
    """The map in so many views: as it is, mirrored, and turned by quarters with their mirrors; levels stay level."""
    for number in range(symmetries):
        view = np.rot90(map, number // 2, axes=(-2, -1))
        yield view[..., ::-1] if number % 2 else view


def iter_view_wraps(wrap: Wrap, symmetries: int) -> Iterator[tuple[bool, ...]]:
    """How each of these views wraps, where the map itself wraps so: a quarter turn swaps rows and columns."""
    for number in range(symmetries):
        yield (*wrap[:-2], wrap[-1], wrap[-2]) if number // 2 % 2 else tuple(wrap)


@dataclass(frozen=True, eq=False)
class PatternCounts:
    """The distinct windows of one size in some maps, by rising key."""

    coding: Coding
    keys: Keys
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, coding: Coding, maps: Sequence[Tiles]) -> PatternCounts:
        """Of maps that are framed already."""
        every = np.concatenate([coding.keys(map).reshape(-1) for map in maps])
        keys, counts = np.unique(every, return_counts=True)
        return cls(coding, keys, counts.astype(np.int64))

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def count(self, keys: Keys) -> NDArray[np.int64]:
        """How often each of some windows occurs here."""
        places = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        return np.where(self.keys[places] == keys, self.counts[places], 0)


def smooth_counts(counts: NDArray[np.integer[Any]], total: int) -> NDArray[np.float64]:
    """Shares of windows, none of them 0."""
    return (counts.astype(np.float64) + SMOOTHING) / ((total + SMOOTHING) * (1.0 + SMOOTHING))


def divergences(one: PatternCounts, other: PatternCounts) -> tuple[float, float]:
    """Kullback and Leibler's divergence of one from the other, and of the other from the one.

    The first grows with windows that the other lacks, the second with windows of the other that are missing. Both are
    0 where the windows' shares are the same. Each window that occurs in either is counted once.
    """
    keys = np.union1d(one.keys, other.keys)
    here, there = smooth_counts(one.count(keys), one.total), smooth_counts(other.count(keys), other.total)
    apart = log(here) - log(there)
    return _sum(here * apart), _sum(-there * apart)


def divergence(one: PatternCounts, other: PatternCounts, weight: float = 0.5) -> float:
    """Both divergences, the first with this weight and the second with the rest of 1."""
    forth, back = divergences(one, other)
    return weight * forth + (1.0 - weight) * back


def _sum(values: NDArray[np.float64]) -> float:
    """In a fixed order; numpy's own sum takes one that depends on the machine."""
    return float(np.add.accumulate(values)[-1]) if values.size else 0.0
