"""Pictures of sprite sheets: the user's own, guesses about their sprites, and sprites arranged in rows."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from functools import lru_cache
from math import gcd
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, pluralize
from ..core.skins import LAYOUTS, Skin, find_layouts
from ..core.tileset import Sheet, Tileset
from ._files import encode_image

if TYPE_CHECKING:
    from PIL.Image import Image


MAX_COLUMNS = 16
MAX_CACHED_PIXELS = 1 << 20
"""Maximum number of pixels of a sheet that is cached for the next file."""


def arrange_sprites(sprites: NDArray[np.uint8], columns: int = MAX_COLUMNS) -> NDArray[np.uint8]:
    """Arrange sprites in rows and return one picture, an array (row, column, channel).

    Places after the last sprite are black, or transparent.
    """
    count, height, width, channels = sprites.shape
    columns = min(columns, count)
    rows = -(-count // columns)
    places = np.zeros((rows * columns, height, width, channels), dtype=np.uint8)
    places[:count] = sprites
    grid = places.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def encode_png(pixels: NDArray[np.uint8], *, quick: bool = False) -> bytes:
    """Return a PNG file, as small as possible. With `quick`, encoding is faster and the file somewhat larger."""
    from PIL import Image

    return encode_image(Image.fromarray(pixels), optimize=not quick, compress_level=1 if quick else 9)


# -- user's own sheet -----------------------------------------------------------------------------------------


def picture_size(sheet: Sheet) -> tuple[int, int] | None:
    """Return the width and height of a sheet's picture in pixels, or None if the picture was not read."""
    if not sheet.picture:
        return None
    from PIL import Image

    try:
        with Image.open(io.BytesIO(sheet.picture)) as picture:
            return picture.size
    except Exception as error:  # Pillow's readers raise many kinds of errors.
        raise _picture_error(sheet, error) from None


def find_relative_path(sheet: Sheet, path: Path) -> str:
    """Return the path from a map's file to the user's picture; empty if there is none or its location is unknown."""
    try:
        known = sheet.path and path.is_absolute()
        return Path(os.path.relpath(sheet.path, path.parent)).as_posix() if known else ""
    except ValueError:  # The picture is on another drive.
        return ""


def fit_sheet(tileset: Tileset) -> Tileset:
    """Check that the tileset's sheet fits its picture, and set the number of columns if it is not given."""
    sheet = tileset.sheet
    size = picture_size(sheet) if sheet else None
    if sheet is not None and size is not None and "columns" not in sheet.model_fields_set:
        columns = max(1, (size[0] - sheet.margin + sheet.spacing) // (sheet.tile_width + sheet.spacing))
        tileset = tileset.model_copy(update={"sheet": sheet.model_copy(update={"columns": columns})})
    if sheet is not None:
        count_sprite_rows(tileset)
    return tileset


def count_sprites(sheet: Sheet) -> tuple[int, int]:
    """Return the number of columns and rows of sprites in the picture of a sheet.

    As in Tiled, the margin is only before the first sprite.
    """
    size = picture_size(sheet)
    assert size is not None
    return (
        max(0, size[0] - sheet.margin + sheet.spacing) // (sheet.tile_width + sheet.spacing),
        max(0, size[1] - sheet.margin + sheet.spacing) // (sheet.tile_height + sheet.spacing),
    )


def count_sprite_rows(tileset: Tileset) -> int:
    """Return the number of sprite rows in a tileset's picture. Raise InvalidRecipe if the sheet does not fit."""
    sheet = tileset.sheet
    assert sheet is not None
    of_tiles = [tile.sprite for tile in tileset if tile.sprite is not None]
    of_skins = [position for skin in tileset.skins for position in skin.list_positions(sheet.columns)]
    wanted = 1 + max((*of_tiles, *of_skins), default=0)
    size = picture_size(sheet)
    for skin in tileset.skins:
        _check_skin(skin, sheet, tileset.name)
    if size is None:
        return -(-wanted // sheet.columns)
    columns, rows = count_sprites(sheet)
    if columns != sheet.columns:
        raise InvalidRecipe(
            f"tileset {tileset.name!r}: its sheet has {pluralize(sheet.columns, 'column')}, "
            f"the picture of {size[0]}x{size[1]} pixels has {columns}"
        )
    for skin in tileset.skins:
        if skin.first is not None and max(skin.list_positions(columns)) >= rows * columns:
            wide, tall = skin.extent
            raise InvalidRecipe(
                f"tileset {tileset.name!r}: the layout {skin.layout} of {skin.tile!r} takes {wide}x{tall} sprites "
                f"from sprite {skin.first} on, the picture has {columns}x{rows}"
            )
    if wanted > rows * columns:
        raise InvalidRecipe(
            f"tileset {tileset.name!r}: sprite {wanted - 1} is not in its picture, "
            f"which has {pluralize(rows * columns, 'sprite')}"
        )
    return rows


def _check_skin(skin: Skin, sheet: Sheet, name: str) -> None:
    """Raise InvalidRecipe if the sprites of a skin do not fit the columns or the sprite size of a sheet."""
    if skin.first is None:
        return
    wide, left = skin.extent[0], sheet.columns - skin.first % sheet.columns
    if wide > left:
        raise InvalidRecipe(
            f"tileset {name!r}: the layout {skin.layout} of {skin.tile!r} takes {pluralize(wide, 'column')} "
            f"from sprite {skin.first} on, the sheet has {left} there"
        )
    if LAYOUTS[skin.layout].is_composed and (sheet.tile_width % 2 or sheet.tile_height % 2):
        raise InvalidRecipe(
            f"tileset {name!r}: the layout {skin.layout} of {skin.tile!r} is made of quarters of sprites, whose width "
            f"and height must be even, got {sheet.tile_width}x{sheet.tile_height}"
        )


def sprite_box(sheet: Sheet, sprite: int) -> tuple[int, int, int, int]:
    """Return the left, top, right and bottom edges of a sprite in the picture of its sheet."""
    row, column = divmod(sprite, sheet.columns)
    left = sheet.margin + column * (sheet.tile_width + sheet.spacing)
    top = sheet.margin + row * (sheet.tile_height + sheet.spacing)
    return left, top, left + sheet.tile_width, top + sheet.tile_height


def sheet_picture(sheet: Sheet) -> Image:
    """Return the picture of a sheet in RGBA. The picture is cached and must not be modified."""
    width, height = picture_size(sheet) or (0, 0)
    decode = _decode if width * height <= MAX_CACHED_PIXELS else _decode.__wrapped__
    try:
        return decode(sheet.picture)
    except Exception as error:
        raise _picture_error(sheet, error) from None


@lru_cache(maxsize=4)
def _decode(content: bytes) -> Image:
    from PIL import Image

    with Image.open(io.BytesIO(content)) as picture:
        return picture.convert("RGBA")


def _picture_error(sheet: Sheet, error: Exception) -> BadFile:
    return BadFile(f"not a readable picture ({type(error).__name__})", at=sheet.image)


def refuse_own_sheet(tileset: Tileset, path: str | PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Raise BadFile if the files of a map would replace the picture from which its sprites are taken."""
    if tileset.sheet is None or not tileset.sheet.path:
        return
    sheet, folder = os.path.realpath(tileset.sheet.path), Path(path).absolute().parent
    for name, content in contents.items():
        if os.path.realpath(folder / name) == sheet and content != tileset.sheet.picture:
            text = f"is the picture of the sprites of tileset {tileset.name!r}; choose another name"
            raise BadFile(text, at=Path(path).parent / name, rule="conflict")


USUAL_SIDES = (16, 32, 24, 48, 64, 8, 12, 20, 40, 10, 128)
"""Edge lengths of sprites in pixels, the most usual first."""
LAYOUT_SIDES = (8, 12, 16, 20, 24, 32, 48)
"""Edge lengths at which a sheet is taken for one layout. With larger ones, it usually has many small sprites."""


def guess_layouts(width: int, height: int) -> list[str]:
    """Return the layouts that a picture of this size in pixels may have, the most likely first.

    >>> guess_layouts(128, 96), guess_layouts(64, 64), guess_layouts(48, 16)
    (['blob47', 'single'], ['edge16', 'corner16', 'single'], ['single'])
    """
    found = [name for side in LAYOUT_SIDES if not width % side and not height % side
             for name in find_layouts(width // side, height // side)]  # fmt: skip
    return [name for name in LAYOUTS if name in found and name != "single"] + ["single"]


def guess_side(width: int, height: int, layout: str) -> int:
    """Return the likely edge length of the sprites in a picture, in pixels.

    >>> guess_side(128, 96, "blob47"), guess_side(272, 128, "single"), guess_side(30, 45, "single")
    (16, 16, 15)
    """
    for side in LAYOUT_SIDES if layout != "single" else USUAL_SIDES:
        is_divisor = not width % side and not height % side
        if is_divisor and (layout == "single" or layout in find_layouts(width // side, height // side)):
            return side
    return min(max(1, gcd(width, height)), 1024)
