"""Binary space partition dungeon: the map is split recursively, and each part gets a room.

The largest part is split first: across its longer side if that is more than `ratio` times as long as the other,
otherwise in a random direction. The cut is in the middle, or off it by up to `jitter`. Rooms fill their parts evenly
and form rough rows. Rooms are linked by the shortest spanning tree of a Delaunay triangulation and by a few loops.
Corridors lead from door to door. Doors are in walls, never next to another door and never in a corner.

Limits: all rooms are always connected. Where rooms are too close for a corridor, it leads through the rooms between.
Where there is no space for a door, the wall is opened without one. Locked walls are kept, and locked floors are joined
by the shortest paths. The technique gives up if locked walls separate them.

Source: Fuchs, Kedem, Naylor, "On visible surface generation by a priori tree structures", 1980. Roguelikes have used
this for a long time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from ..core.entries import technique
from ..core.errors import pluralize
from ..core.params import param
from ..core.seeds import Rng
from ..core.site import Frame, Point, Site, Steps, split_blocks
from ..dungeon.dungeon import BYTES_PER_CELL, LABELS, MAX_ROOMS, Dungeon, DungeonParams
from ..kernels.corridors import as_rooms
from ..kernels.partition import PartSizes, partition, place_rooms
from ..kernels.types import Int64_2D


class BspParams(DungeonParams):
    ratio: float = param(1.25, ge=1, le=100, typical=(1, 3))
    """Side ratio of a part above which it is split across the longer side; otherwise in a random direction.
    """
    jitter: float = param(0.25, ge=0, le=0.5)
    """Maximum distance of a cut from the middle, as a fraction of the side."""
    leaf: float = param(1.3, ge=1, le=100, typical=(1, 4))
    """Maximum side of a part, as a multiple of the largest room's. Parts are split further only to reach `rooms`."""
    fill: float = param(0.6, ge=0, le=1)
    """Minimum fraction of a part's side that its room fills, within the room sizes."""
    shift: float = param(1.0, ge=0, le=1)
    """Maximum shift of a room from the middle of its part: 0 none, 1 as far as there is space."""


@technique(
    BspParams,
    tileset="dungeon",
    tiles=LABELS,
    bytes_per_cell=BYTES_PER_CELL,
    search_words=("dungeon", "room", "house", "building", "roguelike", "rogue"),
    main_param="rooms",
    vary={"rooms": {}, "spacing": {}, "loops": {}, "fill": {}},
)
def bsp(p: BspParams, site: Site, rng: Rng) -> Steps:
    dungeon = Dungeon(p, site)
    yield Frame(dungeon.snapshot, "rock", 0.0)
    room_sizes, space = p.sizes, p.spacing
    sizes = PartSizes(
        width=p.width - 2 + space,  # The last part needs no space after its room.
        height=p.height - 2 + space,
        min_width=room_sizes.min_width + space,
        min_height=room_sizes.min_height + space,
        max_width=int(p.leaf * room_sizes.max_width) + space,
        max_height=int(p.leaf * room_sizes.max_height) + space,
    )
    cuts = rng.child("cuts")

    def cut_map(max_parts: int) -> Int64_2D:
        parts, stream = np.empty((max_parts, 4), dtype=np.int64), cuts.state.copy()
        return parts[: partition(sizes, p.ratio, p.jitter, p.rooms is None, stream, as_rooms(parts))]

    fitting = (sizes.width // sizes.min_width) * (sizes.height // sizes.min_height)
    parts = cut_map(min(p.rooms or MAX_ROOMS, max(1, fitting)))
    for number in range(2, len(parts) + 1):
        # With a lower limit on parts, the first cuts are the same.
        lines = partial(_outline_parts, cut_map, number, p.spacing)
        yield Frame(dungeon.snapshot, pluralize(number, "part"), 0.2 * number / len(parts), lines=lines)
    rooms, count, stream = np.empty_like(parts), 0, rng.child("rooms").state
    arrays = dungeon.as_arrays(rooms)
    for block in split_blocks("bsp", 1 << 10, len(parts)):
        before, own = count, as_rooms(parts)
        count = place_rooms(
            arrays, own, block.start, block.stop, room_sizes, space, p.fill, p.shift, stream, count
        )  # fmt: skip
        yield from dungeon.show_rooms(before, count, len(parts), start_progress=0.2)
    return (yield from dungeon.finish(rooms[:count], p.rooms, rng))


def _outline_parts(cut_map: Callable[[int], Int64_2D], count: int, spacing: int) -> list[tuple[Point, Point]]:
    """Return lines around the first parts, in the middle of the space between them."""
    lines: list[tuple[Point, Point]] = []
    for x, y, width, height in cut_map(count).tolist():
        left, top = x + 1 - spacing / 2, y + 1 - spacing / 2
        corners = [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        lines += pairwise([*corners, corners[0]])
    return lines
