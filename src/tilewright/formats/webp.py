"""Animated WebP, lossless: the work from the first frame to the finished map, in all its colours.

Carries the finished map in its EXIF description as png does in its text; reading gives it back.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL import Image
from PIL.ExifTags import Base
from PIL.WebPImagePlugin import WebPImageFile

from ._animation import AnimationParams, encode_film, film_format, filmed
from ._picture import View
from ._pixels import label_in

LARGEST_SIDE = 16_383


def encode(views: Iterable[View], options: AnimationParams) -> bytes:
    film = filmed(views, options).in_full_color()
    exif = Image.Exif()
    exif[Base.ImageDescription] = film.label
    effort = {"lossless": True, "quality": 50}  # of a lossless file: how hard to try
    return encode_film(film, "WEBP", options, largest=LARGEST_SIDE, exif=exif, **effort)


def _label(picture: Image.Image) -> str:
    # Looked for by hand: Pillow warns on the terminal of EXIF that it cannot read.
    exif = picture.info.get("exif", b"")
    return label_in(exif[max(0, exif.find(b"{")) :].split(b"\0")[0])


webp = film_format("webp", __doc__, encode, WebPImageFile, _label)
