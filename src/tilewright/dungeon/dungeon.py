"""Dungeon under construction: places rooms, links them and digs corridors between them.

Links are a spanning tree over all rooms and additional links that close loops. Sources: Delaunay, "Sur la sphère vide",
1934; Kruskal, "On the shortest spanning subtree of a graph", 1956.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.errors import ANOTHER_SEED, GaveUp, Problem, pluralize, problem
from ..core.params import MAX_AREA, Sized, param, size_param
from ..core.seeds import Rng
from ..core.site import Frame, Point, Site, Steps, block_size, change_frames, split_blocks
from ..core.tilemap import Room
from ..kernels import bind
from ..kernels import corridors as kernels
from ..kernels.delaunay import find_delaunay_edges
from ..kernels.drunkard import BLOCKED
from ..kernels.drunkard import FLOOR as DUG
from ..kernels.links import build_spanning_tree, close_loops, find_nearest_unlinked, join_chain, join_nearest
from ..kernels.partition import RoomSizes
from ..kernels.types import Int32_2D, Int64_2D, Uint8_2D
from .digging import DiggableGrid

JITTER_STEPS = 1 << 20
UNITS = 1000 * JITTER_STEPS
"""Random displacement of centers before the triangulation, in units of which half a cell has `UNITS`: at most a
thousandth of half a cell. Without it, four centers would often be on one circle. The coordinates of the largest map are
less than 2^47 units, so that the triangulation is exact.
"""

Range = tuple[int, int]
MAX_ROOMS = 1_000_000


class DungeonParams(Sized):
    """Rooms of given sizes, linked by corridors."""

    renamed: ClassVar[Mapping[str, str]] = {"at_least": "min_rooms"}
    width: int = size_param(80, ge=3, typical=(20, 200))
    """Number of columns."""
    height: int = size_param(50, ge=3, typical=(20, 200))
    """Number of rows."""
    rooms: int | None = param(None, ge=1, le=MAX_ROOMS, typical=(2, 60))
    """Number of rooms to place; by default as many as fit well. The map's numbers contain the number placed."""
    min_rooms: int = param(1, ge=0, le=MAX_ROOMS, typical=(0, 60))
    """Minimum number of rooms; with fewer, the technique gives up."""
    room_width: Range | None = param(None)
    """Minimum and maximum width of a room's floor; by default 4 to 12, less in small maps."""
    room_height: Range | None = param(None)
    """Minimum and maximum height of a room's floor; by default 3 to 9, less in small maps."""
    spacing: int = param(3, ge=1, le=1000, typical=(1, 10))
    """Minimum number of cells between the floors of two rooms: 1 is a shared wall, 3 leaves space for a corridor."""
    links: Literal["delaunay", "nearest", "row"] = param("delaunay")
    """Rooms to link: by the shortest tree of a triangulation, each to the nearest earlier room, or all in a chain."""
    loops: float = param(0.2, ge=0, le=1)
    """Probability of each other link between near rooms, which closes a loop."""
    longest_loop: int = param(8, ge=3, le=MAX_AREA, typical=(3, 40))
    """Maximum number of links in a loop, counted along the tree."""
    corridors: Literal["winding", "straight"] = param("winding")
    """Shape of corridors: the cheapest paths around obstacles (A*), or paths with one corner through any obstacle."""
    corridor_width: int = param(1, ge=1, le=100, typical=(1, 5))
    """Width of corridors in cells, where there is space."""
    avoid: bool = param(True)
    """Whether corridors lead around other rooms where possible."""
    reuse: bool = param(True)
    """Whether corridors prefer existing corridors."""
    doors: Literal["near", "anywhere"] = param("near")
    """Position of the doors of winding corridors: where the path is short, or anywhere in the room's walls."""

    def find_problems(self) -> Iterator[Problem]:
        for name, given, side, unit in (
            ("room_width", self.room_width, self.width - 2, "columns"),
            ("room_height", self.room_height, self.height - 2, "rows"),
        ):
            if given is None:
                continue
            minimum, maximum = given
            if not 1 <= minimum <= maximum:
                yield problem(f"must be a minimum of at least 1 and a maximum, got {minimum}, {maximum}", at=name)
            elif minimum > side:
                yield problem(f"must fit the {side} {unit} within the map's walls, got {minimum}", at=name)
        if self.rooms is not None and self.min_rooms > self.rooms:
            yield problem(f"must be at most rooms, {self.rooms}, got {self.min_rooms}", at="min_rooms")

    @property
    def sizes(self) -> RoomSizes:
        """Room sizes, with defaults for the map's size."""
        return RoomSizes(
            *_default_range(self.room_width, self.width - 2, (4, 12)),
            *_default_range(self.room_height, self.height - 2, (3, 9)),
        )


def _default_range(given: Range | None, side: int, default: Range) -> Range:
    """Return the given range, or the default for a map with `side` cells within its walls."""
    if given is not None:
        return given[0], min(given[1], side)
    maximum = min(default[1], side, max(3, side // 3))
    return min(default[0], maximum), maximum


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of rooms: all candidates, the tree that joins all rooms, and the links that close loops."""

    candidates: Int64_2D
    tree: Int64_2D
    loops: Int64_2D

    @property
    def chosen(self) -> Int64_2D:
        """Tree and loops together."""
        return np.concatenate((self.tree, self.loops))


def choose_links(p: DungeonParams, rooms: Int64_2D, rng: Rng) -> Generator[None, None, Links]:
    """Return the links between rooms, given as (room, 4) x, y, width, height; yield between blocks of work."""
    centers = 2 * rooms[:, :2] + rooms[:, 2:] - 1  # In half cells, so that they are integers.
    if len(rooms) < 2:
        no_pairs: Int64_2D = np.empty((0, 2), dtype=np.int64)
        return Links(no_pairs, no_pairs, no_pairs)
    if p.links == "delaunay":
        jitter = rng.child("jitter").randoms(centers.size).reshape(centers.shape) * JITTER_STEPS
        candidates = find_delaunay_edges(centers * UNITS + jitter.astype(np.int64))
        yield
        tree, candidates = _find_shortest_tree(candidates, centers)
    else:
        parents = np.full(len(rooms), -1, dtype=np.int64)
        if p.links == "nearest":
            for block in _split_rooms(len(rooms)):
                join_nearest(centers, block.start, block.stop, parents)
                yield
        else:
            room = int(np.argmin(centers[:, int(p.height > p.width)]))
            free = np.delete(np.arange(len(rooms)), room)
            for block in _split_rooms(len(free)):
                room = join_chain(centers, free, len(free) - block.start, room, block.stop - block.start, parents)
                yield
        tree = np.stack((parents, np.arange(len(rooms))), axis=1)[parents >= 0]
        candidates = np.empty((len(rooms), 2), dtype=np.int64)
        for block in _split_rooms(len(rooms)):
            find_nearest_unlinked(centers, parents, block.start, block.stop, candidates)
            yield
        candidates = np.unique(candidates[candidates[:, 0] != candidates[:, 1]], axis=0)
    return Links(np.concatenate((tree, candidates)), tree, choose_loops(p, tree, candidates, rng))


def choose_loops(p: DungeonParams, tree: Int64_2D, candidates: Int64_2D, rng: Rng) -> Int64_2D:
    """Return random candidates that each close a loop with a tree over all rooms."""
    loops = np.empty_like(candidates)
    stream = rng.child("loops").state
    count = close_loops(tree, candidates, p.loops, p.longest_loop, stream, loops)
    return loops[:count]


def _split_rooms(count: int) -> Iterator[slice]:
    """Return blocks of rooms, which are each compared with all others."""
    return split_blocks("links", 1 << 24, count, count)


def _find_shortest_tree(edges: Int64_2D, centers: Int64_2D) -> tuple[Int64_2D, Int64_2D]:
    """Return the edges of the minimum spanning tree, and the other edges."""
    lengths = ((centers[edges[:, 0]] - centers[edges[:, 1]]) ** 2).sum(axis=1)
    chosen = np.zeros(len(edges), dtype=np.uint8)
    build_spanning_tree(edges, np.argsort(lengths, kind="stable"), np.arange(len(centers)), chosen)
    return edges[chosen == 1], edges[chosen == 0]


LABELS = ("floor", "corridor", "door", "wall", "rock")
"""Labels of the tiles, in the order of kernels/corridors."""
BYTES_PER_CELL = 22
OPEN_LABELS = (0, 1, 2)
DRAWS = 12
"""Number of random straight corridors between two rooms, of which the best is used."""


class Dungeon:
    """Cell kinds as defined in kernels/corridors, and the room number of every floor cell, counted from 1."""

    def __init__(self, p: DungeonParams, site: Site) -> None:
        self.params = p
        self.site = site
        self.columns = p.width
        self.kinds: Uint8_2D = np.full(site.shape, kernels.ROCK, dtype=np.uint8)
        for edge in (self.kinds[0], self.kinds[-1], self.kinds[:, 0], self.kinds[:, -1]):
            edge[:] = kernels.EDGE
        self.ground = DiggableGrid(site, 1, open_labels=OPEN_LABELS, start_open=False) if site.has_locks else None
        """Locked floors and the cells that may be dug; None without locks."""
        if self.ground is not None:
            self.kinds[self.ground.map == BLOCKED] = kernels.EDGE
            inner = self.kinds[1:-1, 1:-1]
            inner[self.ground.map[1:-1, 1:-1] == DUG] = kernels.CORRIDOR
        self.owners: Int32_2D = np.zeros(site.shape, dtype=np.int32)
        self.rooms: Int64_2D = np.empty((0, 4), dtype=np.int64)
        """Rooms as (room, 4): x, y, width, height."""

    def as_arrays(self, rooms: Int64_2D) -> kernels.DungeonArrays:
        """Return the dungeon as arrays for kernels, with rooms as (room, 4) x, y, width, height."""
        return kernels.DungeonArrays(
            self.kinds.reshape(-1), self.owners.reshape(-1), kernels.as_rooms(rooms), self.columns
        )

    def show_rooms(self, before: int, count: int, wanted: int, *, start_progress: float = 0.0) -> Iterator[Frame]:
        """Yield a frame for each newly placed room, or one if there is none."""
        for number in range(before + 1, count + 1) or (count,):
            done = start_progress + (0.4 - start_progress) * number / wanted
            yield Frame(partial(self._draw_first_rooms, number), pluralize(number, "room"), done)

    def finish(self, rooms: Int64_2D, wanted: int | None, rng: Rng) -> Steps:
        """Join the placed rooms and return the map. `wanted` is the requested number of rooms."""
        p = self.params
        count = len(rooms)
        if count < p.min_rooms:
            requested = f"{wanted} wanted, " if wanted is not None else ""
            text = f"rooms: {requested}{count} fitted, at least {p.min_rooms} required; use smaller rooms or spacing"
            raise GaveUp(text, fixes=[ANOTHER_SEED])
        yield from self.add_walls(rooms)
        link_steps = choose_links(p, rooms, rng.child("links"))
        links = yield from change_frames(link_steps, lambda _: Frame(self.snapshot, "links", 0.41))
        yield from self._show_links(links)
        paths = self._dig_corridors(links.chosen, rng.child("corridors"))
        joined = yield from self.show_corridors(links.chosen, paths)
        if self.ground is not None:
            for _ in self._join_locked(self.ground):
                yield Frame(self.snapshot, "join", 0.96)
        return (yield from self.build_map([Room(*room) for room in rooms.tolist()], joined, wanted))

    def add_walls(self, rooms: Int64_2D) -> Iterator[Frame]:
        """Mark the walls of the placed rooms."""
        self.rooms = rooms
        for rows in self._split_rows():
            last = min(rows.stop, self.params.height - 1)
            kernels.mark_walls(self.kinds.reshape(-1), self.columns, max(1, rows.start), last)
            yield Frame(self.snapshot, "rooms", 0.4)

    def show_corridors(
        self, links: NDArray[np.int64], paths: Iterator[list[int] | None]
    ) -> Generator[Frame, None, list[tuple[int, int]]]:
        """Show each corridor that `paths` digs; return the pairs of rooms that they join.

        `paths` yields the rooms on the path of each link, or None after a block of unfinished work.
        """
        joined: dict[tuple[int, int], None] = {}
        number = 0
        for passed in paths:
            number += passed is not None
            if passed is not None:
                joined |= dict.fromkeys((min(pair), max(pair)) for pair in itertools.pairwise(passed))
            note, done = f"corridor {number} of {len(links)}", 0.55 + 0.4 * number / len(links)
            yield Frame(self.snapshot, note, done, lines=partial(self.link_lines, links[number:]))
        return sorted(joined)

    def build_map(self, rooms: list[Room], links: list[tuple[int, int]], wanted: int | None) -> Steps:
        """Check the doors, add the walls of corridors, and return the map."""
        for rows in self._split_rows():
            last = min(rows.stop, self.params.height - 1)
            kernels.check_doors(self.kinds.reshape(-1), self.columns, max(1, rows.start), last)
            yield Frame(self.snapshot, "doors", 0.97)
        labels = np.empty_like(self.kinds)
        for rows in self._split_rows():
            kernels.paint(self.kinds.reshape(-1), self.columns, labels.reshape(-1), rows.start, rows.stop)
            yield Frame(self.snapshot, "walls", 0.98)
        yield Frame(labels, "walls", 1.0)
        numbers = {"rooms": len(rooms), "wanted": len(rooms) if wanted is None else wanted}
        return self.site.map(labels, rooms=rooms, links=links, numbers=numbers)

    def _split_rows(self) -> Iterator[slice]:
        """Return the rows of the map in blocks of work."""
        return split_blocks("dungeon", 1 << 21, *self.kinds.shape)

    def _dig_corridors(self, links: NDArray[np.int64], rng: Rng) -> Iterator[list[int] | None]:
        """Dig a corridor for every link; yield the rooms on its path, or None after a block of an unfinished search."""
        p, cells, heap = self.params, self.kinds.size, block_size("corridors.heap", 1 << 10)
        dungeon = self.as_arrays(self.rooms)
        style = kernels.CorridorStyle(p.corridor_width, p.avoid, p.reuse, p.doors == "anywhere")
        search = kernels.SearchArrays(
            costs=np.empty(cells, dtype=np.int32),
            stamps=np.zeros(cells, dtype=np.int32),
            came_from=np.empty(cells, dtype=np.uint8),
            keys=np.empty(heap),
            cells=np.empty(heap, dtype=np.int64),
            state=kernels.SearchState.new(),
        )
        state, passed = search.state, np.empty(len(self.rooms) + 2, dtype=np.int64)
        budget = block_size("corridors", 1 << 18)
        state.salt = state.heap_size = kernels.FRESH
        dig = bind(partial(kernels.dig_corridor, dungeon, search, style, rng.state, passed))
        for number, (one, other) in enumerate(links.tolist()):
            count = 0
            if p.corridors == "straight":
                count = kernels.dig_straight(dungeon, style, one, other, rng.state, DRAWS, passed)
            if count == 0:
                while (count := dig(one, other, 2 * number + 1, budget)) == kernels.UNFINISHED:
                    if state.heap_size == kernels.FRESH or len(search.keys) - state.heap_size < 3:
                        search = search._replace(
                            keys=np.append(search.keys, np.empty_like(search.keys)),
                            cells=np.append(search.cells, np.empty_like(search.cells)),
                        )
                        dig = bind(partial(kernels.dig_corridor, dungeon, search, style, rng.state, passed))
                    yield None
            yield passed[:count].tolist()

    def _join_locked(self, ground: DiggableGrid) -> Iterator[float]:
        """Dig to locked floors that no corridor has reached, and to rooms that locked walls separate from corridors."""
        is_open = (self.kinds == kernels.FLOOR) | (self.kinds == kernels.CORRIDOR) | (self.kinds == kernels.DOOR)
        ground.map[is_open] = DUG
        yield from ground.join()
        self.kinds[(ground.map == DUG) & ~is_open] = kernels.CORRIDOR

    def snapshot(self) -> Uint8_2D:
        """Return the cells as labels of the technique."""
        return _paint(self.kinds, self.columns)

    def _draw_first_rooms(self, count: int) -> Uint8_2D:
        """Return the map with the first `count` rooms only."""
        kinds: Uint8_2D = np.where(self.owners > count, kernels.ROCK, self.kinds).astype(np.uint8)
        return _paint(kinds, self.columns)

    def _show_links(self, links: Links) -> Iterator[Frame]:
        """Yield the triangulation, then the tree and the loops link by link."""
        yield Frame(self.snapshot, "links considered", 0.42, lines=partial(self.link_lines, links.candidates))
        chosen = links.chosen
        for number in range(1, len(chosen) + 1):
            note, done = "tree" if number <= len(links.tree) else "loops", 0.42 + 0.13 * number / len(chosen)
            yield Frame(self.snapshot, note, done, lines=partial(self.link_lines, chosen[:number]))

    def link_lines(self, links: NDArray[np.int64]) -> list[tuple[Point, Point]]:
        """Return lines between the centers of linked rooms."""
        centers = (self.rooms[:, :2] + self.rooms[:, 2:] / 2).tolist()
        return [(tuple(centers[one]), tuple(centers[other])) for one, other in links.tolist()]


def _paint(kinds: Uint8_2D, columns: int) -> Uint8_2D:
    """Return the labels of all cells."""
    labels = np.empty_like(kinds)
    kernels.paint(kinds.reshape(-1), columns, labels.reshape(-1), 0, len(kinds))
    return labels
