"""Survey of a map: properties that measures and shapers use, computed once on first access; measures of maps.

Many maps of the same shape and tileset are surveyed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.entries import Measure
from ..core.errors import InvalidRecipe
from ..core.registry import measures
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .chokepoints import Cuts
from .map_group import CutTotals, MapGroup, NeighborTotals, RegionTotals, RouteEnds
from .paths import HotPath, find_hot_path, steps_from
from .regions import Regions, regions_of
from .rooms import RoomGraph, rooms_graph
from .similarity import Comparison, Similarity

T = TypeVar("T")
MAX_MAPS_PER_BLOCK, MAX_CELLS_PER_BLOCK = 128, 1 << 20
"""Limits of maps that are kept in memory and measured together."""


@dataclass(frozen=True, eq=False)
class Route:
    """Route from the start to the exit of a map, in steps along the axes."""

    start: tuple[int, ...]
    exit: tuple[int, ...]
    length: int
    passable: NDArray[np.bool_]
    """Mask of passable cells."""
    starts: NDArray[np.int64]
    """(cell, axis) passable cells with a marker start or, without markers, the start."""
    exits: NDArray[np.int64]
    """(cell, axis) passable cells with a marker exit or, without markers, the exit."""

    @cached_property
    def from_start(self) -> NDArray[np.float64]:
        """Number of steps from the nearest start to each cell."""
        return steps_from(self.passable, self.starts)

    @cached_property
    def to_exit(self) -> NDArray[np.float64]:
        """Number of steps from each cell to the nearest exit."""
        return steps_from(self.passable, self.exits)


class Survey:
    """A map and its lazily computed properties.

    Parameters
    ----------
    map : TileMap
        The map to analyze.
    like : Similarity, optional
        Samples to compare the map with.
    """

    def __init__(self, map: TileMap, like: Similarity | None = None) -> None:
        self.map = map
        self.like = like
        """Samples to compare the map with."""
        self._group, self._number = MapGroup((map,)), 0
        self.results: dict[str, Any] = {}
        """Results of measures in other packages, such as playthroughs, by name."""

    @classmethod
    def of_each(cls, maps: Sequence[TileMap], likes: Sequence[Similarity | None]) -> list[Survey]:
        """Return a survey of each map. All maps have the same shape and tileset, so that kernels survey them at once.

        >>> from tilewright.core.tileset import Tileset
        >>> tiles = Tileset.from_labels([".", "#"])
        >>> surveys = Survey.of_each([TileMap([[0, 1]], tiles), TileMap([[1, 0]], tiles)], [None, None])
        >>> [one.floor for one in surveys]
        [2, 2]
        """
        group, found = MapGroup(maps), []
        for number, (map, like) in enumerate(zip(maps, likes, strict=True)):
            survey = cls.__new__(cls)
            survey.map, survey.like, survey._group, survey._number, survey.results = map, like, group, number, {}
            found.append(survey)
        return found

    @cached_property
    def comparison(self) -> Comparison | None:
        """Comparison of the map with the samples; None without samples."""
        return self.like.compare(self.map) if self.like is not None else None

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """Mask of passable cells."""
        mask: NDArray[np.bool_] = self._group.passable[self._number]
        return mask.reshape(self.map.shape)

    @cached_property
    def floor(self) -> int:
        """Number of passable cells."""
        return int(np.count_nonzero(self._group.passable[self._number]))

    @property
    def region_totals(self) -> RegionTotals:
        """Number of connected regions, and the largest one."""
        return self._group.regions[self._number]

    @property
    def route_ends(self) -> RouteEnds | None:
        """Start, exit and length of the route; None if there is no path."""
        return self._group.routes[self._number]

    @property
    def cut_totals(self) -> CutTotals:
        """Number of chokepoints, and of those on every path of the route."""
        return self._group.cuts[self._number]

    @property
    def neighbor_totals(self) -> NeighborTotals:
        """Numbers of cells by their neighbors: dead ends, corridors, junctions."""
        return self._group.neighbors[self._number]

    @property
    def tile_entropy(self) -> float:
        """Shannon entropy of the tile frequencies, in bits."""
        return self._group.tile_entropies[self._number]

    def count_symmetric(self, transform: str) -> int:
        """Return the number of cells that are equal to their image, by a transform as in `MapGroup`."""
        return self._group.count_symmetric(transform)[self._number]

    @cached_property
    def regions(self) -> Regions:
        """Connected regions of passable cells, without diagonal steps."""
        return regions_of(self.passable)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(tile,) number of cells with each tile."""
        counts: NDArray[np.int64] = self._group.tile_counts[self._number]
        return counts

    @cached_property
    def route(self) -> Route | None:
        """Shortest route between a marker start and a marker exit; None if there is no path.

        Without these markers, the route connects two distant cells of the largest region: the cell farthest from its
        first cell, and the cell farthest from that cell (the first of equally far cells). In a maze without loops, no
        shortest path is longer than this route; on other maps, a few shortest paths may be longer.
        """
        ends = self.route_ends
        if ends is None:
            return None
        both = np.stack(np.unravel_index([ends.start, ends.exit], self.map.shape), axis=1)
        start, exit = (tuple(cell) for cell in both.tolist())
        starts, exits = self.find_markers("start"), self.find_markers("exit")
        if not (len(starts) and len(exits)):
            starts, exits = both[:1], both[1:]
        return Route(start, exit, ends.length, self.passable, starts, exits)

    @cached_property
    def hot_path(self) -> HotPath | None:
        """Cells on paths from start to exit that are at most 10% longer than the shortest path."""
        route = self.route
        return find_hot_path(route.from_start, route.to_exit, route.length // 10, rounding=0) if route else None

    @cached_property
    def cuts(self) -> Cuts:
        """Chokepoints, searched from the start if there is one."""
        return Cuts.of(self.passable, start=self.route.start if self.route else None)

    @cached_property
    def neighbor_counts(self) -> NDArray[np.uint8]:
        """Number of passable neighbors of each cell along the axes."""
        padded = np.pad(self.passable.view(np.uint8), 1)
        inner = (slice(1, -1),) * padded.ndim
        sides = (np.roll(padded, step, axis)[inner] for axis in range(padded.ndim) for step in (1, -1))
        return sum(sides, np.zeros(self.passable.shape, dtype=np.uint8))

    @cached_property
    def rooms(self) -> RoomGraph:
        """Room graph."""
        return rooms_graph(self.map)

    def find_markers(self, name: str) -> NDArray[np.int64]:
        """Return the (cell, axis) passable cells with a marker of this name."""
        axes = self.passable.ndim
        cells = [(marker.level, marker.y, marker.x)[-axes:] for marker in self.map.markers if marker.name == name]
        places = np.array(cells, dtype=np.int64).reshape(-1, axes)
        return places[self.passable[tuple(places.T)]]

    def most_common_tile(self, *, passable: bool) -> int | None:
        """Return the most common tile that is passable or, if `passable` is False, impassable; the first on ties.

        Return None if the tileset has no such tile.
        """
        fitting = np.flatnonzero(self.map.tileset.passable == passable)
        return int(fitting[np.argmax(self.counts[fitting])]) if fitting.size else None

    def choose_fill_tile(self, tile: int | None) -> int:
        """Return the impassable tile to fill cells with; None chooses the most common one.

        Raise InvalidRecipe if the tile is passable, or the tileset has no impassable tile.
        """
        tile = self.most_common_tile(passable=False) if tile is None else tile
        if tile is None or self.map.tileset.passable[tile]:
            raise InvalidRecipe("must be impassable; give such a tile", at="tile", rule="missing")
        return tile


def measure_map(
    map: TileMap,
    names: Iterable[str] = (),
    like: Similarity | None = None,
    *,
    before_each: Callable[[], None] | None = None,
) -> dict[str, float]:
    """Compute measures of a map.

    Parameters
    ----------
    map : TileMap
        The map to measure.
    names : iterable of str
        Names of measures; by default all measures without an argument that apply.
    like : Similarity, optional
        Samples to compare the map with.
    before_each : callable, optional
        Function called before each measure. An exception from it ends the computation.

    Returns
    -------
    dict of str to float
        Values by name; NaN for a named measure that does not apply.
    """
    survey = Survey(map, like)
    entries = [measures.complete(name) for name in names]
    if like is None:
        check_comparing(entries)
    for entry in entries:
        entry.check_argument([map.tileset, *(map.recipe.tilesets if map.recipe is not None else ())])
    found: dict[str, float] = {}
    for entry in entries or (one for one in measures if not one.argument):
        if before_each is not None:
            before_each()
        number = entry.compute(survey)
        if number is not None or entries:
            found[entry.name] = np.nan if number is None else float(number)
    return found


def list_argument_measures(map: TileMap) -> list[str]:
    """Return the names of measures with the arguments that occur on a map: its tiles and its markers.

    >>> from tilewright.core.tilemap import Marker
    >>> from tilewright.core.tileset import Tileset
    >>> tiles = Tileset.from_labels(["floor", "wall"])
    >>> list_argument_measures(TileMap([[0, 1]], tiles, markers=[Marker("exit", 0, 0)]))
    ['count.floor', 'count.wall', 'markers.exit']
    """
    used = np.flatnonzero(np.bincount(map.cells.reshape(-1))).tolist()
    values = {
        "tile": [map.tileset[number].name for number in used],
        "marker": sorted({marker.name for marker in map.markers}),
    }
    return [entry.with_argument(value).name for entry in measures for value in values.get(entry.argument, ()) if value]


def check_comparing(entries: Iterable[Measure]) -> None:
    """Raise InvalidRecipe if any of the measures compares a map with a sample."""
    comparing = [entry.name for entry in entries if entry.compares]
    if comparing:
        verb = "compare" if len(comparing) > 1 else "compares"
        raise InvalidRecipe(f"{' and '.join(comparing)} {verb} a map with a sample; name one with like", rule="missing")


MAX_MAPS, MAX_CELLS = 512, 1 << 20
"""Maximum number of maps that are surveyed together, and of their cells. A larger map is surveyed alone."""


def measure_maps(
    maps: Sequence[TileMap], names: Iterable[str] = (), likes: Sequence[Similarity | None] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Compute measures of many maps.

    Parameters
    ----------
    maps : sequence of TileMap
        The maps to measure, of any shapes and tilesets.
    names : iterable of str
        Names of measures; by default all measures without an argument that apply to at least one map.
    likes : sequence of Similarity, optional
        Samples to compare each map with.

    Returns
    -------
    dict of str to ndarray of float
        Values of all maps by name; NaN where a measure does not apply. They equal those of `measure_map`.

    Examples
    --------
    >>> tiles = Tileset.from_labels(["floor", "wall"])
    >>> found = measure_maps([TileMap([[0, 0]], tiles), TileMap([[1], [0]], tiles)], ["cells", "count.floor"])
    >>> {name: numbers.tolist() for name, numbers in found.items()}
    {'cells': [2.0, 2.0], 'count.floor': [2.0, 1.0]}
    """
    named = [measures.complete(name) for name in names]
    likes = [None] * len(maps) if likes is None else likes
    if any(like is None for like in likes):
        check_comparing(named)
    _check_tiles([entry for entry in named if entry.argument == "tile"], maps)
    entries = named or [entry for entry in measures if not entry.argument]
    found = {entry.name: np.full(len(maps), np.nan) for entry in entries}
    applies = {entry.name: bool(named) for entry in entries}
    for numbers in _iter_groups(maps):
        surveys = Survey.of_each([maps[number] for number in numbers], [likes[number] for number in numbers])
        for entry in entries:
            values = [entry.compute(survey) for survey in surveys]
            found[entry.name][numbers] = [np.nan if value is None else float(value) for value in values]
            applies[entry.name] |= any(value is not None for value in values)
    return {name: numbers for name, numbers in found.items() if applies[name]}


def _iter_groups(maps: Sequence[TileMap]) -> Iterator[list[int]]:
    """Yield the numbers of maps with the same shape and tileset, in groups that fit in memory."""
    groups: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for number, map in enumerate(maps):
        key = map.cells.shape, id(map.tileset)
        group = groups.setdefault(key, [])
        group.append(number)
        if len(group) == MAX_MAPS or (len(group) + 1) * map.cells.size > MAX_CELLS:
            yield groups.pop(key)
    yield from groups.values()


def _check_tiles(entries: Sequence[Measure], maps: Sequence[TileMap]) -> None:
    """Raise UnknownName if the argument of a measure is a tile of no map."""
    if not entries or not maps:
        return
    known = list({id(map.tileset): map.tileset for map in maps}.values())
    for entry in entries:
        assert entry.value is not None
        if all(tileset.find(entry.value) is None for tileset in known):
            entry.check_argument([*known, *_list_recipe_tilesets(maps)])


def _list_recipe_tilesets(maps: Sequence[TileMap]) -> list[Tileset]:
    """Return the tilesets whose tiles maps of the same recipes can have."""
    tilesets = (tileset for map in maps if map.recipe is not None for tileset in map.recipe.tilesets)
    return list({id(tileset): tileset for tileset in tilesets}.values())


def iter_blocks(items: Iterable[T], count_cells: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield items with a map in blocks that are measured together, and whose maps fit in memory.

    `count_cells` returns the number of cells of an item's map.
    """
    block: list[T] = []
    cells = 0
    for item in items:
        block.append(item)
        cells += count_cells(item)
        if len(block) == MAX_MAPS_PER_BLOCK or cells >= MAX_CELLS_PER_BLOCK:
            yield block
            block, cells = [], 0
    if block:
        yield block
