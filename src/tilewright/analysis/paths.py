"""Ways through a map: Dijkstra maps, flee maps, shortest paths, and the hot path from start to exit.

All of them take a map, or a mask of the cells that one can walk on, and speak of cells as (row, column), or as
(level, row, column) in maps with levels. One walks in 4 `directions`, or diagonally as well in 8 (6 and 26 between
levels). A diagonal step counts `diagonal` times a straight one: 1, as where every step is a turn, or 1.5 or
sqrt(2) where ways should look straight. It may pass between two walls, as in `regions_of`, unless `cut_corners` is
False: then all cells must be free that it passes between.

`costs` say what a step onto a cell costs, 1 where nothing else is said: a dict from tile to number, the name of a
mover that the tileset knows costs for, or an array of the map's shape. They are 0 to 10^9; infinite ones
make walls, and what is impassable stays so. Whole numbers, halves, quarters ... are added without rounding.

Sources: Dijkstra, "A note on two problems in connexion with graphs", 1959; Hart, Nilsson, Raphael, "A formal basis for
the heuristic determination of minimum cost paths", 1968; Walker, "The incredible power of Dijkstra maps", RogueBasin,
2010, for the maps and for fleeing; Wolverson, "Procedural map generation techniques", Roguelike Celebration 2020, for
the hot path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, UnknownName
from ..core.tilemap import TileMap
from ..kernels.distance import StepGraph, search_steps, spread_steps, steps_as_values, trace
from .regions import Directions, Walkable, neighbor_offsets, passable_of

Places: TypeAlias = str | Sequence[int] | Sequence[Sequence[int]] | NDArray[Any]
"""A marker's name, one cell, several cells, or a mask of the map's shape."""
Costs: TypeAlias = str | Mapping[str, float] | NDArray[Any]
"""A mover's name, costs by tile, or the cost of every cell."""

MAX_COST = 10**9
"""No step costs more, so that no sum overflows."""
ROUNDING = 1e-9
"""Ways that are longer by less than this share are taken for equally long: sums of fractions are rounded."""


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
    """What the way from every cell to the nearest goal costs: a Dijkstra map. Walk downhill, and you get there.

    It is 0 at goals, and infinite in walls and wherever there is no way. `away` counts the way from the goals
    instead: the same, unless tiles differ in cost.

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
    """A map to walk downhill on when running away, that leads around corners and out of dead ends.

    The distances to the threats are multiplied by minus `fear` and relaxed again, so that the deepest places draw from
    afar. The larger `fear` (above 1), the further one runs past a threat for a better place. Infinite where the threats
    cannot come.

    >>> flee_map(np.array([[1, 1, 1, 1, 1]], dtype=bool), (0, 1), fear=2)
    array([[-2., -3., -4., -5., -6.]])
    """
    if not (isinstance(fear, int | float) and 1 < fear < np.inf):
        raise InvalidRecipe("a finite number above 1", at="fear", got=fear, rule="range")
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
    """The cells of a shortest (or cheapest) way between two cells, one a row, both ends included.

    Of several that are equally short it is always the same one. No rows where there is no way.

    >>> shortest_path(np.array([[1, 0, 1], [1, 1, 1]], dtype=bool), (0, 0), (0, 2)).tolist()
    [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2]]
    """
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    return walk.find_path(walk.read_place(start, "start"), walk.read_place(goal, "goal"))


@dataclass(frozen=True, eq=False)
class HotPath:
    """The way that players take from start to exit, and what lies off it."""

    cells: NDArray[np.bool_]
    """The cells of ways that are no longer than the shortest and the slack; none where there is no way."""
    optional: NDArray[np.bool_]
    """All other cells that can be reached from the start."""
    length: float
    """What the shortest way costs; infinite where there is none."""


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
    """The cells through which a way from start to exit leads that is at most `slack` longer than the shortest.

    Several starts or exits are as good as each other. A step aside and back costs two: with a slack of 2n, the hot path
    is n cells wider on each side.

    >>> hot = hot_path(np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=bool), (0, 0), (0, 2), slack=2)
    >>> hot.cells.astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [0, 0, 0]])
    >>> hot.length
    2.0
    """
    if not (isinstance(slack, int | float) and 0 <= slack < np.inf):
        raise InvalidRecipe("a finite number from 0 up", at="slack", got=slack, rule="range")
    walk = _PathQuery(map, directions, costs, diagonal, cut_corners)
    starts, exits = walk.read_places(start, "start"), walk.read_places(exit, "exit")
    return find_hot_path(walk.distances(starts, away=True), walk.distances(exits), slack)


def find_hot_path(
    from_start: NDArray[np.float64], to_exit: NDArray[np.float64], slack: float, *, rounding: float = ROUNDING
) -> HotPath:
    """The hot path of a map whose two Dijkstra maps are known."""
    through = from_start + to_exit
    length = float(through.min())
    cells = (through <= (length + slack) * (1 + rounding)) & np.isfinite(through)
    return HotPath(cells, np.isfinite(from_start) & ~cells, length)


def steps_from(passable: NDArray[np.bool_], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Steps along the axes to the nearest of some (cell, axis) passable cells, infinite where none is reached."""
    walk = _PathQuery(passable, 4, None, 1, True)
    return walk.distances(np.unique(walk.graph.to_flat(cells)))


def farthest_cell(steps: NDArray[np.float64], where: NDArray[np.bool_] | None = None) -> tuple[int, ...]:
    """The cell that the most steps lead to, of a mask or of all that are reached; of equal ones the first."""
    reached = np.isfinite(steps) if where is None else where
    place = int(np.argmax(np.where(reached, steps, -1.0)))
    return tuple(int(part) for part in np.unravel_index(place, steps.shape))


class _PathQuery:
    """How one walks on a map: read once, refused in one line."""

    def __init__(
        self, map: Walkable, directions: Directions, costs: Costs | None, diagonal: float, cut_corners: bool
    ) -> None:
        self.map = map
        passable = passable_of(map)
        if directions not in get_args(Directions):
            raise InvalidRecipe("4 or 8", at="directions", got=directions, rule="choice")
        if isinstance(diagonal, bool) or not (isinstance(diagonal, int | float) and 0 < diagonal <= MAX_COST):
            raise InvalidRecipe(f"a number above 0 and up to {MAX_COST:,}", at="diagonal", got=diagonal, rule="range")
        self.costs = None if costs is None else _read_costs(map, passable.shape, costs)
        if self.costs is not None:
            passable = passable & (self.costs < np.inf)
            known = self.costs[passable]
            if known.size and known.min() == known.max() == 1:
                self.costs = None
        offsets = neighbor_offsets(passable.ndim, directions)
        slanted = np.abs(offsets).sum(axis=1) > 1
        self.diagonal = bool(slanted.any())
        self.factors = np.where(slanted, float(diagonal), 1.0)
        self.uniform = self.costs is None and bool((self.factors == 1).all())
        self.graph = StepGraph(passable, offsets, cut_corners=cut_corners or not self.diagonal)

    def read_places(self, given: Places, name: str) -> NDArray[np.int64]:
        """Flat places of cells that one can stand on."""
        cells = read_cells(self.map, given, name)
        blocked = cells[~self.graph.passable[tuple(cells.T)]]
        if len(blocked):
            raise InvalidRecipe(f"{_format_cell(blocked[0])} is a wall; take a cell that one can walk on", at=name)
        return np.unique(self.graph.to_flat(cells))

    def read_place(self, given: Places, name: str) -> int:
        places = self.read_places(given, name)
        if len(places) != 1:
            raise InvalidRecipe(f"one cell, got {len(places):,}", at=name)
        return int(places[0])

    def distances(self, places: NDArray[np.int64], *, away: bool = False) -> NDArray[np.float64]:
        ground = self.graph
        if not self.uniform:
            values = np.full(ground.padded_shape, np.inf).reshape(-1)
            values[places] = 0
            return self._spread(values, places, away=away)
        steps = ground.new_steps()
        queue = np.empty(steps.size, dtype=np.int32)
        queue[: places.size] = places
        steps[places] = 0
        spread_steps(steps, ground.shifts, ground.guards, queue, places.size, -1)
        found = np.empty(ground.shape)
        levels = (1,) * (3 - found.ndim)
        level, row, column = [0] * len(levels) + list(map(int, ground.strides))
        steps_as_values(steps, level + row + column, level, row, found.reshape(levels + found.shape))
        return found

    def relax(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values lowered until none is above a neighbour's by more than the step there costs."""
        wide = np.full(self.graph.padded_shape, np.inf)
        wide[self.graph.inner] = np.where(np.isfinite(values), values, np.inf)
        flat = wide.reshape(-1)
        finite = np.flatnonzero(np.isfinite(flat))
        return self._spread(flat, finite[np.argsort(flat[finite], kind="stable")])

    def find_path(self, start: int, goal: int) -> NDArray[np.int64]:
        """Cells from start to goal."""
        ground = self.graph
        came = np.zeros(int(np.prod(ground.padded_shape)), dtype=np.uint8)
        if self.uniform:
            steps = ground.new_steps()
            found = search_steps(
                steps, ground.strides, ground.shifts, ground.guards, came, start, goal, bool(self.diagonal)
            )
        else:
            values = np.full(came.size, np.inf)
            values[start] = 0
            self._spread(values, np.array([start]), away=True, target=goal, came=came)
            found = bool(values[goal] < np.inf)
        if not found:
            return np.empty((0, len(ground.shape)), dtype=np.int64)
        way = np.empty(came.size, dtype=np.int64)
        count = trace(came, ground.shifts, goal, start, way)
        return ground.to_cells(way[:count][::-1])

    def _spread(
        self,
        values: NDArray[np.float64],
        seeds: NDArray[np.int64],
        *,
        away: bool = False,
        target: int = -1,
        came: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float64]:
        ground = self.graph
        costs = ground.new_costs(1.0 if self.costs is None else self.costs)
        came = np.zeros(values.size, dtype=np.uint8) if came is None else came
        ground.spread(values, costs, self.factors, seeds, came, away=away, target=target)
        return np.ascontiguousarray(values.reshape(ground.padded_shape)[ground.inner])


def read_cells(map: Walkable, given: Places, name: str) -> NDArray[np.int64]:
    """(cell, axis) cells inside the map, at least one."""
    shape = map.shape
    if isinstance(given, str):
        markers = map.markers if isinstance(map, TileMap) else ()
        found = [(marker.level, marker.y, marker.x)[-len(shape) :] for marker in markers if marker.name == given]
        if not found:
            raise UnknownName("marker", given, {marker.name for marker in markers}, f"{name}: or give a cell")
        return np.array(found, dtype=np.int64)
    try:
        cells = np.asarray(given)
    except ValueError:
        cells = np.empty(0)
    if cells.dtype == np.bool_:
        if cells.shape != shape:
            raise InvalidRecipe(f"a mask of the map's shape, {shape}, got {cells.shape}", at=name)
        cells = np.argwhere(cells)
    elif cells.dtype.kind not in "iu" or cells.ndim not in (1, 2) or cells.shape[-1] != len(shape):
        axes = "(row, column)" if len(shape) == 2 else "(level, row, column)"
        raise InvalidRecipe(f"cells as {axes}, a mask or a marker's name", at=name, got=given)
    cells = cells.reshape(-1, len(shape)).astype(np.int64)
    if not len(cells):
        raise InvalidRecipe("at least one cell, got none", at=name, rule="minimum")
    outside = cells[((cells < 0) | (cells >= shape)).any(axis=1)]
    if len(outside):
        size = f"{shape[-2]} rows and {shape[-1]} columns" + (f" on {shape[0]} levels" if len(shape) == 3 else "")
        raise InvalidRecipe(f"{_format_cell(outside[0])} lies outside the map of {size}; rows come first", at=name)
    return cells


def _read_costs(map: Walkable, shape: tuple[int, ...], costs: Costs) -> NDArray[np.float64]:
    if isinstance(costs, str | Mapping):
        if not isinstance(map, TileMap):
            raise InvalidRecipe("by tile they need a TileMap; for a mask give an array of its shape", at="costs")
        by_tile = _costs_by_tile(map, costs)
        found = by_tile[map.cells]
    else:
        try:
            found = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidRecipe("a number for every cell", at="costs", got=costs) from None
        if found.shape != shape:
            raise InvalidRecipe(f"an array of the map's shape, {shape}, got {found.shape}", at="costs", rule="type")
        _check_costs(found[passable_of(map)])
    return found


def _costs_by_tile(map: TileMap, costs: str | Mapping[str, float]) -> NDArray[np.float64]:
    tiles = map.tileset
    by_tile = np.ones(len(tiles))
    if isinstance(costs, str):
        movers = {mover for tile in tiles for mover, _ in tile.costs}
        if costs not in movers:
            raise UnknownName("mover", costs, movers, f"tileset {tiles.name!r} knows no costs for it")
        for number, tile in enumerate(tiles):
            by_tile[number] = dict(tile.costs).get(costs, 1)
    else:
        for word, cost in costs.items():
            if isinstance(cost, bool) or not isinstance(cost, int | float | np.integer | np.floating):
                raise InvalidRecipe(f"{word!r} needs a number", at="costs", got=cost, rule="missing")
            by_tile[tiles.id(word)] = cost
    _check_costs(by_tile)
    return by_tile


def _check_costs(costs: NDArray[np.float64]) -> None:
    wrong = costs[~((costs >= 0) & (costs <= MAX_COST) | (costs == np.inf))]
    if wrong.size:
        raise InvalidRecipe(f"from 0 up to {MAX_COST:,}, or infinite for walls, got {wrong[0]}", at="costs")


def _format_cell(cell: NDArray[np.int64]) -> str:
    return f"({', '.join(str(part) for part in cell.tolist())})"
