"""Parameters of all techniques that place rooms and join them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from ..core.errors import Problem, problem
from ..core.params import MAX_AREA, Sized, param, size_param
from ..kernels.partition import RoomSizes

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
