"""Pictures as maps: which tile a pixel's colour stands for.

Pictures that Tilewright drew carry a label: the tileset, where the cells stand, and all else about the map. Their cells
are read from the pixels, by colour, so that what a paint program changed (cells, palette, mode) is what is read; where
tiles share a colour, the cells in the label tell them apart. Other pictures have a tile per colour.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile

from ..core.errors import BadFile
from ..core.tilemap import TileMap
from ..core.tileset import MAX_TILES, Tileset
from . import LoadedMap, Source
from ._data import MapData, describe_map, encode_label, pack_array, parse
from ._heights import is_16_bit, read_heights
from ._picture import MAX_BYTES, MAX_CELLS, CanvasLayout, Size

MAX_ANIMATION_PIXELS = 1 << 28
"""Pixels of all frames of an animation together."""
BAND = 1 << 22
"""Pixels that are looked at at once."""


def build_label(map: TileMap, canvas: Size, *, loose: bool, **extra: Any) -> str:
    """What a picture carries about its map, as JSON in ASCII.

    With the cells where pixels do not tell them: in loose pictures (sprites, overlays, too few colours) and where
    tiles share a colour. With the layers of maps up to 65,536 cells, and `shown`, what else there is to see.
    """
    data = {**describe_map(map), "canvas": list(canvas), **extra}
    if loose:
        data["loose"] = True
    if loose or len(np.unique(map.tileset.colors, axis=0)) < len(map.tileset):
        data["cells"] = pack_array(map.cells)
    return encode_label(map, data, "picture")


def extract_label(comment: object) -> str:
    """The label in what a file says about itself, which may be anything; empty when it is something else."""
    text = comment.decode("ascii", "replace") if isinstance(comment, bytes) else str(comment)
    return text if text.startswith('{"provenance": ') else ""


def _read_last_frame(source: Source, kind: type[ImageFile.ImageFile]) -> Image.Image:
    """The picture in a file, or the last one of an animation, decoded; sizes are looked at first."""
    try:
        # Not Image.open, which warns of large pictures on the terminal before we can refuse them.
        picture = kind(io.BytesIO(source.content))
        pixels = picture.width * picture.height
        most = MAX_BYTES if picture.mode in ("1", "L", "P") else MAX_BYTES // 4
        if not 0 < pixels <= most:
            raise BadFile(f"{pixels:,} pixels; such pictures are read with 1 to {most:,}", at=source.name)
        for frame in count(1):
            picture.load()
            try:
                picture.seek(frame)
            except EOFError:
                return picture
            if (frame + 1) * pixels > MAX_ANIMATION_PIXELS:
                break
    except BadFile:
        raise
    except Exception as error:  # decoders meet broken files with nearly any exception
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadFile(f"not a {kind.format} picture, or broken ({reason})", at=source.name) from None
    raise BadFile(f"more than {MAX_ANIMATION_PIXELS:,} pixels in all its frames are not read", at=source.name)


def read_picture(
    source: Source, kind: type[ImageFile.ImageFile], find_label: Callable[[Image.Image], str], scale: int | None
) -> list[LoadedMap]:
    """The map in a picture, by its label; without one, or when told another scale, by its colours alone."""
    picture = _read_last_frame(source, kind)
    text = find_label(picture)
    data = MapData.validate(parse(text)) if text else None
    layout = CanvasLayout.of(data.shape, data.canvas) if data else None
    try:
        if data and layout and (scale is None or picture.width == scale * layout.canvas[1]):
            return [_read_labeled(picture, data, layout, source.name)]
        if is_16_bit(picture):
            reason = "greys of 16 bits are heights, not tiles; with 8 bits it is read as a tile per grey"
            raise BadFile(reason, at=source.name)
        sheet = _sample_cells(picture, _grid_size(picture, scale or 1, source.name))
        tileset = source.tileset or (data.tileset if data else _make_color_tileset(sheet, source.name))
        return [LoadedMap(TileMap(_match_tiles(_iter_color_codes(sheet), tileset, source.name), tileset))]
    except OSError as error:  # a mode that does not convert
        raise BadFile(str(error), at=source.name) from None


def _read_labeled(picture: Image.Image, data: MapData, layout: CanvasLayout, name: str) -> LoadedMap:
    """The map that a label tells of, with the cells that the picture shows."""
    rows, columns = layout.canvas
    if min(layout.level_origin()) < 0 or picture.height % rows or picture.width % columns:
        raise BadFile(
            f"{picture.width}x{picture.height} pixels do not show the {columns}x{rows} cells of its label; if it "
            "was cut or resized, read it with a scale",
            at=name,
        )
    if data.layer is not None:
        return read_heights(picture, data, layout, name)
    given = data.read_cells() if data.loose or data.cells is not None else None
    if data.loose and given is not None:
        return data.build_map(given, data.read_layers())
    shown = layout.gather(np.concatenate(list(_iter_color_codes(_sample_cells(picture, layout.canvas))))).reshape(
        -1, layout.width
    )
    bands = np.array_split(shown, shown.size // BAND + 1)
    cells = _match_tiles(bands, data.tileset, name).reshape(data.shape)
    if given is not None:
        same = _color_codes(data.tileset.colors)[given] == shown.reshape(data.shape)
        cells = np.where(same, given, cells)
    return data.build_map(cells, data.read_layers())


def _make_color_tileset(sheet: Image.Image, name: str) -> Tileset:
    """A tileset for a picture of one pixel a cell, its tiles called by their colours."""
    seen = np.zeros(1 << 24, dtype=np.bool_)
    for codes in _iter_color_codes(sheet):
        seen[codes] = True
    used = np.flatnonzero(seen)
    if len(used) > MAX_TILES:
        raise BadFile(f"{len(used):,} colours; a tile per colour is made for up to {MAX_TILES:,}", at=name)
    colors = [f"#{code:06x}" for code in used.tolist()]
    return Tileset.validate({"name": "picture", "tiles": [{"name": color, "color": color} for color in colors]})


def _match_tiles(bands: Iterable[NDArray[np.uint32]], tileset: Tileset, name: str) -> NDArray[Any]:
    """(row, column) tile ids of colours; of tiles that share one, the first."""
    colors = _color_codes(tileset.colors)
    order = np.argsort(colors, kind="stable")
    known = colors[order]
    rows: list[NDArray[Any]] = []
    for band in bands:
        at = np.minimum(np.searchsorted(known, band), len(known) - 1)
        wrong = np.argwhere(known[at] != band)
        if len(wrong):
            row, column = wrong[0].tolist()
            raise BadFile(
                f"the colour #{band[row, column]:06x} at x={column} y={row + sum(map(len, rows))} is no tile's "
                f"(tileset {tileset.name!r})",
                at=name,
            )
        rows.append(order[at].astype(tileset.dtype))
    return np.concatenate(rows)


def _grid_size(picture: Image.Image, scale: int, name: str) -> Size:
    if picture.height * picture.width > scale**2 * MAX_CELLS:
        text = f"{picture.width}x{picture.height} pixels at scale {scale} are too many cells to be read"
        raise BadFile(text, at=name)
    if picture.height % scale or picture.width % scale:
        raise BadFile(f"{picture.width}x{picture.height} pixels are no whole number of cells at scale {scale}", at=name)
    return picture.height // scale, picture.width // scale


def _sample_cells(picture: Image.Image, canvas: Size) -> Image.Image:
    """One pixel a cell, from its middle."""
    rows, columns = canvas
    return picture if picture.size == (columns, rows) else picture.resize((columns, rows), Image.Resampling.NEAREST)


def _iter_color_codes(picture: Image.Image) -> Iterator[NDArray[np.uint32]]:
    """The colours as numbers 0xrrggbb, a band of rows at a time; transparency does not count."""
    rows = max(1, BAND // picture.width)
    for top in range(0, picture.height, rows):
        band = picture.crop((0, top, picture.width, min(top + rows, picture.height))).convert("RGB")
        yield _color_codes(np.asarray(band))


def _color_codes(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    code: NDArray[np.uint32] = colors.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    return code
