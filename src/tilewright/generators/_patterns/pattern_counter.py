"""Pattern counters: maps whose divergence from a target distribution is updated with every change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import SMOOTHING, PatternCounts, Tiles, Wrap, pad_map, smooth_counts
from ...analysis.patterns import divergence as divergence_of
from ...core.seeds import Rng
from ...core.site import block_size
from ...kernels import annealing, optimizers, quilting
from ...kernels import patterns as kernels
from ...kernels.annealing import CopyArrays, Moves, PasteArrays, WindowIndex
from ...kernels.exact import log
from ...kernels.optimizers import EDIT, Generation, MemberArrays, StampArrays
from ...kernels.patterns import CHANGE, EMPTY, LAYOUT, CounterArrays
from .padded_grid import PaddedGrid
from .sample_index import find_copy_limit, make_copy_arrays, make_geometry, make_sample_arrays, make_window_index
from .target import TargetDistribution, find_touched_edges

QUANTILES = -log((np.arange(4096) + 0.5) / 4096)
"""Quantiles of the exponential distribution: thresholds for the increases that annealing accepts, in units of heat."""
HOT, COOL, COLD = 5.0, 0.06, 0.02
"""Temperatures of annealing; 1 is the weight of one window.

Annealing starts at HOT times the cells of a window. Maps take shape while it cools to COOL times the square of these
cells, so most steps are spent there: larger patterns order at higher temperatures. The rest of the steps cools to COLD,
which is so low that almost no worse map is accepted: otherwise its noise is all that remains of small divergences.
"""
SLOW, FAST = 32, 8
"""Numbers of equal intervals of the slow and the fast part, powers of two; each cools by the same factor."""
FEW_STEPS, WARM = 100, 0.2
"""With fewer steps per cell, annealing starts from a quilt at this fraction of the first temperature."""
BLOCK = 1 << 21
"""Number of cells of windows between two frames."""
MAX_FOCUS = 16
"""Maximum number of windows that such short annealing draws to find one that no sample has."""
MIN_COOLING = 8.0
"""Minimum factor by which the temperature decreases in the slow part, for large patterns."""
GROW = 0.8
"""Fraction of annealing steps that paste a part of a sample."""
REACH, DEEP_REACH = 4, 2
"""Maximum distance of a pasted part's edges from the window that it continues, in flat maps and in maps with levels.

Short annealing reaches one cell less, which takes less time.
"""
BOXES_PER_BLOCK = 256
"""Boxes of a quilt between two yields."""
MAX_DRAWS = 1000
"""Maximum number of boxes of the samples that are compared for one box of a quilt."""
MAX_PATCH_SIZE = 3
"""Maximum edge length of the patches that members exchange, in patterns."""
BYTES_PER_LOOKUP = 128
"""Bytes of a member that can be copied in the time of one lookup of a window's cell."""


class PatternCounter:
    """Maps of one shape (members) with their pattern counts, in the layout described in kernels/patterns."""

    def __init__(
        self,
        target: TargetDistribution,
        members: Sequence[Tiles],
        *,
        wrap: Wrap,
        weight: float,
        frozen: NDArray[np.bool_],
        max_stamps: int = 1,
    ) -> None:
        """Count the patterns of all members.

        `weight` is the weight of the divergence of maps from the target; the opposite divergence has the weight 1 -
        `weight`. `frozen` cells never change. A mutation stamps at most `max_stamps` patterns onto a member.
        """
        self.target, self.weight, self.max_stamps = target, weight, max_stamps
        self.grid = PaddedGrid(members[0].shape, wrap, target.sides, max(target.sizes) - 1)
        self._allocate(len(members))
        self.geometry = make_geometry(target, self.grid)
        self.stamps = self._make_stamps()
        self.cells = np.stack([self.grid.pad(tiles, target.tiles) for tiles in members])
        self.frozen: NDArray[np.uint8] = np.ones(self.grid.padded_shape, dtype=np.uint8)
        self.frozen[self.grid.inner] = frozen
        self.frozen = self.frozen.reshape(-1)
        self.locked = self.frozen if frozen.any() else np.empty(0, dtype=np.uint8)
        """Same as `frozen`, but empty if all cells can change, which is faster."""
        self.free = np.flatnonzero(self.frozen == 0).astype(np.int32)
        """Flat indices of the cells that can change."""
        self.sums_each_step = False
        """Whether annealing rounds the divergence after each step instead of after each block of steps."""
        self.count()

    # -- layout -------------------------------------------------------------------------------------------------

    def _allocate(self, members: int) -> None:
        target, grid = self.target, self.grid
        sizes, most = len(target.sizes), max(coding.cells for coding in target.codings)
        levels = int(grid.strides[0]) if target.axes == 3 else 0
        self.patch = np.array([MAX_PATCH_SIZE * max(target.sizes), levels, grid.strides[-2]], dtype=np.int64)
        self.reach = REACH if target.axes == 2 else DEEP_REACH
        entries = self._count_changes(members)
        layout = np.zeros(sizes, dtype=LAYOUT)
        self.shifts = np.zeros((sizes, most), dtype=np.int64)
        self.multipliers = np.zeros((sizes, most), dtype=np.uint64)
        self.firsts = np.empty(sizes)
        slots = np.full((sizes, *grid.padded_shape), -1, dtype=np.int32)
        terms: list[NDArray[np.float64]] = []
        gains: list[NDArray[np.float64]] = []
        first = 0
        for number, (coding, windows) in enumerate(zip(target.codings, target.windows, strict=True)):
            total = grid.count_windows(coding.size)
            slots[number][grid.window_starts(coding.size)] = 0
            self.shifts[number, : coding.cells] = grid.window_offsets(coding.size)
            self.multipliers[number, : coding.cells] = coding.multipliers
            # At a load of one half, there is space for twice the map's windows and for all that one step can add.
            known, others = (
                (0, 0) if coding.bound else (_count_slots(len(windows.keys)), _count_slots(2 * total + entries))
            )
            own = layout[number]
            own["first"], own["known"], own["others"], own["cells"] = first, known, others, coding.cells
            own["gains"], own["lacking"] = sum(map(len, gains)), sum(map(len, terms)) + len(windows.keys)
            first += known + others or coding.bound
            rows, more, self.firsts[number] = _make_tables(windows, total, self.weight, target.weights[number])
            terms.append(rows)
            gains.append(more)
        self.terms, self.gains = np.concatenate(terms), np.concatenate(gains)
        self.slots = np.repeat(slots.reshape(1, sizes, -1), members, axis=0)
        self.layout = np.repeat(layout[None], members, axis=0)
        self.keys = np.empty((members, first), dtype=np.uint64)
        self.counts = np.empty((members, first), dtype=np.int32)
        self.which = np.empty((members, first), dtype=np.int32)
        self.log = np.empty(entries, dtype=CHANGE)
        self.new = np.empty(entries, dtype=np.uint64)

    def _count_changes(self, members: int) -> int:
        """Return the maximum number of windows that one step changes."""
        sizes, axes = self.target.sizes, self.target.axes
        single = sum(size**axes for size in sizes) * 2 ** sum(self.grid.wrap)
        stamped = self.max_stamps * sum((max(sizes) + size - 1) ** axes for size in sizes)
        pasted = sum((2 * self.reach + max(sizes) + size - 1) ** axes for size in sizes)
        crossed = int(self.patch[0]) ** axes * single if members > 1 else 0
        return int(max(single, stamped, pasted, crossed))

    def _make_stamps(self) -> StampArrays:
        """Return the windows of the samples in pools by the edges they touch, and the positions of each pool."""
        target, grid, most = self.target, self.grid, self.shifts.shape[1]
        windows: list[NDArray[np.uint16]] = []
        pools: list[NDArray[np.int64]] = []
        origins: list[NDArray[np.int32]] = []
        ranges = []
        kinds = 1 << (2 * target.axes)
        places = np.arange(grid.size).reshape(grid.padded_shape)
        for number, size in enumerate(target.sizes):
            tiles, touched = target.list_stamps(number)
            padded = np.zeros((len(tiles), most), dtype=np.uint16)
            padded[:, : tiles.shape[1]] = tiles[np.argsort(touched, kind="stable")]
            start, counts = sum(map(len, windows)), np.bincount(touched, minlength=kinds)
            firsts = start + np.cumsum(counts) - counts
            # If no window of the samples touches exactly these edges, as in small samples, use all windows.
            pool = np.stack((np.where(counts > 0, firsts, start), np.where(counts > 0, counts, len(tiles))), axis=1)
            spans = (
                slice(grid.margin, grid.margin + (side if round_ else side - size + 1))
                for side, round_ in zip(grid.shape, grid.wrap, strict=True)
            )
            here = places[tuple(spans)]
            ranges.append((sum(map(len, origins)), here.size, sum(map(len, pools))))
            windows.append(padded)
            pools.append(pool)
            touches = find_touched_edges(here.shape, target.sides)
            origins.append(np.stack((here.reshape(-1), touches.reshape(-1)), axis=1).astype(np.int32))
        return StampArrays(
            np.concatenate(windows),
            np.concatenate(pools),
            np.concatenate(origins),
            np.array(ranges),
        )

    @cached_property
    def arrays(self) -> list[CounterArrays]:
        """Kernel arrays of every member."""
        return [
            CounterArrays(
                cells=self.cells[member],
                next_copies=self.grid.twins,
                originals=self.grid.homes,
                slots=self.slots[member],
                keys=self.keys[member],
                counts=self.counts[member],
                term_rows=self.which[member],
                terms=self.terms,
                gains=self.gains,
                firsts=self.firsts,
                layout=self.layout[member],
                shifts=self.shifts,
                multipliers=self.multipliers,
                log=self.log,
                new=self.new,
            )
            for member in range(len(self.cells))
        ]

    def count(self) -> None:
        """Count all patterns from scratch."""
        self.has_block_keys = False
        """Whether the keys of `copies` are up to date."""
        self.counts[...] = 0
        self.keys[...] = EMPTY
        self.layout["used"] = 0
        for member in range(len(self.cells)):
            own, row = self.arrays[member], 0
            for number, (coding, windows) in enumerate(zip(self.target.codings, self.target.windows, strict=True)):
                if coding.bound:
                    first = int(self.layout["first"][member, number])
                    self.keys[member, first : first + coding.bound] = np.arange(coding.bound, dtype=np.uint64)
                    self.which[member, first : first + coding.bound] = self.layout["lacking"][member, number]
                kernels.add_known(own, number, windows.keys, row)
                row += len(windows.keys) + 1
            kernels.count_windows(own)
        self.values = np.array([self.divergence(member) for member in range(len(self.cells))])
        """(member,) divergences, updated by every change."""
        self.annealing_delta = np.zeros(1)
        """Change of the first divergence by annealing that is not yet in `values`."""

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def best(self) -> int:
        """Index of the member with the smallest divergence."""
        return int(np.argmin(self.values))

    @property
    def value(self) -> float:
        """Divergence of the best member."""
        return float(self.values[self.best] + self.annealing_delta[0])

    @property
    def rank(self) -> float:
        """Divergence by which separate maps are compared: of those that differ only by rounding, the first is best."""
        return round(self.value, 12)

    def tiles(self, member: int | None = None) -> Tiles:
        """Return the map of a member, by default of the best."""
        padded = self.cells[self.best if member is None else member].reshape(self.grid.padded_shape)
        inner: Tiles = padded[self.grid.inner]
        return inner

    def divergence(self, member: int) -> float:
        """Return the divergence of a member from the target, computed from its tiles."""
        target, total = self.target, 0.0
        for coding, windows, weight in zip(target.codings, target.windows, target.weights, strict=True):
            wide = pad_map(self.tiles(member), coding.size, self.grid.wrap, target.sides, target.tiles)
            total += weight * divergence_of(PatternCounts.of(coding, [wide]), windows, self.weight)
        return total

    # -- changing -----------------------------------------------------------------------------------------------

    def change(self, cell: tuple[int, ...], tile: int, member: int = 0) -> None:
        """Change the tile of one cell."""
        self.has_block_keys = False
        self.free_slots(member)
        self.values[member] += kernels.change_tile(self.arrays[member], self.grid.flat_index(cell), tile)

    def free_slots(self, member: int) -> None:
        """Free the hashed slots of patterns that no longer occur."""
        own = self.arrays[member]
        kernels.rebuild_slots(own, own.keys.copy(), own.counts.copy(), np.empty_like(own.counts))

    @property
    def anneal_steps_per_block(self) -> int:
        """Annealing steps between two yields."""
        size, axes = max(self.target.sizes), self.target.axes
        pasted = len(self.target.sizes) * (2 * size + self.reach - 1) ** axes
        return max(1, block_size("patterns", BLOCK) // int(self.layout["cells"][0].sum() + GROW * pasted))

    @property
    def generations_per_block(self) -> int:
        """Generations between two yields. With several members, each generation copies about one member."""
        members = len(self.cells)
        lookups = members * self._count_lookups((1 + self.max_stamps) / 2)
        if members > 1:
            copied = self.cells, self.slots, self.keys, self.counts, self.which
            lookups += sum(array[0].nbytes for array in copied) // BYTES_PER_LOOKUP
        return max(1, block_size("patterns", BLOCK) // lookups)

    def _count_lookups(self, stamps: float) -> int:
        """Return the number of window cells read by a step that changes one cell and applies `stamps` stamps."""
        sizes, axes = self.target.sizes, self.target.axes
        stamped = sum((one + other - 1) ** axes * other**axes for one in sizes for other in sizes) / len(sizes)
        return int(self.layout["cells"][0].sum() + stamps * stamped)

    def anneal(self, rng: Rng, first: int, last: int, steps: int) -> Iterator[int]:
        """Anneal the first member: steps first..last-1 of a schedule of `steps`; yield the step reached after blocks.

        Frozen cells never change.
        """
        if not self.free.size or self.target.tiles < 2:
            return
        if self.copies.keys.size and not self.has_block_keys:
            annealing.fill_block_keys(self.copies, self.geometry, self.cells[0])
        self.has_block_keys = True
        moves = self._make_moves(steps)
        paste = self._make_paste(rng, (2 * self.reach + max(self.target.sizes)) ** self.target.axes)
        for end in self._iter_resyncs(first, last):
            if self.sums_each_step:
                self.values[0], self.annealing_delta[0] = 0.0, self.values[0]
            while first < end:
                stop = min(end, first + self.anneal_steps_per_block)
                while first < stop:
                    first = annealing.anneal(
                        paste, *self._guides, moves, self.free, self.annealing_delta, first, stop, steps
                    )
                    if first < stop:
                        self.free_slots(0)
                if first < end:
                    yield first
            # Added once, so that rounding, which may decide which of two maps is better, does not depend on blocks.
            self.values[0] += self.annealing_delta[0]
            self.annealing_delta[0] = 0.0
            self._resync(end)
            yield end

    def quilt(self, rng: Rng, max_boxes: int) -> Iterator[None]:
        """Fill the first member with boxes of the samples that match where they overlap; yield after `max_boxes`.

        Frozen cells do not change. Boxes are so small that none is a copy by itself.
        """
        target, geometry = self.target, self.geometry
        size = max(target.sizes)
        most = min(find_copy_limit(target) - 1, 2 * self.reach + size)
        box = np.minimum(np.minimum(geometry.sides, most), make_sample_arrays(target).views[:, 1:4].min(axis=0))
        along = [
            _list_box_starts(*numbers, size)
            for numbers in zip(geometry.sides.tolist(), box.tolist(), geometry.wraps.tolist(), strict=True)
        ]
        corners = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, 3)
        edges = np.array([(False, False)] * (3 - target.axes) + list(target.sides), dtype=np.int64)
        if self.copies.keys.size:
            annealing.fill_block_keys(self.copies, geometry, self.cells[0])
        filled, paste = self.frozen.copy(), self._make_paste(rng, int(box.prod()))
        compared, origins = np.empty((paste.edits.size, 4), dtype=np.int64), np.empty((2, 4), dtype=np.int64)
        for first in range(0, len(corners), max_boxes):
            last = min(first + max_boxes, len(corners))
            quilting.quilt(paste, edges, box, corners, filled, compared, origins, MAX_DRAWS, first, last)
            yield
        self.count()

    def _make_paste(self, rng: Rng, edits: int) -> PasteArrays:
        """Return the first member and the samples for steps of up to this number of edits."""
        sample = make_sample_arrays(self.target)
        work = np.empty(edits, dtype=EDIT)
        return PasteArrays(self.arrays[0], self.geometry, sample, self.copies, self.frozen, rng.state, work)

    def _make_moves(self, steps: int) -> Moves:
        """Return the moves of an annealing schedule of `steps`."""
        size, short = max(self.target.sizes), is_short(steps, self.free.size)
        # Weight of one window in the divergence.
        window = 2.0 * max(self.weight, 1.0 - self.weight) / self.grid.count_windows(size)
        temperatures = _make_temperatures(size**self.target.axes, HOT * (WARM if short else 1.0))
        reach, focus = (self.reach - 1, MAX_FOCUS) if short else (self.reach, 0)
        return Moves(GROW, reach, focus, temperatures * window, QUANTILES)

    @cached_property
    def _guides(self) -> tuple[WindowIndex, WindowIndex]:
        """Where windows of the largest pattern size and of the next smaller size occur in the samples."""
        size = max(self.target.sizes)
        return make_window_index(self.target, self.grid, size), make_window_index(self.target, self.grid, size - 1)

    @cached_property
    def copies(self) -> CopyArrays:
        """Large blocks of the first member, which annealing compares with those of the samples."""
        return make_copy_arrays(self.target, self.grid)

    def evolve(self, rng: Rng, first: int, last: int, *, noise: float, crossing: float) -> None:
        """Run generations first..last-1 of all members."""
        if not self.free.size:
            return
        self.has_block_keys = False
        members = MemberArrays(self.cells, self.slots, self.keys, self.counts, self.which, self.layout)
        generation = self._new_generation()
        for end in self._iter_resyncs(first, last):
            while first < end:
                first = optimizers.evolve(
                    self.arrays[0], self.geometry, members, self.stamps, generation, self.locked, self.frozen,
                    self.free, self.patch, self.values, rng.state, self.max_stamps, noise, crossing, first, end,
                )  # fmt: skip
                if first < end:
                    for member in range(len(self.cells)):
                        self.free_slots(member)
            self._resync(end)

    def _new_generation(self) -> Generation:
        count, axes = len(self.cells), self.target.axes
        edits = max(self.max_stamps * self.shifts.shape[1], int(self.patch[0]) ** axes)
        return Generation(
            edits=np.empty((count, edits), dtype=EDIT),
            sizes=np.empty(count, dtype=np.int64),
            parents=np.empty(count, dtype=np.int64),
            values=np.empty(count),
            ranks=np.empty(2 * count),
            order=np.empty(2 * count, dtype=np.int64),
            homes=np.empty(count, dtype=np.int64),
            taken=np.empty(count, dtype=np.uint8),
        )

    @cached_property
    def _resync_interval(self) -> int:
        """Steps after which the divergences are computed again, so that rounding errors do not accumulate."""
        return max(1 << 20, 64 * self.grid.size)

    def _iter_resyncs(self, first: int, last: int) -> Iterator[int]:
        """Yield the multiples of `_resync_interval` after `first`, and `last`."""
        step = self._resync_interval
        yield from range((first // step + 1) * step, last, step)
        if first < last:
            yield last

    def _resync(self, step: int) -> None:
        if step % self._resync_interval == 0:
            self.values[:] = [self.divergence(member) for member in range(len(self.cells))]


def is_short(steps: int, cells: int) -> bool:
    """Return whether annealing starts from a quilt: with few steps per cell that can change, but not without steps."""
    return 0 < steps < FEW_STEPS * cells


def _list_box_starts(length: int, extent: int, wraps: int, overlap: int) -> NDArray[np.int64]:
    """Return the starts of boxes along an axis that cover it, each overlapping the next at least by `overlap` cells."""
    step = max(1, extent - overlap)
    if wraps:
        return np.arange(0, length, step, dtype=np.int64)
    return np.append(np.arange(0, length - extent, step, dtype=np.int64), length - extent)


def _count_slots(entries: int) -> int:
    """Return the number of hash slots for some entries: a power of two, for few collisions."""
    return 1 << (2 * entries).bit_length()


def _make_temperatures(cells: int, scale: float) -> NDArray[np.float64]:
    """Return temperatures at equal intervals of annealing, for patterns with this number of cells.

    The first is `scale` per cell.
    """
    hot = scale * cells
    temperatures = [hot]
    for intervals, end in ((SLOW, min(COOL * cells**2, hot / MIN_COOLING)), (FAST, COLD)):
        factor = end / temperatures[-1]
        for _ in range(intervals.bit_length() - 1):  # the root of a power of two, equal on all machines
            factor = sqrt(factor)
        for _ in range(intervals):
            temperatures.append(temperatures[-1] * factor)
    return np.array(temperatures)


def _make_tables(
    windows: PatternCounts, total: int, weight: float, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return the terms, gains and firsts of kernels/patterns, for maps with `total` windows of a size.

    A pattern with the fraction p in the map and q in the samples adds `weight * p * log(p / q) + (1 - weight) * q *
    log(q / p)` to the divergence. The gains depend on p alone, the terms on q alone.
    """
    shares = smooth_counts(np.arange(total + 2), total)
    logs = log(shares)
    gains = np.stack((share * weight * np.diff(shares * logs), np.diff(logs)), axis=1)
    known = smooth_counts(np.append(windows.counts, 0), windows.total)
    known_logs = log(known)
    step = 1.0 / ((total + SMOOTHING) * (1.0 + SMOOTHING))
    terms = np.stack((share * weight * step * known_logs, share * (1.0 - weight) * known), axis=1)
    difference = logs[1] - known_logs[-1]
    first = share * (weight * shares[1] - (1.0 - weight) * known[-1]) * difference
    return terms, gains, float(first)
