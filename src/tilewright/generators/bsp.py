"""Binary space partition: cut the map in two again and again, put a room into each part, and join them.

The largest part is cut first, across its longer side if that is `ratio` times as long as the other, otherwise either
way, at the middle or beside it by `jitter`. Rooms fill their parts evenly, so that no space is wasted, and lie in
rough rows. Rooms are linked by the shortest tree over a Delaunay triangulation and by a few loops, get doors on their
walls, no two of them side by side and none on a corner, and corridors from door to door.

Limits: all rooms are joined, always. Where they are packed so tightly that no corridor has space between them, it leads
through rooms on the way; where not even a door has space, the wall is broken open without one. Locked walls are left
alone, locked floors are joined by the shortest ways, and those that locked walls keep apart are given up on.

Source: Fuchs, Kedem, Naylor, "On visible surface generation by a priori tree structures", 1980. Roguelikes have long
cut their dungeons so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from ..core.errors import pluralize
from ..core.params import param
from ..core.registry import technique
from ..core.seeds import Rng
from ..core.site import Frame, Point, Site, Steps
from ..dungeon.dungeon import BYTES_PER_CELL, LABELS, Dungeon
from ..dungeon.params import MAX_ROOMS, DungeonParams
from ..kernels.blocks import block_size
from ..kernels.corridors import Places, as_rooms
from ..kernels.partition import PartSizes, new_heap, partition, place_rooms


class BspParams(DungeonParams):
    ratio: float = param(1.25, ge=1, le=100, typical=(1, 3))
    """A part is cut across its longer side when it is this many times as long as the other; else either way."""
    jitter: float = param(0.25, ge=0, le=0.5)
    """How far beside the middle a cut may be, as a share of the side that is cut."""
    leaf: float = param(1.3, ge=1, le=100, typical=(1, 4))
    """Parts are cut until no side is this many times as long as the greatest room's; more only for more rooms."""
    fill: float = param(0.6, ge=0, le=1)
    """Least share of a part's side that its room takes, where rooms may be so large."""
    shift: float = param(1.0, ge=0, le=1)
    """How far off the middle of its part a room may lie: 0 not at all, 1 as far as there is space."""


@technique(BspParams, tileset="dungeon", tiles=LABELS, bytes_per_cell=BYTES_PER_CELL)
def bsp(p: BspParams, site: Site, rng: Rng) -> Steps:
    dungeon = Dungeon(p, site)
    yield Frame(dungeon.snapshot, "rock", 0.0)
    room_sizes, space = p.sizes, p.spacing
    sizes = PartSizes(
        width=p.width - 2 + space,  # the last part needs no space behind its room
        height=p.height - 2 + space,
        min_width=room_sizes.min_width + space,
        min_height=room_sizes.min_height + space,
        max_width=int(p.leaf * room_sizes.max_width) + space,
        max_height=int(p.leaf * room_sizes.max_height) + space,
    )
    cuts = rng.child("cuts")

    def cut(max_parts: int) -> Places:
        parts, stream = np.empty((max_parts, 4), dtype=np.int64), cuts.state.copy()
        small, heap = p.rooms is None, new_heap(max_parts)
        return parts[: partition(sizes, p.ratio, p.jitter, small, stream, as_rooms(parts), heap)]

    fitting = (sizes.width // sizes.min_width) * (sizes.height // sizes.min_height)
    parts = cut(min(p.rooms or MAX_ROOMS, max(1, fitting)))
    for number in range(2, len(parts) + 1):
        # With space for fewer parts the first cuts are the same.
        lines = partial(_outline_parts, cut, number, p.spacing)
        yield Frame(dungeon.snapshot, pluralize(number, "part"), 0.2 * number / len(parts), lines=lines)
    rooms, count, stream = np.empty_like(parts), 0, rng.child("rooms").state
    arrays = dungeon.as_arrays(rooms)
    step = block_size("bsp")
    for first in range(0, len(parts), step):
        last, before = min(first + step, len(parts)), count
        count = place_rooms(
            arrays, as_rooms(parts), first, last, room_sizes, space, p.fill, p.shift, stream, count
        )  # fmt: skip
        yield from dungeon.show_rooms(before, count, len(parts), start_progress=0.2)
    return (yield from dungeon.finish(rooms[:count], p.rooms, rng))


def _outline_parts(cut: Callable[[int], Places], count: int, spacing: int) -> list[tuple[Point, Point]]:
    """Lines around the first parts, in the middle of the space between them."""
    lines: list[tuple[Point, Point]] = []
    for x, y, width, height in cut(count).tolist():
        left, top = x + 1 - spacing / 2, y + 1 - spacing / 2
        corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        lines += pairwise([*corners, corners[0]])
    return lines
