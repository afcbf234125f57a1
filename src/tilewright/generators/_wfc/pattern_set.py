"""Pattern sets: the patterns of a wave, their weights, and which of them may be neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import EDGES, Coding, Tiles, Wrap, iter_view_wraps, iter_views, pad_map
from ...core.errors import TooLarge
from ...core.samples import Counts
from ...kernels.exact import log
from ...kernels.periods import find_periods
from ...kernels.wave import LOG_SCALE

Bits = NDArray[np.uint64]
"""(..., word) sets of patterns as bits, 64 patterns per word."""
Images = Sequence[NDArray[np.int64]]
"""(view)(tile,) image of each tile in every view of a sample, for tiles that rotate with the view."""

STORED_ARRAYS = ("settings", "patterns", "counts", "ground")
"""Names of the arrays stored in a model."""
MAX_PATTERNS = 32768
MAX_WEIGHT = 1 << 20
"""Maximum sum of all weights. A table holds the logarithms of all integers up to it."""


class NeighborLists(NamedTuple):
    """Allowed neighbors of patterns, as lists. Patterns with the same neighbors in a direction share a list."""

    indices: NDArray[np.int32]
    """(direction, pattern) index of the list of patterns that the neighbor in that direction may hold."""
    starts: NDArray[np.int32]
    """(list + 1,) start of every list in `members`."""
    members: NDArray[np.int32]
    """Patterns of all lists, in ascending order within a list."""
    inverses: NDArray[np.int32]
    """(list,) list of the opposite direction that all members of the list have, or -1 if they have several."""


@dataclass(frozen=True, eq=False)
class PatternSet:
    """Patterns of tile indices, their weights and allowed neighbors; patterns of one cell are single tiles.

    Directions are those of kernels/wave: backward along every axis, then forward along every axis.
    """

    axes: int
    size: int
    """Edge length of a pattern."""
    tiles: int
    """Number of tiles."""
    patterns: NDArray[np.uint16]
    """(pattern, cell of the pattern) tile."""
    weights: NDArray[np.int64]
    """(pattern,) frequency; the sum is at most MAX_WEIGHT."""
    neighbors: NeighborLists
    ground: NDArray[np.bool_]
    """(pattern,) whether the pattern starts in the last row of a sample."""

    def __len__(self) -> int:
        return len(self.patterns)

    @property
    def words(self) -> int:
        """Number of 64-bit words in a set of patterns."""
        return -(-len(self) // 64)

    @cached_property
    def full(self) -> Bits:
        """(word,) the set of all patterns."""
        return pack_bits(np.ones(len(self), dtype=np.bool_))

    @cached_property
    def allowed(self) -> Bits:
        """(direction, pattern, word) patterns that the neighbor of the pattern in that direction may hold."""
        indices, starts, members, _ = self.neighbors
        sets = np.zeros((len(starts) - 1, self.words), dtype=np.uint64)
        owners = np.repeat(np.arange(len(sets)), np.diff(starts))
        np.bitwise_or.at(sets, (owners, members >> 6), np.uint64(1) << (members & 63).astype(np.uint64))
        return sets[indices]

    @cached_property
    def logarithms(self) -> NDArray[np.float64]:
        """(weight,) logarithm of every weight that a set of patterns can have; 0 for weight 0."""
        table = np.zeros(int(self.weights.sum()) + 1)
        table[1:] = log(np.arange(1, len(table)))
        return table

    @cached_property
    def w_log_w(self) -> NDArray[np.int64]:
        """(pattern,) weight times its logarithm, in units of 1 / LOG_SCALE; integers have the same sum in any order."""
        return np.floor(self.weights * self.logarithms[self.weights] * LOG_SCALE + 0.5).astype(np.int64)

    @cached_property
    def isolated(self) -> NDArray[np.bool_]:
        """(direction, pattern) whether the pattern has no possible neighbor in the direction."""
        indices, starts, _, _ = self.neighbors
        return np.asarray((starts[1:] == starts[:-1])[indices])

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Sums of the weights and of the weights times their logarithms."""
        return int(self.weights.sum()), int(self.w_log_w.sum())

    def match_tiles(self, tiles: Sequence[int], place: int) -> NDArray[np.bool_]:
        """Return (pattern,) whether each pattern has one of `tiles` at a position."""
        return np.isin(self.patterns[:, place], tiles)

    def find_compatible(self, patterns: NDArray[np.bool_], direction: int) -> NDArray[np.bool_]:
        """Return (pattern,) whether any of `patterns` may be the neighbor of each pattern in a direction."""
        indices, starts, members, _ = self.neighbors
        before = np.zeros(len(members) + 1, dtype=np.int64)
        np.cumsum(patterns[members], out=before[1:])
        return np.asarray((before[starts[1:]] > before[starts[:-1]])[indices[direction]])

    @cached_property
    def periods(self) -> NDArray[np.int64]:
        """(axis, pattern) divisor of the lengths of all closed rows that contain the pattern; 0 if there are none."""
        return self._find_periods(np.ones(len(self), dtype=np.bool_))

    def _find_periods(self, included: NDArray[np.bool_]) -> NDArray[np.int64]:
        indices, starts, members, _ = self.neighbors
        periods = np.zeros((self.axes, len(self)), dtype=np.int64)
        for axis in range(self.axes):
            find_periods(indices[self.axes + axis], starts, members, included.astype(np.uint8), periods[axis])
        return periods

    def find_wrappable(self, shape: Sequence[int], wrap: Sequence[bool]) -> NDArray[np.bool_]:
        """Return (pattern,) False for patterns that no map of a shape contains, because of the axes that wrap."""
        sides = np.array([side for side, round_ in zip(shape, wrap, strict=True) if round_])
        periods, left = self.periods[list(wrap)], np.ones(len(self), dtype=np.bool_)
        while True:
            fits = (periods > 0) & (sides[:, None] % np.maximum(1, periods) == 0)
            fewer = left & fits.all(axis=0)
            if np.array_equal(fewer, left):
                return left
            left = fewer
            periods = self._find_periods(left)[list(wrap)]

    def find_neighbors(self, pattern: int, direction: int) -> NDArray[np.int32]:
        """Return the patterns that the neighbor of a pattern in a direction may hold."""
        indices, starts, members, _ = self.neighbors
        index = indices[direction, pattern]
        return members[starts[index] : starts[index + 1]]

    def may_adjoin(self, here: NDArray[np.int64], there: NDArray[np.int64], direction: int) -> NDArray[np.bool_]:
        """Return whether each pattern of `there` may be the neighbor of the one of `here` in a direction.

        The result is False for unknown patterns (-1) in `there`.
        """
        indices, starts, members, _ = self.neighbors
        known = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) * len(self) + members
        return (there >= 0) & np.isin(indices[direction, here].astype(np.int64) * len(self) + there, known)


def pack_bits(patterns: NDArray[np.bool_]) -> Bits:
    """Return boolean sets of patterns, (..., pattern), as bits, (..., word)."""
    count = patterns.shape[-1]
    padded = np.zeros((*patterns.shape[:-1], -(-count // 64) * 64), dtype=np.uint8)
    padded[..., :count] = patterns
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack_bits(bits: Bits, count: int) -> NDArray[np.uint8]:
    """Return sets of patterns as (..., pattern), 1 for every pattern in the set."""
    own = np.ascontiguousarray(bits).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(own, axis=-1, count=count, bitorder="little")


def make_views(
    maps: Sequence[Tiles], wrap: Wrap, symmetry: int, images: Images | None
) -> list[tuple[Tiles, tuple[bool, ...], bool]]:
    """Return, for all views of all maps, the tiles, whether each axis wraps, and whether the view is upright."""
    views = []
    for tiles in maps:
        for number, (view, round_) in enumerate(
            zip(iter_views(tiles, symmetry), iter_view_wraps(wrap, symmetry), strict=True)
        ):
            own = view if images is None else images[number][view]
            views.append((np.ascontiguousarray(own), round_, number < 2))
    return views


class CountedPatterns(NamedTuple):
    """Patterns of some maps in ascending order of their keys, and how often each occurs."""

    patterns: NDArray[np.integer]
    """(pattern, cell of the pattern) tile."""
    counts: NDArray[np.int64]
    ground: NDArray[np.bool_]
    """(pattern,) whether the pattern starts in the last row of a map."""

    def to_pattern_set(self, axes: int, size: int, tiles: int) -> PatternSet:
        """Return a pattern set in which two patterns may be neighbors if they agree where they overlap."""
        patterns = self.patterns.astype(np.uint16)
        neighbors = _find_overlaps(patterns, size, axes)
        return PatternSet(axes, size, tiles, patterns, scale_weights(self.counts), neighbors, self.ground)

    def is_sound(self, axes: int, size: int, tiles: int, blocks: int) -> bool:
        """Return whether these can be the patterns of maps that have `blocks` blocks of the pattern size."""
        if not 0 < len(self.counts) <= MAX_PATTERNS or int(self.patterns.min()) < 0 or self.patterns.max() >= tiles:
            return False
        keys = (self.patterns.astype(np.uint64) * Coding(size, axes, tiles).multipliers).sum(axis=1, dtype=np.uint64)
        in_order = bool((keys[1:] > keys[:-1]).all())
        return in_order and 0 < int(self.counts.min()) <= blocks == int(self.counts.clip(max=blocks + 1).sum())


def store_patterns(found: CountedPatterns, settings: Sequence[int]) -> Counts:
    """Return counted patterns and the settings of the count as the named flat arrays that a model stores."""
    arrays = np.array(settings), found.patterns.reshape(-1), found.counts, found.ground
    return {name: array.astype(np.int64) for name, array in zip(STORED_ARRAYS, arrays, strict=True)}


def restore_patterns(counts: Counts, cells: int) -> CountedPatterns | None:
    """Return a model's patterns of `cells` cells each, or None if the lengths of its arrays do not match."""
    _, patterns, times, ground = (counts[name] for name in STORED_ARRAYS)
    if patterns.size != cells * times.size or ground.size != times.size or not np.isin(ground, (0, 1)).all():
        return None
    return CountedPatterns(patterns.reshape(-1, cells), times, ground.astype(np.bool_))


def count_patterns(
    maps: Sequence[Tiles], tiles: int, size: int, *, wrap: Wrap, symmetry: int, images: Images | None = None
) -> CountedPatterns:
    """Count the patterns in all views of some maps."""
    axes = maps[0].ndim
    seen, grounded = [], []
    for map in maps:
        wide = pad_map(map, size, wrap)
        windows = np.lib.stride_tricks.sliding_window_view(wide, (size,) * axes)
        ground = np.zeros(windows.shape[:axes], dtype=np.bool_)
        if wrap[-2]:
            ground[..., map.shape[-2] - 1, :] = True
        seen.append(windows.reshape(-1, size**axes))
        grounded.append(ground.reshape(-1))
    windows, upright = np.concatenate(seen), np.concatenate(grounded)
    # The patterns of a transformed map are the transformed patterns of the map.
    cells = np.arange(size**axes).reshape((size,) * axes)
    turns = [windows[:, view.reshape(-1)] for view in iter_views(cells, symmetry)]
    if images is not None:
        turns = [image[turn] for turn, image in zip(turns, images, strict=True)]
    every = np.concatenate(turns)
    keys = (every.astype(np.uint64) * Coding(size, axes, tiles).multipliers).sum(axis=1, dtype=np.uint64)
    _, first, which, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    less = ", less symmetry" if symmetry > 1 else ""
    _check_limit(len(first), f"patterns of {size}", f"a smaller pattern_size{less} or {_suggest_fewer(maps)}")
    patterns = every[first]
    on_ground = np.zeros(len(first), dtype=np.bool_)
    for ids in which.reshape(symmetry, -1)[:2]:  # the upright views: unchanged and mirrored
        on_ground[ids[upright]] = True
    return CountedPatterns(patterns, counts.astype(np.int64), on_ground)


def find_edge_patterns(
    pattern_set: PatternSet,
    maps: Sequence[Tiles],
    edge: str,
    *,
    wrap: Wrap,
    symmetry: int,
    images: Images | None = None,
) -> NDArray[np.bool_]:
    """Return (pattern,) whether each pattern occurs at an edge of a map, in any view that does not wrap there."""
    axis, end = EDGES[edge]
    size, axes = pattern_set.size, pattern_set.axes
    coding = Coding(size, axes, pattern_set.tiles)
    found = []
    for view, round_, _ in make_views(maps, wrap, symmetry, images):
        if not round_[axis]:
            wide = pad_map(view, size, round_)
            first = 0 if end == 0 else wide.shape[axis] - size
            found.append(coding.keys(np.take(wide, range(first, first + size), axis=axis)).reshape(-1))
    known = (pattern_set.patterns.astype(np.uint64) * coding.multipliers).sum(axis=1, dtype=np.uint64)
    return np.isin(known, np.concatenate(found))


def _find_overlaps(patterns: NDArray[np.uint16], size: int, axes: int) -> NeighborLists:
    """Return the neighbors that agree with each pattern where they overlap."""
    count = len(patterns)
    multipliers = Coding(size, axes, 1 << 16).multipliers
    cells = patterns.astype(np.uint64).reshape(count, *(size,) * axes)
    backward, forward = [], []
    for axis in range(axes):
        parts = [np.take(cells, range(start, start + size - 1), axis=axis + 1) for start in (0, 1)]
        shares = [
            (part.reshape(count, -1) * multipliers[: size ** (axes - 1) * (size - 1)]).sum(axis=1) for part in parts
        ]
        found, ids = np.unique(np.concatenate(shares), return_inverse=True)
        heads, tails = ids.reshape(2, count)
        numbers = np.arange(count)
        backward.append((heads, len(found), tails, numbers))
        forward.append((tails, len(found), heads, numbers))
    return _join_lists([*backward, *forward])


def _join_lists(
    directions: Sequence[tuple[NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64]]],
) -> NeighborLists:
    """Return the lists of all directions.

    Each direction has the list of every pattern, the number of lists, and pairs of a list and a member. The members of
    a list are in ascending order.
    """
    indices, sizes, members, first = [], [], [], 0
    for own, count, lists, patterns in directions:
        indices.append(own + first)
        sizes.append(np.bincount(lists, minlength=count))
        members.append(patterns[np.argsort(lists, kind="stable")])
        first += count
    inverses = []
    for direction, (size, own) in enumerate(zip(sizes, members, strict=True)):
        backs, ends = indices[direction - len(indices) // 2][own], np.cumsum(size)
        found = np.full(len(size), -1)
        if len(backs):
            changes = np.concatenate([[0], np.cumsum(backs[1:] != backs[:-1])])
            firsts, lasts = np.minimum(ends - size, len(backs) - 1), np.maximum(ends - 1, 0)
            found = np.where((size > 0) & (changes[firsts] == changes[lasts]), backs[firsts], -1)
        inverses.append(found)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return NeighborLists(
        *(array.astype(np.int32) for array in (np.stack(indices), starts, *map(np.concatenate, (members, inverses))))
    )


def learn_adjacency(
    maps: Sequence[Tiles], tiles: int, *, wrap: Wrap, symmetry: int, images: Images | None = None
) -> PatternSet:
    """Return single-tile patterns in which two tiles may be neighbors if they are neighbors in one of the maps."""
    axes = maps[0].ndim
    _check_limit(tiles, "tiles", _suggest_fewer(maps))
    pairs: list[list[NDArray[np.int64]]] = [[] for _ in range(axes)]
    counts = np.zeros(tiles, dtype=np.int64)
    ground = np.zeros(tiles, dtype=np.bool_)
    for view, round_, upright in make_views(maps, wrap, symmetry, images):
        counts += np.bincount(view.reshape(-1), minlength=tiles)
        if upright and round_[-2]:
            ground[view[..., -1, :].reshape(-1)] = True
        for axis in range(axes):
            here, there = np.moveaxis(view, axis, 0), np.roll(np.moveaxis(view, axis, 0), -1, axis=0)
            last = None if round_[axis] else -1
            pairs[axis].append(here[:last].reshape(-1).astype(np.int64) * tiles + there[:last].reshape(-1))
    return _from_keys([np.unique(np.concatenate(keys)) for keys in pairs], counts, ground)


def from_pairs(
    fits: NDArray[np.bool_], weights: NDArray[np.int64], ground: NDArray[np.bool_] | None = None
) -> PatternSet:
    """Return single-tile patterns from `fits`, (axis, tile, next tile), whether the two may be neighbors."""
    none = np.zeros(len(weights), dtype=np.bool_)
    return _from_keys([np.flatnonzero(pairs) for pairs in fits], weights, none if ground is None else ground)


def _from_keys(keys: Sequence[NDArray[np.int64]], weights: NDArray[np.int64], ground: NDArray[np.bool_]) -> PatternSet:
    """Return single-tile patterns from the pairs of every axis, in ascending order: tile * tiles + next tile."""
    tiles = len(weights)
    own = np.arange(tiles)
    pairs = [np.divmod(pairs, tiles) for pairs in keys]
    neighbors = _join_lists(
        [*((own, tiles, there, here) for here, there in pairs), *((own, tiles, here, there) for here, there in pairs)]
    )
    patterns = own.astype(np.uint16)[:, None]
    return PatternSet(len(keys), 1, tiles, patterns, scale_weights(weights), neighbors, ground)


def scale_weights(weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return integer weights of at least 1 whose sum is at most MAX_WEIGHT."""
    total = int(weights.sum())
    if total <= MAX_WEIGHT:
        return np.maximum(1, weights)
    return np.maximum(1, weights * (MAX_WEIGHT - len(weights)) // total)


def _suggest_fewer(maps: Sequence[Tiles]) -> str:
    return "fewer samples" if len(maps) > 1 else "a sample with fewer tiles or colors"


def _check_limit(count: int, noun: str, suggestions: str) -> None:
    if count > MAX_PATTERNS:
        raise TooLarge(f"must have at most {MAX_PATTERNS:,} {noun}, got {count:,}; use {suggestions}", at="sample")
