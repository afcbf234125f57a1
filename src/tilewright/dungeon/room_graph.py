"""Graphs of rooms: rooms on a grid and the links between neighbors.

A room has the name of its cell, as in a spreadsheet: a1 is the first room of the first row, b1 its right neighbor, and
a2 the room below it.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from string import ascii_lowercase as letters

from ..core.seeds import Rng

Link = tuple[int, int]


@dataclass(frozen=True)
class GridGraph:
    """Rooms on a grid, by their number in the order of rows, and links between neighbors."""

    shape: tuple[int, int]
    """Rows and columns of the grid."""
    rooms: tuple[int, ...]
    """Numbers of the rooms, in ascending order."""
    links: tuple[Link, ...]
    """Pairs of linked rooms, the smaller number first, in ascending order."""

    def name_of(self, room: int) -> str:
        """Return the name of a room.

        >>> graph = GridGraph((2, 30), (0, 31, 29), ())
        >>> [graph.name_of(room) for room in graph.rooms]
        ['a1', 'b2', 'ad1']
        """
        row, column = divmod(room, self.shape[1])
        return name_cell(row, column)


def name_cell(row: int, column: int) -> str:
    """Return the name of a cell of the grid."""
    first, last = divmod(column, len(letters))
    return f"{letters[first - 1] if first else ''}{letters[last]}{row + 1}"


def list_grid_links(shape: tuple[int, int]) -> list[Link]:
    """Return all pairs of neighbors on a grid."""
    rows, columns = shape
    across = [(room, room + 1) for room in range(rows * columns) if (room + 1) % columns]
    return sorted([*across, *((room, room + columns) for room in range((rows - 1) * columns))])


def grow_room_tree(shape: tuple[int, int], rooms: int, rng: Rng) -> GridGraph:
    """Return a random tree of that many rooms on a grid of these rows and columns, grown from a random room."""
    links_at: dict[int, list[Link]] = {room: [] for room in range(shape[0] * shape[1])}
    for link in list_grid_links(shape):
        for room in link:
            links_at[room].append(link)
    newest = rng.below(shape[0] * shape[1])
    joined, links = {newest}, set[Link]()
    frontier: list[Link] = []  # The links with one end in `joined`, in ascending order.
    while len(joined) < rooms:
        for link in links_at[newest]:
            if link[0] in joined and link[1] in joined:
                frontier.remove(link)
            else:
                insort(frontier, link)
        chosen = rng.choice(frontier)
        newest = chosen[0] if chosen[1] in joined else chosen[1]
        links.add(chosen)
        joined.add(newest)
    return GridGraph(shape, tuple(sorted(joined)), tuple(sorted(links)))
