"""Trials: making a map in the style of the sample as a job, comparing it with the sample, and changes that may help."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import ANOTHER_SEED, Problem, TilewrightError
from ...core.seeds import read_seed
from ...core.site import Frame
from ...core.tilemap import TileMap
from ...formats._picture import PictureParams, draw, layout_of
from .. import operations
from ..jobs import CancelToken
from ..map.payloads import encode_picture
from .state import SampleState, find_by_example, resize_sample

COMPARED_MEASURES = ("divergence", "sample_distance", "copied_share", "copied_block")
PREVIEW_INTERVAL = 0.12
"""Seconds between two previews."""
MAX_LARGE_SPRITE_CELLS = 64
"""Maximum width and height of maps drawn with large sprites."""
MAX_SPRITE_CELLS = 1 << 14
"""Maximum number of cells of maps drawn with sprites; larger maps are too small on a card."""

FitnessCurve = tuple[tuple[float, float], ...]
"""Progress (0 to 1) and divergence over time."""


@dataclass(frozen=True)
class TrialPreview:
    """Picture and progress of a map that is being made."""

    picture: str
    note: str
    progress: float | None
    curve: FitnessCurve


@dataclass(frozen=True)
class TrialResult:
    """Pictures and measures of a finished map."""

    recipe: dict[str, Any]
    flat: str
    """Picture in colors, one pixel per cell."""
    sprites: str
    """Picture with sprites; the same as `flat` for large maps."""
    seconds: float
    numbers: dict[str, float]
    curve: FitnessCurve
    warnings: tuple[str, ...] = ()
    """Warnings about the map, such as that it is nearly a copy of the sample."""


def run_trial(
    example: SampleState, technique: str, token: CancelToken, on_preview: Callable[[TrialPreview], None]
) -> TrialResult:
    """Make the technique's map and compare it with the sample. `on_preview` is called with the map in progress."""
    start = last_preview = time.perf_counter()
    data = example.build_recipe(technique)
    recipe = operations.check_recipe(data, token.settings)
    objective = find_by_example(technique).objective
    curve: list[tuple[float, float]] = []
    for frame in operations.frames(recipe, token):
        if frame.map is not None:
            seconds = time.perf_counter() - start
            similarity = example.build_similarity(technique)
            numbers = operations.measure_map(frame.map, token, COMPARED_MEASURES, like=similarity)
            flat, sprites = draw_picture(frame.map), draw_picture(frame.map, sprites=True)
            warnings = tuple(operations.find_map_warnings(frame.map))
            return TrialResult(data, flat, sprites, seconds, numbers, tuple(curve), warnings)
        if frame.numbers and objective in frame.numbers:
            curve.append((frame.progress or 0.0, frame.numbers[objective]))
        is_due = time.perf_counter() > last_preview + PREVIEW_INTERVAL
        if is_due and (frame.cells is not None or frame.colors is not None):
            last_preview = time.perf_counter()
            on_preview(TrialPreview(draw_picture(frame.snapshot()), frame.note, frame.progress, tuple(curve)))
    raise TilewrightError("the technique ended without a map")


def draw_picture(view: TileMap | Frame, *, sprites: bool = False) -> str:
    """Return a picture as a data URL: one pixel per cell, for the browser to enlarge, or sprites."""
    rows, columns = layout_of(view).canvas
    if sprites and rows * columns <= MAX_SPRITE_CELLS:
        options = PictureParams(scale=16 if max(rows, columns) <= MAX_LARGE_SPRITE_CELLS else 8)
    else:
        options = PictureParams(scale=1, sprites=False)
    return encode_picture(draw(view, options))


Suggestion = tuple[str, SampleState]
"""Label of a suggestion and the changed example."""
MIN_USABLE_SIDE = 8


def list_suggestions(example: SampleState, technique: str, problems: Sequence[Problem]) -> list[Suggestion]:
    """Return the fixes of problems that are possible in By example, and other samples and sizes."""
    suggestions = [suggestion for one in problems for suggestion in _suggest(example, technique, one)]
    return [(name, other) for name, other in dict(suggestions).items() if other != example]


def _suggest(example: SampleState, technique: str, problem: Problem) -> Iterator[Suggestion]:
    knobs = find_by_example(technique).knobs
    for fix in problem.fixes:
        name, value = str(fix.path[-1]), fix.value
        if fix == ANOTHER_SEED:
            yield "new seed", example.replace(seed=int(read_seed(None)))
        elif fix.action == "remove" and name == "sample_edges":
            yield "no edges of the sample", example.replace(sample_edges=())
        elif fix.action == "remove" and name in knobs:
            yield "default pattern size", example.with_default_knobs(technique)
        elif fix.action == "set" and name in ("width", "height"):
            larger = max(example.width, MIN_USABLE_SIDE), max(example.height, MIN_USABLE_SIDE)
            yield "larger maps", example.replace(width=larger[0], height=larger[1])
        elif fix.action == "set" and name == "wrap_sample":
            yield "wrap the sample", example.replace(wrap_sample=value)
        elif fix.action == "set" and name == "wrap":
            yield "do not wrap the maps", example.replace(wrap=value)
        elif fix.action == "set" and name in knobs:
            label = name if value is True else f"{name.replace('_', ' ')} {value}"
            yield label, example.with_knob(technique, name, value)
    for knob, value in find_by_example(technique).defaults.items():
        is_cause = problem.rule == "unsolved" or knob in problem.path or knob in problem.text
        if value is True and is_cause and knob not in example.knobs.get(technique, {}):
            yield f"without {knob.replace('_', ' ')}", example.with_knob(technique, knob, False)
    if problem.rule == "sample_size":
        yield "larger sample", example.with_edited_sample(_enlarge(example.sample_map, MIN_USABLE_SIDE))
    if problem.rule == "flat_sample" and example.sample_map.cells.ndim == 3:
        lowest = TileMap(example.sample_map.cells[0], example.sample_map.tileset)
        yield "lowest level only", example.with_edited_sample(lowest)
    if problem.rule == "size":
        default = SampleState()
        yield "smaller maps", example.replace(width=default.width, height=default.height)
        yield "default parameters", example.with_default_knobs(technique)


def _enlarge(sample: TileMap, side: int) -> TileMap:
    return resize_sample(sample, max(side, sample.shape[-1]), max(side, sample.shape[-2]))
