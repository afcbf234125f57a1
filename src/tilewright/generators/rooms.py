"""Rooms at random: put rooms wherever they have space, and join them by corridors.

Rooms are drawn one after the other, rectangles or drawings of your own, and stay where they touch no other; after
`patience` tries in a row without success there is no space left. Rooms are linked by the shortest tree over a Delaunay
triangulation and by a few loops, get doors on their walls, no two of them side by side and none on a corner, and
corridors from door to door.

Limits: all rooms are joined, always. Where they are packed so tightly that no corridor has space between them, it leads
through rooms on the way; where not even a door has space, the wall is broken open without one. Locked walls are left
alone, locked floors are joined by the shortest ways, and those that locked walls keep apart are given up on.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from ..core.errors import Problem, problem
from ..core.params import param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..dungeon.dungeon import BYTES_PER_CELL, LABELS, Dungeon
from ..dungeon.params import MAX_ROOMS, DungeonParams
from ..kernels.blocks import block_size
from ..kernels.scatter import ScatterState, scatter
from ._rooms.layouts import RoomLayout, make_layout_arrays

DENSITY = 0.65
"""Rooms that fit well, with the space around them, as a share of the map."""


class RoomsParams(DungeonParams):
    patience: int = param(200, ge=1, le=1_000_000, typical=(10, 1000))
    """Tries in a row that may fail before no more rooms are looked for."""
    layouts: tuple[RoomLayout, ...] = param((), max_length=1000)
    """Rooms drawn by hand, as text or files: x wall, o floor, D door, . nothing; mixed in by their weights."""
    plain: float = param(1.0, ge=0, le=1_000_000, typical=(0, 10), hidden_unless=("layouts",))
    """Weight of plain rectangles beside layouts."""
    turned: bool = param(True, hidden_unless=("layouts",))
    """Whether layouts are turned and mirrored as well."""

    def find_problems(self) -> Iterator[Problem]:
        yield from super().find_problems()
        for number, layout in enumerate(self.layouts):
            height, width = layout.shape
            if height > self.height or width > self.width:
                text = f"{width}x{height} cells do not fit a map of {self.width}x{self.height}"
                yield problem(text, at=("layouts", number))
        if self.layouts and self.plain + max(layout.weight for layout in self.layouts) <= 0:
            yield problem("of no weight, as plain is: give one of them some", at="layouts", rule="conflict")
        if not self.layouts and self.plain == 0:
            yield problem("must be more than 0 where there are no layouts", at="plain", rule="unknown_name")


@technique(RoomsParams, tileset="dungeon", tiles=LABELS, bytes_per_cell=BYTES_PER_CELL)
def rooms(p: RoomsParams, site: Site, rng: Rng) -> Steps:
    dungeon = Dungeon(p, site)
    yield Frame(dungeon.snapshot, "rock", 0.0)
    shapes = make_layout_arrays(p.layouts, p.plain, p.turned, p.width, p.height)
    wanted = p.rooms or _suggest_room_count(p)
    placed = np.empty((wanted, 4), dtype=np.int64)
    taken = np.zeros(dungeon.kinds.size, dtype=np.uint8)
    state, stream, arrays = ScatterState.new(), rng.child("rooms").state, dungeon.as_arrays(placed)
    searching = True
    while searching:
        before = int(state.count)
        searching = scatter(arrays, taken, p.sizes, p.spacing, shapes, stream, state, p.patience, block_size("rooms"))
        yield from dungeon.show_rooms(before, int(state.count), wanted)
    return (yield from dungeon.finish(placed[: state.count], p.rooms, rng))


def _suggest_room_count(p: RoomsParams) -> int:
    """How many rooms look well on a map of this size."""
    wide, wider, high, higher = p.sizes
    area = ((wide + wider) / 2 + p.spacing) * ((high + higher) / 2 + p.spacing)
    return min(MAX_ROOMS, max(1, ceil(DENSITY * p.width * p.height / area)))
