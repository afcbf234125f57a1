"""Animated WebP, lossless: all steps from the first frame to the finished map, with exact colors.

Stores the finished map in its EXIF description as png does in its text, and reading returns it.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image
from PIL.ExifTags import Base
from PIL.WebPImagePlugin import WebPImageFile

from ._animation import AnimationParams, animation_format, check_side, draw_animation, encode_animation
from ._layers import View
from ._pixels import extract_label

MAX_SIDE = 16_383


def _read_exif_label(picture: Image.Image) -> str:
    # Searched directly, because Pillow prints warnings about EXIF data that it cannot read.
    exif = picture.info.get("exif", b"")
    return extract_label(exif[max(0, exif.find(b"{")) :].split(b"\0")[0])


@animation_format("image/webp", WebPImageFile, _read_exif_label)
def webp(views: Iterable[View], options: AnimationParams) -> bytes:
    animation = draw_animation(views, options).to_rgb()
    check_side(animation, "WEBP", MAX_SIDE)
    exif = Image.Exif()
    exif[Base.ImageDescription] = animation.label
    effort = {"lossless": True, "quality": 50}  # quality is the compression effort of a lossless file
    return encode_animation(animation, "WEBP", options, exif=exif, **effort)
