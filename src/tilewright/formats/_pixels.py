"""Pictures as maps: find the tile of each pixel's color.

Pictures drawn by Tilewright have a label: the tileset, the position of the cells, and all other data of the map. Their
cells are read from the pixels, by color, so that edits in a paint program (cells, palette, mode) are respected. If
tiles share a color, the cells in the label distinguish them. Other pictures get a tile per color.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile

from ..core.errors import BadFile, TooLarge
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from ..core.tileset import MAX_TILES, Tileset
from . import LoadedMap, Source
from ._data import StoredMap, check_expansion, check_sides, describe_map, encode_label, pack_array
from ._heights import is_16_bit, read_heights
from ._picture import MAX_BYTES, MAX_CELLS, CanvasLayout, Size

MAX_ANIMATION_PIXELS = 1 << 28
"""Maximum number of pixels of all frames of an animation together."""
PIXELS_PER_BYTE = 8
BAND = 1 << 22
"""Number of pixels processed at once."""


def build_label(map: TileMap, canvas: Size, *, loose: bool, **extra: Any) -> str:
    """Return the label of a map's picture, as JSON in ASCII.

    The label contains the cells if pixels do not identify them: in loose pictures (sprites, overlays, too few colors)
    and if tiles share a color. It contains the layers of maps of up to 65,536 cells.
    """
    data = {**describe_map(map), "canvas": list(canvas), **extra}
    if loose:
        data["loose"] = True
    if loose or len(np.unique(map.tileset.colors, axis=0)) < len(map.tileset):
        data["cells"] = pack_array(map.cells)
    return encode_label(map, data, "picture")


def extract_label(comment: object) -> str:
    """Return the label in the comment of a file, or an empty string if the comment is not a label."""
    text = comment.decode("ascii", "replace") if isinstance(comment, bytes) else str(comment)
    return text if text.startswith('{"provenance": ') else ""


def _read_last_frame(source: Source, kind: type[ImageFile.ImageFile]) -> Image.Image:
    """Return the decoded picture of a file, or the last frame of an animation. Sizes are checked before decoding."""
    try:
        # Image.open would warn about large pictures before they can be refused.
        picture = kind(io.BytesIO(source.content))
        pixels = picture.width * picture.height
        max_pixels = MAX_BYTES if picture.mode in ("1", "L", "P") else MAX_BYTES // 4
        if not 0 < pixels <= max_pixels:
            raise BadFile(f"must have 1 to {max_pixels:,} pixels, got {pixels:,}", at=source.name)
        check_expansion(pixels, source.content, "pixels", per_byte=PIXELS_PER_BYTE)
        for frame in count(1):
            picture.load()
            try:
                picture.seek(frame)
            except EOFError:
                return picture
            if (frame + 1) * pixels > MAX_ANIMATION_PIXELS:
                break
    except (BadFile, TooLarge):
        raise
    except Exception as error:  # Decoders raise many kinds of errors for broken files.
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadFile(f"not a {kind.format} picture, or broken ({reason})", at=source.name) from None
    raise BadFile(f"must have at most {MAX_ANIMATION_PIXELS:,} pixels in all frames together", at=source.name)


def read_picture(
    source: Source, kind: type[ImageFile.ImageFile], find_label: Callable[[Image.Image], str], scale: int | None
) -> list[LoadedMap]:
    """Return the map in a picture. Without a label, or with another scale, the cells are read from the colors alone."""
    picture = _read_last_frame(source, kind)
    text = find_label(picture)
    data = StoredMap.validate(parse_json(text)) if text else None
    if data:
        check_expansion(prod(data.shape), source.content, per_byte=PIXELS_PER_BYTE)
    layout = CanvasLayout.of(data.shape, data.canvas) if data else None
    try:
        if data and layout and (scale is None or picture.width == scale * layout.canvas[1]):
            return [_read_labeled(picture, data, layout, source.name)]
        if is_16_bit(picture):
            reason = "16-bit gray levels are heights, not tiles; convert it to 8 bits to read a tile per gray level"
            raise BadFile(reason, at=source.name)
        sheet = _sample_cells(picture, _grid_size(picture, scale or 1, source.name))
        tileset = source.tileset or (data.tileset if data else _make_color_tileset(sheet, source.name))
        return [LoadedMap(TileMap(_match_tiles(_iter_color_codes(sheet), tileset, source.name), tileset))]
    except OSError as error:  # The mode cannot be converted.
        raise BadFile(str(error), at=source.name) from None


def _read_labeled(picture: Image.Image, data: StoredMap, layout: CanvasLayout, name: str) -> LoadedMap:
    """Return the map of a label, with the cells that the picture shows."""
    rows, columns = layout.canvas
    if min(layout.level_origin()) < 0 or picture.height % rows or picture.width % columns:
        raise BadFile(
            f"{picture.width}x{picture.height} pixels do not match the {columns}x{rows} cells of its label; if it "
            "was cropped or resized, read it with a scale",
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
    """Make a tileset for a picture of one pixel per cell. The names of the tiles are their colors."""
    seen = np.zeros(1 << 24, dtype=np.bool_)
    for codes in _iter_color_codes(sheet):
        seen[codes] = True
    used = np.flatnonzero(seen)
    if len(used) > MAX_TILES:
        raise BadFile(f"must have at most {MAX_TILES:,} colors for a tile per color, got {len(used):,}", at=name)
    colors = [f"#{code:06x}" for code in used.tolist()]
    return Tileset.validate({"name": "picture", "tiles": [{"name": color, "color": color} for color in colors]})


def _match_tiles(bands: Iterable[NDArray[np.uint32]], tileset: Tileset, name: str) -> NDArray[Any]:
    """Return the tile ids of colors as an array (row, column).

    If several tiles have the same color, the first is used.
    """
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
                f"the color #{band[row, column]:06x} at x={column} y={row + sum(map(len, rows))} is not that of a tile "
                f"(tileset {tileset.name!r})",
                at=name,
            )
        rows.append(order[at].astype(tileset.dtype))
    return np.concatenate(rows)


def _grid_size(picture: Image.Image, scale: int, name: str) -> Size:
    if picture.height * picture.width > scale**2 * MAX_CELLS:
        text = f"{picture.width}x{picture.height} pixels at scale {scale} are more than {MAX_CELLS:,} cells"
        raise BadFile(text, at=name)
    if picture.height % scale or picture.width % scale:
        raise BadFile(f"{picture.width}x{picture.height} pixels are not a multiple of the scale {scale}", at=name)
    check_sides((picture.height // scale, picture.width // scale))
    return picture.height // scale, picture.width // scale


def _sample_cells(picture: Image.Image, canvas: Size) -> Image.Image:
    """Return the center pixel of every cell."""
    rows, columns = canvas
    return picture if picture.size == (columns, rows) else picture.resize((columns, rows), Image.Resampling.NEAREST)


def _iter_color_codes(picture: Image.Image) -> Iterator[NDArray[np.uint32]]:
    """Yield the colors as integers 0xrrggbb, one band of rows at a time. Alpha is ignored."""
    rows = max(1, BAND // picture.width)
    for top in range(0, picture.height, rows):
        band = picture.crop((0, top, picture.width, min(top + rows, picture.height))).convert("RGB")
        yield _color_codes(np.asarray(band))


def _color_codes(colors: NDArray[np.uint8]) -> NDArray[np.uint32]:
    code: NDArray[np.uint32] = colors.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    return code
