"""Pictures: a square of pixels a cell.

The picture carries its map: a label in text chunks called `tilewright` holds the tileset, the recipe and all else, so
that reading gives the same map at any scale, and the changed one after a paint program. Layers come along for maps up
to 65,536 cells. Any other picture is read as one pixel a cell (or `scale` pixels), a tile per colour.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo

from ..core.tilemap import TileMap
from . import Format, Found, Source
from ._picture import PictureParams, draw, layout_of, shows_sprites
from ._pixels import label, last_frame, read_picture

KEY = "tilewright"
PIECE = 1_000_000
"""Characters in a text chunk: Pillow reads no longer ones."""


class PngParams(PictureParams):
    """How a map is drawn; when reading, `scale` tells the pixels a cell of a picture that does not."""


def write(map: TileMap, options: PngParams, path: Path) -> Mapping[str, bytes]:
    picture = draw(map, options)
    text = label(map, layout_of(map).canvas, loose=shows_sprites(map, options))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", pnginfo=text_chunks(text))
    return {path.name: buffer.getvalue()}


def read(source: Source, options: PngParams) -> list[Found]:
    picture = last_frame(source, PngImageFile)
    return [read_picture(picture, joined_text(picture), source, options.scale)]


def text_chunks(text: str) -> PngInfo:
    """A label as chunks `tilewright`, `tilewright 2` and so on."""
    info = PngInfo()
    for number, start in enumerate(range(0, len(text), PIECE), 1):
        info.add_text(KEY if number == 1 else f"{KEY} {number}", text[start : start + PIECE], zip=True)
    return info


def joined_text(picture: Image.Image) -> str:
    """The label in a picture's chunks; empty when it has none."""
    pieces = []
    for number in count(1):
        piece = picture.info.get(KEY if number == 1 else f"{KEY} {number}")
        if not isinstance(piece, str):
            break
        pieces.append(piece)
    return "".join(pieces)


png = Format(name="png", params=PngParams, extensions=(".png",), write=write, read=read, doc=__doc__)
