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
from ... import operations
from ...jobs import CancelToken
from ...payloads import encode_picture
from ...sample_state import SampleState, find_by_example

COMPARED_MEASURES = ("divergence", "sample_distance", "copied_share", "copied_block")
PREVIEW_INTERVAL = 0.12
"""Seconds between two looks at the work."""
MAX_LARGE_SPRITE_CELLS = 64
"""Pictures of more cells across have smaller sprites."""
MAX_SPRITE_CELLS = 1 << 14
"""Cells up to which a map is drawn in sprites: of more, none can be told apart on a card."""

FitnessCurve = tuple[tuple[float, float], ...]
"""How the fitness fell: the share of the work that was done, and the divergence that was left."""


@dataclass(frozen=True)
class TrialPreview:
    """What can be seen while a map is made."""

    picture: str
    note: str
    progress: float | None
    curve: FitnessCurve


@dataclass(frozen=True)
class TrialResult:
    """A finished map, and what it is like."""

    recipe: dict[str, Any]
    flat: str
    """Its picture in colours, a pixel a cell."""
    sprites: str
    """Its picture in sprites; of large maps, the same as the other."""
    seconds: float
    numbers: dict[str, float]
    curve: FitnessCurve


def run_trial(
    example: SampleState, technique: str, token: CancelToken, on_preview: Callable[[TrialPreview], None]
) -> TrialResult:
    """Make the technique's map; `look` is called now and then with what is there so far."""
    begun = looked = time.perf_counter()
    data = example.build_recipe(technique)
    recipe = operations.check_recipe(data, token.settings)
    objective = find_by_example(technique).objective
    course: list[tuple[float, float]] = []
    for frame in operations.frames(recipe, token):
        if frame.map is not None:
            seconds = time.perf_counter() - begun
            numbers = operations.measure_map(
                frame.map, token, COMPARED_MEASURES, like=example.build_similarity(technique)
            )
            flat, sprites = draw_picture(frame.map), draw_picture(frame.map, sprites=True)
            return TrialResult(data, flat, sprites, seconds, numbers, tuple(course))
        if frame.numbers and objective in frame.numbers:
            course.append((frame.progress or 0.0, frame.numbers[objective]))
        if time.perf_counter() > looked + PREVIEW_INTERVAL and (frame.cells is not None or frame.colors is not None):
            looked = time.perf_counter()
            on_preview(TrialPreview(draw_picture(frame.snapshot()), frame.note, frame.progress, tuple(course)))
    raise TilewrightError("the work ended without a map")


def draw_picture(view: TileMap | Frame, *, sprites: bool = False) -> str:
    """A picture as an address that holds it: a pixel a cell, for the browser to enlarge, or sprites."""
    rows, columns = layout_of(view).canvas
    if sprites and rows * columns <= MAX_SPRITE_CELLS:
        options = PictureParams(scale=16 if max(rows, columns) <= MAX_LARGE_SPRITE_CELLS else 8, sprites=True)
    else:
        options = PictureParams(scale=1, sprites=False)
    return encode_picture(draw(view, options))
