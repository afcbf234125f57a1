"""A wave: every cell may hold any pattern of a book at first, then fewer and fewer; what kernels need for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...kernels import claims as claims_kernel
from ...kernels import wave as kernel
from ...kernels.collapse import DONE, MORE, STUCK, collapse, follow, keep
from .extent import Extent
from .pattern_set import Book, packed, unpacked

__all__ = ["DONE", "MORE", "STUCK", "Claim", "Limit", "Wave"]

HEURISTICS = {"entropy": kernel.ENTROPY, "constrained": kernel.CONSTRAINED, "scanline": kernel.SCANLINE}
TRAIL, CHOICES = 1 << 16, 1 << 12
"""Changes and choices that can be taken back, at most."""
NOISE = 1e-6
"""Decides between cells that are equally urgent."""
LEANING = 0.02
"""How much less urgent a cell is for every cell that it is farther from where all begins.

Without it, what is decided grows in arms that close around pockets, into which nothing fits.
"""
CELLS_PER_LOOK = 1 << 11
"""Of the map, for every choice between two looks at what is joined."""
MOST = 1 << 62
BLENDED = 1 << 22
"""Patterns in cells that are looked at together when colours are blended."""


@dataclass(frozen=True, eq=False)
class Limit:
    """Cells of the map that hold one of some tiles."""

    cells: NDArray[np.int64]
    tiles: tuple[int, ...]
    source: str
    """What wants it, as people know it: locks, border, ..."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What is wanted of all cells that hold one of some tiles."""

    kind: int
    """COUNTED, REGION or PATH of kernels/claims."""
    tiles: tuple[int, ...]
    source: str
    least: int = 0
    most: int = MOST
    ends: tuple[int, ...] = ()
    """Cells of the map that a path joins."""


class Wave:
    """Kernels' arrays for a book, a place, and what is wanted there."""

    def __init__(
        self,
        book: Book,
        extent: Extent,
        *,
        limits: Sequence[Limit] = (),
        claims: Sequence[Claim] = (),
        grounded: bool = False,
        heuristic: str = "entropy",
        noise: Rng | None = None,
        backtracks: int = 0,
    ) -> None:
        self.book, self.extent, self.claims = book, extent, tuple(claims)
        self.backtracks = backtracks
        cells, words = extent.cells, book.words
        trail = min(TRAIL, 1 << (8 * cells + 64).bit_length())
        self.domains = np.tile(book.full, (cells, 1))
        self.numbers = np.tile(np.array([len(book), int(book.weights.sum())]), (cells, 1))
        total = float(np.add.accumulate(book.products)[-1])
        self.state = np.zeros(kernel.STATES, dtype=np.int64)
        self.arrays: tuple[Any, ...] = (
            *(self.domains, self.numbers, np.full(cells, total)),
            *(np.zeros(cells, dtype=np.int32), np.full(cells, -1, dtype=np.int32), np.zeros(cells)),
            *(np.zeros(cells, dtype=np.int32), np.zeros(cells, dtype=np.uint8)),
            *(np.arange(cells, dtype=np.int32), np.ones(cells, dtype=np.uint8)),
            *(np.empty(trail, dtype=np.int32), np.empty((trail, words), dtype=np.uint64)),
            *(np.empty((trail, 2), dtype=np.int64), np.empty(trail)),
            *(np.empty((CHOICES, 3), dtype=np.int64), self.state),
            *(np.zeros((cells, words), dtype=np.uint64), np.zeros(cells, dtype=np.int64)),
        )
        self.rules: tuple[Any, ...] = (
            *(extent.neighbours, book.allowed, book.weights, book.products, book.logarithms),
            np.zeros(cells) if noise is None else _leaning(extent, noise),
            np.array([HEURISTICS[heuristic]], dtype=np.int64),
        )
        self.missing = np.zeros(words, dtype=np.uint64)
        self.every = max(1, extent.map_cells // CELLS_PER_LOOK)
        self._claim()
        self.state[kernel.TOUCHED] = cells
        self.trouble = self._limited(limits, grounded)
        """A cell for which nothing is left before the first choice, or -1."""
        self._keep_base()

    # -- before the first choice --------------------------------------------------------------------------------

    def _claim(self) -> None:
        extent, count = self.extent, len(self.claims)
        cells = extent.map_cells if count else 0
        places = extent.size**extent.axes
        masks = np.zeros((count, places, self.book.words), dtype=np.uint64)
        ends = np.zeros((count, cells), dtype=np.uint8)
        bounds = np.zeros((count, 2), dtype=np.int64)
        for number, claim in enumerate(self.claims):
            for place in range(places):
                masks[number, place] = packed(self.book.holding(claim.tiles, place))
            ends[number, list(claim.ends)] = 1
            bounds[number] = claim.least, claim.most
        none = np.zeros(0, dtype=np.int32)
        firsts, owned = extent.owned if count else (none, none)
        self.status = np.zeros((count, cells), dtype=np.uint8)
        self.tally = np.zeros((count, 2), dtype=np.int64)
        self.claimed: tuple[Any, ...] = (
            *((extent.owners, extent.offsets) if count else (none, none)),
            *(firsts, owned, masks, self.status, self.tally, bounds),
            np.array([claim.kind for claim in self.claims], dtype=np.int64),
            *(ends, extent.around if count else np.zeros((0, 2 * extent.axes), dtype=np.int32)),
            np.zeros((claims_kernel.ROOMS, cells), dtype=np.int32),
        )

    def _limited(self, limits: Sequence[Limit], grounded: bool) -> int:
        """Forbid all that cannot be, and what follows."""
        book, extent = self.book, self.extent
        trouble = kernel.NOWHERE
        for direction in range(2 * extent.axes):
            lonely = ~book.allowed[direction].any(axis=1)
            if lonely.any():  # patterns that nothing goes on with stand at the edge alone
                inside = np.flatnonzero(extent.neighbours[:, direction] >= 0)
                trouble = max(trouble, self._keep(inside, ~lonely))
        if grounded:
            trouble = max(trouble, self._stand())
        for limit in limits:
            owners, offsets = extent.owners[limit.cells], extent.offsets[limit.cells]
            for place in np.unique(offsets).tolist():
                trouble = max(trouble, self._keep(owners[offsets == place], book.holding(limit.tiles, place)))
        if trouble >= 0:
            return trouble
        return self.follow()

    def _stand(self) -> int:
        """The patterns of the ground stand on the map's last row and nowhere else.

        Where the map does not wrap, no window begins in its last row; those of the wave's last row must be such that
        windows of the ground could follow.
        """
        book, extent = self.book, self.extent
        rows = np.arange(extent.cells).reshape(extent.waves)
        last, patterns = rows[..., -1:, :], book.ground
        for _ in range(extent.shape[-2] - extent.waves[-2]):
            patterns = book.before(patterns, 2 * extent.axes - 2)
        above = rows[..., :-1, :] if extent.wrap[-2] or book.size == 1 else rows
        trouble = self._keep(above.reshape(-1), ~book.ground)
        return max(trouble, self._keep(last.reshape(-1), patterns))

    def _keep(self, cells: NDArray[Any], patterns: NDArray[np.bool_]) -> int:
        return keep(self.arrays, self.rules, cells.astype(np.int32), packed(patterns))

    def follow(self) -> int:
        """All that follows: a cell with nothing left, or -1; in the first case nothing is changed if that can be."""
        return follow(self.arrays, self.rules, self.claimed, self.missing)

    def _keep_base(self) -> None:
        """Remember everything as it is before the first choice."""
        self.base = [array.copy() for array in (*self.arrays[: kernel.KEYS + 1], self.status, self.tally)]
        self.heaped = int(self.state[kernel.HEAPED])
        self.is_base = True

    # -- on the way ---------------------------------------------------------------------------------------------

    @property
    def undecided(self) -> int:
        return int(self.state[kernel.HEAPED])

    def restart(self) -> None:
        """As it was before the first choice."""
        if not self.is_base:
            for array, own in zip((*self.arrays[: kernel.KEYS + 1], self.status, self.tally), self.base, strict=True):
                array[:] = own
            self.state[kernel.HEAPED] = self.heaped
        self.is_base = False
        self._forget_choices()

    def _forget_choices(self) -> None:
        state = self.state
        state[kernel.OLDEST] = state[kernel.CHOICES]
        state[kernel.FLOOR] = state[kernel.CLEAN] = state[kernel.TOP]
        state[kernel.LEFT] = state[kernel.PATIENCE] = self.backtracks
        state[kernel.FEWEST] = self.extent.cells + 1
        state[kernel.DIRTY] = 0

    def collapse(self, rng: Rng, most: int) -> int:
        """Decide up to so many cells: DONE, MORE or STUCK."""
        return collapse(self.arrays, self.rules, self.claimed, rng.state, self.missing, most, self.every)

    def reopen(self, radius: int, wider: int) -> bool:
        """Open the cells around the last trouble, and those not decided yet around them; whether that can be."""
        state, extent = self.state, self.extent
        cell = int(state[kernel.TROUBLE])
        outer = extent.box(cell, radius + wider)
        opened = np.zeros(extent.cells, dtype=np.bool_)
        opened[outer[self.numbers[outer, kernel.COUNT] != 1]] = True
        opened[extent.box(cell, radius)] = True
        cells = np.flatnonzero(opened)
        for array, before in zip(self.arrays[: kernel.SPREADS + 1], self.base, strict=False):
            array[cells] = before[cells]
        if state[kernel.DIRTY]:
            cells = np.arange(extent.cells)
            ring = np.flatnonzero(~opened)
        else:
            beside = extent.neighbours[cells].reshape(-1)
            beside = beside[beside >= 0]
            ring = np.unique(beside[~opened[beside]])
        self._forget_choices()
        # Those around look at all that they have left, not only at what has gone.
        self.arrays[kernel.GONE_COUNTS][ring] = len(self.book)
        self.arrays[kernel.QUEUE][: len(ring)] = ring
        self.arrays[kernel.WAITING][ring] = kernel.EVERYWHERE
        state[kernel.HEAD], state[kernel.QUEUED] = 0, len(ring)
        self.arrays[kernel.NEWS][: len(cells)] = cells
        self.arrays[kernel.CHANGED][cells] = 1
        state[kernel.TOUCHED] = len(cells)
        trouble = self.follow()
        if trouble >= 0:
            state[kernel.TROUBLE] = trouble
        return trouble < 0

    def plant(self, cell: int, tiles: Sequence[int]) -> bool:
        """Let a cell of the map hold one of some tiles; whether it can, and nothing is changed if it cannot."""
        owner, place = int(self.extent.owners[cell]), int(self.extent.offsets[cell])
        patterns = self.book.holding(tiles, place)
        if not (self.domains[owner] & packed(patterns)).any():
            return False
        self._keep(np.array([owner]), patterns)
        return self.follow() < 0

    # -- what there is to see -----------------------------------------------------------------------------------

    def tiles(self) -> NDArray[np.int64]:
        """(row, column) the tile of every cell of the map: the only one, or the likeliest."""
        found = self._decided().astype(np.int64)
        for cells, bits, place in self._undecided():
            table = np.zeros((len(self.book), self.book.tiles), dtype=np.float32)
            table[np.arange(len(self.book)), self.book.patterns[:, place]] = self.book.weights
            found[cells] = (bits @ table).argmax(axis=1)
        return found.reshape(self.extent.shape)

    def colors(self, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(row, column, 3) of every cell of the map the mean of the colours of all tiles that it may hold."""
        blended = colors[self._decided()]
        for cells, bits, place in self._undecided():
            weights = self.book.weights.astype(np.float32)
            shares = bits @ np.column_stack((weights[:, None] * colors[self.book.patterns[:, place]], weights))
            blended[cells] = shares[:, :3] / np.maximum(1, shares[:, 3:])
        return blended.reshape(*self.extent.shape, 3)

    def _decided(self) -> NDArray[np.uint16]:
        """(cell of the map,) its tile, where its owner has one pattern left; anything elsewhere."""
        which = (self.domains != 0).argmax(axis=1)
        words = np.take_along_axis(self.domains, which[:, None], axis=1)[:, 0]
        lowest = np.frexp((words & (~words + np.uint64(1))).astype(np.float64))[1] - 1
        patterns = np.maximum(0, 64 * which + lowest)
        tiles: NDArray[np.uint16] = self.book.patterns[patterns[self.extent.owners], self.extent.offsets]
        return tiles

    def _undecided(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32], int]]:
        """Cells of the map whose owner has several patterns left, (cell, pattern) which, and their place in windows."""
        waiting = np.flatnonzero(self.numbers[self.extent.owners, kernel.COUNT] != 1)
        step = max(1, BLENDED // len(self.book))
        for place in np.unique(self.extent.offsets[waiting]).tolist():
            here = waiting[self.extent.offsets[waiting] == place]
            for first in range(0, len(here), step):
                cells = here[first : first + step]
                bits = unpacked(self.domains[self.extent.owners[cells]], len(self.book))
                yield cells, bits.astype(np.float32), place


def _leaning(extent: Extent, rng: Rng) -> NDArray[np.float64]:
    """(cell,) what is added to the urgency of every cell: its distance from one of them, and noise."""
    squares = np.zeros(extent.waves)
    for axis, (side, round_) in enumerate(zip(extent.waves, extent.wrap, strict=True)):
        along = np.abs(np.arange(side) - rng.below(side))
        along = np.minimum(along, side - along) if round_ else along
        squares += (along * along).reshape([-1 if other == axis else 1 for other in range(extent.axes)])
    leaning: NDArray[np.float64] = np.sqrt(squares).reshape(-1) * LEANING
    return leaning + rng.randoms(extent.cells) * NOISE
