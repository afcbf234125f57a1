"""Fashion-based cellular automata: each cell copies the neighbor with the highest score.

The score of a cell is the sum over the offsets, in their order, of scores[own state, neighbor's state]. The cell then
takes the state of the highest-scoring cell among itself (which wins ties) and its neighbors (the first listed wins
ties). The sums are float64 additions in exactly this order: the result depends on ties, so the bits must be identical
on every machine.

Source: Ashlock, "Evolvable fashion-based cellular automata for generating cavern systems", 2015.

Performance: the map is flat with margins twice as wide as the offsets, so that each neighbor is at a fixed shift and
the loops need no rows or edges. A table gives each neighborhood a 16-bit key, the rank of its score above the state of
its cell, so that each pass is a loop over small integers, which compiles to vector code. Only a window of keys is
stored, and the map is updated in place behind it. If the table would be too large, or the scores change across the map,
the window holds sums instead, at a fifth of the speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.site import block_size
from . import bind, kernel, part
from .exact import rank_floats
from .types import Float64_1D, Float64_2D, Int64_1D, Int64_2D, Uint8_1D, Uint8_2D, Uint16_1D

Offset = tuple[int, int]
Number = TypeVar("Number", bound=np.generic)

MAX_KEYS = 1 << 16
"""Maximum number of different keys, and of neighborhoods."""
CHUNK = 4096
"""Cells per pass; intermediate results stay in the nearest cache."""


class FashionMap(NamedTuple):
    """Flat map with margins."""

    padded: Uint8_2D
    margin_y: int
    margin_x: int
    outside: int
    """State of cells outside the map, or -1 on a torus."""
    locked: Uint8_1D
    """All bits are set where a cell is locked; empty without locked cells."""
    shifts: Int64_1D
    """Shifts of the flat index to the neighbors."""


class ScoreTables(NamedTuple):
    """Two score matrices, with the state of cells outside, and the weight of the second one for each cell."""

    first: Float64_2D
    second: Float64_2D
    blend: Float64_1D
    """(cell with its margin,) weight; empty if only the first matrix counts."""


class Automaton:
    """Map that is updated in place, generation by generation.

    Parameters
    ----------
    cells
        Initial states (row, column).
    scores
        Square matrix (own state, neighbor's state) of 2 to 255 states.
    offsets
        Neighbors as (dx, dy), x along the columns, any number and of any length. Long offsets need memory: the margin
        is twice as wide as the longest one, which on a torus is at most half the map.
    wrap
        Whether the map is a torus; otherwise neighbors outside do not exist.
    locked
        Mask of cells that never change. They have scores, and other cells may copy them.
    second, blend
        Second matrix, and its weight t between 0 and 1 for every cell: the terms of a cell are (1 - t) * scores + t *
        second.

    Raises
    ------
    ValueError
        If an argument is invalid.
    """

    def __init__(
        self,
        cells: ArrayLike,
        scores: ArrayLike,
        offsets: Sequence[Offset],
        *,
        wrap: bool = True,
        locked: ArrayLike | None = None,
        second: ArrayLike | None = None,
        blend: ArrayLike | None = None,
    ) -> None:
        matrix = _read_scores("scores", scores)
        states = len(matrix)
        start = _read_cells(cells, states)
        near = _shorten_offsets(offsets, start.shape, wrap)
        if (second is None) != (blend is None):
            raise ValueError("second, blend: must be given together")

        reach_x = max((abs(dx) for dx, _ in near), default=0)
        reach_y = max((abs(dy) for _, dy in near), default=0)
        margins = (2 * reach_y, 2 * reach_x)
        padded = _pad(start, margins)
        self.cells: NDArray[np.uint8] = padded[_inner_slices(margins, start.shape)]
        """The map, as a view that may be read and written between generations."""
        self._stride = padded.shape[1]
        self._first = margins[0] * self._stride + margins[1]
        self._last = padded.size - self._first
        self._rows = max(1, block_size("fashion", 1 << 24) // (self._stride * (len(near) + 1)))
        self._call: partial[None]
        """Function that advances the cells between two flat indices by a number of generations."""

        lock_mask = np.zeros(0, dtype=np.uint8)
        if locked is not None:  # All bits are set where a cell is locked.
            lock_mask = _pad(np.uint8(255) * _read_field("locked", locked, start.shape).astype(bool), margins).ravel()
        shifts = np.array([dy * self._stride + dx for dx, dy in near], dtype=np.int64)
        window = self._first + min(block_size("fashion.window", 1 << 16), padded.size)
        map = FashionMap(padded, *margins, -1 if wrap else states, lock_mask, shifts)
        keys = build_key_table(matrix.tobytes(), states, len(near), wrap) if second is None else None
        if keys is not None:
            radix, mask = states + (not wrap), (1 << (states - 1).bit_length()) - 1
            scratch = np.empty(window, dtype=np.uint16)
            self._call = partial(_update_by_key, map, keys, radix, mask, scratch)
        else:
            weights = np.zeros(0)
            if blend is not None:
                weights = _read_field("blend", blend, start.shape).astype(np.float64)
                if not (weights.min() >= 0 and weights.max() <= 1):
                    raise ValueError(f"blend: must be between 0 and 1, got {weights.min()} to {weights.max()}")
                weights = np.pad(weights, [(margin, margin) for margin in margins], mode="wrap").ravel()
            other = matrix if second is None else _read_scores("second", second, states)
            sums, old = np.empty(window), np.empty(window, dtype=np.uint8)
            scores = ScoreTables(_add_outside(matrix), _add_outside(other), weights)
            self._call = partial(_update_by_sum, map, scores, sums, old)

    @property
    def generations_per_block(self) -> int:
        """Number of generations that take the time of a block; 0 if one generation takes several blocks."""
        return int(self._rows * self._stride // (self._last - self._first))

    def advance(self, generations: int = 1) -> None:
        """Advance by several generations."""
        advance = self._call if generations > 1 else self._update
        advance(self._first, self._last, generations)

    @cached_property
    def _update(self) -> Callable[[int, int, int], None]:
        """The same function, for many calls."""
        return bind(self._call)

    def run_generation(self, rows: int | None = None) -> Iterator[float]:
        """Advance by one generation in blocks of `rows`; yield the fraction done between blocks.

        The iterator must be exhausted: until then, the upper rows are one generation ahead. The block size does not
        affect the result.
        """
        first, step = self._first, (rows or self._rows) * self._stride
        while first + step < self._last:
            self._update(first, first + step, 1)
            first += step
            yield (first - self._first) / (self._last - self._first)
        self._update(first, self._last, 1)


def _read_scores(name: str, scores: ArrayLike, states: int | None = None) -> NDArray[np.float64]:
    """Return a score matrix as floats, or raise ValueError."""
    matrix = np.array(scores, dtype=np.float64)
    size = states or matrix.shape[0] if matrix.ndim == 2 else 0
    if matrix.shape != (size, size) or not 2 <= size <= 255:
        raise ValueError(f"{name}: must be square with {states or '2 to 255'} rows, got the shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name}: must be finite numbers, got {matrix[~np.isfinite(matrix)][0]}")
    return matrix


def _read_cells(cells: ArrayLike, states: int) -> NDArray[np.uint8]:
    """Return cells as bytes, or raise ValueError."""
    array = np.asarray(cells)
    if array.ndim != 2 or not array.size or array.dtype.kind not in "bui":
        raise ValueError(f"cells: must be rows of integers, got {array.dtype} in the shape {array.shape}")
    if array.min() < 0 or array.max() >= states:
        wrong = array[(array < 0) | (array >= states)][0]
        raise ValueError(f"cells: must be states from 0 to {states - 1}, got {wrong}")
    return array.astype(np.uint8, copy=False)


def _read_field(name: str, field: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """Return an array of the map's shape, or raise ValueError."""
    array = np.asarray(field)
    if array.shape != shape:
        raise ValueError(f"{name}: must have the shape of the map, {shape}, got {array.shape}")
    return array


def _shorten_offsets(offsets: Sequence[Offset], shape: tuple[int, ...], wrap: bool) -> list[Offset]:
    """Return the offsets that lead to a cell; on a torus, in the shorter direction."""
    if not len(offsets):
        raise ValueError("offsets: must have at least one neighbor, got none")
    height, width = shape
    if wrap:
        return [((x + width // 2) % width - width // 2, (y + height // 2) % height - height // 2) for x, y in offsets]
    return [(x, y) for x, y in offsets if abs(x) < width and abs(y) < height]


def _inner_slices(margins: tuple[int, int], shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(margin, margin + size) for margin, size in zip(margins, shape, strict=True))


def _pad(array: NDArray[np.uint8], margins: tuple[int, int]) -> NDArray[np.uint8]:
    padded = np.zeros([size + 2 * margin for size, margin in zip(array.shape, margins, strict=True)], dtype=np.uint8)
    padded[_inner_slices(margins, array.shape)] = array
    return padded


def _add_outside(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add a state for cells outside the map: such a neighbor adds nothing to a score, and such a cell never wins."""
    wider = np.pad(matrix, (0, 1))
    wider[-1] = -np.inf
    return wider


@lru_cache(maxsize=16)
def build_key_table(scores: bytes, states: int, neighbours: int, wrap: bool) -> Uint16_1D | None:
    """Return the key of every neighborhood: (rank of its score + 1) << bits | own state. None if there are too many.

    A neighborhood is an integer whose digits are the states of the cell and of its neighbors, in order.
    """
    radix = states if wrap else states + 1
    if radix ** (neighbours + 1) > MAX_KEYS:
        return None
    terms = np.frombuffer(scores).reshape(states, states)
    if not wrap:
        terms = np.pad(terms, ((0, 0), (0, 1)))  # A neighbor that does not exist adds nothing.
    first, second, pairs = _list_pairs(radix)
    with np.errstate(over="ignore"):  # Infinity compares correctly.
        # The first two terms have the same sum in both orders, so that each pair is summed and ranked once.
        sums = np.zeros((states, 1)) if neighbours < 2 else terms.take(first, axis=1) + terms.take(second, axis=1)
        for _ in range(neighbours if neighbours < 2 else neighbours - 2):
            sums = (sums[:, :, None] + terms[:, None, :]).reshape(states, -1)
    columns = sums.size // states
    ranks = rank_floats(sums.ravel() + 0.0).reshape(states, columns)  # Adding 0 turns -0 into 0, which is equal to it.
    bits = (states - 1).bit_length()
    if (ranks.max() + 2) << bits > MAX_KEYS:
        return None
    table = np.zeros(radix ** (neighbours + 1), dtype=np.uint16)  # Cells outside the map keep 0, which never wins.
    if neighbours < 2:
        pairs = np.arange(columns)
    _fill_key_table(ranks, pairs, columns // (int(pairs.max()) + 1), bits, table)
    return table


@kernel(allocates=False)
def _fill_key_table(ranks: Int64_2D, pairs: Int64_1D, rest: int, bits: int, table: Uint16_1D) -> None:
    """Set the key of every neighborhood, given the ranks of (state, pair and one of `rest` other neighbors)."""
    at = 0
    for state in range(ranks.shape[0]):
        for pair in pairs:
            for other in range(pair * rest, (pair + 1) * rest):
                table[at] = ((ranks[state, other] + 1) << bits) | state
                at += 1


@lru_cache(maxsize=16)
def _list_pairs(radix: int) -> tuple[Int64_1D, Int64_1D, Int64_1D]:
    """Return the lower and the higher state of each pair of states, and the pair (state * radix + other state,)."""
    first, second = np.triu_indices(radix)
    pairs = np.empty((radix, radix), dtype=np.int64)
    pairs[first, second] = pairs[second, first] = np.arange(first.size)
    return first, second, pairs.reshape(-1)


@part
def _fill_margins(map: FashionMap) -> None:
    """Fill the margins with the opposite edge of the torus or, if `outside` is a state, with that state."""
    cells, margin_y, margin_x, outside = map.padded, map.margin_y, map.margin_x, map.outside
    height, width = cells.shape[0] - 2 * margin_y, cells.shape[1] - 2 * margin_x
    for y in range(margin_y, margin_y + height):
        row = cells[y]
        for x in range(margin_x):
            row[x] = row[x + width] if outside < 0 else outside
            row[x + margin_x + width] = row[x + margin_x] if outside < 0 else outside
    for y in range(margin_y):
        for x in range(cells.shape[1]):
            cells[y, x] = cells[y + height, x] if outside < 0 else outside
            cells[y + margin_y + height, x] = cells[y + margin_y, x] if outside < 0 else outside


@part
def _copy(source: NDArray[Number], target: NDArray[Number]) -> None:
    """Copy in order, so that source and target may overlap. numba takes seconds to compile slice assignments."""
    for i in range(target.size):
        target[i] = source[i]


@part
def _look_up(
    cells: Uint8_1D, first: int, shifts: Int64_1D, table: Uint16_1D, radix: int, scratch: Uint16_1D, keys: Uint16_1D
) -> None:
    """Compute the keys of the cells from `first` on."""
    for low in range(0, keys.size, CHUNK):
        size, at = min(CHUNK, keys.size - low), first + low
        codes, part = scratch[:size], keys[low : low + size]
        _copy(cells[at : at + size], codes)
        for shift in shifts:
            near = cells[at + shift : at + shift + size]
            for i in range(size):
                codes[i] = codes[i] * radix + near[i]
        for i in range(size):
            part[i] = table[codes[i]]


@part
def _choose(
    cells: Uint8_1D, locked: Uint8_1D, shifts: Int64_1D, mask: int, keys: Uint16_1D, reach: int, scratch: Uint16_1D
) -> None:
    """Set the cells to the states of the best keys; `keys` starts `reach` before them."""
    for low in range(0, cells.size, CHUNK):
        size, at = min(CHUNK, cells.size - low), reach + low
        best, part = scratch[:size], cells[low : low + size]
        _copy(keys[at : at + size], best)
        for shift in shifts:
            near = keys[at + shift : at + shift + size]
            for i in range(size):
                # With all state bits set, only a key of a higher rank is larger, so ties change nothing. The 16-bit
                # type keeps the loop from using 64-bit integers, which would process a quarter as many cells at a time.
                best_of_rank = np.uint16(best[i] | mask)
                best[i] = near[i] if near[i] > best_of_rank else best[i]
        if locked.size:
            hold = locked[low : low + size]
            for i in range(size):
                part[i] = (part[i] & hold[i]) | (best[i] & mask & ~hold[i])
        else:
            for i in range(size):
                part[i] = best[i] & mask


@kernel
def _update_by_key(
    map: FashionMap, table: Uint16_1D, radix: int, mask: int, window: Uint16_1D, first: int, last: int, generations: int
) -> None:
    """Update the cells `first` to `last` of the flat map; the window keeps the keys that the next call needs.

    More than one generation is possible only for the complete map, since a part depends on the other parts.
    """
    padded, locked, shifts = map.padded, map.locked, map.shifts
    cells = padded.reshape(padded.size)
    scratch = np.empty(CHUNK, dtype=np.uint16)
    start = map.margin_y * padded.shape[1] + map.margin_x
    reach = start // 2
    for _ in range(generations):
        if first == start:
            _fill_margins(map)
            _look_up(cells, first - reach, shifts, table, radix, scratch, window[:start])
        at = first
        while at < last:
            size = min(window.size - start, last - at)
            now = slice(at, at + size)
            _look_up(cells, at + reach, shifts, table, radix, scratch, window[start : start + size])
            _choose(cells[now], locked[now], shifts, mask, window, reach, scratch)
            _copy(window[size : size + start], window[:start])
            at += size


@part
def _add_up(cells: Uint8_1D, first: int, shifts: Int64_1D, tables: ScoreTables, sums: Float64_1D) -> None:
    """Compute the sums of the cells from `first` on."""
    scores, second, blend = tables
    for low in range(0, sums.size, CHUNK):
        size, at = min(CHUNK, sums.size - low), first + low
        part, own = sums[low : low + size], cells[at : at + size]
        for i in range(size):
            part[i] = 0.0
        for shift in shifts:
            near = cells[at + shift : at + shift + size]
            if blend.size:
                weight = blend[at : at + size]
                for i in range(size):
                    t = weight[i]
                    part[i] += (1.0 - t) * scores[own[i], near[i]] + t * second[own[i], near[i]]
            else:
                for i in range(size):
                    part[i] += scores[own[i], near[i]]


@part
def _choose_by_sum(
    cells: Uint8_1D, locked: Uint8_1D, shifts: Int64_1D, sums: Float64_1D, old: Uint8_1D, reach: int,
    scratch: Float64_1D,
) -> None:  # fmt: skip
    """Set the cells to the states of the highest sums; `sums` and `old` start `reach` before them."""
    for low in range(0, cells.size, CHUNK):
        size, at = min(CHUNK, cells.size - low), reach + low
        best, part = scratch[:size], cells[low : low + size]
        _copy(sums[at : at + size], best)
        for shift in shifts:
            near, state = sums[at + shift : at + shift + size], old[at + shift : at + shift + size]
            for i in range(size):
                # Bit operations avoid a branch that could not be predicted.
                better = np.uint8(0) - np.uint8(near[i] > best[i])
                best[i] = near[i] if near[i] > best[i] else best[i]
                part[i] ^= (part[i] ^ state[i]) & better
        if locked.size:
            hold, own = locked[low : low + size], old[at : at + size]
            for i in range(size):
                part[i] = (own[i] & hold[i]) | (part[i] & ~hold[i])


@kernel
def _update_by_sum(
    map: FashionMap, tables: ScoreTables, window: Float64_1D, old: Uint8_1D, first: int, last: int, generations: int
) -> None:
    """Update the cells as `_update_by_key` does, with sums; `old` holds the states that belong to them."""
    padded, locked, shifts = map.padded, map.locked, map.shifts
    cells = padded.reshape(padded.size)
    scratch = np.empty(CHUNK, dtype=np.float64)
    start = map.margin_y * padded.shape[1] + map.margin_x
    reach = start // 2
    for _ in range(generations):
        if first == start:
            _fill_margins(map)
            _add_up(cells, first - reach, shifts, tables, window[:start])
            _copy(cells[first - reach : first + reach], old[:start])
        at = first
        while at < last:
            size = min(window.size - start, last - at)
            now, ahead = slice(at, at + size), slice(start, start + size)
            _add_up(cells, at + reach, shifts, tables, window[ahead])
            _copy(cells[at + reach : at + reach + size], old[ahead])
            _choose_by_sum(cells[now], locked[now], shifts, window, old, reach, scratch)
            _copy(window[size : size + start], window[:start])
            _copy(old[size : size + start], old[:start])
            at += size
