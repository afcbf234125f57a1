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

from collections.abc import Iterator
from math import ceil

import numpy as np

from ..core.entries import technique
from ..core.errors import Fix, Problem, problem
from ..core.params import param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..dungeon.dungeon import BYTES_PER_CELL, LABELS, MAX_ROOMS, Dungeon, DungeonParams
from ..dungeon.room_graph import MAX_GRAPH_STRINGS, GraphStrings, GridGraph, read_graph
from ..kernels.blocks import block_size
from ..kernels.scatter import ScatterState, scatter
from ._rooms.grid import find_min_map_size, make_grid_dungeon
from ._rooms.layouts import RoomLayout, make_layout_arrays

DENSITY = 0.65
"""Fraction of the map that rooms and the space around them cover by default."""


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
