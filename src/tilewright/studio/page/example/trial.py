"""A map in the style of the sample: made at the desk, looked at on the way, and compared with the sample."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....core.errors import TilewrightError
from ....core.site import Frame
from ....core.tilemap import TileMap
from ....formats._picture import PictureParams, draw, layout_of
from ... import service
from ...desk import Ticket
from ...example import Example, shown_of
from ...scene import picture_address

COMPARED = ("divergence", "sample_distance", "copied_share", "copied_block")
LIVE = 0.12
"""Seconds between two looks at the work."""
WIDEST = 64
"""Pictures of more cells across have smaller sprites."""
MOST_SPRITES = 1 << 14
"""Cells up to which a map is drawn in sprites: of more, none can be told apart on a card."""

Course = tuple[tuple[float, float], ...]
"""How the fitness fell: the share of the work that was done, and the divergence that was left."""


@dataclass(frozen=True)
class Glance:
    """What can be seen while a map is made."""

    picture: str
    note: str
    done: float | None
    course: Course


@dataclass(frozen=True)
class Outcome:
    """A finished map, and what it is like."""

    recipe: dict[str, Any]
    flat: str
    """Its picture in colours, a pixel a cell."""
    sprites: str
    """Its picture in sprites; of large maps, the same as the other."""
    seconds: float
    numbers: dict[str, float]
    course: Course


def tried(example: Example, technique: str, ticket: Ticket, look: Callable[[Glance], None]) -> Outcome:
    """Make the technique's map; `look` is called now and then with what is there so far."""
    begun = looked = time.perf_counter()
    data = example.recipe(technique)
    recipe = service.checked(data, ticket.settings)
    objective = shown_of(technique).objective
    course: list[tuple[float, float]] = []
    for frame in service.frames(recipe, ticket):
        if frame.map is not None:
            seconds = time.perf_counter() - begun
            numbers = service.measured(frame.map, ticket, COMPARED, like=example.similarity(technique))
            flat, sprites = picture_of(frame.map), picture_of(frame.map, sprites=True)
            return Outcome(data, flat, sprites, seconds, numbers, tuple(course))
        if frame.numbers and objective in frame.numbers:
            course.append((frame.done or 0.0, frame.numbers[objective]))
        if time.perf_counter() > looked + LIVE and (frame.cells is not None or frame.colors is not None):
            looked = time.perf_counter()
            look(Glance(picture_of(frame.shown()), frame.note, frame.done, tuple(course)))
    raise TilewrightError("the work ended without a map")


def picture_of(view: TileMap | Frame, *, sprites: bool = False) -> str:
    """A picture as an address that holds it: a pixel a cell, for the browser to enlarge, or sprites."""
    rows, columns = layout_of(view).canvas
    if sprites and rows * columns <= MOST_SPRITES:
        options = PictureParams(scale=16 if max(rows, columns) <= WIDEST else 8, sprites=True)
    else:
        options = PictureParams(scale=1, sprites=False)
    return picture_address(draw(view, options))
