"""Corridors between neighbors on a grid of rooms.

A corridor leaves a room straight ahead, within the rows or columns of this room, and bends only in the gap between the
two cells of the grid, one cell away from their rooms. So it meets no other room and no other corridor.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.seeds import Rng
from .passages import Box

MIN_BEND = 3
"""Minimum width of a gap with space for a bend: one cell, and a wall on both sides."""


class Span(NamedTuple):
    """Consecutive rows or columns."""

    start: int
    size: int

    @property
    def end(self) -> int:
        """First row or column behind the span."""
        return self.start + self.size

    @property
    def inner(self) -> Span:
        """The span without its ends, if anything is between them."""
        return Span(self.start + 1, self.size - 2) if self.size > 2 else self

    def overlap(self, other: Span) -> Span:
        """Return the rows or columns in both spans; the size is less than 1 if there are none."""
        start = max(self.start, other.start)
        return Span(start, min(self.end, other.end) - start)

    def join(self, other: Span) -> Span:
        """Return the smallest span that contains both."""
        start = min(self.start, other.start)
        return Span(start, max(self.end, other.end) - start)

    def draw(self, size: int, rng: Rng) -> Span:
        """Return a random part of the span."""
        return Span(self.start + rng.below(self.size - size + 1), size)

    def widen(self, cell: int, size: int) -> Span:
        """Return a part of the span with at most `size` cells that contains a cell."""
        size = min(size, self.size)
        return Span(min(max(self.start, cell - (size - 1) // 2), self.end - size), size)


class Area(NamedTuple):
    """Rectangle of a room or corridor, by its spans along and across the link."""

    along: Span
    across: Span

    def to_box(self, is_upright: bool) -> Box:
        """Return the rectangle on the map. An upright link leads down, any other to the right."""
        columns, rows = (self.across, self.along) if is_upright else (self.along, self.across)
        return columns.start, rows.start, columns.size, rows.size


class Corridor(NamedTuple):
    """Cells of a corridor."""

    doors: list[Area]
    floors: list[Area]


def plan_corridor(one: Area, other: Area, gap: Span, width: int, facing: bool, rng: Rng) -> Corridor:
    """Return a corridor from a room to the next one.

    Parameters
    ----------
    one, other
        The rooms; the first one is left of the second one, or above it.
    gap
        Columns between the cells of the grid, or rows.
    width
        Width of the corridor, where there is space.
    facing
        Whether the doors are opposite each other if possible.
    rng
        Random stream.
    """
    rows = one.across, other.across
    bends = Span(gap.start + 1, gap.size - 2)
    common = rows[0].inner.overlap(rows[1].inner)
    if bends.size < 1 and common.size < 1:
        common = rows[0].overlap(rows[1])
    if common.size > 0 and (facing or bends.size < 1):
        first = second = common.draw(1, rng).start
    else:
        first, second = (span.inner.draw(1, rng).start for span in rows)
    start, end = one.along.end, other.along.start - 1  # Positions of the doors.
    doors = [Area(Span(start, 1), Span(first, 1)), Area(Span(end, 1), Span(second, 1))]
    if bends.size < 1:
        floor = Area(Span(start + 1, end - start - 1), rows[0].overlap(rows[1]).widen(first, width))
        return Corridor(doors, [floor] if floor.along.size > 0 else [])
    bend = bends.draw(min(width, bends.size), rng)
    legs = rows[0].widen(first, width), rows[1].widen(second, width)
    floors = [
        Area(Span(start + 1, bend.end - start - 1), legs[0]),
        Area(bend, legs[0].join(legs[1])),
        Area(Span(bend.start, end - bend.start), legs[1]),
    ]
    return Corridor(doors, floors)
