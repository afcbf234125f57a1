"""Animated GIF: all steps from the first frame to the finished map.

Up to 256 tiles keep their exact colors in every frame. If a technique shows its own colors, the nearest 256 are used.
The comment stores the finished map as png does, and reading returns it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.GifImagePlugin import GifImageFile, getdata, getheader

from ._animation import Animation, AnimationParams, animation_format, check_side, draw_animation, encode_animation
from ._layers import View
from ._marks import MAX_PALETTE
from ._pixels import extract_label

MAX_SIDE = 65_535
KEEP = 1
"""Disposal of a frame that remains under the next one."""


@animation_format("image/gif", GifImageFile, lambda picture: extract_label(picture.info.get("comment")))
def gif(views: Iterable[View], options: AnimationParams) -> bytes:
    animation = draw_animation(views, options, palette=True)
    check_side(animation, "GIF", MAX_SIDE)
    palette = bytes(animation.pictures[0].getpalette() or ())
    is_shared = all(bytes(picture.getpalette() or ()) == palette for picture in animation.pictures)
    if is_shared and len(palette) < 3 * MAX_PALETTE:
        return b"".join(_iter_blocks(animation, options, palette))
    comment = animation.label.encode()
    return encode_animation(animation, "GIF", options, comment=comment, optimize=False)  # keeps palettes


def _iter_blocks(animation: Animation, options: AnimationParams, palette: bytes) -> Iterator[bytes]:
    """Yield the parts of a file. Frames store only changed pixels: others are transparent, which compresses well."""
    # Pillow does so only if it may change the palettes, and compares all pixels several times.
    nothing = len(palette) // 3
    first = animation.pictures[0].copy()
    first.putpalette(palette + bytes(3))
    yield from getheader(first, info={"loop": options.loop, "comment": animation.label.encode()})[0]
    for change in _find_changes(animation, nothing):
        shown = Image.fromarray(change.pixels)
        yield from getdata(
            shown, (change.left, change.top), duration=change.duration, transparency=nothing, disposal=KEEP
        )
    yield b";"


@dataclass
class _Change:
    """The part of a frame that differs from the previous frame."""

    top: int
    left: int
    pixels: NDArray[np.uint8]
    duration: int
    """Duration of the frame in milliseconds."""


def _find_changes(animation: Animation, nothing: int) -> list[_Change]:
    """Return the changes from frame to frame, with `nothing` for unchanged pixels. Equal frames are one."""
    before = np.asarray(animation.pictures[0])
    changes = [_Change(0, 0, before, animation.durations[0])]
    for picture, duration in zip(animation.pictures[1:], animation.durations[1:], strict=True):
        pixels = np.asarray(picture)
        changed = pixels != before
        rows = np.flatnonzero(changed.any(axis=1))
        if not len(rows):
            changes[-1].duration += duration
            continue
        top, bottom = rows[0], rows[-1] + 1
        columns = np.flatnonzero(changed[top:bottom].any(axis=0))
        part = np.s_[top:bottom, columns[0] : columns[-1] + 1]
        shown = np.where(changed[part], pixels[part], np.uint8(nothing))
        changes.append(_Change(int(top), int(columns[0]), shown, duration))
        before = pixels
    return changes
