"""Animated PNG: all steps from the first frame to the finished map, with exact colors.

Stores the finished map as png does, and reading returns it. Programs without support for animated PNG show the first
frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL.PngImagePlugin import PngImageFile

from ._animation import AnimationParams, animation_format, draw_animation, encode_animation
from ._layers import View
from .png import join_text_chunks, make_text_chunks


@animation_format("image/apng", PngImageFile, join_text_chunks)
def apng(views: Iterable[View], options: AnimationParams) -> bytes:
    animation = draw_animation(views, options)
    first, *rest = animation.pictures
    # All frames share one palette, so one frame in RGB requires all frames in RGB.
    if any(picture.getpalette() != first.getpalette() for picture in rest):
        animation = animation.to_rgb()
    return encode_animation(animation, "PNG", options, pnginfo=make_text_chunks(animation.label))
