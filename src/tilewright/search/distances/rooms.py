"""Distance of rooms: how much the places of the rooms and the graphs of their links differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey
from . import distance


@dataclass(frozen=True)
class RoomDescription:
    """The cells of the rooms, and the parts of the room graph."""

    cells: NDArray[np.bool_]
    """Array (row, column) of whether a cell belongs to a room."""
    graph: Counter[tuple[int, ...]]
    """Number of rooms by number of links, and number of links by the numbers of links of both rooms."""


def describe_rooms(survey: Survey, params: Any) -> RoomDescription | None:
    """Return the description of a map; None if it has no rooms."""
    if not survey.map.rooms:
        return None
    covered = np.zeros(survey.map.shape[-2:], dtype=bool)
    for room in survey.map.rooms:
        covered[room.y : room.y + room.height, room.x : room.x + room.width] = True
    links = [len(neighbors) for neighbors in survey.rooms.neighbours]
    pairs = (tuple(sorted((links[one], links[other]))) for one, other in survey.rooms.links)
    return RoomDescription(covered, Counter([*((count,) for count in links), *pairs]))


@distance(describe_rooms, needs="rooms")
def rooms(one: RoomDescription, other: RoomDescription) -> float:
    """Difference of the rooms: half for their places, half for the graph of their links.

    The first half is the Jaccard distance of the cells that belong to rooms. The second half is the Jaccard distance of
    the graphs: rooms with the same number of links are the same, and so are links between rooms with the same numbers
    of links, whatever their places and their order. Maps may differ in size.
    """
    rows, columns = (min(sizes) for sizes in zip(one.cells.shape, other.cells.shape, strict=True))
    both = int(np.count_nonzero(one.cells[:rows, :columns] & other.cells[:rows, :columns]))
    either = int(np.count_nonzero(one.cells)) + int(np.count_nonzero(other.cells)) - both
    common, parts = (one.graph & other.graph).total(), (one.graph | other.graph).total()
    return 0.5 * (1 - both / either) + 0.5 * (1 - common / parts)
