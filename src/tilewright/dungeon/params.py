"""What all techniques that make rooms and join them can be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from ..core.errors import Problem, problem
from ..core.params import MAX_AREA, Sized, param, size_param
from ..kernels.partition import RoomSizes

Range = tuple[int, int]
MAX_ROOMS = 1_000_000


class DungeonParams(Sized):
    """Rooms of some sizes, linked by corridors."""

    renamed: ClassVar = {"at_least": "min_rooms"}
    width: int = size_param(80, ge=3, typical=(20, 200))
    """Columns of the map."""
    height: int = size_param(50, ge=3, typical=(20, 200))
    """Rows of the map."""
    rooms: int | None = param(None, ge=1, le=MAX_ROOMS, typical=(2, 60))
    """How many rooms are wanted; by default as many as fit well. What fitted is among the map's numbers."""
    min_rooms: int = param(1, ge=0, le=MAX_ROOMS, typical=(0, 60))
    """If fewer rooms than this fit, it gives up."""
    room_width: Range | None = param(None)
    """Least and greatest columns of a room's floor; by default 4 to 12, fewer in small maps."""
    room_height: Range | None = param(None)
    """Least and greatest rows of a room's floor; by default 3 to 9, fewer in small maps."""
    spacing: int = param(3, ge=1, le=1000, typical=(1, 10))
    """Least cells between the floors of two rooms: 1 is a wall that they share, 3 leaves space for a corridor."""
    links: Literal["delaunay", "nearest", "row"] = param("delaunay")
    """Which rooms are joined: the shortest tree of a triangulation, each to the nearest before it, all in a row."""
    loops: float = param(0.2, ge=0, le=1)
    """Chance of every other link that is near at hand, which closes a loop."""
    longest_loop: int = param(8, ge=3, le=MAX_AREA, typical=(3, 40))
    """Most links of a loop, counted along the tree."""
    corridors: Literal["winding", "straight"] = param("winding")
    """The cheapest ways around what is there (A*), or ways with one corner through whatever is there."""
    corridor_width: int = param(1, ge=1, le=100, typical=(1, 5))
    """Cells across a corridor, where there is space."""
    avoid: bool = param(True)
    """Lead corridors around other rooms, unless there is no other way."""
    reuse: bool = param(True)
    """Prefer corridors that are there already."""
    doors: Literal["near", "anywhere"] = param("near")
    """Where winding corridors leave a room: where the way is short, or at any place of its walls."""

    def find_problems(self) -> Iterator[Problem]:
        for name, given, side, unit in (
            ("room_width", self.room_width, self.width - 2, "columns"),
            ("room_height", self.room_height, self.height - 2, "rows"),
        ):
            if given is None:
                continue
            least, most = given
            if not 1 <= least <= most:
                yield problem(f"from a least size of 1 or more to a greatest, got {least}, {most}", at=name)
            elif least > side:
                yield problem(f"the map has {side} {unit} within its walls, so no room of {least} fits", at=name)
        if self.rooms is not None and self.min_rooms > self.rooms:
            yield problem(f"must be at most rooms, {self.rooms}, got {self.min_rooms}", at="min_rooms")

    @property
    def sizes(self) -> RoomSizes:
        return RoomSizes(
            *_default_range(self.room_width, self.width - 2, (4, 12)),
            *_default_range(self.room_height, self.height - 2, (3, 9)),
        )


def _default_range(given: Range | None, side: int, usual: Range) -> Range:
    """What is given, or what suits a map that has so many cells within its walls."""
    if given is not None:
        return given[0], min(given[1], side)
    most = min(usual[1], side, max(3, side // 3))
    return min(usual[0], most), most
