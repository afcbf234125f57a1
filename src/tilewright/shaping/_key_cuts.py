"""Gates: passages of a map that a single door closes, and the cells behind each gate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.chokepoints import Cuts
from ..analysis.doorways import doorways, find_doors, passages
from ..analysis.paths import farthest_cell, steps_from
from ..analysis.regions import regions_of
from ..analysis.survey import Survey
from ..core.tilemap import TileMap

Mask: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float64]
Cell: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WalkableMap:
    """The reachable cells of a map, and the cells where doors and keys are allowed."""

    region: Mask
    """Cells that can be reached from the start."""
    door_cells: Mask
    """Cells where a door is allowed."""
    free: Mask
    """Free cells, on which a key is allowed."""
    door_ranks: Values
    """Preference for doors, lower is better: 0 on doors, 1 in doorways, 2 elsewhere."""
    from_start: Values
    markers: tuple[tuple[str, Cell], ...]

    @classmethod
    def of(cls, map: TileMap, start: Cell, locked: Mask) -> WalkableMap:
        labels = regions_of(map.passable).labels
        region = labels == labels[start]
        bare = region.copy()
        for marker in map.markers:
            bare[marker.y, marker.x] = False
        named = map.tileset.by_name
        doors = find_doors(map)
        free = bare & ~doors
        if any(name.endswith(" key") for name in named):
            # A key replaces a tile, so it is allowed only on plain floor, not on a treasure.
            plain = [Survey(map).most_common_tile(passable=True), named.get("floor"), named.get("corridor")]
            free &= np.isin(map.cells, [tile for tile in plain if tile is not None])
        ranks = np.where(doors, 0.0, np.where(doorways(map), 1.0, 2.0))
        markers = tuple((marker.name, (marker.y, marker.x)) for marker in map.markers)
        from_start = steps_from(map.passable, np.array([start]))
        inside = np.zeros_like(region)
        for room in map.rooms:
            inside[room.y : room.y + room.height, room.x : room.x + room.width] = True
        # A row of doors would divide a room; a passage of one cell may be in the outline of a room.
        door_cells = bare & (doors | ~locked) & (~inside | passages(map.passable))
        return cls(region, door_cells, free, ranks, from_start, markers)

    def find_markers(self, name: str) -> list[Cell]:
        """Return the reachable cells that have a marker with this name."""
        return [cell for marker, cell in self.markers if marker == name and self.region[cell]]


@dataclass(frozen=True, eq=False)
class LockedAreas:
    """A map divided into areas, each behind its own doors."""

    numbers: Numbers
    """(row, column) area of every cell: 0 at the start, n behind the n-th lock, -1 for doors and unreachable cells."""
    doors: list[list[Cell]]
    """Cells of the doors of each lock."""


@dataclass(frozen=True, eq=False)
class Gates:
    """Passages that a single door closes, and the cells behind each of them.

    A depth-first walk from the start numbers the reachable cells. The cells behind a gate are the cells of the steps
    after that of the gate, up to its last step. Two gates are therefore nested or independent, and all gates form a
    tree.
    """

    walkable_map: WalkableMap
    walk: Numbers
    """(step, axis) cells in the order of the walk."""
    first: Numbers
    """(gate,) step of each gate."""
    last: Numbers
    """(gate,) last step behind each gate."""
    rank: Numbers
    """(gate,) preference, lower is better: doors, then doorways, then other passages, in random order."""

    @classmethod
    def of(cls, walkable_map: WalkableMap, start: Cell, random_values: Values) -> Gates:
        cuts = Cuts.of(walkable_map.region, start=start)
        walk, last = cuts.trace_beyond(start, int(np.count_nonzero(walkable_map.region)))
        fitting = cuts.cells & passages(walkable_map.region) & walkable_map.door_cells
        first = np.flatnonzero(fitting[tuple(walk.T)])
        order = np.argsort((walkable_map.door_ranks + random_values)[tuple(walk[first].T)], kind="stable")
        ranks = np.empty(len(first), dtype=np.int64)
        ranks[order] = np.arange(len(first))
        return cls(walkable_map, walk, first, last[first], ranks)

    def cell(self, gate: int) -> Cell:
        return tuple(self.walk[self.first[gate]].tolist())

    def find_markers(self, name: str) -> list[int]:
        """Return the steps of the markers with this name."""
        cells = self.walkable_map.find_markers(name)
        return [int(step) for cell in cells for step in np.flatnonzero((self.walk == cell).all(axis=1))]

    @cached_property
    def free_counts(self) -> Numbers:
        """(step + 1,) number of free cells before each step, and in total."""
        return np.concatenate([[0], np.cumsum(self.walkable_map.free[tuple(self.walk.T)])])

    def find_far_end(self, min_cells: int, *, behind: bool) -> Cell:
        """Return the cell with the most steps from the start; if `behind`, a cell behind a gate, if there is one."""
        places = self.walkable_map.from_start.shape
        where = np.isfinite(self.walkable_map.from_start)
        if behind:
            # One additional cell for the exit itself.
            large = self.free_counts[self.last + 1] - self.free_counts[self.first + 1] > min_cells
            depth = np.zeros(len(self.walk) + 1, dtype=np.int64)
            np.add.at(depth, self.first[large] + 1, 1)
            np.add.at(depth, self.last[large] + 1, -1)
            covered = np.zeros(places, dtype=np.bool_)
            covered[tuple(self.walk[np.cumsum(depth)[:-1] > 0].T)] = True
            where = where & covered if covered.any() else where
        return farthest_cell(self.walkable_map.from_start, where)

    def find_gates_before(self, step: int) -> Mask:
        """Return (gate,) whether each gate is on every path from the start to the cell of a step."""
        return (self.first < step) & (step <= self.last)

    def choose(self, count: int, min_cells: int, exits: list[int] | None) -> list[int]:
        """Choose `count` gates, or as many as fit, so that the areas between them are large.

        With exits, the first chosen gate is in front of all exits, and no other chosen gate is behind it.
        """
        size = max(min_cells, int(self.free_counts[-1]) // (count + 1))
        best: list[int] = []
        while True:
            found = self._choose_locks(count, size, exits, self.rank)
            best = max(best, found, key=len)
            if len(best) == count:
                return best
            if size == min_cells:
                # Choose as many gates as possible, from the innermost outwards.
                return max(best, self._choose_locks(count, size, exits, -self.first), key=len)
            size = max(min_cells, size * 4 // 5)

    def _choose_locks(self, count: int, size: int, exits: list[int] | None, rank: Numbers) -> list[int]:
        """Choose gates in order of `rank` while every area keeps at least `size` free cells."""
        if not len(self.first):
            return []
        inside = self.free_counts[self.last + 1] - self.free_counts[self.first + 1]
        own = self.free_counts[self.first + 1] - self.free_counts[self.first]
        part, sizes = np.zeros(len(self.first), dtype=np.int64), [int(self.free_counts[-1])]
        closed = np.zeros(len(self.first), dtype=np.bool_)
        for start in self.find_markers("start"):
            closed |= self.find_gates_before(start)
        chosen: list[int] = []
        while len(chosen) < count:
            fits = ~closed & (inside >= size) & (np.array(sizes)[part] - inside - own >= size)
            if exits is not None and not chosen:
                for exit in exits:
                    fits &= self.find_gates_before(exit)
                near = fits & (inside <= 2 * size)
                fits = near if near.any() else fits & (inside == np.min(inside, where=fits, initial=len(self.walk)))
            if not fits.any():
                break
            gate = int(np.argmin(np.where(fits, rank, np.iinfo(np.int64).max)))
            here, taken = int(part[gate]), int(inside[gate] + own[gate])
            behind = (self.first > self.first[gate]) & (self.first <= self.last[gate])
            inside[(part == here) & self.find_gates_before(int(self.first[gate]))] -= taken
            part[behind & (part == here)] = len(sizes)
            sizes[here] -= taken
            sizes.append(taken - int(own[gate]))
            closed[gate] = True
            if exits is not None and not chosen:
                closed |= behind
            chosen.append(gate)
        return chosen

    def build_areas(self, locks: list[int]) -> LockedAreas:
        """Return the areas that these gates separate, in the given order."""
        numbers = np.zeros(len(self.walk), dtype=np.int64)
        for number in sorted(range(len(locks)), key=lambda number: int(self.first[locks[number]])):
            first, last = int(self.first[locks[number]]), int(self.last[locks[number]])
            numbers[first : last + 1] = number + 1
        numbers[self.first[locks]] = -1
        parts = np.full(self.walkable_map.free.shape, -1, dtype=np.int64)
        parts[tuple(self.walk.T)] = numbers
        return LockedAreas(parts, [[self.cell(lock)] for lock in locks])
