"""How much the studio does for one person: maps, pictures and uploads that are too large are refused at once."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from math import prod
from typing import Any, TypeVar

from ..core.errors import TooLarge, pluralize
from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.site import Frame
from ..core.tilemap import TileMap, format_size
from ..formats import Format
from ..formats._animation import DEFAULT_MAX_PIXELS, AnimationParams
from ..formats._picture import DEFAULT_MAX_PIXELS as STILL_PIXELS
from ..formats._picture import PictureParams, View, cell_size, layout_of
from ..formats._tiled import TiledParams
from ..formats.png import PngParams
from ..formats.vox import VoxParams
from .settings import Settings

PICTURES = {"png": "PNG", "apng": "PNG", "gif": "GIF", "webp": "WEBP"}
"""Formats that are pictures, with the names that Pillow has for them."""
BYTES_PER_CELL = 64
"""That an archive of arrays may unpack to: cells and a few layers."""
VOXELS_PER_CELL = 4
P = TypeVar("P", bound=PictureParams)


def check_size(shape: Sequence[int], settings: Settings) -> None:
    """Larger maps than the settings allow are not made, read or measured."""
    if prod(shape) > settings.cells:
        size = format_size(shape)
        raise TooLarge(f"a map of {size} has {prod(shape):,} cells, this studio takes {settings.cells:,} at most")


def check_recipe_size(recipe: Recipe, settings: Settings) -> None:
    """The map, those of recipes inside, what a window looks at around itself, and all maps of a population."""
    params, entry = recipe.params, techniques.get(recipe.technique)
    check_size(recipe.shape, settings)
    if entry.cells_of(params) > settings.cells:
        margin, maps = entry.margin_of(params), entry.copies_of(params)
        why = f"with the {pluralize(margin, 'cell')} around it" if margin else f"times {maps:,} of them"
        raise TooLarge(
            f"{entry.name}: a map of {prod(recipe.shape):,} cells {why} is more than the {settings.cells:,} cells "
            "that this studio takes"
        )
    for inner in recipe.inner:
        check_recipe_size(inner, settings)


# -- what is written ------------------------------------------------------------------------------------------


def fit_picture(options: Any, map: TileMap, settings: Settings) -> Any:
    """Options with which a map is drawn within the limits: where no scale is told, a smaller one may do."""
    if isinstance(options, PngParams) and options.layer is not None:
        rows, columns = layout_of(map).canvas
        check_pixels(rows * (options.scale or 1), columns * (options.scale or 1), settings.pixels)
    elif isinstance(options, PictureParams):
        return _fit_scale(options, map, settings.pixels)
    elif isinstance(options, TiledParams):
        sheet = map.tileset.sheet
        width, height = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
        check_pixels(len(map.tileset) * height, width, settings.pixels, "the tiles' pictures together, {} pixels, are")
    elif isinstance(options, VoxParams) and map.cells.ndim == 2:
        voxels = map.cells.size * options.wall_height
        if voxels > VOXELS_PER_CELL * settings.cells:
            raise TooLarge(f"{voxels:,} voxels are too many for this studio; lower wall_height")
    return options


def fit_animation(options: AnimationParams, frames: Sequence[Frame], settings: Settings) -> AnimationParams:
    """Options with which frames are drawn within the limits: smaller where no scale is told, else fewer of them."""
    largest = max(reversed(frames), key=lambda frame: prod(layout_of(frame).canvas))
    rows, columns = layout_of(largest).canvas
    count = min(len(frames), options.frames)
    each = settings.pixels // 2 if options.scale is not None else max(settings.pixels // count, rows * columns)
    fitted = _fit_scale(options, largest, each, DEFAULT_MAX_PIXELS)
    height, width = cell_size(largest, fitted, (rows, columns))
    fitting = settings.pixels // (rows * height * columns * width)
    return fitted.model_copy(update={"frames": max(2, min(count, fitting))})


def limit_frames(count: int, shape: Sequence[int], settings: Settings) -> int:
    """Frames that are kept of the work on a map: at one pixel a cell they are within the limits."""
    return max(2, min(count, settings.frames, settings.pixels // max(1, prod(shape))))


def check_pixels(height: int, width: int, max_pixels: int, what: str = "a picture of {} pixels is") -> None:
    if height * width > max_pixels:
        subject = what.format(f"{width:,}x{height:,}")
        raise TooLarge(f"{subject} more than the {max_pixels:,} that this studio draws; make it smaller")


def _fit_scale(options: P, view: View, max_pixels: int, comfortable: int = STILL_PIXELS) -> P:
    """Options whose picture has at most so many pixels; a scale that was told is not changed."""
    rows, columns = canvas = layout_of(view).canvas
    height, width = cell_size(view, options, canvas, comfortable)
    while options.scale is None and width > 1 and rows * height * columns * width > max_pixels:
        height, width = cell_size(view, options.model_copy(update={"scale": width - 1}), canvas)
    check_pixels(rows * height, columns * width, max_pixels)
    return options.model_copy(update={"scale": width})


# -- what is read -----------------------------------------------------------------------------------------------


def check_upload(content: bytes, name: str, entry: Format, settings: Settings) -> None:
    """Files that are too large, or would be once they are unpacked; what is no such file at all, its reader tells."""
    if len(content) > settings.upload:
        raise TooLarge(f"{len(content):,} bytes are more than the {settings.upload:,} that are taken", at=name)
    if entry.name in PICTURES:
        pixels = _count_pixels(content, PICTURES[entry.name])
        if pixels > settings.pixels:
            raise TooLarge(f"{pixels:,} pixels are more than the {settings.pixels:,} that are taken", at=name)
    if (
        entry.name == "npz"
        and (unpacked := _unpacked_size(content)) > BYTES_PER_CELL * settings.cells + settings.upload
    ):
        raise TooLarge(f"unpacks to {unpacked:,} bytes, more than a map of {settings.cells:,} cells needs", at=name)


def _count_pixels(content: bytes, kind: str) -> int:
    """Pixels of a picture, by what its head says."""
    from PIL import Image

    Image.init()
    try:
        factory = Image.OPEN[kind][0]  # not Image.open, which warns of large pictures before we can refuse them
        picture = factory(io.BytesIO(content), "")
        return int(picture.width * picture.height)
    except Exception:  # decoders meet broken files with nearly any exception
        return 0


def _unpacked_size(content: bytes) -> int:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0
