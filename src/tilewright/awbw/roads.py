"""Roads, and causeways over cells that infantry cannot cross.

Straight paths are preferred, and both sides of a symmetric map get the same paths.

Dijkstra's algorithm runs on (cell, direction), because the cost of a step depends on whether it turns. Costs are
integers, so that ties are the same on every machine.

Source: Dijkstra, "A note on two problems in connexion with graphs", 1959.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import find_blocking_cells, neighbor_offsets, regions_of
from ..autotile.grammar import grammar_of
from ..core.errors import GaveUp
from ..core.pieces import SIDES, STEPS
from .battlefield import BRIDGE, RIVER, ROAD, WATER, Battlefield, Cell, Mask, opposite_side

CLOSED = -1
"""Cost of cells that no path enters."""
OVER_LAND, OVER_WATER, BEND_IN_WATER = 1, 10, 12
"""Costs of the cells of a causeway."""
ROAD_COSTS = {"road": 5, "bridge": 5, "plain": 10, "wood": 14, "river": 22, "mountain": 32, "shoal": 50}
ROAD_ELSEWHERE, ROAD_AT_LOCKS, ROAD_THROUGH_BUILDINGS = 26, 16, 16
BEND, BEND_ON_RIVER, ALONG_RIVER = 6, 60, 80
"""Additional costs of a road where it turns, turns on a river, or runs along a river instead of crossing it."""


def find_cheapest_path(sources: Mask, goals: Mask, costs: NDArray[np.int64], bends: NDArray[np.int64]) -> list[Cell]:
    """Return the cells of a cheapest path from a source to a goal, both included; empty if there is no path.

    `costs` (side, row, column) is the cost of entering a cell by a step toward that side. `bends` (row, column) is the
    cost of turning at a cell.
    """
    width = sources.shape[1]
    wide = width + 2
    entering = np.pad(costs, ((0, 0), (1, 1), (1, 1)), constant_values=CLOSED).reshape(4, -1).tolist()
    turning = np.pad(bends, 1).reshape(-1).tolist()
    wanted = np.pad(goals, 1).reshape(-1).tolist()
    shifts = [row * wide + column for row, column in STEPS]
    best: dict[int, int] = {}
    came_from: dict[int, int] = {}
    heap: list[tuple[int, int]] = []
    for place in np.flatnonzero(np.pad(sources, 1)).tolist():
        for side in range(4):
            best[place * 4 + side] = 0
            heap.append((0, place * 4 + side))
    heap.sort()
    while heap:
        cost, state = heappop(heap)
        if cost > best[state]:
            continue
        place, side = divmod(state, 4)
        if wanted[place]:
            path = [state]
            while path[-1] in came_from:
                path.append(came_from[path[-1]])
            places = [divmod(state // 4, wide) for state in reversed(path)]
            return [(row - 1, column - 1) for row, column in places]
        for onward in range(4):
            near = place + shifts[onward]
            price = entering[onward][near]
            # A source has one state per direction, and each of these states continues only straight.
            if price < 0 or (onward != side and state not in came_from):
                continue
            total = cost + price + (turning[place] if onward != side else 0)
            following = near * 4 + onward
            if total < best.get(following, total + 1):
                best[following] = total
                came_from[following] = state
                heappush(heap, (total, following))
    return []


def join(field: Battlefield, *, everything: bool) -> Iterator[int]:
    """Lay causeways until all buildings, or all land, can be reached on foot; yield the number of separate regions."""
    while True:
        regions = regions_of(field.passable)
        needed = np.unique(regions.labels[field.passable if everything else field.buildings & field.passable])
        if len(needed) < 2:
            return
        yield len(needed)
        others = regions.mask(needed[1:])
        costs = np.where(field.passable, OVER_LAND, np.where(field.frozen, CLOSED, OVER_WATER))
        bends = np.where(field.passable, 0, BEND_IN_WATER)
        path = find_cheapest_path(regions.labels == needed[0], others, np.broadcast_to(costs, (4, *field.shape)), bends)
        if not path:
            parts = np.where(np.isin(regions.labels, needed), regions.labels, 0).astype(np.int32)
            blocking = find_blocking_cells(parts, field.passable | ~field.frozen, neighbor_offsets(2, 4))
            raise GaveUp(
                "players: locked cells leave infantry no path between buildings", cells=blocking, remove=["locks"]
            )
        _lay_causeway(field, path)


def _lay_causeway(field: Battlefield, path: list[Cell]) -> None:
    """Lay bridges straight over water, and ground on other impassable cells."""
    water = field.find_kinds(*WATER)
    blocked = ~field.passable
    for before, cell, after in zip(path, path[1:], path[2:], strict=False):
        if not blocked[cell]:
            continue
        tile = None
        straight = before[0] == after[0] or before[1] == after[1]
        if straight and water[cell] and not field.passable[cell]:
            tile = field.kinds.find_piece(BRIDGE, "ew" if before[0] == after[0] else "ns")
        field.lay(cell, field.kinds.ground_tile if tile is None else tile)


class Roads:
    """Roads, collected path by path and laid at the end, when all their open sides are known."""

    def __init__(self, field: Battlefield) -> None:
        self.field = field
        opened = grammar_of(field.kinds.tileset).open
        self.sides: NDArray[np.bool_] = np.zeros((4, *field.shape), dtype=np.bool_)
        """(side, row, column) sides at which roads continue."""
        kinds = field.kinds.kinds[field.cells]
        costs = np.full(field.shape, ROAD_ELSEWHERE)
        for kind, cost in ROAD_COSTS.items():
            costs[kinds == kind] = cost
        costs[field.buildings] = ROAD_THROUGH_BUILDINGS
        costs[field.frozen & ~np.isin(kinds, (ROAD, BRIDGE))] = ROAD_AT_LOCKS
        costs[~field.passable] = CLOSED
        self.costs: NDArray[np.int64] = np.stack([costs] * 4).astype(np.int64)
        flowing = field.passable & (kinds == RIVER)
        spanning = field.passable & (kinds == BRIDGE)
        for side in range(4):
            continues = opened[field.cells, side] | opened[field.cells, opposite_side(side)]
            self.costs[side][flowing & continues] += ALONG_RIVER
            self.costs[side][spanning & ~continues] += ALONG_RIVER
        self.bends = np.where(flowing | spanning, BEND_ON_RIVER, BEND)

    def build(self, sources: Mask, goals: Mask) -> list[Cell]:
        """Build a cheapest road from a source to a goal, and its image; return its cells."""
        path = find_cheapest_path(sources, goals, self.costs, self.bends)
        self.add_path(path)
        return path

    def find_path(self, start: Cell, goal: Cell) -> list[Cell]:
        """Return the cells of the cheapest road between two cells."""
        sources, goals = np.zeros((2, *self.field.shape), dtype=np.bool_)
        sources[start] = goals[goal] = True
        return find_cheapest_path(sources, goals, self.costs, self.bends)

    def add_path(self, path: list[Cell]) -> None:
        """Build a road along these cells, and its image."""
        for cells in (path, [self.field.image_of(cell) for cell in path]):
            for one, other in pairwise(cells):
                side = STEPS.index((other[0] - one[0], other[1] - one[1]))
                for cell, towards in ((one, side), (other, opposite_side(side))):
                    self.sides[towards][cell] = True
                    # The next road prefers cells that already have a road.
                    if not self.field.buildings[cell]:
                        self.costs[:, cell[0], cell[1]] = ROAD_COSTS[ROAD]

    def lay(self) -> None:
        """Place the pieces: bridges straight over rivers, roads elsewhere; buildings and locked cells stay."""
        field, kinds = self.field, self.field.kinds
        spans = field.find_kinds(RIVER, BRIDGE)
        for row, column in np.argwhere(self.sides.any(axis=0) & ~field.buildings & ~field.frozen).tolist():
            tile = kinds.tileset[int(field.cells[row, column])]
            sides = {SIDES[side] for side in range(4) if self.sides[side, row, column]}
            piece = kinds.find_piece(BRIDGE, sides) if spans[row, column] else None
            if piece is None:
                own = set(tile.joins) if tile.kind == ROAD else set()
                piece = kinds.find_piece(ROAD, sides | own)
            if piece is not None:
                field.lay((row, column), piece)

    def cut_halfway(self, path: list[Cell]) -> list[Cell]:
        """Return the part of a path to the opponent up to the cell where it meets its image, or the complete path."""
        images: dict[Cell, int] = {}
        for number, cell in enumerate(path):
            images.setdefault(self.field.image_of(cell), number)
            for down, right in ((0, 0), *STEPS):
                near = cell[0] + down, cell[1] + right
                if near in images:
                    return path[: number + 1] if near == cell else [*path[: number + 1], near]
        return path


def mask_of(cells: Iterable[Cell], shape: tuple[int, int]) -> Mask:
    """Return a mask of the cells."""
    mask = np.zeros(shape, dtype=np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask
