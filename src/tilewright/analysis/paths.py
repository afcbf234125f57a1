"""Paths through a map: Dijkstra maps, flee maps, shortest paths, and the hot path from start to exit.

All functions take a map or a mask of passable cells. Cells are (row, column), or (level, row, column) on 3D maps. Steps
go in 4 `directions`, or in 8 with diagonals (6 and 26 on 3D maps). A diagonal step costs `diagonal` times a straight
one: 1 if every step takes one turn, 1.5 or sqrt(2) if paths should look straight. A diagonal step may pass between two
walls, as in `regions_of`. If `cut_corners` is False, both cells beside the step must be passable.

`costs` are the costs of a step onto a cell, 1 by default: a dict by tile, the name of a unit type for which the tileset
defines costs, or an array of the map's shape. Costs are from 0 to 10^9. An infinite cost is a wall; impassable cells
stay impassable. Integers, halves, quarters and so on are summed without rounding.

Sources: Dijkstra, "A note on two problems in connexion with graphs", 1959; Hart, Nilsson, Raphael, "A formal basis for
the heuristic determination of minimum cost paths", 1968; Walker, "The incredible power of Dijkstra maps", RogueBasin,
2010, for Dijkstra maps and flee maps; Wolverson, "Procedural map generation techniques", Roguelike Celebration 2020,
for the hot path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, UnknownName
from ..core.tilemap import TileMap
from ..kernels import distance as kernels
from .regions import Directions, Walkable, neighbor_offsets, passable_of

Places: TypeAlias = str | Sequence[int] | Sequence[Sequence[int]] | NDArray[Any]
"""Marker name, cell, cells, or mask of the map's shape."""
Costs: TypeAlias = str | Mapping[str, float] | NDArray[Any]
"""Name of a unit type, costs by tile, or the cost of each cell."""

MAX_COST = 10**9
"""Maximum cost of a step, so that no sum overflows."""
ROUNDING = 1e-9
"""Relative tolerance for equal path lengths, because sums of fractions are rounded."""


def distances(
    map: Walkable,
    goals: Places,
    *,
    directions: Directions = 4,
    costs: Costs | None = None,
    diagonal: float = 1,
    cut_corners: bool = True,
    away: bool = False,
) -> NDArray[np.float64]:
    """Return the cost of the cheapest path from each cell to the nearest goal: a Dijkstra map.

    Each step to a lower value leads closer to a goal.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    goals : str, sequence of int or ndarray
        Marker name, cell, cells or mask.
    directions : {4, 8}
        Steps along the axes only, or diagonal steps as well.
    costs : str, mapping or ndarray, optional
        Costs of a step onto a cell: the name of a unit type of the tileset, costs by tile, or an array. 1 by default.
    diagonal : float
        Cost of a diagonal step relative to a straight one.
    cut_corners : bool
        Whether a diagonal step may pass between walls.
    away : bool
        Whether to compute the costs of paths from the goals to the cells instead. The result differs only if tiles have
        different costs.

    Returns
    -------
    ndarray of float, same shape as the map
        0 at goals, infinity in walls and where no path leads to a goal.

    Raises
    ------
    InvalidRecipe
        If a goal is in a wall or a parameter is invalid.

    Examples
    --------
    >>> passable = np.array([[1, 1, 0, 1], [1, 1, 0, 1]], dtype=bool)
    >>> distances(passable, (0, 0))
    array([[ 0.,  1., inf, inf],
           [ 1.,  2., inf, inf]])
    """
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    return walk.distances(walk.read_places(goals, "goals"), away=away)


def flee_map(
    map: Walkable,
    threats: Places,
    *,
    fear: float = 1.2,
    directions: Directions = 4,
    costs: Costs | None = None,
    diagonal: float = 1,
    cut_corners: bool = True,
) -> NDArray[np.float64]:
    """Return a map on which steps to lower values lead away from threats, around corners and out of dead ends.

    The distances to the threats are multiplied by `-fear` and relaxed again, so that distant cells attract from afar.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    threats : str, sequence of int or ndarray
        Marker name, cell, cells or mask.
    fear : float
        Factor above 1. With a larger factor, the path to a better place may pass closer to a threat.
    directions, costs, diagonal, cut_corners
        See `distances`.

    Returns
    -------
    ndarray of float, same shape as the map
        Infinity at cells that the threats cannot reach.

    Examples
    --------
    >>> flee_map(np.array([[1, 1, 1, 1, 1]], dtype=bool), (0, 1), fear=2)
    array([[-2., -3., -4., -5., -6.]])
    """
    if not (isinstance(fear, int | float) and 1 < fear < np.inf):
        raise InvalidRecipe("must be a finite number above 1", at="fear", got=fear, rule="range")
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    return walk.relax(-fear * walk.distances(walk.read_places(threats, "threats"), away=True))


def shortest_path(
    map: Walkable,
    start: Places,
    goal: Places,
    *,
    directions: Directions = 4,
    costs: Costs | None = None,
    diagonal: float = 1,
    cut_corners: bool = True,
) -> NDArray[np.int64]:
    """Return the cells of a shortest (or cheapest) path between two cells.

    Of several equally short paths, the result is always the same one.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    start, goal : str, sequence of int or ndarray
        Marker name or cell.
    directions, costs, diagonal, cut_corners
        See `distances`.

    Returns
    -------
    ndarray of int, (cell, axis)
        Cells of the path including both ends; no rows if there is no path.

    Examples
    --------
    >>> shortest_path(np.array([[1, 0, 1], [1, 1, 1]], dtype=bool), (0, 0), (0, 2)).tolist()
    [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2]]
    """
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    return walk.find_path(walk.read_place(start, "start"), walk.read_place(goal, "goal"))


path = shortest_path
"""Name of `shortest_path` in `tilewright.analysis`."""


@dataclass(frozen=True, eq=False)
class HotPath:
    """Hot path: the cells on short paths from start to exit, and the optional cells."""

    cells: NDArray[np.bool_]
    """Mask of the cells on paths that exceed the shortest by at most the slack; empty if there is no path."""
    optional: NDArray[np.bool_]
    """Mask of all other cells that can be reached from the start."""
    length: float
    """Cost of the shortest path; infinity if there is none."""


def hot_path(
    map: Walkable,
    start: Places = "start",
    exit: Places = "exit",
    *,
    slack: float = 0,
    directions: Directions = 4,
    costs: Costs | None = None,
    diagonal: float = 1,
    cut_corners: bool = True,
) -> HotPath:
    """Return the cells on paths from start to exit that are at most `slack` longer than the shortest.

    Parameters
    ----------
    map : TileMap or ndarray of bool
        A map, or a mask of passable cells.
    start, exit : str, sequence of int or ndarray
        Marker name, cell, cells or mask. If there are several starts or exits, the nearest one counts.
    slack : float
        Additional cost that is allowed. A detour of one cell to the side costs 2, so a slack of 2n makes the hot path n
        cells wider on each side.
    directions, costs, diagonal, cut_corners
        See `distances`.

    Returns
    -------
    HotPath

    Examples
    --------
    >>> hot = hot_path(np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=bool), (0, 0), (0, 2), slack=2)
    >>> hot.cells.astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [0, 0, 0]])
    >>> hot.length
    2.0
    """
    if not (isinstance(slack, int | float) and 0 <= slack < np.inf):
        raise InvalidRecipe("must be a finite number of at least 0", at="slack", got=slack, rule="range")
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    starts, exits = walk.read_places(start, "start"), walk.read_places(exit, "exit")
    return find_hot_path(walk.distances(starts, away=True), walk.distances(exits), slack)


def find_hot_path(
    from_start: NDArray[np.float64], to_exit: NDArray[np.float64], slack: float, *, rounding: float = ROUNDING
) -> HotPath:
    """Return the hot path, given the distances from the start and to the exit."""
    through = from_start + to_exit
    length = float(through.min())
    cells = (through <= (length + slack) * (1 + rounding)) & np.isfinite(through)
    return HotPath(cells, np.isfinite(from_start) & ~cells, length)


def steps_from(passable: NDArray[np.bool_], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the steps along the axes from each cell to the nearest of `cells`, (cell, axis); infinity if none."""
    walk = _PathQuery(passable, 4, None, 1, True)
    return walk.distances(np.unique(walk.graph.to_flat(cells)))


def farthest_cell(steps: NDArray[np.float64], where: NDArray[np.bool_] | None = None) -> tuple[int, ...]:
    """Return the first cell with the most steps, among the cells of the mask `where`, by default all reached cells."""
    reached = np.isfinite(steps) if where is None else where
    place = int(np.argmax(np.where(reached, steps, -1.0)))
    return tuple(int(part) for part in np.unravel_index(place, steps.shape))


class _PathQuery:
    """A map with validated settings for path searches."""

    def __init__(
        self, map: Walkable, directions: Directions, costs: Costs | None, diagonal: float, cut_corners: bool
    ) -> None:
        self.map = map
        passable = passable_of(map)
        if directions not in get_args(Directions):
            raise InvalidRecipe("must be 4 or 8", at="directions", got=directions, rule="choice")
        if isinstance(diagonal, bool) or not (isinstance(diagonal, int | float) and 0 < diagonal <= MAX_COST):
            raise InvalidRecipe(f"must be above 0 and at most {MAX_COST:,}", at="diagonal", got=diagonal, rule="range")
        self.costs = None if costs is None else _read_costs(map, passable.shape, costs)
        self.has_small_costs = False
        if self.costs is not None:
            lowest, highest, is_integer = _check_costs(passable, self.costs)
            passable = passable & (self.costs < np.inf)
            if lowest == highest == 1:
                self.costs = None
            # A path enters each cell once at most, so that distances of small costs are below 2^31 on most maps.
            is_small = highest <= kernels.MAX_SMALL_COST and highest * passable.size < 1 << 31
            self.has_small_costs = is_integer and is_small
        offsets = neighbor_offsets(passable.ndim, directions)
        is_diagonal = np.abs(offsets).sum(axis=1) > 1
        self.diagonal = bool(is_diagonal.any())
        self.factors = np.where(is_diagonal, float(diagonal), 1.0)
        self.uniform = self.costs is None and bool((self.factors == 1).all())
        self.graph = kernels.StepGraph(passable, offsets, cut_corners=cut_corners or not self.diagonal)

    def read_places(self, given: Places, name: str) -> NDArray[np.int64]:
        """Return the flat indices of passable cells."""
        cells = read_cells(self.map, given, name)
        blocked = cells[~self.graph.passable[tuple(cells.T)]]
        if len(blocked):
            raise InvalidRecipe(f"must be passable, got the wall at {_format_cell(blocked[0])}", at=name)
        return np.unique(self.graph.to_flat(cells))

    def read_place(self, given: Places, name: str) -> int:
        places = self.read_places(given, name)
        if len(places) != 1:
            raise InvalidRecipe(f"must be one cell, got {len(places):,}", at=name)
        return int(places[0])

    def distances(self, places: NDArray[np.int64], *, away: bool = False) -> NDArray[np.float64]:
        graph = self.graph
        if not self.uniform and not (self.has_small_costs and (self.factors == 1).all()):
            values = np.full(graph.padded_shape, np.inf).reshape(-1)
            values[places] = 0
            return self._spread(self._new_costs(values, away=away), places)
        steps = graph.new_steps()
        if self.costs is not None:
            costs = graph.new_small_costs(self.costs)
            kernels.spread_small_costs(steps, costs, graph.shifts, graph.guards, places, away)
        else:
            queue = np.empty(steps.size, dtype=np.int32)
            queue[: places.size] = places
            steps[places] = 0
            kernels.spread_steps(steps, graph.shifts, graph.guards, queue, places.size, -1)
        found = np.empty(graph.shape)
        levels = (1,) * (3 - found.ndim)
        level, row, column = [0] * len(levels) + list(map(int, graph.strides))
        kernels.steps_as_values(steps, level + row + column, level, row, found.reshape(levels + found.shape))
        return found

    def relax(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Lower the values until no value exceeds a neighbor's value by more than the cost of the step to it."""
        padded = np.full(self.graph.padded_shape, np.inf)
        padded[self.graph.inner] = np.where(np.isfinite(values), values, np.inf)
        flat = padded.reshape(-1)
        finite = np.flatnonzero(np.isfinite(flat))
        return self._spread(self._new_costs(flat, away=False), finite[np.argsort(flat[finite], kind="stable")])

    def find_path(self, start: int, goal: int) -> NDArray[np.int64]:
        """Return the cells from start to goal."""
        graph = self.graph
        size = int(np.prod(graph.padded_shape))
        if self.uniform:
            steps, came_from = graph.new_steps(), np.zeros(size, dtype=np.uint8)
            found = kernels.search_steps(
                steps, graph.strides, graph.shifts, graph.guards, came_from, start, goal, bool(self.diagonal)
            )
        else:
            values = np.full(size, np.inf)
            values[start] = 0
            costs = self._new_costs(values, away=True)
            graph.spread(costs, np.array([start]), goal)
            found, came_from = bool(values[goal] < np.inf), costs.came
        if not found:
            return np.empty((0, len(graph.shape)), dtype=np.int64)
        path = np.empty(size, dtype=np.int64)
        count = kernels.trace(came_from, graph.shifts, goal, start, path)
        return graph.to_cells(path[:count][::-1])

    def _new_costs(self, values: NDArray[np.float64], *, away: bool) -> kernels.CostArrays:
        return self.graph.new_costs(values, 1.0 if self.costs is None else self.costs, self.factors, away=away)

    def _spread(self, costs: kernels.CostArrays, seeds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the map of values that are lowered from the seeds on."""
        self.graph.spread(costs, seeds)
        return np.ascontiguousarray(costs.values.reshape(self.graph.padded_shape)[self.graph.inner])


def read_cells(map: Walkable, given: Places, name: str) -> NDArray[np.int64]:
    """Return the (cell, axis) cells inside the map, at least one."""
    shape = map.shape
    if isinstance(given, str):
        markers = map.markers if isinstance(map, TileMap) else ()
        found = [(marker.level, marker.y, marker.x)[-len(shape) :] for marker in markers if marker.name == given]
        if not found:
            raise UnknownName("marker", given, {marker.name for marker in markers}, f"{name}: or use a cell")
        return np.array(found, dtype=np.int64)
    try:
        cells = np.asarray(given)
    except ValueError:
        cells = np.empty(0)
    if cells.dtype == np.bool_:
        if cells.shape != shape:
            raise InvalidRecipe(f"must be a mask of the map's shape, {shape}, got {cells.shape}", at=name)
        cells = np.argwhere(cells)
    elif cells.dtype.kind not in "iu" or cells.ndim not in (1, 2) or cells.shape[-1] != len(shape):
        axes = "(row, column)" if len(shape) == 2 else "(level, row, column)"
        raise InvalidRecipe(f"must be cells as {axes}, a mask or a marker's name", at=name, got=given)
    cells = cells.reshape(-1, len(shape)).astype(np.int64)
    if not len(cells):
        raise InvalidRecipe("must be at least one cell, got none", at=name, rule="minimum")
    outside = cells[((cells < 0) | (cells >= shape)).any(axis=1)]
    if len(outside):
        size = f"{shape[-2]} rows and {shape[-1]} columns" + (f" on {shape[0]} levels" if len(shape) == 3 else "")
        raise InvalidRecipe(f"{_format_cell(outside[0])} is outside the map of {size}; the row comes first", at=name)
    return cells


def _read_costs(map: Walkable, shape: tuple[int, ...], costs: Costs) -> NDArray[np.float64]:
    if isinstance(costs, str | Mapping):
        if not isinstance(map, TileMap):
            raise InvalidRecipe("must be an array for a mask; costs by tile need a TileMap", at="costs")
        by_tile = _costs_by_tile(map, costs)
        found: NDArray[np.float64] = by_tile[map.cells]
    else:
        try:
            found = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidRecipe("must be a number for each cell", at="costs", got=costs) from None
        if found.shape != shape:
            raise InvalidRecipe(
                f"must be an array of the map's shape, {shape}, got {found.shape}", at="costs", rule="type"
            )
    return np.ascontiguousarray(found)


def _costs_by_tile(map: TileMap, costs: str | Mapping[str, float]) -> NDArray[np.float64]:
    tiles = map.tileset
    by_tile = np.ones(len(tiles))
    if isinstance(costs, str):
        unit_types = {unit_type for tile in tiles for unit_type, _ in tile.costs}
        if costs not in unit_types:
            raise UnknownName("unit type", costs, unit_types, f"tileset {tiles.name!r} defines no costs for it")
        for number, tile in enumerate(tiles):
            by_tile[number] = dict(tile.costs).get(costs, 1)
    else:
        for name, cost in costs.items():
            if isinstance(cost, bool) or not isinstance(cost, int | float | np.integer | np.floating):
                raise InvalidRecipe(f"cost of {name!r} must be a number", at="costs", got=cost, rule="missing")
            by_tile[tiles.id(name)] = cost
    _check_costs(np.ones(len(by_tile), dtype=np.bool_), by_tile)
    return by_tile


def _check_costs(passable: NDArray[np.bool_], costs: NDArray[np.float64]) -> tuple[float, float, bool]:
    """Return the lowest and highest finite cost of passable cells, and whether all of them are integers."""
    limits = np.empty(3)
    wrong = kernels.survey_costs(passable.view(np.uint8).reshape(-1), costs.reshape(-1), MAX_COST, limits)
    if wrong >= 0:
        text = f"must be from 0 to {MAX_COST:,}, or infinite for walls, got {costs.reshape(-1)[wrong]}"
        raise InvalidRecipe(text, at="costs")
    lowest, highest, is_integer = limits.tolist()
    return lowest, highest, bool(is_integer)


def _format_cell(cell: NDArray[np.int64]) -> str:
    return f"({', '.join(str(part) for part in cell.tolist())})"
