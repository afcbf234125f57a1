"""Areas: the regions of a map after every narrow passage is closed, and the minimum cuts between areas."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import regions_of
from ..core.seeds import Rng
from ..kernels.flow import saturate
from ._key_cuts import Cell, LockedAreas, Values, WalkableMap

Flags: TypeAlias = NDArray[np.bool_]
"""(node,) mask of nodes."""
Cut: TypeAlias = tuple[Flags, list[int]]
"""Mask of the nodes behind a set of door rows, and the indices of these rows."""
DOOR_COST = 1024
"""Cost of a door in the minimum cut, and of each of its cells; the rank of a door adds less than this."""
TRIES = 6
"""Number of seeds tried for every area."""
MIN_CUTS, MAX_CUTS, MAX_WORK = 12, 120, 4_000_000
"""Bounds of the number of minimum cuts, besides a few per lock, and of the number of nodes that all cuts visit."""
INFINITE_COST = 1 << 24
"""Capacity that exceeds the cost of any number of doors of a lock."""


@dataclass(frozen=True, eq=False)
class FlowNetwork:
    """Flow network from the second-to-last node (source) to the last node (sink)."""

    nodes: int
    arcs: NDArray[np.int64]
    """(arc,) index of each arc in the sorted list of all arcs and their opposites."""
    heads: NDArray[np.int64]
    opposites: NDArray[np.int64]
    """(arc,) index of the opposite of each arc in the sorted list."""
    starts: NDArray[np.int64]
    """(node + 1,) index of the first arc of each node."""

    @classmethod
    def of(cls, tails: NDArray[np.int64], heads: NDArray[np.int64], nodes: int) -> FlowNetwork:
        both, arcs = np.unique(np.concatenate([tails * nodes + heads, heads * nodes + tails]), return_inverse=True)
        begin = np.searchsorted(both, np.arange(nodes + 1) * nodes)
        opposites = np.searchsorted(both, both % nodes * nodes + both // nodes)
        return cls(nodes, arcs[: len(tails)], both % nodes, opposites, begin)

    def find_reachable(self, capacities: NDArray[np.int64]) -> Flags:
        """Return the nodes reachable from the source in the residual network of a maximum flow."""
        rest, depths = np.zeros(len(self.heads), dtype=np.int64), np.empty(self.nodes, dtype=np.int64)
        rest[self.arcs] = capacities
        saturate(self.starts, self.heads, self.opposites, rest, self.nodes - 2, self.nodes - 1, depths)
        return depths >= 0


@dataclass(frozen=True, eq=False)
class AreaGraph:
    """Graph of the areas of a map and the door rows between them; its nodes are the areas, then the rows.

    A door row is a straight row of cells across a passage. A lock closes all rows between some areas and the rest. The
    cheapest rows between two areas are a minimum cut, and its source side is the same for every maximum flow.
    """

    walkable_map: WalkableMap
    node: NDArray[np.int64]
    """(row, column) node of every cell, -1 for unreachable cells."""
    rows: tuple[tuple[Cell, ...], ...]
    """(row,) cells of each door row."""
    cost: NDArray[np.int64]
    """(row,) cost of closing each row: its number of cells, and a smaller term for its rank."""
    free: NDArray[np.int64]
    """(area,) number of free cells, on which a key is allowed."""
    pairs: NDArray[np.int64]
    """(pair, 2) adjacent nodes."""

    @classmethod
    def of(cls, walkable_map: WalkableMap, max_width: int, random_values: Values) -> AreaGraph:
        rows, ranks = _find_rows(walkable_map, max_width, random_values)
        node = np.full(walkable_map.region.shape, -1, dtype=np.int64)
        between = walkable_map.region.copy()
        for cells in rows:
            for cell in cells:
                between[cell] = False
        areas = regions_of(between)
        node[between] = areas.labels[between] - 1
        for number, cells in enumerate(rows):
            for cell in cells:
                node[cell] = areas.count + number
        free = np.bincount(node[walkable_map.free & between], minlength=areas.count)
        sides = [(node[:, :-1], node[:, 1:]), (node[:-1], node[1:])]
        beside = np.concatenate([np.stack([one.reshape(-1), other.reshape(-1)], axis=1) for one, other in sides])
        beside = beside[(beside[:, 0] != beside[:, 1]) & (beside.min(axis=1) >= 0)]
        pairs = np.unique(np.sort(beside, axis=1), axis=0)
        cost = np.array([DOOR_COST * (1 + len(cells)) for cells in rows], dtype=np.int64) + ranks
        return cls(walkable_map, node, rows, cost, free, pairs)

    # -- graph ------------------------------------------------------------------------------------------------------

    @cached_property
    def count(self) -> int:
        return len(self.free)

    @cached_property
    def neighbors(self) -> list[list[int]]:
        """Adjacent nodes of each node, in order."""
        near: list[list[int]] = [[] for _ in range(self.count + len(self.rows))]
        for one, other in self.pairs.tolist():
            near[one].append(other)
            near[other].append(one)
        return near

    def grow_ball(self, seeds: Sequence[int], size: int, inside: Flags) -> Flags | None:
        """Return the nodes nearest to the first seed that contain all seeds and at least `size` free cells.

        Return None if `inside` has too few free cells.
        """
        taken = np.zeros(len(self.neighbors), dtype=np.bool_)
        fresh = inside.copy()
        fresh[seeds[0]] = False
        queue, wanted, left = deque(seeds[:1]), set(seeds), size
        while queue and (left > 0 or wanted):
            here = queue.popleft()
            taken[here] = True
            wanted.discard(here)
            if here < self.count:
                left -= int(self.free[here])
            for beside in self.neighbors[here]:
                if fresh[beside]:
                    fresh[beside] = False
                    queue.append(beside)
        return None if left > 0 or wanted else taken

    @cached_property
    def _network(self) -> FlowNetwork:
        """Split each row into an in-node and an out-node, joined by an arc with its cost; add source and sink."""
        areas, rows = self.count, len(self.rows)
        into, out = self.pairs.copy(), self.pairs.copy()
        out[out >= areas] += rows
        row, area = np.arange(rows) + areas, np.arange(areas)
        source, sink = areas + 2 * rows, areas + 2 * rows + 1
        tails = [row, out[:, 0], out[:, 1], np.full(areas, source), area]
        heads = [row + rows, into[:, 1], into[:, 0], area, np.full(areas, sink)]
        return FlowNetwork.of(np.concatenate(tails), np.concatenate(heads), sink + 1)

    def find_min_cut(self, here: Flags, there: Flags, inside: Flags) -> Cut:
        """Return the minimum cut between two sets of nodes in the subgraph `inside`."""
        areas, rows = self.count, len(self.rows)
        joined = np.where(inside[self.pairs].all(axis=1), INFINITE_COST, 0)
        ends = [np.where(place[:areas], INFINITE_COST, 0) for place in (here, there)]
        rooms = np.concatenate([np.where(inside[areas:], self.cost, 0), joined, joined, *ends])
        reached = self._network.find_reachable(rooms)
        into, out = reached[areas : areas + rows], reached[areas + rows : areas + 2 * rows]
        stays = np.concatenate([reached[:areas], into & out])
        return inside & ~stays, np.flatnonzero(into & ~out).tolist()

    # -- areas ------------------------------------------------------------------------------------------------------

    def split(
        self, count: int, min_cells: int, starts: Sequence[Cell], exits: Sequence[Cell] | None, max_doors: int, rng: Rng
    ) -> LockedAreas:
        """Split the map into `count` areas behind locks of at most `max_doors` doors, or into as many as are found.

        The last area contains the exits and is chosen first; the other areas are cut from the rest.
        """
        size = max(min_cells, int(self.free.sum()) // (2 * count + 2))
        best: list[Cut] = []
        budget = max(MIN_CUTS, min(MAX_CUTS + TRIES * count, MAX_WORK // len(self.neighbors)))
        last_tries = 3
        while budget > 0 and last_tries:
            found, cuts = self._try_size(count, size, starts, exits, max_doors, rng, budget)
            budget -= cuts
            best = max(best, found, key=len)
            if len(best) == count:
                break
            last_tries -= size == min_cells
            size = max(min_cells, size // 2)
        return self._build_areas(best)

    def _try_size(
        self,
        count: int,
        size: int,
        starts: Sequence[Cell],
        exits: Sequence[Cell] | None,
        max_doors: int,
        rng: Rng,
        budget: int,
    ) -> tuple[list[Cut], int]:
        """Return the cuts of areas of at least `size`, the last area first, and the number of minimum cuts computed."""
        inside = np.ones(len(self.neighbors), dtype=np.bool_)
        begin = [int(self.node[start]) for start in starts]
        found: list[Cut] = []
        cuts = 0
        while len(found) < count:
            chosen: tuple[int, Flags, list[int]] | None = None
            for seeds in self._choose_seeds(inside, begin, exits if not found else [], rng):
                others = inside.copy()
                others[begin] = False
                there = self.grow_ball(seeds, size + (exits is None and not found), others)
                here = None if there is None else self.grow_ball(begin, size * (count - len(found)), inside & ~there)
                if there is None or here is None or cuts == budget:
                    continue
                cuts += 1
                beyond, closed = self.find_min_cut(here, there, inside)
                cost = int(self.cost[closed].sum())
                if len(closed) <= max_doors and (chosen is None or cost < chosen[0]):
                    chosen = cost, beyond, closed
                if cost < 3 * DOOR_COST:
                    # A single narrow door is the best possible cut, so no other seed is tried.
                    break
            if chosen is None:
                break
            found.append(chosen[1:])
            inside = inside & ~chosen[1]
        return found, cuts

    def _choose_seeds(self, inside: Flags, begin: list[int], exits: Sequence[Cell] | None, rng: Rng) -> list[list[int]]:
        """Choose seeds of an area: the exits or, if there are none, random areas.

        If `exits` is None, areas far from the start are preferred.
        """
        if exits:
            nodes = [int(self.node[exit]) for exit in exits]
            return [nodes] if not set(nodes) & set(begin) else []
        left = [area for area in np.flatnonzero(inside[: self.count] & (self.free > 0)).tolist() if area not in begin]
        candidates = [left.pop(rng.below(len(left))) for _ in range(min(len(left), TRIES))]
        if exits is None:
            far = sorted(candidates + left, key=lambda area: -self._steps[area])[: TRIES // 2]
            candidates = far + candidates[: TRIES - len(far)]
        return [[area] for area in candidates]

    @cached_property
    def _steps(self) -> Values:
        """(area,) maximum number of steps from the start to any cell of the area."""
        steps = np.zeros(self.count)
        inner = (self.node >= 0) & (self.node < self.count)
        np.maximum.at(steps, self.node[inner], self.walkable_map.from_start[inner])
        return steps

    def _build_areas(self, found: list[Cut]) -> LockedAreas:
        """Number the areas from the start; a row between two areas belongs to the higher number."""
        part = np.zeros(self.count + len(self.rows) + 1, dtype=np.int64)
        part[-1] = -1
        for number, (areas, _) in enumerate(reversed(found)):
            part[:-1][areas] = number + 1
        doors = []
        for _, closed in reversed(found):
            part[[self.count + row for row in closed]] = -1
            doors.append([cell for row in sorted(closed) for cell in self.rows[row]])
        return LockedAreas(part[self.node], doors)


def _find_rows(
    walkable_map: WalkableMap, max_width: int, random_values: Values
) -> tuple[tuple[tuple[Cell, ...], ...], NDArray[np.int64]]:
    """Find straight rows of cells across passages; return the rows and the costs of their ranks.

    The rows do not touch each other.

    Doors are taken first, then narrow passages before wide ones, passages at rooms before others, in random order.
    """
    ranks = walkable_map.door_ranks + random_values
    found: list[tuple[float, bool, int, int, int]] = []
    for upright in (False, True):
        region, fitting = (mask.T if upright else mask for mask in (walkable_map.region, walkable_map.door_cells))
        order = ranks.T if upright else ranks
        for width in range(1, min(max_width, region.shape[1] - 2) + 1):
            here = ~region[1:-1, : -width - 1] & ~region[1:-1, width + 1 :]
            before, behind = np.zeros_like(here), np.zeros_like(here)
            worst = np.zeros(here.shape)
            for step in range(1, width + 1):
                part = np.s_[step : region.shape[1] - width - 1 + step]
                here &= fitting[1:-1, part]
                before |= region[:-2, part]
                behind |= region[2:, part]
                worst = np.maximum(worst, order[1:-1, part])
            for row, column in np.argwhere(here & before & behind).tolist():
                found.append((4 * width + float(worst[row, column]), upright, row + 1, column + 1, width))
    found.sort()
    wide = walkable_map.region.shape[1]
    near = bytearray(walkable_map.region.size)
    rows, costs = [], []
    for rank, upright, row, column, width in found:
        first, along, across = (column * wide + row, wide, 1) if upright else (row * wide + column, 1, wide)
        places = range(first, first + width * along, along)
        if not any(near[place] for place in places):
            for place in places:
                near[place - across] = near[place] = near[place + across] = 1
            near[first - along] = near[first + width * along] = 1
            rows.append(tuple(divmod(place, wide) for place in places))
            costs.append(int((rank - 4 * width) * 16))
    return tuple(rows), np.array(costs, dtype=np.int64)
