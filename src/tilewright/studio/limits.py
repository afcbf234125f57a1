"""Size limits of the studio: maps, pictures and uploads that are too large are refused before any work."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import prod
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, TypeVar

from ..core.embedded_pictures import MAX_PICTURE_PIXELS
from ..core.errors import BadFile, TooLarge, pluralize
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.site import Frame
from ..core.tilemap import TileMap, format_size
from ..formats import Format
from ..formats._animation import DEFAULT_MAX_PIXELS, AnimationParams
from ..formats._artwork import Artwork
from ..formats._layers import View
from ..formats._picture import DEFAULT_MAX_PIXELS as STILL_PIXELS
from ..formats._picture import PictureParams, cell_size, layout_of
from ..formats._sheet import picture_size
from ..formats._tiled import TiledParams
from ..formats.png import PngParams
from ..formats.raw import RawParams, choose_side
from ..formats.uvtt import MAX_DEFAULT_PIXELS, UvttParams, choose_scale
from ..formats.vox import VoxParams
from ..formats.xp import peek_shape
from .settings import Settings

if TYPE_CHECKING:
    from PIL.Image import Image

PICTURES = {"png": "PNG", "apng": "PNG", "gif": "GIF", "webp": "WEBP"}
"""Picture formats and their names in Pillow."""
SHEET_KINDS = ("PNG", "GIF", "WEBP", "BMP", "JPEG")
"""Formats of pictures of sprites, by their names in Pillow."""
BYTES_PER_CELL = 64
"""Maximum bytes per cell of an unpacked npz archive: cells and a few layers."""
MAX_MODEL_BYTES = 16_000_000
"""Maximum bytes of an unpacked model. Larger ones take minutes for a map."""
VOXELS_PER_CELL = 4
P = TypeVar("P", bound=PictureParams)


def check_size(shape: Sequence[int], settings: Settings) -> None:
    """Raise TooLarge if a map of this shape has more cells than the settings allow."""
    if prod(shape) > settings.cells:
        size = format_size(shape)
        raise TooLarge(f"a map of {size} has {prod(shape):,} cells, the limit of this studio is {settings.cells:,}")


def check_recipe_size(recipe: Recipe, settings: Settings) -> None:
    """Raise TooLarge if the map, its margin, its population or a nested recipe has too many cells."""
    params, entry = recipe.params, techniques.get(recipe.technique)
    check_size(recipe.shape, settings)
    if entry.cells_of(params) > settings.cells:
        margin, maps = entry.margin_of(params), entry.copies_of(params)
        why = f"with a margin of {pluralize(margin, 'cell')}" if margin else f"times {maps:,} maps"
        raise TooLarge(
            f"{entry.name}: a map of {prod(recipe.shape):,} cells {why} exceeds the limit of this studio, "
            f"{settings.cells:,} cells"
        )
    sheet = recipe.tileset.sheet
    if sheet is not None and (size := picture_size(sheet)):
        check_pixels(size[1], size[0], settings.pixels, f"the picture {sheet.image}")
    for inner in recipe.inner:
        check_recipe_size(inner, settings)


# -- output ---------------------------------------------------------------------------------------------------


def fit_picture(options: Any, map: TileMap, settings: Settings) -> Any:
    """Return format options that keep the output within the limits.

    If no scale is given, a smaller scale may be set.
    """
    if isinstance(options, PngParams) and options.layer is not None:
        rows, columns = layout_of(map).canvas
        check_pixels(rows * (options.scale or 1), columns * (options.scale or 1), settings.pixels)
    elif isinstance(options, PictureParams):
        return _fit_scale(options, map, settings.pixels)
    elif isinstance(options, TiledParams):
        sheet = map.tileset.sheet
        width, height = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
        check_pixels(len(Artwork.of(map.tileset)) * height, width, settings.pixels, "a tile sheet")
    elif isinstance(options, VoxParams) and map.cells.ndim == 2:
        voxels = map.cells.size * options.wall_height
        if voxels > VOXELS_PER_CELL * settings.cells:
            raise TooLarge(f"{voxels:,} voxels are too many for this studio; reduce wall_height")
    elif isinstance(options, UvttParams) and options.image:
        scale = choose_scale(map, options, min(MAX_DEFAULT_PIXELS, settings.pixels))
        check_pixels(map.height * scale, map.width * scale, settings.pixels)
        return options.model_copy(update={"scale": scale})
    elif isinstance(options, RawParams) and options.size is not None:
        side = choose_side(options.size, max(map.height, map.width))
        check_pixels(side, side, settings.pixels, "a height map")
    return options


def fit_animation(options: AnimationParams, frames: Sequence[Frame], settings: Settings) -> AnimationParams:
    """Return options that keep an animation within the limits.

    If no scale is given, the scale is reduced; otherwise, the number of frames.
    """
    largest = max(reversed(frames), key=lambda frame: prod(layout_of(frame).canvas))
    rows, columns = layout_of(largest).canvas
    count = min(len(frames), options.frames)
    each = settings.pixels // 2 if options.scale is not None else max(settings.pixels // count, rows * columns)
    fitted = _fit_scale(options, largest, each, DEFAULT_MAX_PIXELS)
    height, width = cell_size(largest, fitted, (rows, columns))
    fitting = settings.pixels // (rows * height * columns * width)
    return fitted.model_copy(update={"frames": max(2, min(count, fitting))})


def limit_frames(count: int, shape: Sequence[int], settings: Settings) -> int:
    """Return the number of frames to record, so that the animation is within the limits at one pixel per cell."""
    return max(2, min(count, settings.frames, settings.pixels // max(1, prod(shape))))


def check_pixels(height: int, width: int, max_pixels: int, what: str = "a picture") -> None:
    """Raise TooLarge if a picture has more pixels than the limit."""
    if height * width > max_pixels:
        size = f"{width:,}x{height:,} pixels"
        raise TooLarge(f"{what} of {size} exceeds the limit of this studio, {max_pixels:,} pixels; make it smaller")


def _fit_scale(options: P, view: View, max_pixels: int, comfortable: int = STILL_PIXELS) -> P:
    """Return options for a picture of at most `max_pixels` pixels. A given scale is not changed."""
    rows, columns = canvas = layout_of(view).canvas
    height, width = cell_size(view, options, canvas, comfortable)
    while options.scale is None and width > 1 and rows * height * columns * width > max_pixels:
        height, width = cell_size(view, options.model_copy(update={"scale": width - 1}), canvas)
    check_pixels(rows * height, columns * width, max_pixels)
    return options.model_copy(update={"scale": width})


# -- uploads ----------------------------------------------------------------------------------------------------


def find_bare_name(name: str, default: str) -> str:
    """Return the name of an uploaded file without folders."""
    return PurePosixPath(PureWindowsPath(name).name).name[-100:] or default


def check_bytes(content: bytes, name: str, settings: Settings) -> None:
    """Raise TooLarge if an uploaded file has too many bytes."""
    if len(content) > settings.upload:
        raise TooLarge(f"must have at most {settings.upload:,} bytes, got {len(content):,}", at=name)


def check_upload(content: bytes, name: str, entry: Format, settings: Settings) -> None:
    """Raise TooLarge for files that are too large, packed or unpacked. Invalid files are left to their reader."""
    check_bytes(content, name, settings)
    if entry.name in PICTURES:
        picture = _open(content, [PICTURES[entry.name]])
        pixels = 0 if picture is None else picture.width * picture.height
        if pixels > settings.pixels:
            raise TooLarge(f"must have at most {settings.pixels:,} pixels, got {pixels:,}", at=name)
    elif entry.name == "npz":
        unpacked = _unpacked_size(content)
        if unpacked > BYTES_PER_CELL * settings.cells + settings.upload:
            raise TooLarge(f"unpacks to {unpacked:,} bytes, more than a map of {settings.cells:,} cells needs", at=name)
    elif entry.name == "xp":
        check_size(peek_shape(content, name)[1:], settings)


def check_model_upload(content: bytes, name: str, settings: Settings) -> None:
    """Raise TooLarge for files of models that are too large, packed or unpacked."""
    check_bytes(content, name, settings)
    if (unpacked := _unpacked_size(content)) > MAX_MODEL_BYTES:
        raise TooLarge(f"must have at most {MAX_MODEL_BYTES:,} bytes when unpacked, got {unpacked:,}", at=name)


def _open(content: bytes, kinds: Iterable[str]) -> Image | None:
    """Open a picture of one of these kinds, without decoding it; None if it is not one."""
    from PIL import Image

    Image.init()
    for kind in kinds:
        # Image.open would warn about large pictures before they can be refused. Decoders raise nearly any exception on
        # broken files and files of another kind.
        with suppress(Exception):
            return Image.OPEN[kind][0](io.BytesIO(content), "")
    return None


def open_picture(content: bytes, name: str, settings: Settings) -> Image:
    """Open a picture of sprites, without decoding it. Raise an error if it is no picture, or too large."""
    check_bytes(content, name, settings)
    picture = _open(content, SHEET_KINDS)
    if picture is None:
        raise BadFile(f"must be a picture: {', '.join(SHEET_KINDS)}", at=name)
    max_pixels = min(settings.pixels, MAX_PICTURE_PIXELS)
    if picture.width * picture.height > max_pixels:
        size = f"{picture.width:,}x{picture.height:,}"
        raise TooLarge(f"must have at most {max_pixels:,} pixels, got {size}; crop it to the sprites in use", at=name)
    return picture


def _unpacked_size(content: bytes) -> int:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0
