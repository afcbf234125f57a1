"""Animated GIF: all steps from the first frame to the finished map.

Up to 256 tiles keep their exact colors in every frame. If a technique shows its own colors, the nearest 256 are used.
The comment stores the finished map as png does, and reading returns it.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL.GifImagePlugin import GifImageFile

from ._animation import AnimationParams, draw_animation, encode_animation, make_animation_format
from ._layers import View
from ._pixels import extract_label

MAX_SIDE = 65_535


def encode(views: Iterable[View], options: AnimationParams) -> bytes:
    animation = draw_animation(views, options, palette=True)
    comment = animation.label.encode()
    return encode_animation(
        animation, "GIF", options, max_side=MAX_SIDE, comment=comment, optimize=False
    )  # keeps palettes


gif = make_animation_format(
    "gif", __doc__, encode, GifImageFile, lambda picture: extract_label(picture.info.get("comment"))
)
