"""Randomly placed rooms: rooms at random positions without overlap, joined by corridors.

Rooms are drawn one after the other, as rectangles or from layouts, and are kept where they fit. Placement stops after
`patience` failed attempts in a row. Rooms are linked by the shortest spanning tree of a Delaunay triangulation and by a
few loops. Corridors lead from door to door. Doors are in walls, never next to another door and never in a corner.

With a `graph`, each room is in a cell of a grid, and the map has exactly the links of the graph. Corridors touch no
other room and no other corridor.

Limits: without a graph, all rooms are connected. Where rooms are too close for a corridor, it leads through the rooms
between. Where there is no space for a door, the wall is opened without one. Locked walls are kept, and locked floors
are joined by the shortest paths. The technique gives up if locked walls separate them, or leave no space for the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ..analysis.regions import regions_of
from ..core.caching import cached_by_size
from ..core.entries import technique
from ..core.errors import Fix, InvalidRecipe, Problem, problem, short_repr
from ..core.grid import Grid
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size
from ..dungeon.dungeon import BYTES_PER_CELL, LABELS, MAX_ROOMS, Dungeon, DungeonParams
from ..dungeon.room_graph import MAX_GRAPH_STRINGS, GraphStrings, GridGraph, read_graph
from ..kernels.scatter import (
    DRAWN_DOOR,
    DRAWN_FLOOR,
    DRAWN_WALL,
    INNER_DOOR,
    LAYOUT,
    VOID,
    LayoutArrays,
    ScatterState,
    scatter,
)
from ._rooms.grid import find_min_map_size, make_grid_dungeon

DENSITY = 0.65
"""Fraction of the map that rooms and the space around them cover by default."""
Cells = NDArray[np.uint8]
CODES = {"x": DRAWN_WALL, "o": DRAWN_FLOOR, "D": DRAWN_DOOR, ".": VOID, " ": VOID}


# Drawings with and without spaces:
#
#   x x D x x      xxDxx
#   x o o o x      xooox
#   x x o x x      xxoxx
#   . x o x .      .xox.
#   . x x x .      .xxx.
class RoomLayout(Params):
    """Hand-drawn room."""

    drawing: Grid = param(initial=("xxxxx", "xooox", "xooox", "xxxxx"))
    """Drawing of the room: x wall, o floor, D door, . nothing; as a string, lines or a file."""
    weight: float = param(1.0, ge=0, le=1_000_000, typical=(0, 10))
    """Relative weight with which the room is drawn."""

    @model_validator(mode="before")
    @classmethod
    def _read_drawing(cls, value: Any) -> Any:
        """Accept a drawing alone as a layout of weight 1."""
        return value if isinstance(value, Mapping) and value.keys() & cls.model_fields.keys() else {"drawing": value}

    @model_validator(mode="after")
    def _check_drawing(self) -> Self:
        """Raise InvalidRecipe if the floor is not connected or a door leads nowhere."""
        cells = self.cells  # Parses the drawing.
        parts = regions_of((cells == DRAWN_FLOOR) | (cells == INNER_DOOR)).count
        if parts == 0:
            raise InvalidRecipe("must have floor, o", at="drawing")
        if parts > 1:
            text = f"must have connected floor, got {parts} parts without a door between them"
            raise InvalidRecipe(text, at="drawing")
        for row, column in np.argwhere((cells == DRAWN_DOOR) | (cells == INNER_DOOR)).tolist():
            around = np.pad(cells, 1)[row : row + 3, column : column + 3]
            lines = around[:, 1][::2], around[1, ::2]  # Above and below, left and right.
            floors = sorted(int(np.isin(line, (DRAWN_FLOOR, DRAWN_DOOR, INNER_DOOR)).sum()) for line in lines)
            leads_outside = any(sorted(line.tolist()) == [VOID, DRAWN_FLOOR] for line in lines)
            if floors != ([0, 2] if cells[row, column] == INNER_DOOR else [0, 1]) or not (
                leads_outside or floors[1] == 2
            ):
                place = f"the door in row {row + 1}, column {column + 1}"
                text = f"{place} must have floor on one side and lead outside or to more floor on the other"
                raise InvalidRecipe(text, at="drawing")
        return self

    @cached_property
    def cells(self) -> Cells:
        """Drawing as (row, column) codes, without empty rows and columns around it."""
        grid = self.drawing
        if grid.cells.ndim != 2:
            raise InvalidRecipe("must have one level; use a separate layout for every room", at="drawing")
        if unknown := [label for label in grid.labels if label not in CODES]:
            raise InvalidRecipe(
                f"must be x wall, o floor, D door or . nothing, got {short_repr(unknown[0])}", at="drawing"
            )
        codes = np.array([CODES[str(label)] for label in grid.labels] + [VOID], dtype=np.uint8)
        blank = np.array([label == " " for label in grid.labels] + [False])
        has_spaces = grid.cells.shape[1] > 1 and bool(blank[grid.cells[:, 1::2]].all())
        cells = codes[grid.cells[:, ::2] if has_spaces else grid.cells]
        used = cells != VOID
        rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
        if not len(rows):
            raise InvalidRecipe("must have floor, o", at="drawing")
        cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()
        around = np.pad((cells == DRAWN_FLOOR) | (cells == DRAWN_DOOR), 1)
        through = (around[:-2, 1:-1] & around[2:, 1:-1]) | (around[1:-1, :-2] & around[1:-1, 2:])
        cells[(cells == DRAWN_DOOR) & through] = INNER_DOOR
        return cells

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.cells.shape
        return height, width


class RoomsParams(DungeonParams):
    graph: GraphStrings = param((), max_length=MAX_GRAPH_STRINGS)
    """Rooms on a grid with exactly the given links, such as a1-b1-b2; or a grid size, such as 4x3, for random links."""
    patience: int = param(200, ge=1, le=1_000_000, typical=(10, 1000))
    """Number of consecutive failed attempts after which no more rooms are placed."""
    layouts: tuple[RoomLayout, ...] = param((), max_length=1000)
    """Hand-drawn rooms, as strings or files: x wall, o floor, D door, . nothing. Drawn in proportion to their weights.
    """
    plain: float = param(1.0, ge=0, le=1_000_000, typical=(0, 10), hidden_unless=("layouts",))
    """Weight of plain rectangles relative to the layouts."""
    turned: bool = param(True, hidden_unless=("layouts",))
    """Whether layouts are also rotated and mirrored."""

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        if self.graph:
            yield from self._find_graph_problems(read_graph(self.graph))
        for number, layout in enumerate(self.layouts):
            height, width = layout.shape
            if height > self.height or width > self.width:
                text = f"must fit a map of {self.width}x{self.height}, got {width}x{height} cells"
                yield problem(text, at=("layouts", number))
        if self.layouts and self.plain + max(layout.weight for layout in self.layouts) <= 0:
            yield problem("must have a positive weight, or plain must be positive", at="layouts", rule="conflict")
        if not self.layouts and self.plain == 0:
            yield problem("must be more than 0 without layouts", at="plain", rule="unknown_name")

    def _find_graph_problems(self, graph: GridGraph) -> Iterator[Problem]:
        rows, columns = graph.shape
        grid, limit = f"{columns}x{rows}", len(graph.rooms) or rows * columns
        if self.layouts:
            yield problem("cannot be used with graph", at="layouts", rule="conflict", remove=["layouts", "graph"])
        if graph.rooms and self.rooms not in (None, limit):
            text = f"must be {limit}, the number of rooms in graph, or unset"
            yield problem(text, at="rooms", got=self.rooms, rule="conflict", remove=["rooms"])
        elif self.rooms is not None and self.rooms > limit:
            text = f"must be at most {limit}, the number of cells of a {grid} grid"
            yield problem(text, at="rooms", got=self.rooms, rule="maximum", instead=limit)
        elif self.rooms is None and self.min_rooms > limit:
            text = f"must be at most {limit}, the number of rooms in graph"
            yield problem(text, at="min_rooms", got=self.min_rooms, rule="maximum", instead=limit)
        needed = dict(zip(("width", "height"), find_min_map_size(self, graph.shape), strict=True))
        fixes = [Fix("set", (name,), side) for name, side in needed.items() if side > getattr(self, name)]
        if fixes:
            least = f"{needed['width']}x{needed['height']}"
            text = f"a {grid} grid of rooms needs a map of at least {least} cells, got {self.width}x{self.height}"
            advice = "use a larger map, smaller rooms or less spacing"
            yield problem(f"{text}; {advice}", at="graph", value=grid, rule="size", fixes=fixes)


@technique(
    RoomsParams,
    tileset="dungeon",
    tiles=LABELS,
    bytes_per_cell=BYTES_PER_CELL,
    search_words=("dungeon", "corridor", "castle", "roguelike", "rogue", "nethack", "graph"),
    main_param="rooms",
    vary={"rooms": {}, "spacing": {}, "loops": {}},
)
def rooms(p: RoomsParams, site: Site, rng: Rng) -> Steps:
    if p.graph:
        return (yield from make_grid_dungeon(p, read_graph(p.graph), p.patience, site, rng))
    dungeon = Dungeon(p, site)
    yield Frame(dungeon.snapshot, "rock", 0.0)
    shapes = make_layout_arrays(p.layouts, p.plain, p.turned, p.width, p.height)
    wanted = p.rooms or _suggest_room_count(p)
    placed = np.empty((wanted, 4), dtype=np.int64)
    taken = np.zeros(dungeon.kinds.size, dtype=np.uint8)
    state, stream, arrays = ScatterState.new(), rng.child("rooms").state, dungeon.as_arrays(placed)
    searching, block = True, block_size("rooms", 1 << 21)
    while searching:
        before = int(state.count)
        searching = scatter(arrays, taken, p.sizes, p.spacing, shapes, stream, state, p.patience, block)
        yield from dungeon.show_rooms(before, int(state.count), wanted)
    return (yield from dungeon.finish(placed[: state.count], p.rooms, rng))


def _suggest_room_count(p: RoomsParams) -> int:
    """Return the default number of rooms for a map of this size."""
    min_width, max_width, min_height, max_height = p.sizes
    area = ((min_width + max_width) / 2 + p.spacing) * ((min_height + max_height) / 2 + p.spacing)
    return min(MAX_ROOMS, max(1, ceil(DENSITY * p.width * p.height / area)))


@cached_by_size
def make_layout_arrays(
    layouts: tuple[RoomLayout, ...], plain: float, turned: bool, width: int, height: int
) -> LayoutArrays:
    """Return the cumulative weights and cells of plain rectangles and of all layouts that fit a map of this size."""
    weights, table, pieces, first = [plain], [], [], 0
    for layout in layouts:
        orientations = _rotate_and_mirror(layout.cells) if turned else [layout.cells]
        orientations = [cells for cells in orientations if cells.shape[0] <= height and cells.shape[1] <= width]
        for oriented in orientations:
            weights.append(weights[-1] + layout.weight / len(orientations))
            table.append((oriented.shape[1], oriented.shape[0], first))
            pieces.append(oriented.reshape(-1))
            first += oriented.size
    cells: Cells = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint8)
    return LayoutArrays(np.array(weights), cells, np.array(table, dtype=LAYOUT))


def _rotate_and_mirror(cells: Cells) -> list[Cells]:
    """Return all distinct rotations and mirror images of a drawing."""
    orientations: list[Cells] = []
    for mirrored in (cells, cells[:, ::-1]):
        for turns in range(4):
            oriented = np.ascontiguousarray(np.rot90(mirrored, turns))
            if not any(np.array_equal(oriented, other) for other in orientations):
                orientations.append(oriented)
    return orientations
