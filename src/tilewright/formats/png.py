"""PNG pictures: a sprite per cell, and an icon per marker, or the flat colors of the tiles.

The picture stores its map: a label in text chunks named `tilewright` contains the tileset, the recipe and all other
data. Reading returns the same map. Flat pictures are read at any scale, and after changes in a paint program the edited
map is returned; pictures with sprites are refused if their pixels were changed. Layers are included for maps of up to
65,536 cells. Any other picture is read with one pixel per cell (or `scale` pixels) and a tile per color.

With `overlay`, an analysis of the map is drawn over it: distances, the hot path, chokepoints and so on. With `layer`,
the picture shows a layer instead of tiles, as 16-bit gray levels: black and white are 0 and 1, or the minimum and
maximum if values are outside this range. Reading either picture returns the map. Other 16-bit pictures are not read as
maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count, takewhile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo
from pydantic import model_validator

from ..core.errors import InvalidRecipe
from ..core.params import param
from ..core.tilemap import TileMap
from . import LoadedMap, Source, file_format
from ._files import encode_image
from ._heights import draw_layer, range_of
from ._picture import PictureParams, Size, draw, hides_tiles, layout_of, shows_icons, shows_sprites
from ._pixels import build_label, read_picture

KEY = "tilewright"
MAX_CHUNK_LENGTH = 1_000_000
"""Maximum number of characters per chunk, limited by Pillow."""
COMPRESSION, QUICK_COMPRESSION = 6, 2
"""Levels of zlib, for pictures in flat colors and with sprites. Sprites have more details: the quick level takes a half
to a quarter of the time, and the files are a third larger."""


class PngParams(PictureParams):
    """Options of PNG pictures; when reading, `scale` is the number of pixels per cell of pictures without a label."""

    layer: str | None = param(None)
    """Layer to show instead of tiles, such as height, as 16-bit gray levels; 1 pixel per cell by default."""

    @model_validator(mode="after")
    def _shows_one_thing(self) -> PngParams:
        names = ("sprites", "grid", "markers", "overlay")
        others = [name for name in names if name in self.model_fields_set and getattr(self, name)]
        if self.layer is not None and others:
            text = f"a picture of a layer shows nothing else; remove {', '.join(others)}"
            raise InvalidRecipe(text, at="layer")
        return self


def draw_map(map: TileMap, options: PngParams, *, exact: bool = True) -> Image.Image:
    """Draw the tiles of a map, or one of its layers. `exact` is that of `draw`."""
    return (
        draw(map, options, exact=exact) if options.layer is None else draw_layer(map, options.layer, options.scale or 1)
    )


def read(source: Source, options: PngParams) -> list[LoadedMap]:
    return read_picture(source, PngImageFile, join_text_chunks, options.scale)


@file_format(PngParams, read=read, media_type="image/png", use="pictures")
def png(map: TileMap, options: PngParams, path: Path) -> Mapping[str, bytes]:
    picture = draw_map(map, options, exact=False)
    text = _build_label(map, options, picture)
    is_flat = options.layer is not None or not shows_sprites(map, options, _cell_of(map, picture))
    level = COMPRESSION if is_flat else QUICK_COMPRESSION
    return {path.name: encode_image(picture, pnginfo=make_text_chunks(text), compress_level=level)}


def _build_label(map: TileMap, options: PngParams, picture: Image.Image) -> str:
    canvas = layout_of(map).canvas
    if options.layer is not None:
        return build_label(map, canvas, loose=True, layer=options.layer, range=range_of(map, options.layer))
    cell = _cell_of(map, picture)
    loose = hides_tiles(map, options, cell) and picture
    return build_label(map, canvas, loose=loose, has_icons=shows_icons(map, options, cell))


def _cell_of(map: TileMap, picture: Image.Image) -> Size:
    rows, columns = layout_of(map).canvas
    return picture.height // rows, picture.width // columns


def make_text_chunks(text: str) -> PngInfo:
    """Return a label as chunks `tilewright`, `tilewright 2` and so on."""
    info = PngInfo()
    for key, start in zip(_iter_keys(), range(0, len(text), MAX_CHUNK_LENGTH), strict=False):
        info.add_text(key, text[start : start + MAX_CHUNK_LENGTH], zip=True)
    return info


def join_text_chunks(picture: Image.Image) -> str:
    """Return the label in the text chunks of a picture; empty if it has none."""
    pieces = (picture.info.get(key) for key in _iter_keys())
    return "".join(map(str, takewhile(lambda piece: isinstance(piece, str), pieces)))


def _iter_keys() -> Iterator[str]:
    return chain([KEY], (f"{KEY} {number}" for number in count(2)))
