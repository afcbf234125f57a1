"""Fashion-based cellular automata: every cell takes the state of the best-dressed cell around it.

A cell's score is the sum over the offsets, in their order, of scores[own state, neighbour's state]. Then it takes the
state of the highest-scoring cell among itself (wins ties) and its neighbours (the first listed wins ties). The sums
are float64 additions in exactly that order: ties decide, so the bits must be the same on every machine.
Source: Ashlock, "Evolvable fashion-based cellular automata for generating cavern systems", 2015.

Why it is quick: the map lies in a flat array with margins twice as wide as the offsets reach, so that a neighbour is
a fixed shift and no loop knows of rows or edges. A table gives for every neighbourhood a key of 16 bits, the rank of
its score above the state of its cell, so that each pass is a loop over small integers, which become vector code. Only
a window of keys is held, and the map is updated in place behind it. Where the table would be too large, or the scores
change across the map, the window holds sums instead, at a fifth of the speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import kernel
from .blocks import block_size

Cells = NDArray[np.uint8]
Keys = NDArray[np.uint16]
Shifts = NDArray[np.int64]
Scores = NDArray[np.float64]
Offset = tuple[int, int]
Number = TypeVar("Number", bound=np.generic)

MAX_KEYS = 1 << 16
"""How many different keys, and neighbourhoods, there can be."""
CHUNK = 4096
"""Cells per pass: what the passes hand on stays in the nearest cache."""


class Automaton:
    """A map that is updated in place, generation by generation.

    `offsets` are (dx, dy), x along the columns, any number of them and of any length. With `wrap` the map is a torus;
    without, neighbours outside do not exist. `locked` cells never change, but score and are copied from. With `second`
    and `blend`, a weight 0..1 for every cell, the terms of a cell are (1 - t) * scores + t * second, t its own weight.
    Limits: 2 to 255 states. Long offsets cost memory: on each side the margin is twice as wide as the longest one,
    which on a torus is half the map at most.
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
            raise ValueError("second, blend: give both or neither; each needs the other")

        reach_x = max((abs(dx) for dx, _ in near), default=0)
        reach_y = max((abs(dy) for _, dy in near), default=0)
        margins = (2 * reach_y, 2 * reach_x)
        padded = _pad(start, margins)
        self.cells: Cells = padded[_inner_slices(margins, start.shape)]
        """The map: a view, good to read and to write between generations."""
        self._stride = padded.shape[1]
        self._first = margins[0] * self._stride + margins[1]
        self._last = padded.size - self._first
        self._rows = max(1, block_size("fashion") // (self._stride * (len(near) + 1)))
        self._update: Callable[[int, int, int], None]
        """Brings the cells from one flat position up to another so many generations further."""

        held = np.zeros(0, dtype=np.uint8)
        if locked is not None:  # 255 where locked: all bits
            held = _pad(np.uint8(255) * _read_field("locked", locked, start.shape).astype(bool), margins).ravel()
        shifts = np.array([dy * self._stride + dx for dx, dy in near], dtype=np.int64)
        window = self._first + min(block_size("fashion.window"), padded.size)
        place = (padded, *margins, -1 if wrap else states, held, shifts)
        keys = _build_key_table(matrix.tobytes(), states, len(near), wrap) if second is None else None
        if keys is not None:
            radix, mask = states + (not wrap), (1 << (states - 1).bit_length()) - 1
            self._update = partial(_update_by_key, *place, keys, radix, mask, np.empty(window, dtype=np.uint16))
        else:
            weights = np.zeros(0)
            if blend is not None:
                weights = _read_field("blend", blend, start.shape).astype(np.float64)
                if not (weights.min() >= 0 and weights.max() <= 1):
                    raise ValueError(f"blend: weights from 0 to 1, got {weights.min()} to {weights.max()}")
                weights = np.pad(weights, [(margin, margin) for margin in margins], mode="wrap").ravel()
            other = matrix if second is None else _read_scores("second", second, states)
            sums, old = np.empty(window), np.empty(window, dtype=np.uint8)
            self._update = partial(
                _update_by_sum, *place, _add_outside(matrix), _add_outside(other), weights, sums, old
            )

    def advance(self, generations: int = 1) -> None:
        """So many generations, without a look at those between."""
        self._update(self._first, self._last, generations)

    def run_generation(self, rows: int | None = None) -> Iterator[float]:
        """One generation in blocks of `rows`, which change nothing; between them, the share done.

        To be exhausted: until then the upper rows are one generation ahead of the others.
        """
        first, step = self._first, (rows or self._rows) * self._stride
        while first + step < self._last:
            self._update(first, first + step, 1)
            first += step
            yield (first - self._first) / (self._last - self._first)
        self._update(first, self._last, 1)


def update(
    cells: ArrayLike,
    scores: ArrayLike,
    offsets: Sequence[Offset],
    *,
    wrap: bool = True,
    locked: ArrayLike | None = None,
    second: ArrayLike | None = None,
    blend: ArrayLike | None = None,
) -> Cells:
    """The next generation of a map; the arguments are those of `Automaton`.

    >>> update([[0, 1, 1]], [[1, 2], [3, 4]], [(-1, 0), (1, 0)])
    array([[1, 1, 1]], dtype=uint8)
    """
    automaton = Automaton(cells, scores, offsets, wrap=wrap, locked=locked, second=second, blend=blend)
    automaton.advance()
    return automaton.cells.copy()


def _read_scores(name: str, scores: ArrayLike, states: int | None = None) -> Scores:
    matrix = np.array(scores, dtype=np.float64)
    size = states or matrix.shape[0] if matrix.ndim == 2 else 0
    if matrix.shape != (size, size) or not 2 <= size <= 255:
        raise ValueError(f"{name}: a square of {states or '2 to 255'} rows, got the shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name}: finite numbers, got {matrix[~np.isfinite(matrix)][0]}")
    return matrix


def _read_cells(cells: ArrayLike, states: int) -> Cells:
    array = np.asarray(cells)
    if array.ndim != 2 or not array.size or array.dtype.kind not in "bui":
        raise ValueError(f"cells: rows of whole numbers, got {array.dtype} in the shape {array.shape}")
    if array.min() < 0 or array.max() >= states:
        wrong = array[(array < 0) | (array >= states)][0]
        raise ValueError(f"cells: states from 0 to {states - 1}, as there are rows of scores, got {wrong}")
    return array.astype(np.uint8, copy=False)


def _read_field(name: str, field: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.generic]:
    array = np.asarray(field)
    if array.shape != shape:
        raise ValueError(f"{name}: the shape of the map, {shape}, got {array.shape}")
    return array


def _shorten_offsets(offsets: Sequence[Offset], shape: tuple[int, ...], wrap: bool) -> list[Offset]:
    """The offsets that lead to a cell at all; on a torus, each the shorter way round."""
    if not len(offsets):
        raise ValueError("offsets: at least one neighbour, got none")
    height, width = shape
    if wrap:
        return [((x + width // 2) % width - width // 2, (y + height // 2) % height - height // 2) for x, y in offsets]
    return [(x, y) for x, y in offsets if abs(x) < width and abs(y) < height]


def _inner_slices(margins: tuple[int, int], shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(margin, margin + size) for margin, size in zip(margins, shape, strict=True))


def _pad(array: Cells, margins: tuple[int, int]) -> Cells:
    padded = np.zeros([size + 2 * margin for size, margin in zip(array.shape, margins, strict=True)], dtype=np.uint8)
    padded[_inner_slices(margins, array.shape)] = array
    return padded


def _add_outside(matrix: Scores) -> Scores:
    """Scores with one more state, outside: as a neighbour it adds nothing, as a cell it never wins."""
    wider = np.pad(matrix, (0, 1))
    wider[-1] = -np.inf
    return wider


@lru_cache(maxsize=16)
def _build_key_table(scores: bytes, states: int, neighbours: int, wrap: bool) -> Keys | None:
    """The key of every neighbourhood: (rank of its score + 1) << bits | own state. None if they are too many.

    A neighbourhood is a number whose digits are the states of the cell and of its neighbours, in order.
    """
    radix = states if wrap else states + 1
    if radix ** (neighbours + 1) > MAX_KEYS:
        return None
    terms = np.frombuffer(scores).reshape(states, states)
    if not wrap:
        terms = np.pad(terms, ((0, 0), (0, 1)))  # a neighbour that does not exist adds nothing
    sums = np.zeros((states, 1))
    with np.errstate(over="ignore"):  # infinity compares well
        for _ in range(neighbours):
            sums = (sums[:, :, None] + terms[:, None, :]).reshape(states, -1)
    ranks = np.unique(sums, return_inverse=True)[1].reshape(sums.shape)
    keys = ((ranks + 1) << (states - 1).bit_length()) | np.arange(states)[:, None]
    if keys.max() >= MAX_KEYS:
        return None
    table = np.zeros(radix ** (neighbours + 1), dtype=np.uint16)  # what lies outside keeps 0, which never wins
    table[: keys.size] = keys.ravel()
    return table


@kernel
def _fill_margins(cells: Cells, margin_y: int, margin_x: int, outside: int) -> None:
    """Fill the margins: with the other end of the torus or, where `outside` is a state, with that."""
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


@kernel
def _copy(source: NDArray[Number], target: NDArray[Number]) -> None:
    """From first to last, so that both may be parts of one array. numba compiles slice assignments for seconds."""
    for i in range(target.size):
        target[i] = source[i]


@kernel
def _look_up(cells: Cells, first: int, shifts: Shifts, table: Keys, radix: int, scratch: Keys, keys: Keys) -> None:
    """The keys of the cells from `first` on."""
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


@kernel
def _choose(cells: Cells, locked: Cells, shifts: Shifts, mask: int, keys: Keys, reach: int, scratch: Keys) -> None:
    """Give the cells the states of the best keys; `keys` begins `reach` before them."""
    for low in range(0, cells.size, CHUNK):
        size, at = min(CHUNK, cells.size - low), reach + low
        best, part = scratch[:size], cells[low : low + size]
        _copy(keys[at : at + size], best)
        for shift in shifts:
            near = keys[at + shift : at + shift + size]
            for i in range(size):
                # With all its state bits set, only a higher rank is above it: ties stay.
                # Said to be 16 bits wide, for numba's integers have 64: a quarter of the cells at a time.
                best_of_rank = np.uint16(best[i] | mask)
                best[i] = near[i] if near[i] > best_of_rank else best[i]
        if locked.size:
            hold = locked[low : low + size]
            for i in range(size):
                part[i] = (part[i] & hold[i]) | (best[i] & mask & ~hold[i])
        else:
            for i in range(size):
                part[i] = best[i] & mask


@kernel(
    "void(uint8[:, ::1], int64, int64, int64, uint8[::1], int64[::1],"
    " uint16[::1], int64, int64, uint16[::1], int64, int64, int64)"
)
def _update_by_key(
    padded: Cells,
    margin_y: int,
    margin_x: int,
    outside: int,
    locked: Cells,
    shifts: Shifts,
    table: Keys,
    radix: int,
    mask: int,
    window: Keys,
    first: int,
    last: int,
    generations: int,
) -> None:
    """Update the cells `first` to `last` of the flat map; the window keeps what the next call needs.

    More than one generation only of the whole map: a part needs to see what the other parts became.
    """
    cells = padded.reshape(padded.size)
    scratch = np.empty(CHUNK, dtype=np.uint16)
    start = margin_y * padded.shape[1] + margin_x
    reach = start // 2
    for _ in range(generations):
        if first == start:
            _fill_margins(padded, margin_y, margin_x, outside)
            _look_up(cells, first - reach, shifts, table, radix, scratch, window[:start])
        at = first
        while at < last:
            size = min(window.size - start, last - at)
            now = slice(at, at + size)
            _look_up(cells, at + reach, shifts, table, radix, scratch, window[start : start + size])
            _choose(cells[now], locked[now], shifts, mask, window, reach, scratch)
            _copy(window[size : size + start], window[:start])
            at += size


@kernel
def _add_up(
    cells: Cells, first: int, shifts: Shifts, scores: Scores, second: Scores, blend: Scores, sums: Scores
) -> None:
    """The sums of the cells from `first` on."""
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


@kernel
def _choose_by_sum(
    cells: Cells, locked: Cells, shifts: Shifts, sums: Scores, old: Cells, reach: int, scratch: Scores
) -> None:
    """Give the cells the states of the highest sums; `sums` and `old` begin `reach` before them."""
    for low in range(0, cells.size, CHUNK):
        size, at = min(CHUNK, cells.size - low), reach + low
        best, part = scratch[:size], cells[low : low + size]
        _copy(sums[at : at + size], best)
        for shift in shifts:
            near, state = sums[at + shift : at + shift + size], old[at + shift : at + shift + size]
            for i in range(size):
                # As bits, for a choice between states would be a jump that cannot be foreseen.
                better = np.uint8(0) - np.uint8(near[i] > best[i])
                best[i] = near[i] if near[i] > best[i] else best[i]
                part[i] ^= (part[i] ^ state[i]) & better
        if locked.size:
            hold, own = locked[low : low + size], old[at : at + size]
            for i in range(size):
                part[i] = (own[i] & hold[i]) | (part[i] & ~hold[i])


@kernel(
    "void(uint8[:, ::1], int64, int64, int64, uint8[::1], int64[::1],"
    " float64[:, ::1], float64[:, ::1], float64[::1], float64[::1], uint8[::1], int64, int64, int64)"
)
def _update_by_sum(
    padded: Cells,
    margin_y: int,
    margin_x: int,
    outside: int,
    locked: Cells,
    shifts: Shifts,
    scores: Scores,
    second: Scores,
    blend: Scores,
    window: Scores,
    old: Cells,
    first: int,
    last: int,
    generations: int,
) -> None:
    """As `_by_key`, with sums; `old` holds the states that go with them."""
    cells = padded.reshape(padded.size)
    scratch = np.empty(CHUNK, dtype=np.float64)
    start = margin_y * padded.shape[1] + margin_x
    reach = start // 2
    for _ in range(generations):
        if first == start:
            _fill_margins(padded, margin_y, margin_x, outside)
            _add_up(cells, first - reach, shifts, scores, second, blend, window[:start])
            _copy(cells[first - reach : first + reach], old[:start])
        at = first
        while at < last:
            size = min(window.size - start, last - at)
            now, ahead = slice(at, at + size), slice(start, start + size)
            _add_up(cells, at + reach, shifts, scores, second, blend, window[ahead])
            _copy(cells[at + reach : at + reach + size], old[ahead])
            _choose_by_sum(cells[now], locked[now], shifts, window, old, reach, scratch)
            _copy(window[size : size + start], window[:start])
            _copy(old[size : size + start], old[:start])
            at += size
