"""What measures and shapers ask of a map, worked out once and only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core import registry
from ..core.deprecation import renamed_members, renamed_names
from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap
from .chokepoints import Cuts
from .paths import HotPath, farthest_cell, find_hot_path, steps_from
from .regions import Regions, regions_of
from .rooms import RoomGraph, rooms_graph
from .similarity import Comparison, Similarity


@dataclass(frozen=True, eq=False)
class Route:
    """The way through a map: from its start to its exit, in steps along the axes."""

    start: tuple[int, ...]
    exit: tuple[int, ...]
    from_start: NDArray[np.float64]
    """Steps of every cell from the start; from the nearest one, where there are several."""
    to_exit: NDArray[np.float64]
    """Steps of every cell to the nearest exit."""
    length: int


@renamed_members(
    way="route", around="neighbor_masks", exits="neighbor_counts", marked="find_markers", commonest="most_common_tile"
)
class Survey:
    """A map, looked at."""

    def __init__(self, map: TileMap, like: Similarity | None = None) -> None:
        self.map = map
        self.like = like
        """What it is compared with, if anything."""

    @cached_property
    def comparison(self) -> Comparison | None:
        """The map compared with samples; None where none were given."""
        return self.like.compare(self.map) if self.like is not None else None

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """The cells that one can walk on."""
        return self.map.passable

    @cached_property
    def regions(self) -> Regions:
        """The connected regions of passable cells, without diagonal steps."""
        return regions_of(self.passable)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(tile,) how many cells hold each tile."""
        return np.bincount(self.map.cells.reshape(-1), minlength=len(self.map.tileset))

    @cached_property
    def route(self) -> Route | None:
        """The way between the markers start and exit, the nearest two of them; None where there is none.

        Without these markers it leads through the largest region, between two cells that are far from each other: the
        farthest from its first cell, and the farthest from that (of equally far ones the first). In mazes without loops
        no two cells are further apart; elsewhere a few may be.
        """
        marked = [self.find_markers("start"), self.find_markers("exit")]
        if all(len(cells) for cells in marked):
            return self._find_route(*marked)
        if not self.regions.count:
            return None
        first = np.argwhere(self.regions.labels == self.regions.rank()[0])[:1]
        start = np.array([farthest_cell(steps_from(self.passable, first))])
        return self._find_route(start, np.array([farthest_cell(steps_from(self.passable, start))]))

    @cached_property
    def hot_path(self) -> HotPath | None:
        """The cells of ways that are a tenth longer at most than the shortest."""
        way = self.route
        return find_hot_path(way.from_start, way.to_exit, way.length // 10, rounding=0) if way else None

    @cached_property
    def cuts(self) -> Cuts:
        """The chokepoints, looked for from the start where there is one."""
        return Cuts.of(self.passable, start=self.route.start if self.route else None)

    @cached_property
    def neighbor_masks(self) -> NDArray[np.uint8]:
        """(8, row, column) which of the cells around each are passable, clockwise from above; one level only."""
        wide = np.pad(self.passable.view(np.uint8), 1)
        rows, columns = self.passable.shape
        turns = ((0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0))
        return np.stack([wide[row : row + rows, column : column + columns] for row, column in turns])

    @cached_property
    def neighbor_counts(self) -> NDArray[np.uint8]:
        """How many passable cells each cell has beside it along the axes."""
        wide = np.pad(self.passable.view(np.uint8), 1)
        inner = (slice(1, -1),) * wide.ndim
        sides = (np.roll(wide, step, axis)[inner] for axis in range(wide.ndim) for step in (1, -1))
        return sum(sides, np.zeros(self.passable.shape, dtype=np.uint8))

    @cached_property
    def rooms(self) -> RoomGraph:
        """The rooms and how they are joined."""
        return rooms_graph(self.map)

    def find_markers(self, name: str) -> NDArray[np.int64]:
        """(cell, axis) the passable cells with a marker of this name."""
        axes = self.passable.ndim
        cells = [(marker.level, marker.y, marker.x)[-axes:] for marker in self.map.markers if marker.name == name]
        places = np.array(cells, dtype=np.int64).reshape(-1, axes)
        return places[self.passable[tuple(places.T)]]

    def _find_route(self, starts: NDArray[np.int64], exits: NDArray[np.int64]) -> Route | None:
        from_start, to_exit = (steps_from(self.passable, cells) for cells in (starts, exits))
        start = min((tuple(cell) for cell in starts.tolist()), key=lambda cell: (to_exit[cell], cell))
        exit = min((tuple(cell) for cell in exits.tolist()), key=lambda cell: (from_start[cell], cell))
        if not np.isfinite(to_exit[start]):
            return None
        return Route(start, exit, from_start, to_exit, int(to_exit[start]))

    def most_common_tile(self, *, passable: bool) -> int | None:
        """The most common tile of those that are passable, or are not; of equally common ones the first.

        None if the tileset has no such tile at all.
        """
        fitting = np.flatnonzero(self.map.tileset.passable == passable)
        return int(fitting[np.argmax(self.counts[fitting])]) if fitting.size else None


def measure_map(
    map: TileMap,
    names: Iterable[str] = (),
    like: Similarity | None = None,
    *,
    before_each: Callable[[], None] | None = None,
) -> dict[str, float]:
    """The measures of these names, nan where one does not apply; without names, all that apply.

    `before_each` is called before every one of them: what it raises ends the work.
    """
    survey = Survey(map, like)
    asked = [registry.measures.get(name) for name in names]
    if like is None:
        check_comparing(asked)
    found: dict[str, float] = {}
    for entry in asked or registry.measures:
        if before_each is not None:
            before_each()
        number = entry.body(survey)
        if number is not None or asked:
            found[entry.name] = np.nan if number is None else float(number)
    return found


def check_comparing(asked: Iterable[registry.Measure]) -> None:
    """Measures that compare a map with a sample, where there is none."""
    lacking = [entry.name for entry in asked if entry.compares]
    if lacking:
        verb = "compare" if len(lacking) > 1 else "compares"
        raise InvalidRecipe(f"{' and '.join(lacking)} {verb} a map with a sample; name one with like", rule="missing")


__getattr__ = renamed_names(__name__, Way="Route")
