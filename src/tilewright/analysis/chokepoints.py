"""Chokepoints: cells that a region falls apart without, so that whoever stands there holds it.

In the words of graphs they are articulation points; a corridor one cell wide is made of them. Found in one walk over
all cells, in time and memory that grow with the map and no faster.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972, without the recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..kernels.chokepoints import WALL, count_gates, find_cuts, find_subtree_ends
from ..kernels.distance import StepGraph
from .regions import Directions, Walkable, neighbor_offsets, passable_of


def chokepoints(map: Walkable, *, directions: Directions = 4) -> NDArray[np.bool_]:
    """The passable cells that the cells around them could not reach each other without.

    >>> chokepoints(np.array([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]], dtype=bool)).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0]])
    """
    return Cuts.of(passable_of(map), directions=directions).cells


@dataclass(frozen=True, eq=False)
class Cuts:
    """The chokepoints of a map, and the walk that found them."""

    cells: NDArray[np.bool_]
    graph: StepGraph
    came_from: NDArray[np.uint8]
    gates: NDArray[np.uint8]
    order: NDArray[np.int32]
    """The step of the walk that reached each cell, from 1 on, region by region."""

    @classmethod
    def of(
        cls, passable: NDArray[np.bool_], *, start: tuple[int, ...] | None = None, directions: Directions = 4
    ) -> Cuts:
        """Look for them, beginning at a cell that one can walk on, or anywhere."""
        if directions not in (4, 8):
            raise InvalidRecipe("4 or 8", at="directions", got=directions, rule="choice")
        ground = StepGraph(passable, neighbor_offsets(passable.ndim, directions))
        order = np.full(ground.padded_shape, WALL, dtype=np.int32)
        order[ground.inner] = passable.view(np.int8) + np.int8(WALL)
        came, gates, cuts = (np.zeros(order.size, dtype=np.uint8) for _ in range(3))
        root = -1 if start is None else int(ground.to_flat(np.array([start]))[0])
        find_cuts(order.reshape(-1), ground.shifts, root, came, gates, cuts)
        cells = cuts.reshape(ground.padded_shape)[ground.inner].astype(np.bool_)
        return cls(cells, ground, came, gates, order.reshape(-1))

    def count_between(self, start: tuple[int, ...], exit: tuple[int, ...]) -> int:
        """How many cells every way to the exit leads over, from the start where the walk began; without both."""
        first, cell = (int(place) for place in self.graph.to_flat(np.array([start, exit])))
        return count_gates(self.graph.shifts, self.came_from, self.gates, first, cell)

    def trace_beyond(self, start: tuple[int, ...], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What lies beyond each cell of the region in which the walk began, of so many cells.

        The first array, (step, axis), holds the cells in the order of the walk; the second, (step,), up to which step
        it led on from each. What a chokepoint with two ways on cuts off from the start are the cells of the steps
        after its own, up to that one.
        """
        walk = np.empty(count, dtype=np.int64)
        reached = np.flatnonzero((self.order >= 1) & (self.order <= count))
        walk[self.order[reached] - 1] = reached
        assert walk[0] == self.graph.to_flat(np.array([start]))[0]
        last = np.arange(count)
        find_subtree_ends(walk, self.order, self.graph.shifts, self.came_from, last)
        return self.graph.to_cells(walk), last
