"""Pictures as maps: find the tile of each pixel's color.

Pictures drawn by Tilewright have a label: the tileset, the position of the cells, and all other data of the map. Their
cells are read from the pixels, by color, so that edits in a paint program (cells, palette, mode) are respected. If
tiles share a color, the cells in the label distinguish them. In pictures with sprites or an overlay, colors do not
identify tiles: the cells of the label count, and edited pictures are refused. Other pictures get a tile per color.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from math import prod
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile

from ..core.errors import BadFile, TooLarge
from ..core.stored import parse_json
from ..core.tilemap import TileMap
from ..core.tileset import MAX_TILES, Tileset
from . import LoadedMap, Source
from ._colors import join_channels
from ._data import StoredMap, check_expansion, check_sides, describe_map, encode_label, pack_array
from ._heights import is_16_bit, read_heights
from ._icons import MIN_ICON_CELL
from ._marks import MAX_PALETTE
from ._picture import MAX_BYTES, MAX_CELLS, CanvasLayout, Size

MAX_ANIMATION_PIXELS = 1 << 28
"""Maximum number of pixels of all frames of an animation together."""
PIXELS_PER_BYTE = 8
MIXER = 0x9E3779B1
"""Odd number whose products with different colors rarely have equal upper halves."""
BAND = 1 << 22
"""Number of pixels processed at once."""


def build_label(
    map: TileMap, canvas: Size, *, loose: Image.Image | bool = False, has_icons: bool = False, **extra: Any
) -> str:
    """Return the label of a map's picture, as JSON in ASCII.

    The label contains the cells if pixels do not identify them: in loose pictures (sprites, overlays, too few colors),
    below icons, and if tiles share a color. The label of a loose picture, which is given, contains a checksum of its
    pixels. The label contains the layers of maps of up to 65,536 cells.
    """
    data = {**describe_map(map), "canvas": list(canvas), **extra}
    if loose:
        data["loose"] = True
    if isinstance(loose, Image.Image):
        data["pixels"] = add_up_pixels(loose)
    elif has_icons:
        data["icons"] = True
    if loose or has_icons or len(np.unique(map.tileset.colors, axis=0)) < len(map.tileset):
        data["cells"] = pack_array(map.cells)
    return encode_label(map, data, "picture")


def add_up_pixels(picture: Image.Image) -> int:
    """Return a checksum of the size and the colors of a picture. Its mode and palette do not matter."""
    if picture.mode == "P":
        # Translating bytes is several times as fast as indexing an array.
        palette = np.array(picture.getpalette("RGB"), dtype=np.uint8).reshape(-1, 3)
        mixed = np.append(_mix_colors(palette), np.zeros(MAX_PALETTE - len(palette), dtype=np.uint16))
        pixels = picture.tobytes()
        low, high = (pixels.translate((mixed >> shift).astype(np.uint8).tobytes()) for shift in (0, 8))
    else:
        mixed = _mix_colors(np.asarray(picture.convert("RGB")))
        low, high = ((mixed >> shift).astype(np.uint8).tobytes() for shift in (0, 8))
    return crc32(high, crc32(low, picture.width))


def _mix_colors(colors: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return 16 bits that depend on all bits of a color."""
    return (join_channels(colors) * np.uint32(MIXER) >> np.uint32(16)).astype(np.uint16)


def _is_erased(picture: Image.Image) -> bool:
    """Return whether some pixels are transparent. Written pictures are opaque."""
    return picture.has_transparency_data and picture.convert("RGBA").getchannel("A").getextrema() != (255, 255)


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
        return [LoadedMap(TileMap(_match_tiles(_iterjoin_channels(sheet), tileset, source.name), tileset))]
    except OSError as error:  # The mode cannot be converted.
        raise BadFile(str(error), at=source.name) from None


def _read_labeled(picture: Image.Image, data: StoredMap, layout: CanvasLayout, name: str) -> LoadedMap:
    """Return the map of a label, with the cells that the picture shows."""
    if data.pixels is not None and (_is_erased(picture) or data.pixels != add_up_pixels(picture)):
        raise BadFile(
            "its pixels were changed, and a picture with sprites or an overlay cannot be read from its pixels; edit a "
            "picture that was written with --flat (sprites=false)",
            at=name,
        )
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
    shown = layout.gather(np.concatenate(list(_iterjoin_channels(_sample_cells(picture, layout.canvas))))).reshape(
        -1, layout.width
    )
    if data.icons and given is not None:
        covered = _find_icons(picture, data, layout)
        shown[covered] = join_channels(data.tileset.colors)[given].reshape(shown.shape)[covered]
    bands = np.array_split(shown, shown.size // BAND + 1)
    cells = _match_tiles(bands, data.tileset, name).reshape(data.shape)
    if given is not None:
        same = join_channels(data.tileset.colors)[given] == shown.reshape(data.shape)
        cells = np.where(same, given, cells)
    return data.build_map(cells, data.read_layers())


def _find_icons(picture: Image.Image, data: StoredMap, layout: CanvasLayout) -> NDArray[np.bool_]:
    """Return an array (row, column), level by level, of the cells with an icon. A cell of one color was edited."""
    covered = np.zeros((layout.depth * layout.height, layout.width), dtype=np.bool_)
    height, width = picture.height // layout.canvas[0], picture.width // layout.canvas[1]
    # The first row and column may be lines of a grid. Icons of neighbors may extend into the last ones.
    inset = 1 if min(height, width) >= MIN_ICON_CELL else 0
    for level, y, x in {(marker.level, marker.y, marker.x) for marker in data.markers}:
        if level < layout.depth and y < layout.height and x < layout.width:
            top, left = layout.level_origin(level)
            corner, end = ((left + x) * width, (top + y) * height), ((left + x + 1) * width, (top + y + 1) * height)
            part = picture.crop((corner[0] + 1, corner[1] + 1, end[0] - inset, end[1] - inset)).convert("RGB")
            covered[level * layout.height + y, x] = part.getcolors(1) is None
    return covered


def _make_color_tileset(sheet: Image.Image, name: str) -> Tileset:
    """Make a tileset for a picture of one pixel per cell. The names of the tiles are their colors."""
    seen = np.zeros(1 << 24, dtype=np.bool_)
    for codes in _iterjoin_channels(sheet):
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
    colors = join_channels(tileset.colors)
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


def _iterjoin_channels(picture: Image.Image) -> Iterator[NDArray[np.uint32]]:
    """Yield the colors as integers 0xrrggbb, one band of rows at a time. Alpha is ignored."""
    rows = max(1, BAND // picture.width)
    for top in range(0, picture.height, rows):
        band = picture.crop((0, top, picture.width, min(top + rows, picture.height))).convert("RGB")
        yield join_channels(np.asarray(band))
