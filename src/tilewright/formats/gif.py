"""Animated GIF: the work from the first frame to the finished map.

Up to 256 tiles keep their exact colours in every frame; where a technique shows colours of its own, the nearest 256 are
taken. The comment carries the finished map as png does; reading gives it back.
"""

from __future__ import annotations

from collections.abc import Iterable

from PIL.GifImagePlugin import GifImageFile

from ._animation import AnimationParams, encode_film, film_format, filmed
from ._picture import View
from ._pixels import label_in

LARGEST_SIDE = 65_535


def encode(views: Iterable[View], options: AnimationParams) -> bytes:
    film = filmed(views, options, palette=True)
    comment = film.label.encode()
    return encode_film(film, "GIF", options, largest=LARGEST_SIDE, comment=comment, optimize=False)  # keeps palettes


gif = film_format("gif", __doc__, encode, GifImageFile, lambda picture: label_in(picture.info.get("comment")))
