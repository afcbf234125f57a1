"""Room graph of a map: links, components, and the route from start to exit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..core.tilemap import TileMap

Link: TypeAlias = tuple[int, int]


def rooms_graph(map: TileMap) -> RoomGraph:
    """Return the graph of the rooms and links of a map; rooms are numbered as in `map.rooms`.

    >>> from tilewright.core.tilemap import Room
    >>> from tilewright.core.tileset import Tileset
    >>> rooms = [Room(x, 0, 1, 1) for x in range(4)]
    >>> m = TileMap([[0, 0, 0, 0]], Tileset.from_labels(["."]), rooms=rooms, links=[(0, 1), (2, 1), (1, 0)])
    >>> graph = rooms_graph(m)
    >>> graph.neighbours, graph.components, graph.loops
    (((1,), (0, 2), (1,), ()), (0, 0, 0, 1), 0)
    """
    links = {(min(link), max(link)) for link in map.links if link[0] != link[1]}
    ends = (_find_room(map, "start"), _find_room(map, "exit"))
    return RoomGraph(len(map.rooms), tuple(sorted(links)), *ends)


@dataclass(frozen=True)
class RoomGraph:
    """Graph with rooms as nodes and links as edges."""

    count: int
    """Number of rooms."""
    links: tuple[Link, ...]
    """Pairs of linked rooms, sorted and without duplicates; the smaller id of a pair comes first."""
    start: int | None = None
    """Room with the marker start."""
    exit: int | None = None
    """Room with the marker exit."""

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """(room,) linked rooms of each room, sorted."""
        joined: list[list[int]] = [[] for _ in range(self.count)]
        for one, other in self.links:
            joined[one].append(other)
            joined[other].append(one)
        return tuple(tuple(sorted(rooms)) for rooms in joined)

    @cached_property
    def components(self) -> tuple[int, ...]:
        """(room,) connected component of each room, numbered from 0 in the order of their first rooms."""
        component = [-1] * self.count
        for room in range(self.count):
            if component[room] < 0:
                number = max(component, default=-1) + 1
                for reached in self._search_from(room):
                    component[reached] = number
        return tuple(component)

    @property
    def component_count(self) -> int:
        """Number of connected components."""
        return max(self.components, default=-1) + 1

    @property
    def loops(self) -> int:
        """Number of links that can be removed without disconnecting the graph; 0 for a tree."""
        return len(self.links) - self.count + self.component_count

    @cached_property
    def route(self) -> tuple[int, ...]:
        """Rooms on the route with the fewest links from the room of the start to the room of the exit, both included.

        The route is empty if the start or the exit is not in a room, or if no links lead from one to the other. Of
        equally short routes, the route with the smaller ids is chosen.
        """
        if self.start is None or self.exit is None:
            return ()
        came_from = self._search_from(self.exit)
        if self.start not in came_from:
            return ()
        route = [self.start]
        while route[-1] != self.exit:
            route.append(came_from[route[-1]])
        return tuple(route)

    @property
    def route_links(self) -> tuple[Link, ...]:
        """Links of the route, in order."""
        return tuple((min(pair), max(pair)) for pair in zip(self.route, self.route[1:], strict=False))

    def _search_from(self, room: int) -> dict[int, int]:
        """Search breadth first from a room; return the reached rooms, each with its predecessor on the path."""
        came_from, queue = {room: room}, deque([room])
        while queue:
            here = queue.popleft()
            for neighbor in self.neighbours[here]:
                if neighbor not in came_from:
                    came_from[neighbor] = here
                    queue.append(neighbor)
        return came_from


def _find_room(map: TileMap, name: str) -> int | None:
    """Return the first room that contains the first marker with this name; None if no room contains the marker."""
    first = [marker for marker in map.markers if marker.name == name][:1]
    holding = (
        number
        for marker in first
        for number, room in enumerate(map.rooms)
        if 0 <= marker.x - room.x < room.width and 0 <= marker.y - room.y < room.height
    )
    return next(holding, None)
