"""Graphs of rooms: rooms on a grid and the links between them."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.seeds import Rng


@dataclass(frozen=True)
class GridGraph:
    """Rooms on a grid, by their number in the order of rows, and links between neighbors."""

    shape: tuple[int, int]
    """Rows and columns of the grid."""
    links: tuple[tuple[int, int], ...]
    """Pairs of linked rooms, the smaller number first, in ascending order."""

    @property
    def rooms(self) -> list[int]:
        """Numbers of the rooms with a link, in ascending order."""
        return sorted({room for link in self.links for room in link})


def list_grid_links(shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Return all pairs of neighbors on a grid."""
    rows, columns = shape
    across = [(room, room + 1) for room in range(rows * columns) if (room + 1) % columns]
    return sorted([*across, *((room, room + columns) for room in range((rows - 1) * columns))])


def grow_room_graph(shape: tuple[int, int], rooms: int, loops: int, rng: Rng) -> GridGraph:
    """Return a random connected graph.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the grid.
    rooms : int
        Number of rooms.
    loops : int
        Number of links beyond those that connect all rooms; fewer if the rooms have no more neighbors.
    rng : Rng
        Random stream.

    Returns
    -------
    GridGraph
        A tree that grew from a random room, with additional links.
    """
    possible = list_grid_links(shape)
    joined = {rng.below(shape[0] * shape[1])}
    links: set[tuple[int, int]] = set()
    while len(joined) < rooms:
        link = rng.choice([one for one in possible if (one[0] in joined) != (one[1] in joined)])
        links.add(link)
        joined.update(link)
    others = [one for one in possible if one not in links and one[0] in joined and one[1] in joined]
    links.update(rng.shuffle(others)[:loops])
    return GridGraph(shape, tuple(sorted(links)))
