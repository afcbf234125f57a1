"""The graph of a map's rooms: which are joined, how it hangs together, and which lie on the way to the exit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..core.deprecation import renamed_members
from ..core.tilemap import TileMap

Link: TypeAlias = tuple[int, int]


def rooms_graph(map: TileMap) -> RoomGraph:
    """The graph of the rooms and links that a map knows; rooms are numbered as in `map.rooms`.

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


@renamed_members(parts="components", part_count="component_count", way="route", way_links="route_links")
@dataclass(frozen=True)
class RoomGraph:
    """Rooms as nodes, links as edges."""

    count: int
    """How many rooms there are."""
    links: tuple[Link, ...]
    """Which rooms are joined: each pair once, in order, the smaller id first."""
    start: int | None = None
    """The room that the marker start lies in."""
    exit: int | None = None
    """The room that the marker exit lies in."""

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """(room,) the rooms that each is joined to, in order."""
        joined: list[list[int]] = [[] for _ in range(self.count)]
        for one, other in self.links:
            joined[one].append(other)
            joined[other].append(one)
        return tuple(tuple(sorted(rooms)) for rooms in joined)

    @cached_property
    def components(self) -> tuple[int, ...]:
        """(room,) the separate part of the graph that each belongs to, numbered from 0 on by their first rooms."""
        part = [-1] * self.count
        for room in range(self.count):
            if part[room] < 0:
                number = max(part, default=-1) + 1
                for reached in self._search_from(room):
                    part[reached] = number
        return tuple(part)

    @property
    def component_count(self) -> int:
        """How many separate parts the rooms and their links make."""
        return max(self.components, default=-1) + 1

    @property
    def loops(self) -> int:
        """How many links could be cut without parting the graph; 0 is a tree."""
        return len(self.links) - self.count + self.component_count

    @cached_property
    def route(self) -> tuple[int, ...]:
        """The rooms from the start's to the exit's over the fewest links, both included.

        Empty where one of them lies in no room, or no links lead there. Of equal ways the one over smaller ids.
        """
        if self.start is None or self.exit is None:
            return ()
        came = self._search_from(self.exit)
        if self.start not in came:
            return ()
        way = [self.start]
        while way[-1] != self.exit:
            way.append(came[way[-1]])
        return tuple(way)

    @property
    def route_links(self) -> tuple[Link, ...]:
        """The links of the way, in its order."""
        return tuple((min(pair), max(pair)) for pair in zip(self.route, self.route[1:], strict=False))

    def _search_from(self, room: int) -> dict[int, int]:
        """The rooms that can be reached from one, each with the one before it, breadth first."""
        came, queue = {room: room}, deque([room])
        while queue:
            here = queue.popleft()
            for near in self.neighbours[here]:
                if near not in came:
                    came[near] = here
                    queue.append(near)
        return came


def _find_room(map: TileMap, name: str) -> int | None:
    """The first room that holds the first marker of a name."""
    first = [marker for marker in map.markers if marker.name == name][:1]
    holding = (
        number
        for marker in first
        for number, room in enumerate(map.rooms)
        if 0 <= marker.x - room.x < room.width and 0 <= marker.y - room.y < room.height
    )
    return next(holding, None)
