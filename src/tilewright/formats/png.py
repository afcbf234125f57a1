"""Pictures: a square of pixels a cell.

The picture carries its map: a label in text chunks called `tilewright` holds the tileset, the recipe and all else, so
that reading gives the same map at any scale, and the changed one after a paint program. Layers come along for maps up
to 65,536 cells. Any other picture is read as one pixel a cell (or `scale` pixels), a tile per colour.

With `overlay`, what the map means for play is drawn over it: distances, the hot path, chokepoints and so on. With
`layer` the picture shows a layer instead of tiles, in 16-bit grey: black and white are 0 and 1, or the lowest and the
highest number where some lie beyond. Reading either gives the map back. Other 16-bit greys are not taken for maps.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from itertools import chain, count, takewhile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo
from pydantic import model_validator

from ..core.errors import InvalidRecipe
from ..core.params import param
from ..core.tilemap import TileMap
from . import Format, LoadedMap, Source
from ._heights import draw_layer, range_of
from ._picture import PictureParams, draw, layout_of, shows_sprites
from ._pixels import build_label, read_picture

KEY = "tilewright"
MAX_CHUNK_LENGTH = 1_000_000
"""Characters in a text chunk: Pillow reads no longer ones."""


class PngParams(PictureParams):
    """How a map is drawn; when reading, `scale` tells the pixels a cell of a picture that does not."""

    layer: str | None = param(None)
    """Show this layer instead of tiles, such as height, in 16-bit grey; 1 pixel a cell, unless a scale is told."""

    @model_validator(mode="after")
    def _shows_one_thing(self) -> PngParams:
        others = [name for name in ("sprites", "grid", "markers", "overlay") if getattr(self, name)]
        if self.layer is not None and others:
            text = f"the picture shows a layer and nothing else; leave out {', '.join(others)}"
            raise InvalidRecipe(text, at="layer")
        return self


def draw_map(map: TileMap, options: PngParams) -> Image.Image:
    """A map's tiles, or one of its layers, as a picture."""
    return draw(map, options) if options.layer is None else draw_layer(map, options.layer, options.scale or 1)


def write(map: TileMap, options: PngParams, path: Path) -> Mapping[str, bytes]:
    picture = draw_map(map, options)
    loose = shows_sprites(map, options) or options.overlay is not None or options.layer is not None
    heights = {} if options.layer is None else {"layer": options.layer, "range": range_of(map, options.layer)}
    text = build_label(map, layout_of(map).canvas, loose=loose, **heights)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", pnginfo=make_text_chunks(text))
    return {path.name: buffer.getvalue()}


def read(source: Source, options: PngParams) -> list[LoadedMap]:
    return read_picture(source, PngImageFile, join_text_chunks, options.scale)


def make_text_chunks(text: str) -> PngInfo:
    """A label as chunks `tilewright`, `tilewright 2` and so on."""
    info = PngInfo()
    for key, start in zip(_iter_keys(), range(0, len(text), MAX_CHUNK_LENGTH), strict=False):
        info.add_text(key, text[start : start + MAX_CHUNK_LENGTH], zip=True)
    return info


def join_text_chunks(picture: Image.Image) -> str:
    """The label in a picture's chunks; empty when it has none."""
    pieces = (picture.info.get(key) for key in _iter_keys())
    return "".join(map(str, takewhile(lambda piece: isinstance(piece, str), pieces)))


def _iter_keys() -> Iterator[str]:
    return chain([KEY], (f"{KEY} {number}" for number in count(2)))


png = Format(name="png", params=PngParams, extensions=(".png",), write=write, read=read, doc=__doc__)
