"""Chokepoints: cells that disconnect their region when blocked.

In graph theory, chokepoints are articulation points. All cells of a corridor one cell wide are chokepoints, except its
ends. One depth-first search finds all chokepoints in linear time and memory.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.
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
    """Return the mask of passable cells whose removal disconnects their region.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    directions : {4, 8}
        Steps along the axes only, or diagonal steps as well.

    Returns
    -------
    ndarray of bool, same shape as the map

    Examples
    --------
    >>> chokepoints(np.array([[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]], dtype=bool)).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0]])
    """
    return Cuts.of(passable_of(map), directions=directions).cells


@dataclass(frozen=True, eq=False)
class Cuts:
    """Chokepoints of a map, and the depth-first search that found them."""

    cells: NDArray[np.bool_]
    graph: StepGraph
    came_from: NDArray[np.uint8]
    gates: NDArray[np.uint8]
    order: NDArray[np.int32]
    """Step of the search that reached each cell, counted from 1, region by region."""

    @classmethod
    def of(
        cls, passable: NDArray[np.bool_], *, start: tuple[int, ...] | None = None, directions: Directions = 4
    ) -> Cuts:
        """Find the chokepoints by a search that begins at the passable cell `start`, by default at any."""
        if directions not in (4, 8):
            raise InvalidRecipe("must be 4 or 8", at="directions", got=directions, rule="choice")
        graph = StepGraph(passable, neighbor_offsets(passable.ndim, directions))
        order = np.full(graph.padded_shape, WALL, dtype=np.int32)
        order[graph.inner] = passable.view(np.int8) + np.int8(WALL)
        came, gates, cuts = (np.zeros(order.size, dtype=np.uint8) for _ in range(3))
        root = -1 if start is None else int(graph.to_flat(np.array([start]))[0])
        find_cuts(order.reshape(-1), graph.shifts, root, came, gates, cuts)
        cells = cuts.reshape(graph.padded_shape)[graph.inner].astype(np.bool_)
        return cls(cells, graph, came, gates, order.reshape(-1))

    def count_between(self, start: tuple[int, ...], exit: tuple[int, ...]) -> int:
        """Return the number of cells that are on every path from `start`, where the search began, to `exit`.

        The start and the exit themselves do not count.
        """
        first, cell = (int(place) for place in self.graph.to_flat(np.array([start, exit])))
        return count_gates(self.graph.shifts, self.came_from, self.gates, first, cell)

    def trace_beyond(self, start: tuple[int, ...], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells of the region where the search started, and the extent of the search behind each cell.

        Returns
        -------
        walk : ndarray, (step, axis)
            Cells of the region in the order of the search; the region has `count` cells.
        last : ndarray, (step,)
            Last step of the search below each cell. A chokepoint separates the cells of the steps after its own, up to
            that step, from the start.
        """
        walk = np.empty(count, dtype=np.int64)
        reached = np.flatnonzero((self.order >= 1) & (self.order <= count))
        walk[self.order[reached] - 1] = reached
        assert walk[0] == self.graph.to_flat(np.array([start]))[0]
        last = np.arange(count)
        find_subtree_ends(walk, self.order, self.graph.shifts, self.came_from, last)
        return self.graph.to_cells(walk), last
