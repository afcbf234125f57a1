"""Boards: maps on the way to a target, one or several at once, whose divergence from it is known at every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import SMOOTHING, PatternCounts, Tiles, Wrap, pad_map, smooth_counts
from ...analysis.patterns import divergence as divergence_of
from ...core.seeds import Rng
from ...kernels import optimizers
from ...kernels import patterns as kernels
from ...kernels.blocks import block_size
from ...kernels.exact import log
from ...kernels.optimizers import EDIT, Generation, MemberArrays, Moves, StampArrays
from ...kernels.patterns import CHANGE, EMPTY, LAYOUT, CounterArrays
from .padded_grid import PaddedGrid
from .target import TargetDistribution, find_touched_edges

QUANTILES = -log((np.arange(4096) + 0.5) / 4096)
"""Of the exponential distribution: how much worse than before, in units of heat, a change may be."""
HEAT = (*np.linspace(4.4, 2.0, 16), 1.6, 1.25, 0.9, 0.6, 0.3, 0.02)
"""From the first step to the last, at equal distances; a heat of 1 is what one window's share of the map weighs.

Order sets in somewhere between 4 and 2, suddenly for large windows, and most of the time is spent there.
"""
STAMPS, SHIFTS, BOX = 0.1, 0.02, 12
"""Shares of steps of annealing that put a whole window of the samples onto the map, or move a box of such a side."""
MAX_PATCH_SIZE = 3
"""The greatest side of patches that members exchange, in windows."""
BYTES_PER_LOOKUP = 128
"""Bytes of a member that are copied in the time in which one cell of a window is looked at."""


class PatternCounter:
    """Members, maps of one shape, in the layout that kernels/patterns explains."""

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
        """`frozen` cells never change; the divergence of maps from the target has this weight in the sum of both.

        A member's child has at most so many windows of the samples put onto it.
        """
        self.target, self.weight, self.max_stamps = target, weight, max_stamps
        self.grid = PaddedGrid(members[0].shape, wrap, target.sides, max(target.sizes) - 1)
        self._allocate(len(members))
        self.stamps = self._make_stamps()
        self.cells = np.stack([self.grid.pad(tiles, target.tiles) for tiles in members])
        self.frozen: NDArray[np.uint8] = np.ones(self.grid.padded_shape, dtype=np.uint8)
        self.frozen[self.grid.inner] = frozen
        self.frozen = self.frozen.reshape(-1)
        self.locked = self.frozen if frozen.any() else np.empty(0, dtype=np.uint8)
        """The same, empty where all cells may change: large maps are faster without a look at it."""
        self.free = np.flatnonzero(self.frozen == 0).astype(np.int32)
        """The cells that may change, flat within the margin."""
        self.sums_each_step = False
        """Whether annealing rounds the divergence after each step, as if each were taken alone."""
        self.count()

    # -- layout -------------------------------------------------------------------------------------------------

    def _allocate(self, members: int) -> None:
        target, grid = self.target, self.grid
        sizes, most = len(target.sizes), max(coding.cells for coding in target.codings)
        levels = int(grid.strides[0]) if target.axes == 3 else 0
        self.patch = np.array([MAX_PATCH_SIZE * max(target.sizes), levels, grid.strides[-2]], dtype=np.int64)
        self.box = BOX if target.axes == 2 else BOX // 2
        edits = max(self.max_stamps * most, max(self.box, int(self.patch[0]) if members > 1 else 0) ** target.axes)
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
            # Half of the slots hold twice the map's windows and all that one step can add, kept or not.
            added = edits * coding.cells * 2 ** sum(grid.wrap)
            known, others = (
                (0, 0) if coding.bound else (_count_slots(len(windows.keys)), _count_slots(2 * total + added))
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
        entries = edits * int(layout["cells"].sum()) * 2 ** sum(grid.wrap)
        self.log = np.empty(entries, dtype=CHANGE)
        self.new = np.empty(entries, dtype=np.uint64)

    def _make_stamps(self) -> StampArrays:
        """The samples' windows, in pools by the edges that they touch, and where on the map each pool may be put."""
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
            # Where samples have none of a kind, as a small one has no window at only one edge, any will do.
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
            *self._find_touched(),
        )

    def _find_touched(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For stamps of every size, where the windows of every size begin that they touch; and how many."""
        sizes, axes, strides = self.target.sizes, self.target.axes, self.grid.strides
        lengths = np.array([[(one + other - 1) ** axes for other in sizes] for one in sizes], dtype=np.int64)
        around = np.zeros((len(sizes), len(sizes), int(lengths.max())), dtype=np.int64)
        for one, size in enumerate(sizes):
            for other, far in enumerate(sizes):
                starts = np.array(list(product(range(1 - far, size), repeat=axes)), dtype=np.int64)
                around[one, other, : len(starts)] = starts @ strides
        return around, lengths

    @cached_property
    def arrays(self) -> list[CounterArrays]:
        """(member) what kernels take."""
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
        """Count all windows anew."""
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
        """The members' divergences, kept up with every step."""
        self.annealing_delta = np.zeros(1)
        """What annealing has added to the first one's since."""

    # -- looking ------------------------------------------------------------------------------------------------

    @property
    def best(self) -> int:
        """The member that is nearest to the target."""
        return int(np.argmin(self.values))

    @property
    def value(self) -> float:
        """Its divergence."""
        return float(self.values[self.best] + self.annealing_delta[0])

    def tiles(self, member: int | None = None) -> Tiles:
        """A member's map, by default the best one's."""
        inner: Tiles = self.cells[self.best if member is None else member].reshape(self.grid.padded_shape)[
            self.grid.inner
        ]
        return inner

    def divergence(self, member: int) -> float:
        """Of a member from the target, worked out from nothing but its tiles."""
        target, total = self.target, 0.0
        for coding, windows, weight in zip(target.codings, target.windows, target.weights, strict=True):
            wide = pad_map(self.tiles(member), coding.size, self.grid.wrap, target.sides, target.tiles)
            total += weight * divergence_of(PatternCounts.of(coding, [wide]), windows, self.weight)
        return total

    # -- changing -----------------------------------------------------------------------------------------------

    def change(self, cell: tuple[int, ...], tile: int, member: int = 0) -> None:
        """Give one cell another tile."""
        places = np.array([self.grid.flat_index(cell)], dtype=np.int64)
        self._change(places, np.array([tile], dtype=np.int64), member)

    def set_map(self, tiles: Tiles) -> None:
        """Let the first member be this map, where it may change; the cost is that of the cells that differ."""
        cells = np.nonzero(
            (self.tiles(0) != tiles) & (self.frozen.reshape(self.grid.padded_shape)[self.grid.inner] == 0)
        )
        places = (np.stack(cells, axis=1) + self.grid.margin) @ self.grid.strides
        self._change(places, tiles[cells].astype(np.int64), 0)

    def _change(self, places: NDArray[np.int64], tiles: NDArray[np.int64], member: int) -> None:
        first = 0
        while first < len(places):
            first = kernels.change_tiles(self.arrays[member], places, tiles, first, self.values[member : member + 1])
            if first < len(places):
                self.free_slots(member)

    def free_slots(self, member: int) -> None:
        """Free the hashed slots of patterns that no longer occur."""
        own = self.arrays[member]
        kernels.rebuild_slots(own, own.keys.copy(), own.counts.copy(), np.empty_like(own.counts))

    @property
    def anneal_steps_per_block(self) -> int:
        """Steps of annealing between two yields."""
        return max(1, block_size("patterns") // self._count_lookups(STAMPS))

    @property
    def generations_per_block(self) -> int:
        """Generations between two yields. Where there are several members, each has about one that is copied."""
        members = len(self.cells)
        looks = members * self._count_lookups((1 + self.max_stamps) / 2)
        if members > 1:
            held = self.cells, self.slots, self.keys, self.counts, self.which
            looks += sum(array[0].nbytes for array in held) // BYTES_PER_LOOKUP
        return max(1, block_size("patterns") // looks)

    def _count_lookups(self, stamps: float) -> int:
        """Cells of windows that a step looks at which changes a cell and puts so many stamps onto the map."""
        cells = self.layout["cells"][0]
        return int(cells.sum() + stamps * (self.stamps.lengths @ cells).mean())

    def anneal(
        self,
        rng: Rng,
        first: int,
        last: int,
        steps: int,
        *,
        only: NDArray[np.bool_] | None = None,
        heat: tuple[float, ...] = HEAT,
    ) -> Iterator[int]:
        """Take steps first..last-1 of all steps of annealing of the first member; give the step reached between blocks.

        With `only`, no cells change but these, those of them that may.
        """
        free, frozen, locked = self.free, self.frozen, self.locked
        if only is not None:
            wide = np.ones(self.grid.padded_shape, dtype=np.uint8)
            wide[self.grid.inner] = ~only
            frozen = locked = wide.reshape(-1) | self.frozen
            free = np.flatnonzero(frozen == 0).astype(np.int32)
        if not free.size or self.target.tiles < 2:
            return
        # What a window weighs, where both directions count alike.
        window = 2.0 * max(self.weight, 1.0 - self.weight) / self.grid.count_windows(max(self.target.sizes))
        degrees = np.array(heat) * window
        moves = Moves(self.target.tiles, STAMPS, STAMPS + SHIFTS, self.box, degrees, QUANTILES)
        edits = np.empty(max(self.shifts.shape[1], self.box**self.target.axes), dtype=EDIT)
        for end in self._iter_resyncs(first, last):
            if self.sums_each_step:
                self.values[0], self.annealing_delta[0] = 0.0, self.values[0]
            while first < end:
                stop = min(end, first + self.anneal_steps_per_block)
                while first < stop:
                    first = optimizers.anneal(
                        self.arrays[0], self.stamps, moves, locked, frozen, free, self.grid.strides, rng.state,
                        edits, self.annealing_delta, first, stop, steps,
                    )  # fmt: skip
                    if first < stop:
                        self.free_slots(0)
                if first < end:
                    yield first
            # Added at once, whatever the blocks: how a sum is rounded may decide which of two maps is the better.
            self.values[0] += self.annealing_delta[0]
            self.annealing_delta[0] = 0.0
            self._resync(end)
            yield end

    def evolve(self, rng: Rng, first: int, last: int, *, noise: float, crossing: float) -> None:
        """Generations first..last-1 of all members."""
        if not self.free.size:
            return
        members = MemberArrays(self.cells, self.slots, self.keys, self.counts, self.which, self.layout)
        generation = self._new_generation()
        for end in self._iter_resyncs(first, last):
            while first < end:
                first = optimizers.evolve(
                    self.arrays[0], members, self.stamps, generation, self.locked, self.frozen, self.free,
                    self.patch, self.values, rng.state, self.max_stamps, noise, crossing, first, end,
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
        """Steps after which the divergences are worked out anew, so that what is rounded off never adds up."""
        return max(1 << 20, 64 * self.grid.size)

    def _iter_resyncs(self, first: int, last: int) -> Iterator[int]:
        """The steps up to which to go on at once: multiples of that, and the last."""
        yield from range(
            first // self._resync_interval * self._resync_interval + self._resync_interval, last, self._resync_interval
        )
        if first < last:
            yield last

    def _resync(self, step: int) -> None:
        if step % self._resync_interval == 0:
            self.values[:] = [self.divergence(member) for member in range(len(self.cells))]


def _count_slots(entries: int) -> int:
    """Slots, a power of two, so that of so many entries few meet."""
    return 1 << (2 * entries).bit_length()


def _make_tables(
    windows: PatternCounts, total: int, weight: float, share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """What kernels/patterns calls terms, gains and firsts, for maps with so many windows of a size.

    With p the share of a pattern in the map and q in the samples, it adds `weight * p * log(p / q) + (1 - weight) * q *
    log(q / p)` to the divergence: what depends on p alone is in the gains, what depends on q alone in the terms.
    """
    shares = smooth_counts(np.arange(total + 2), total)
    logs = log(shares)
    gains = np.stack((share * weight * np.diff(shares * logs), np.diff(logs)), axis=1)
    known = smooth_counts(np.append(windows.counts, 0), windows.total)
    known_logs = log(known)
    step = 1.0 / ((total + SMOOTHING) * (1.0 + SMOOTHING))
    terms = np.stack((share * weight * step * known_logs, share * (1.0 - weight) * known), axis=1)
    apart = logs[1] - known_logs[-1]
    first = share * (weight * shares[1] - (1.0 - weight) * known[-1]) * apart
    return terms, gains, float(first)
