"""Animated WebP, lossless: the work from the first frame to the finished map, in all its colours.

Carries the finished map in its EXIF description as png does in its text; reading gives it back.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image
from PIL.ExifTags import Base
from PIL.WebPImagePlugin import WebPImageFile

from ._animation import AnimationParams, draw_animation, encode_animation, make_animation_format
from ._picture import View
from ._pixels import extract_label

MAX_SIDE = 16_383


def encode(views: Iterable[View], options: AnimationParams) -> bytes:
    animation = draw_animation(views, options).to_rgb()
    exif = Image.Exif()
    exif[Base.ImageDescription] = animation.label
    effort = {"lossless": True, "quality": 50}  # of a lossless file: how hard to try
    return encode_animation(animation, "WEBP", options, max_side=MAX_SIDE, exif=exif, **effort)


def _read_exif_label(picture: Image.Image) -> str:
    # Looked for by hand: Pillow warns on the terminal of EXIF that it cannot read.
    exif = picture.info.get("exif", b"")
    return extract_label(exif[max(0, exif.find(b"{")) :].split(b"\0")[0])


webp = make_animation_format("webp", __doc__, encode, WebPImageFile, _read_exif_label)
