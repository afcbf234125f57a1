"""Ways: causeways over what infantry cannot cross, and roads. Straight ones are preferred; both sides get the same.

Dijkstra over (cell, direction), because what a step costs depends on whether it turns. In whole numbers, so that ties
are the same everywhere.

Source: Dijkstra, "A note on two problems in connexion with graphs", 1959.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import find_blocking_cells, neighbor_offsets, regions_of
from ...autotile.grammar import grammar_of
from ...core.errors import GaveUp
from ...core.pieces import SIDES, STEPS
from .battlefield import BRIDGE, RIVER, ROAD, WATER, Battlefield, Cell, Mask, opposite_side

CLOSED = -1
"""Costs of cells that no way enters."""
OVER_LAND, OVER_WATER, BEND_IN_WATER = 1, 10, 12
"""What cells of a causeway cost."""
ROAD_COSTS = {"road": 5, "bridge": 5, "plain": 10, "wood": 14, "river": 22, "mountain": 32, "shoal": 50}
ROAD_ELSEWHERE, ROAD_AT_LOCKS, ROAD_THROUGH_BUILDINGS = 26, 16, 16
BEND, BEND_ON_RIVER, ALONG_RIVER = 6, 60, 80
"""What roads cost more where they turn, and where they run along a river instead of crossing it."""


def find_cheapest_path(sources: Mask, goals: Mask, costs: NDArray[np.int64], bends: NDArray[np.int64]) -> list[Cell]:
    """The cells of a cheapest way from a source to a goal, both included; none where there is no way.

    `costs` are (side, row, column): of entering a cell by a step towards that side. `bends` are (row, column): of
    turning there.
    """
    width = sources.shape[1]
    wide = width + 2
    entering = np.pad(costs, ((0, 0), (1, 1), (1, 1)), constant_values=CLOSED).reshape(4, -1).tolist()
    turning = np.pad(bends, 1).reshape(-1).tolist()
    wanted = np.pad(goals, 1).reshape(-1).tolist()
    shifts = [row * wide + column for row, column in STEPS]
    least: dict[int, int] = {}
    came: dict[int, int] = {}
    heap: list[tuple[int, int]] = []
    for place in np.flatnonzero(np.pad(sources, 1)).tolist():
        for side in range(4):
            least[place * 4 + side] = 0
            heap.append((0, place * 4 + side))
    heap.sort()
    while heap:
        cost, state = heappop(heap)
        if cost > least[state]:
            continue
        place, side = divmod(state, 4)
        if wanted[place]:
            way = [state]
            while way[-1] in came:
                way.append(came[way[-1]])
            places = [divmod(state // 4, wide) for state in reversed(way)]
            return [(row - 1, column - 1) for row, column in places]
        for onward in range(4):
            near = place + shifts[onward]
            price = entering[onward][near]
            # From a source one may set off to any side: its states differ in nothing but that.
            if price < 0 or (onward != side and state not in came):
                continue
            total = cost + price + (turning[place] if onward != side else 0)
            following = near * 4 + onward
            if total < least.get(following, total + 1):
                least[following] = total
                came[following] = state
                heappush(heap, (total, following))
    return []


def join(field: Battlefield, *, everything: bool) -> Iterator[int]:
    """Lay causeways until all buildings, or all land, can be reached on foot; gives how many parts are left."""
    while True:
        regions = regions_of(field.passable)
        needed = np.unique(regions.labels[field.passable if everything else field.buildings & field.passable])
        if len(needed) < 2:
            return
        yield len(needed)
        others = regions.mask(needed[1:])
        costs = np.where(field.passable, OVER_LAND, np.where(field.frozen, CLOSED, OVER_WATER))
        bends = np.where(field.passable, 0, BEND_IN_WATER)
        way = find_cheapest_path(regions.labels == needed[0], others, np.broadcast_to(costs, (4, *field.shape)), bends)
        if not way:
            parts = np.where(np.isin(regions.labels, needed), regions.labels, 0).astype(np.int32)
            blame = find_blocking_cells(parts, field.passable | ~field.frozen, neighbor_offsets(2, 4))
            raise GaveUp("players: locked cells leave infantry no way between buildings", cells=blame, remove=["locks"])
        _lay_causeway(field, way)


def _lay_causeway(field: Battlefield, way: list[Cell]) -> None:
    """Bridges straight over water, ground elsewhere, where nobody could walk."""
    water = field.find_kinds(*WATER)
    blocked = ~field.passable
    for before, cell, after in zip(way, way[1:], way[2:], strict=False):
        if not blocked[cell]:
            continue
        tile = None
        straight = before[0] == after[0] or before[1] == after[1]
        if straight and water[cell] and not field.passable[cell]:
            tile = field.kinds.find_piece(BRIDGE, "ew" if before[0] == after[0] else "ns")
        field.lay(cell, field.kinds.ground_tile if tile is None else tile)


class Roads:
    """Roads, gathered way by way and laid at the end, when it is known where they go on."""

    def __init__(self, field: Battlefield) -> None:
        self.field = field
        opened = grammar_of(field.kinds.tileset).open
        self.sides: NDArray[np.bool_] = np.zeros((4, *field.shape), dtype=np.bool_)
        """(side, row, column) where roads that were built go on."""
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
            goes_on = opened[field.cells, side] | opened[field.cells, opposite_side(side)]
            self.costs[side][flowing & goes_on] += ALONG_RIVER
            self.costs[side][spanning & ~goes_on] += ALONG_RIVER
        self.bends = np.where(flowing | spanning, BEND_ON_RIVER, BEND)

    def build(self, sources: Mask, goals: Mask) -> list[Cell]:
        """A road from a source to a goal, and its image; its cells."""
        way = find_cheapest_path(sources, goals, self.costs, self.bends)
        self.add_path(way)
        return way

    def find_path(self, start: Cell, goal: Cell) -> list[Cell]:
        """The cells of a way that a road could take."""
        sources, goals = np.zeros((2, *self.field.shape), dtype=np.bool_)
        sources[start] = goals[goal] = True
        return find_cheapest_path(sources, goals, self.costs, self.bends)

    def add_path(self, way: list[Cell]) -> None:
        """Build a road along these cells, and its image."""
        for cells in (way, [self.field.image_of(cell) for cell in way]):
            for one, other in pairwise(cells):
                side = STEPS.index((other[0] - one[0], other[1] - one[1]))
                for cell, towards in ((one, side), (other, opposite_side(side))):
                    self.sides[towards][cell] = True
                    # What is built already is a good way for the next road.
                    if not self.field.buildings[cell]:
                        self.costs[:, cell[0], cell[1]] = ROAD_COSTS[ROAD]

    def lay(self) -> None:
        """Put the pieces there: bridges straight over rivers, roads elsewhere; buildings and locked cells stay."""
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

    def cut_halfway(self, way: list[Cell]) -> list[Cell]:
        """As much of a way to the opponent as meets its image; all of it where it does not."""
        images: dict[Cell, int] = {}
        for number, cell in enumerate(way):
            images.setdefault(self.field.image_of(cell), number)
            for down, right in ((0, 0), *STEPS):
                near = cell[0] + down, cell[1] + right
                if near in images:
                    return way[: number + 1] if near == cell else [*way[: number + 1], near]
        return way


def mask_of(cells: Iterable[Cell], shape: tuple[int, int]) -> Mask:
    """The cells as a mask."""
    mask = np.zeros(shape, dtype=np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask
