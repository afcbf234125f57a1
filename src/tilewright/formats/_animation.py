"""Animations. Frames are thinned while they arrive and drawn on one canvas; the last frame is shown longer.

Frames may differ in size if a shaper crops or rotates the map; the canvas is as large as the largest frame. An
animation stores the label of the finished map, as a png does, so that reading the file returns the finished map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.ImageFile import ImageFile

from ..core.errors import TilewrightError, TooLarge
from ..core.params import param
from ..core.site import Frame
from ..core.tilemap import TileMap
from . import Format, file_format
from ._files import encode_image
from ._layers import View
from ._picture import PictureParams, cell_size, draw_all, hides_tiles, layout_of, shows_icons
from ._pixels import MAX_ANIMATION_PIXELS, build_label, read_picture

DEFAULT_MAX_PIXELS = 1 << 20
"""Maximum number of pixels of a frame by default."""

TARGET_DURATION, MIN_FRAME_DURATION, MAX_FRAME_DURATION = 4000, 40, 400
"""Target duration of an animation, and minimum and maximum duration of a frame, in milliseconds."""


class AnimationParams(PictureParams):
    """Options of animations; a single map is an animation of one frame."""

    frames: int = param(200, ge=2, le=10_000, typical=(20, 400))
    """Maximum number of frames, evenly sampled, including the first and the last; fewer if they are large."""
    duration: int | None = param(None, ge=20, le=60_000, typical=(20, 500))
    """Duration of a frame in milliseconds; by default chosen so that the animation takes a few seconds."""
    hold: int = param(1500, ge=20, le=60_000, typical=(100, 5000))
    """Duration of the last frame in milliseconds."""
    loop: int = param(0, ge=0, le=65_535, typical=(0, 10))
    """Number of repetitions; 0 is endless."""


@dataclass(frozen=True, slots=True)
class Animation:
    """Drawn frames, ready to be encoded."""

    pictures: tuple[Image.Image, ...]
    durations: tuple[int, ...]
    """Duration of each frame in milliseconds."""
    label: str
    """Label of the finished map; empty if the frames do not end with a map."""

    def to_rgb(self) -> Animation:
        return replace(self, pictures=tuple(picture.convert("RGB") for picture in self.pictures))


def animation_format(
    media_type: str, kind: type[ImageFile], find_label: Callable[[Image.Image], str]
) -> Callable[[Callable[[Iterable[View], AnimationParams], bytes]], Format]:
    """Declare a function that encodes frames as a format for animations. A single map is an animation of one frame."""

    def declare(encode: Callable[[Iterable[View], AnimationParams], bytes]) -> Format:
        @file_format(
            AnimationParams,
            animate=lambda frames, options, path: {path.name: encode(frames, options)},
            read=lambda source, options: read_picture(source, kind, find_label, options.scale),
            media_type=media_type,
            use="animations",
        )
        @wraps(encode)
        def write(map: TileMap, options: AnimationParams, path: Path) -> bytes:
            return encode([map], options)

        return write

    return declare


def check_side(animation: Animation, kind: str, max_side: int) -> None:
    """Raise TooLarge if the pictures are larger than files of this kind may be."""
    if max(animation.pictures[0].size) > max_side:
        raise TooLarge(f"a {kind.lower()} must be at most {max_side:,} pixels wide and high; lower the scale")


def encode_animation(animation: Animation, kind: str, options: AnimationParams, **save_options: Any) -> bytes:
    """Return the content of a file of this kind."""
    first, *rest = animation.pictures
    frames = {"save_all": True, "append_images": rest, "duration": list(animation.durations), "loop": options.loop}
    return encode_image(first, kind, **frames, **save_options)


def draw_animation(views: Iterable[View], options: AnimationParams, *, palette: bool = False) -> Animation:
    """Draw the frames. `palette` is set for files with at most 256 colors."""
    kept = thin_frames(views, options)
    sizes = [layout_of(view).canvas for view in kept]
    canvas = max(rows for rows, _ in sizes), max(columns for _, columns in sizes)
    last = kept[-1]
    cell = cell_size(last, options, canvas, DEFAULT_MAX_PIXELS)
    height, width = canvas[0] * cell[0], canvas[1] * cell[1]
    if len(kept) * height * width > MAX_ANIMATION_PIXELS:
        raise TooLarge(
            f"an animation of {len(kept)} frames of {width:,}x{height:,} pixels is too large; lower the scale"
        )
    map = last.map if isinstance(last, Frame) else last
    # All frames have the variants of the finished map.
    pictures = draw_all(kept, options, canvas, cell, map.recipe if map is not None else None)
    loose = hides_tiles(last, options, cell) or (palette and pictures[-1].mode != "P")  # Merged colors hide tiles, too.
    if palette:
        pictures = [one if one.mode == "P" else one.quantize(256, dither=Image.Dither.NONE) for one in pictures]
    duration = options.duration or min(
        MAX_FRAME_DURATION, max(MIN_FRAME_DURATION, TARGET_DURATION // len(kept) // 10 * 10)
    )
    durations = (*(duration for _ in kept[1:]), options.hold)
    label = ""
    if map is not None:
        label = build_label(map, canvas, loose=loose and pictures[-1], has_icons=shows_icons(last, options, cell))
    return Animation(tuple(pictures), durations, label)


def thin_frames(views: Iterable[View], options: AnimationParams) -> list[View]:
    """Return every 2^k-th frame and the last frame, with the smallest k for which the limit is met.

    At most the allowed number of frames is in memory. A frame that looks like the previous one is skipped, so that the
    animation does not appear frozen.
    """
    kept: list[View] = []
    step, number = 1, 0
    last: View | None = None
    drawable = (
        view for view in views if view.cells is not None or (isinstance(view, Frame) and view.colors is not None)
    )
    for view in drawable:
        before, last = last, view
        if before is not None and _look_alike(before, view):
            continue
        if number % step == 0:
            kept.append(view)
            while len(kept) >= max(2, min(options.frames, MAX_ANIMATION_PIXELS // _count_pixels(view, options))):
                kept, step = kept[::2], 2 * step
        number += 1
    if last is None:
        raise TilewrightError("an animation needs at least one frame with cells")
    if kept[-1] is last:
        return kept
    # The last frame has the map, so it replaces an equal previous frame.
    return [*(kept[:-1] if _look_alike(kept[-1], last) else kept), last]


def _look_alike(one: View, other: View) -> bool:
    """Return whether two views show the same tiles and markers, without colors or lines."""
    if isinstance(one, TileMap) and isinstance(other, TileMap) and one.markers != other.markers:
        return False
    plain = all(isinstance(view, TileMap) or (view.colors is None and not view.lines) for view in (one, other))
    return plain and np.array_equal(one.cells, other.cells) and one.tileset == other.tileset


def _count_pixels(view: View, options: AnimationParams) -> int:
    rows, columns = layout_of(view).canvas
    height, width = cell_size(view, options, (rows, columns), DEFAULT_MAX_PIXELS)
    return rows * height * columns * width
