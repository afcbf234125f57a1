"""Animated PNG: the work from the first frame to the finished map, exact in every colour.

Carries the finished map as png does; reading gives it back. Programs that know no animated png show the first frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL.PngImagePlugin import PngImageFile

from ._animation import AnimationParams, encode_film, film_format, filmed
from ._picture import View
from .png import joined_text, text_chunks


def encode(views: Iterable[View], options: AnimationParams) -> bytes:
    film = filmed(views, options)
    first, *rest = film.pictures
    # All frames share one palette, so a single frame in full colour makes all of them so.
    if any(picture.getpalette() != first.getpalette() for picture in rest):
        film = film.in_full_color()
    return encode_film(film, "PNG", options, pnginfo=text_chunks(film.label))


apng = film_format("apng", __doc__, encode, PngImageFile, joined_text)
