"""Rooms on a grid with exact links: the map is divided into the cells of a grid with gaps between them.

Each room of the graph is placed in its cell. A corridor leaves a room straight ahead, within the rows or columns of
this room, and bends only in the gap between the two cells of the grid, one cell away from their rooms. So it meets no
other room and no other corridor. In gaps of fewer than three cells, corridors have no space for a bend. All rooms then
extend over the middle of their cell, so that a straight corridor joins neighbors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple, NoReturn

import numpy as np

from ...core.errors import ANOTHER_SEED, GaveUp
from ...core.seeds import Rng
from ...core.site import Frame, Site, Steps
from ...core.tilemap import Room
from ...dungeon.dungeon import Dungeon, DungeonParams, choose_loops
from ...dungeon.room_graph import GridGraph, grow_room_tree, list_grid_links
from ...kernels.corridors import CORRIDOR, DOOR, FLOOR
from ...kernels.types import Int64_2D
from .passages import Box, Passages

MIN_BEND = 3
"""Minimum width of a gap with space for a bend: one cell, and a wall on both sides."""


class Span(NamedTuple):
    """Consecutive rows or columns."""

    start: int
    size: int

    @property
    def end(self) -> int:
        """First row or column behind the span."""
        return self.start + self.size

    @property
    def inner(self) -> Span:
        """The span without its ends, if anything is between them."""
        return Span(self.start + 1, self.size - 2) if self.size > 2 else self

    def overlap(self, other: Span) -> Span:
        """Return the rows or columns in both spans; the size is less than 1 if there are none."""
        start = max(self.start, other.start)
        return Span(start, min(self.end, other.end) - start)

    def join(self, other: Span) -> Span:
        """Return the smallest span that contains both."""
        start = min(self.start, other.start)
        return Span(start, max(self.end, other.end) - start)

    def draw(self, size: int, rng: Rng) -> Span:
        """Return a random part of the span."""
        return Span(self.start + rng.below(self.size - size + 1), size)

    def widen(self, cell: int, size: int) -> Span:
        """Return a part of the span with at most `size` cells that contains a cell."""
        size = min(size, self.size)
        return Span(min(max(self.start, cell - (size - 1) // 2), self.end - size), size)


class Area(NamedTuple):
    """Rectangle of a room or corridor, by its spans along and across the link."""

    along: Span
    across: Span

    def to_box(self, is_upright: bool) -> Box:
        """Return the rectangle on the map. An upright link leads down, any other to the right."""
        columns, rows = (self.across, self.along) if is_upright else (self.along, self.across)
        return columns.start, rows.start, columns.size, rows.size


class Corridor(NamedTuple):
    """Cells of a corridor."""

    doors: list[Area]
    floors: list[Area]


def plan_corridor(one: Area, other: Area, gap: Span, width: int, facing: bool, rng: Rng) -> Corridor:
    """Return a corridor from a room to the next one.

    Parameters
    ----------
    one, other
        The rooms; the first one is left of the second one, or above it.
    gap
        Columns between the cells of the grid, or rows.
    width
        Width of the corridor, where there is space.
    facing
        Whether the doors are opposite each other if possible.
    rng
        Random stream.
    """
    rows = one.across, other.across
    bends = Span(gap.start + 1, gap.size - 2)
    common = rows[0].inner.overlap(rows[1].inner)
    if bends.size < 1 and common.size < 1:
        common = rows[0].overlap(rows[1])
    if common.size > 0 and (facing or bends.size < 1):
        first = second = common.draw(1, rng).start
    else:
        first, second = (span.inner.draw(1, rng).start for span in rows)
    start, end = one.along.end, other.along.start - 1  # Positions of the doors.
    doors = [Area(Span(start, 1), Span(first, 1)), Area(Span(end, 1), Span(second, 1))]
    if bends.size < 1:
        floor = Area(Span(start + 1, end - start - 1), rows[0].overlap(rows[1]).widen(first, width))
        return Corridor(doors, [floor] if floor.along.size > 0 else [])
    bend = bends.draw(min(width, bends.size), rng)
    legs = rows[0].widen(first, width), rows[1].widen(second, width)
    floors = [
        Area(Span(start + 1, bend.end - start - 1), legs[0]),
        Area(bend, legs[0].join(legs[1])),
        Area(Span(bend.start, end - bend.start), legs[1]),
    ]
    return Corridor(doors, floors)


MAX_ATTEMPTS = 20
"""Number of attempts with other random numbers if locked cells are in the way."""
MIN_ROOM = 2
"""Minimum width and height of rooms, unless others are given."""
MAX_SHIFT = 1 / 6
"""Maximum shift of a gap between cells of the grid, as a fraction of a cell's side."""


def find_min_map_size(p: DungeonParams, shape: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height of the smallest map for a grid with these rows and columns."""
    rows, columns = shape
    width, height = _find_min_room_size(p)
    return 2 + columns * width + (columns - 1) * p.spacing, 2 + rows * height + (rows - 1) * p.spacing


def _find_min_room_size(p: DungeonParams) -> tuple[int, int]:
    """Return the minimum width and height of a cell of the grid."""
    width, height = (MIN_ROOM if given is None else given[0] for given in (p.room_width, p.room_height))
    return width, height


def make_grid_dungeon(p: DungeonParams, given: GridGraph, patience: int, site: Site, rng: Rng) -> Steps:
    """Place the rooms of a graph, join them and return the map.

    `given` has no rooms if only the size of the grid is given; a random graph is then grown. Only locked cells can make
    an attempt fail. `patience` is the number of positions to try for each room.
    """
    for attempt in range(MAX_ATTEMPTS):
        dungeon, own = Dungeon(p, site), rng if attempt == 0 else rng.child("attempt", attempt)
        yield Frame(dungeon.snapshot, "rock", 0.0)
        graph = given if given.rooms else _grow_graph(p, given.shape, own.child("graph"))
        try:
            return (yield from GridBuilder(p, graph, dungeon, own).build(patience, own))
        except GaveUp:
            if attempt == MAX_ATTEMPTS - 1:
                raise
    raise AssertionError("at least one attempt is made")


def _grow_graph(p: DungeonParams, shape: tuple[int, int], rng: Rng) -> GridGraph:
    """Return a random graph on a grid, with loops."""
    tree = grow_room_tree(shape, p.rooms or shape[0] * shape[1], rng)
    rooms, used = set(tree.rooms), set(tree.links)
    others = tuple(link for link in list_grid_links(shape) if link not in used and rooms.issuperset(link))
    loops = choose_loops(p, _to_pairs(tree), _to_pairs(GridGraph(shape, tree.rooms, others)), rng)
    closed = [(tree.rooms[one], tree.rooms[other]) for one, other in loops.tolist()]
    return GridGraph(shape, tree.rooms, tuple(sorted([*tree.links, *closed])))


def _to_pairs(graph: GridGraph) -> Int64_2D:
    """Return the links as (link, 2) positions in the rooms of the graph."""
    positions = {room: position for position, room in enumerate(graph.rooms)}
    pairs = [[positions[one], positions[other]] for one, other in graph.links]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _divide(side: int, count: int, spacing: int, min_size: int, rng: Rng) -> list[Span]:
    """Return the cells of a grid along one side of the map, `spacing` apart."""
    total = side - 2 - (count - 1) * spacing
    mean = total // count
    shift = min((mean - min_size) // 2, int(MAX_SHIFT * mean))
    cuts = [number * total // count + rng.between(-shift, shift) for number in range(1, count)]
    return [
        Span(1 + start + number * spacing, end - start)
        for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, total], strict=True))
    ]


class GridBuilder:
    """Rooms and corridors of a graph under construction."""

    def __init__(self, p: DungeonParams, graph: GridGraph, dungeon: Dungeon, rng: Rng) -> None:
        self._params, self._dungeon = p, dungeon
        rows, columns = graph.shape
        min_width, min_height = _find_min_room_size(p)
        self._columns = _divide(p.width, columns, p.spacing, min_width, rng.child("columns"))
        self._rows = _divide(p.height, rows, p.spacing, min_height, rng.child("rows"))
        self._places = [divmod(room, columns) for room in graph.rooms]
        self._names = [graph.name_of(room) for room in graph.rooms]
        self._pairs = _to_pairs(graph)
        self._links: list[tuple[int, int]] = [(one, other) for one, other in self._pairs.tolist()]
        self._rooms: Int64_2D = np.empty((len(graph.rooms), 4), dtype=np.int64)
        self._passages = None if dungeon.ground is None else Passages(dungeon, dungeon.ground, self._links)

    def build(self, patience: int, rng: Rng) -> Steps:
        """Place all rooms, join them and return the map."""
        dungeon, links = self._dungeon, self._pairs
        yield from self._place_rooms(patience, rng.child("rooms"))
        yield from dungeon.add_walls(self._rooms)
        yield Frame(dungeon.snapshot, "links", 0.55, lines=partial(dungeon.link_lines, links))
        joined = yield from dungeon.show_corridors(links, self._dig_corridors(rng.child("corridors")))
        yield from self._join_locked()
        boxes = zip(self._rooms.tolist(), self._names, strict=True)
        rooms = [Room(x, y, width, height, name) for (x, y, width, height), name in boxes]
        return (yield from dungeon.build_map(rooms, joined, self._params.rooms))

    def _place_rooms(self, patience: int, rng: Rng) -> Iterator[Frame]:
        """Place the rooms in the cells of the grid."""
        count = len(self._rooms)
        for number in range(count):
            boxes = self._draw_boxes(number, patience, rng)
            box = next(
                (box for box in boxes if self._passages is None or self._passages.allows_room(number, box)), None
            )
            if box is None:
                self._give_up(f"no space for room {self._names[number]}", [number])
            x, y, width, height = self._rooms[number] = box
            self._dungeon.kinds[y : y + height, x : x + width] = FLOOR
            self._dungeon.owners[y : y + height, x : x + width] = number + 1
            if self._passages is not None:
                self._passages.add_room(box)
            yield from self._dungeon.show_rooms(number, number + 1, count)

    def _draw_boxes(self, number: int, count: int, rng: Rng) -> Iterator[Box]:
        """Yield random boxes for a room."""
        row, column = self._places[number]
        sizes = self._params.sizes
        for _ in range(count):
            x, width = self._draw_span(self._columns[column], sizes.min_width, sizes.max_width, rng)
            y, height = self._draw_span(self._rows[row], sizes.min_height, sizes.max_height, rng)
            yield x, y, width, height

    def _draw_span(self, cell: Span, minimum: int, maximum: int, rng: Rng) -> Span:
        size = rng.between(min(minimum, cell.size), min(maximum, cell.size))
        if self._params.spacing < MIN_BEND:
            middle, reach = cell.start + cell.size // 2, size - 1
            cell = cell.overlap(Span(middle - reach, 2 * reach + 1))
        return cell.draw(size, rng)

    def _dig_corridors(self, rng: Rng) -> Iterator[list[int]]:
        """Dig a corridor for every link; yield its rooms."""
        passages, kinds, blocked = self._passages, self._dungeon.kinds, []
        joined = set[tuple[int, int]]() if passages is None else passages.find_joined()
        for one, other in self._links:
            doors, floors = self._plan_corridor(one, other, rng)
            if (one, other) not in joined:
                if passages is not None:
                    if not passages.allows_corridor(one, other, [*doors, *floors]):
                        blocked.append((one, other))
                        continue
                    passages.add([*doors, *floors])
                for kind, boxes in ((CORRIDOR, floors), (DOOR, doors)):
                    for x, y, width, height in boxes:
                        kinds[y : y + height, x : x + width] = kind
            yield [one, other]
        for one, other in blocked:
            assert passages is not None
            if not passages.dig_corridor(one, other):
                self._give_up(f"no path for the link {self._names[one]}-{self._names[other]}", [one, other])
            yield [one, other]

    def _plan_corridor(self, one: int, other: int, rng: Rng) -> tuple[list[Box], list[Box]]:
        """Return the doors and floors of a corridor between neighbors."""
        p, (row, column) = self._params, self._places[one]
        is_upright = self._places[other][0] != row
        areas = []
        for x, y, width, height in self._rooms[[one, other]].tolist():
            columns, rows = Span(x, width), Span(y, height)
            areas.append(Area(rows, columns) if is_upright else Area(columns, rows))
        cell = self._rows[row] if is_upright else self._columns[column]
        gap = Span(cell.end, p.spacing)
        corridor = plan_corridor(areas[0], areas[1], gap, p.corridor_width, p.doors == "near", rng)
        doors, floors = ([area.to_box(is_upright) for area in areas] for areas in corridor)
        return doors, floors

    def _join_locked(self) -> Iterator[Frame]:
        """Join locked floors that no room and no corridor touches."""
        for is_joined in () if self._passages is None else self._passages.join_rest():
            if not is_joined:
                self._give_up("no path to a locked floor", range(len(self._rooms)))
            yield Frame(self._dungeon.snapshot, "join", 0.96)

    def _give_up(self, text: str, rooms: Iterable[int]) -> NoReturn:
        """Raise GaveUp with the locked cells in the grid cells of some rooms."""
        cells = np.zeros(self._dungeon.kinds.shape, dtype=np.bool_)
        for row, column in (self._places[room] for room in rooms):
            x, y = self._columns[column], self._rows[row]
            cells[y.start : y.end, x.start : x.end] = True
        locked = np.argwhere(cells & self._dungeon.site.locked).tolist()
        raise GaveUp(f"graph: locked cells leave {text}", cells=locked, fixes=[ANOTHER_SEED], remove=["locks"])
