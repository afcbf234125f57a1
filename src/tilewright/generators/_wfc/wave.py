"""Waves: the possible patterns of every cell, as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import EDGES
from ...core.seeds import Rng
from ...core.tile_counts import MAX_COUNT
from ...kernels import wave as kernel
from ...kernels.collapse import DONE, MORE, STUCK, collapse, collapse_constrained, decode, restrict
from ...kernels.global_constraints import SCRATCH_ROWS, ConstraintArrays
from .pattern_set import NeighborLists, PatternSet, pack_bits, unpack_bits
from .topology import Topology
from .user_constraints import UserConstraint, WaveView

__all__ = ["DONE", "MORE", "STUCK", "GlobalConstraint", "TileConstraint", "Wave"]

HEURISTICS = {"entropy": kernel.ENTROPY, "constrained": kernel.CONSTRAINED, "scanline": kernel.SCANLINE}
MAX_TRAIL, MAX_TRAIL_WORDS, MAX_CHOICES = 1 << 16, 1 << 24, 1 << 12
"""Maximum number of changes, of the words in their domains, and of choices that can be undone."""
MAX_BIT_WORDS = 24
"""Maximum number of words of pattern sets whose allowed neighbors are bits; larger sets use lists."""
NO_LISTS = NeighborLists(*(np.zeros(shape, dtype=np.int32) for shape in ((0, 0), 1, 0, 0)))
NOISE = 1e-6
"""Amplitude of the noise that breaks ties between cells."""
DISTANCE_BIAS = 0.02
"""Amount added to a cell's entropy per cell of distance from the start.

Without it, the decided area grows branches that enclose gaps into which no pattern fits.
"""
SEAM_PRIORITY = 1000
"""Cells by which a row and a column of a map that wraps are nearer than all others, so that they are collapsed first.

They close around the map while all other cells are open. The rest is then decided from its edge to its center. From a
single cell, the decided area would meet itself along a complete row and column, where much must fit at once.
"""
CELLS_PER_CHECK = 1 << 11
"""Map cells per choice between two checks of connectivity."""
NO_STREAM = np.zeros(2, dtype=np.uint64)
BLEND_BLOCK = 1 << 22
"""Maximum size of the (cell, pattern) arrays that blend colors."""


@dataclass(frozen=True, eq=False)
class TileConstraint:
    """Map cells that must hold one of given tiles."""

    cells: NDArray[np.int64]
    tiles: tuple[int, ...]
    source: str
    """Name of the constraint in messages: locks, border, ..."""


@dataclass(frozen=True, eq=False)
class GlobalConstraint:
    """Constraint on all cells that hold one of given tiles: on their number, or that they are connected."""

    kind: int
    """COUNTED, REGION or PATH of kernels/global_constraints."""
    tiles: tuple[int, ...]
    source: str
    minimum: int = 0
    maximum: int = MAX_COUNT
    ends: tuple[int, ...] = ()
    """Map cells that a path connects."""


class Wave:
    """Kernel arrays for a pattern set, a topology and constraints."""

    def __init__(
        self,
        pattern_set: PatternSet,
        topology: Topology,
        *,
        tile_constraints: Sequence[TileConstraint] = (),
        global_constraints: Sequence[GlobalConstraint] = (),
        grounded: bool = False,
        edge_patterns: Mapping[str, NDArray[np.bool_]] = MappingProxyType({}),
        heuristic: str = "entropy",
        noise: Rng | None = None,
        max_backtracks: int = 0,
        user_constraints: Sequence[UserConstraint] = (),
        labels: tuple[str, ...] = (),
    ) -> None:
        self.pattern_set, self.topology, self.global_constraints = pattern_set, topology, tuple(global_constraints)
        self.max_backtracks, self.user_constraints, self.labels = max_backtracks, tuple(user_constraints), labels
        cells, words = topology.cells, pattern_set.words
        trail = min(MAX_TRAIL, MAX_TRAIL_WORDS // (1 << (words - 1).bit_length()), 1 << (8 * cells + 64).bit_length())
        lists = pattern_set.neighbors if words > MAX_BIT_WORDS else NO_LISTS
        self.state = kernel.WaveState.new()
        self.cells = np.empty(cells, dtype=kernel.CELL)
        self.cells[:] = self.open_cell
        self.arrays = kernel.WaveArrays(
            domains=np.full((cells, words), pattern_set.full),
            cells=self.cells,
            removed=np.zeros((cells, words), dtype=np.uint64),
            heap=np.zeros(cells, dtype=kernel.UNDECIDED),
            queue=np.zeros(cells, dtype=np.int32),
            touched=np.arange(cells, dtype=np.int32),
            changed=np.zeros(cells if user_constraints else 0, dtype=np.int32),
            trail=np.empty(trail, dtype=kernel.ENTRY),
            trail_domains=np.empty((trail, words), dtype=np.uint64),
            choices=np.empty(MAX_CHOICES, dtype=kernel.CHOICE),
            scratch=np.zeros(words, dtype=np.uint64),
            banned=np.zeros(words, dtype=np.uint64),
            stamps=np.zeros(len(lists.starts), dtype=np.int64),
            state=self.state,
        )
        self.rules = kernel.RuleArrays(
            neighbors=topology.neighbors,
            allowed=np.zeros((0, 0, 0), dtype=np.uint64) if len(lists.indices) else pattern_set.allowed,
            lists=lists.indices,
            list_starts=lists.starts,
            members=lists.members,
            list_inverses=lists.inverses,
            weights=pattern_set.weights,
            w_log_w=pattern_set.w_log_w,
            logarithms=pattern_set.logarithms,
            noise=np.zeros(cells) if noise is None else _make_noise(topology, noise),
            heuristic=HEURISTICS[heuristic],
        )
        self.check_interval = max(1, topology.map_cells // CELLS_PER_CHECK)
        self.constraints = self._make_constraint_arrays() if global_constraints else None
        self.state.touched_count = cells
        self.reopened = 0
        """Number of cells in the last reopened region."""
        self.contradiction = self._constrain(tile_constraints, grounded, edge_patterns)
        """Wave cell that has no pattern left before the first choice, or -1."""
        self._save_base()

    @property
    def domains(self) -> NDArray[np.uint64]:
        """(wave cell, word) patterns left."""
        return self.arrays.domains

    # -- before the first choice --------------------------------------------------------------------------------

    def _make_constraint_arrays(self) -> ConstraintArrays:
        topology, count, cells = self.topology, len(self.global_constraints), self.topology.map_cells
        places = topology.size**topology.axes
        masks = np.zeros((count, places, self.pattern_set.words), dtype=np.uint64)
        ends = np.zeros((count, cells), dtype=np.uint8)
        bounds = np.zeros((count, 2), dtype=np.int64)
        for number, constraint in enumerate(self.global_constraints):
            for place in range(places):
                masks[number, place] = pack_bits(self.pattern_set.match_tiles(constraint.tiles, place))
            ends[number, list(constraint.ends)] = 1
            bounds[number] = constraint.minimum, constraint.maximum
        firsts, owned = topology.owned_cells
        return ConstraintArrays(
            owners=topology.owners,
            offsets=topology.offsets,
            owned_starts=firsts,
            owned=owned,
            masks=masks,
            status=np.zeros((count, cells), dtype=np.uint8),
            tally=np.zeros((count, 2), dtype=np.int64),
            bounds=bounds,
            kinds=np.array([constraint.kind for constraint in self.global_constraints], dtype=np.int64),
            ends=ends,
            neighbors=topology.map_neighbors,
            scratch=np.zeros((SCRATCH_ROWS, cells), dtype=np.int32),
        )

    def _constrain(
        self,
        tile_constraints: Sequence[TileConstraint],
        grounded: bool,
        edge_patterns: Mapping[str, NDArray[np.bool_]],
    ) -> int:
        """Ban patterns that violate a constraint and propagate; return a cell that has no pattern left, or -1."""
        pattern_set, topology = self.pattern_set, self.topology
        contradiction = kernel.NO_CELL
        for direction, isolated in enumerate(pattern_set.isolated):
            if isolated.any():  # patterns without a possible neighbor can only be at the edge
                inside = np.flatnonzero(topology.neighbors[:, direction] >= 0)
                contradiction = max(contradiction, self._restrict(inside, ~isolated))
        if any(topology.wrap):
            wrappable = pattern_set.find_wrappable(topology.shape, topology.wrap)
            if not wrappable.all():
                contradiction = max(contradiction, self._restrict(np.arange(topology.cells), wrappable))
        if grounded:
            contradiction = max(contradiction, self._constrain_ground())
        for edge, patterns in edge_patterns.items():
            axis, end = EDGES[edge]
            cells = np.moveaxis(np.arange(topology.cells).reshape(topology.wave_shape), axis, 0)[-end]
            contradiction = max(contradiction, self._restrict(cells.reshape(-1), patterns))
        for constraint in tile_constraints:
            contradiction = max(contradiction, self._limit_tiles(constraint.cells, constraint.tiles))
        if contradiction >= 0:
            return contradiction
        return self.propagate()

    def _constrain_ground(self) -> int:
        """Restrict ground patterns to the map's last row, and that row to ground patterns.

        If the map does not wrap, no block starts in its last row. In this case, the wave's last row is restricted to
        patterns that may have a ground pattern below.
        """
        pattern_set, topology = self.pattern_set, self.topology
        rows = np.arange(topology.cells).reshape(topology.wave_shape)
        last, patterns = rows[..., -1:, :], pattern_set.ground
        for _ in range(topology.shape[-2] - topology.wave_shape[-2]):
            patterns = pattern_set.find_compatible(patterns, 2 * topology.axes - 2)
        above = rows[..., :-1, :] if topology.wrap[-2] or pattern_set.size == 1 else rows
        contradiction = self._restrict(above.reshape(-1), ~pattern_set.ground)
        return max(contradiction, self._restrict(last.reshape(-1), patterns))

    def _limit_tiles(self, cells: NDArray[np.int64], tiles: Sequence[int], *, banned: bool = False) -> int:
        """Restrict map cells to `tiles` or, if `banned`, ban these tiles from them.

        Return a wave cell that has no pattern left, or -1.
        """
        contradiction = kernel.NO_CELL
        owners, offsets = self.topology.owners[cells], self.topology.offsets[cells]
        for place in np.unique(offsets).tolist():
            patterns = self.pattern_set.match_tiles(tiles, place)
            found = self._restrict(owners[offsets == place], ~patterns if banned else patterns)
            contradiction = max(contradiction, found)
        return contradiction

    def _restrict(self, cells: NDArray[Any], patterns: NDArray[np.bool_]) -> int:
        return restrict(self.arrays, self.rules, cells.astype(np.int32), pack_bits(patterns))

    def propagate(self) -> int:
        """Propagate all changes and return a wave cell that has no pattern left, or -1.

        After a contradiction, the changes are undone if the trail still holds them.
        """
        status = self._advance(NO_STREAM, 0)
        return int(self.state.contradiction) if status == STUCK else kernel.NO_CELL

    def _save_base(self) -> None:
        """Save the state before the first choice."""
        if self.state.top:
            self.base_domains, self.base_cells = self.arrays.domains.copy(), self.cells.copy()
        self.base_status = [array.copy() for array in self._status_arrays]
        self.is_base = True

    @cached_property
    def base_domains(self) -> NDArray[np.uint64]:
        """(wave cell, word) patterns before the first choice; unless saved, no cell is restricted."""
        return np.broadcast_to(self.pattern_set.full, (self.topology.cells, self.pattern_set.words))

    @cached_property
    def base_cells(self) -> NDArray[np.void]:
        """(wave cell,) states before the first choice; unless saved, no cell is restricted."""
        return np.broadcast_to(self.open_cell, self.topology.cells)

    @property
    def open_cell(self) -> NDArray[np.void]:
        """State of a cell that can hold every pattern."""
        weight, sum_w_log_w = self.pattern_set.totals
        return np.array((sum_w_log_w, weight, len(self.pattern_set), 0, -1, 0, kernel.TOUCHED), dtype=kernel.CELL)

    @property
    def _status_arrays(self) -> tuple[NDArray[Any], ...]:
        """Arrays of the global constraints that a choice changes."""
        return () if self.constraints is None else (self.constraints.status, self.constraints.tally)

    # -- search -------------------------------------------------------------------------------------------------

    @property
    def undecided(self) -> int:
        """Number of undecided wave cells."""
        return int(self.state.heap_size)

    def restart(self) -> None:
        """Restore the state before the first choice."""
        if not self.is_base:
            self.arrays.domains[:], self.cells[:] = self.base_domains, self.base_cells
            for array, own in zip(self._status_arrays, self.base_status, strict=True):
                array[:] = own
            self.cells["heap_place"], self.cells["touched"] = -1, kernel.TOUCHED
            self.arrays.touched[:] = np.arange(self.topology.cells)
            self.state.heap_size, self.state.touched_count, self.state.changed_count = 0, self.topology.cells, 0
            self.propagate()
        self.is_base = False
        self._forget_choices()
        if self.user_constraints:  # mark all cells as changed for them
            self.arrays.changed[:] = np.arange(self.topology.cells)
            self.cells["touched"] = kernel.CHANGED
            self.state.changed_count = self.topology.cells

    def _forget_choices(self) -> None:
        state = self.state
        state.oldest = state.choices
        state.floor = state.clean = state.top
        state.backtracks_left = state.patience = self.max_backtracks
        state.min_undecided = self.topology.cells + 1
        state.dirty = 0

    def collapse(self, rng: Rng, max_choices: int) -> int:
        """Collapse up to `max_choices` cells and return DONE, MORE or STUCK."""
        if not self.user_constraints:
            return self._advance(rng.state, max_choices)
        status = self._apply_user_constraints(rng)
        for _ in range(max_choices):
            if status == MORE:
                status = self._advance(rng.state, 1)
            if status == STUCK:
                return STUCK
            status = self._apply_user_constraints(rng)
        return status

    def _apply_user_constraints(self, rng: Rng) -> int:
        """Apply and propagate the bans of user constraints until they return no new ones."""
        state = self.state
        while state.changed_count:
            changed = np.sort(self.arrays.changed[: state.changed_count])
            self.cells["touched"][changed] &= kernel.TOUCHED
            state.changed_count = 0
            view = WaveView(self, self.labels, changed)
            contradiction = kernel.NO_CELL
            for number, constraint in enumerate(self.user_constraints):
                for tile, cells in constraint.find_bans(view):
                    if contradiction < 0:
                        contradiction = self._limit_tiles(np.flatnonzero(cells), [tile], banned=True)
                        state.cause = len(self.global_constraints) + number
            if contradiction < 0 and state.queue_size == 0:
                continue
            if self._advance(rng.state, 1, contradiction) == STUCK:
                return STUCK
        return MORE if state.heap_size else DONE

    def _advance(self, stream: NDArray[np.uint64], max_choices: int, contradiction: int = kernel.NO_CELL) -> int:
        if self.constraints is None:
            return collapse(self.arrays, self.rules, stream, max_choices, contradiction)
        return collapse_constrained(
            self.arrays, self.rules, self.constraints, stream, max_choices, self.check_interval, contradiction
        )

    def reopen(self, radius: int, margin: int) -> bool:
        """Reopen the cells around the last contradiction; return whether propagation succeeds.

        Undecided cells within `margin` of the region are reopened too.
        """
        arrays, state, topology = self.arrays, self.state, self.topology
        cell = int(state.contradiction)
        outer = topology.box(cell, radius + margin)
        opened = np.zeros(topology.cells, dtype=np.bool_)
        opened[outer[self.cells["count"][outer] != 1]] = True
        opened[topology.box(cell, radius)] = True
        cells = np.flatnonzero(opened)
        self.reopened = len(cells)
        arrays.domains[cells] = self.base_domains[cells]
        for field in ("count", "weight", "sum_w_log_w"):
            self.cells[field][cells] = self.base_cells[field][cells]
        if state.dirty:
            cells = np.arange(topology.cells)
            ring = np.flatnonzero(~opened)
        else:
            beside = topology.neighbors[cells].reshape(-1)
            beside = beside[beside >= 0]
            ring = np.unique(beside[~opened[beside]])
        self._forget_choices()
        # Cells around the region propagate from all their remaining patterns, not only from removed ones.
        self.cells["removed_count"][ring] = len(self.pattern_set)
        self.cells["pending"][ring] = kernel.ALL_DIRECTIONS
        arrays.queue[: len(ring)] = ring
        state.queue_head, state.queue_size = 0, len(ring)
        arrays.touched[: len(cells)] = cells
        self.cells["touched"][cells] |= kernel.TOUCHED
        state.touched_count = len(cells)
        return self.propagate() < 0

    def place_required(self, cell: int, tiles: Sequence[int]) -> bool:
        """Restrict a map cell to some tiles; return whether that is possible, and change nothing if not."""
        owner, place = int(self.topology.owners[cell]), int(self.topology.offsets[cell])
        patterns = self.pattern_set.match_tiles(tiles, place)
        if not (self.domains[owner] & pack_bits(patterns)).any():
            return False
        self._restrict(np.array([owner]), patterns)
        return self.propagate() < 0

    # -- output -------------------------------------------------------------------------------------------------

    def to_tiles(self) -> NDArray[np.int64]:
        """Return (row, column) the only possible tile of every map cell, or the likeliest."""
        found = self._decode_decided().astype(np.int64)
        for cells, bits, place in self._iter_undecided():
            table = np.zeros((len(self.pattern_set), self.pattern_set.tiles))
            table[np.arange(len(self.pattern_set)), self.pattern_set.patterns[:, place]] = self.pattern_set.weights
            found[cells] = (bits @ table).argmax(axis=1)
        return found.reshape(self.topology.shape)

    def blend_colors(self, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return (row, column, 3) the weighted mean color of the possible tiles of every map cell."""
        blended = colors[self._decode_decided()]
        for cells, bits, place in self._iter_undecided():
            weights = self.pattern_set.weights.astype(np.float64)
            shares = bits @ np.column_stack((weights[:, None] * colors[self.pattern_set.patterns[:, place]], weights))
            blended[cells] = shares[:, :3] / np.maximum(1, shares[:, 3:])
        return blended.reshape(*self.topology.shape, 3)

    def _decode_decided(self) -> NDArray[np.uint16]:
        """Return (map cell,) the tile of each cell whose owner has one pattern left, and arbitrary tiles elsewhere."""
        tiles = np.empty(self.topology.map_cells, dtype=np.uint16)
        decode(self.domains, self.pattern_set.patterns, self.topology.owners, self.topology.offsets, tiles)
        return tiles

    def _iter_undecided(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], int]]:
        """Yield undecided map cells, (cell, pattern) whether each pattern is left, and the cells' offset in it.

        Products with them are sums of integers below 2^53, which are exact in any order.
        """
        undecided = np.flatnonzero(self.cells["count"][self.topology.owners] != 1)
        if not len(undecided):
            return
        step = max(1, BLEND_BLOCK // len(self.pattern_set))
        for place in np.unique(self.topology.offsets[undecided]).tolist():
            here = undecided[self.topology.offsets[undecided] == place]
            for first in range(0, len(here), step):
                cells = here[first : first + step]
                bits = unpack_bits(self.domains[self.topology.owners[cells]], len(self.pattern_set))
                yield cells, bits.astype(np.float64), place


def _make_noise(topology: Topology, rng: Rng) -> NDArray[np.float64]:
    """Return (wave cell,) the amount added to the entropy: a multiple of the distance from a random cell, and noise.

    On a map that wraps along all axes, the row and the column of this cell come first, then the cells near them.
    """
    distances = []
    for axis, (side, round_) in enumerate(zip(topology.wave_shape, topology.wrap, strict=True)):
        along = np.abs(np.arange(side) - rng.below(side))
        along = np.minimum(along, side - along) if round_ else along
        distances.append(along.reshape([-1 if other == axis else 1 for other in range(topology.axes)]))
    bias: NDArray[np.float64]
    if all(topology.wrap):
        nearest = reduce(np.minimum, distances)
        bias = np.where(nearest > 0, nearest, reduce(np.maximum, distances) - SEAM_PRIORITY).reshape(-1) * DISTANCE_BIAS
    else:
        bias = np.sqrt(reduce(np.add, [along * along for along in distances])).reshape(-1) * DISTANCE_BIAS
    return bias + rng.randoms(topology.cells) * NOISE
