"""The picture of a tileset: one sprite per tile, drawn in code or cut from the user's own sheet.

Sprites are 16x16 pixel textures that follow a tile's kind and colour; they join at their edges. Nothing is left to
chance but what the tile's name decides, so a tile looks the same in every file.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, counted
from ..core.seeds import Rng
from ..core.tileset import Sheet, Tile, Tileset
from ._textures import SIDE, TEXTURES, Look, bevelled

MOST_COLUMNS = 16


def drawn(
    tiles: Sequence[Tile], width: int = SIDE, height: int = SIDE, around: Sequence[int | None] | None = None
) -> NDArray[np.uint8]:
    """(tile, row, column, 3) the sprites of tiles, drawn by kind, colour, joins and what lies around, if told."""
    sprites = np.empty((len(tiles), height, width, 3), dtype=np.uint8)
    rows, columns = np.arange(height) * SIDE // height, np.arange(width) * SIDE // width
    places: Sequence[int | None] = [None] * len(tiles) if around is None else around
    for target, tile, place in zip(sprites, tiles, places, strict=True):
        texture = TEXTURES.get(tile.kind, bevelled)
        pixels = texture(Look(np.array(tile.rgb, dtype=np.float64), tile.joins, place), Rng.of(tile.name))
        target[:] = pixels.round().clip(0, 255)[rows[:, None], columns]
    return sprites


def arranged(sprites: NDArray[np.uint8], columns: int = MOST_COLUMNS) -> NDArray[np.uint8]:
    """(row, column, 3) sprites in rows, one picture; places after the last sprite are black."""
    count, height, width, _ = sprites.shape
    columns = min(columns, count)
    rows = -(-count // columns)
    places = np.zeros((rows * columns, height, width, 3), dtype=np.uint8)
    places[:count] = sprites
    grid = places.reshape(rows, columns, height, width, 3).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, 3)


def as_png(pixels: NDArray[np.uint8], *, quick: bool = False) -> bytes:
    """A picture file, as small as can be, or a little larger and at once."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=not quick, compress_level=1 if quick else 9)
    return buffer.getvalue()


# -- the user's own sheet -------------------------------------------------------------------------------------


def picture_size(sheet: Sheet) -> tuple[int, int] | None:
    """Width and height of a sheet's picture in pixels; None when it was not read."""
    if not sheet.picture:
        return None
    from PIL import Image

    try:
        with Image.open(io.BytesIO(sheet.picture)) as picture:
            return picture.size
    except Exception as error:  # Pillow's readers raise whatever they stumble over
        raise _unreadable(sheet, error) from None


def fitted(tileset: Tileset) -> Tileset:
    """The tileset with its sheet checked against its picture, and the columns taken from there where none are told."""
    sheet = tileset.sheet
    size = picture_size(sheet) if sheet else None
    if sheet is not None and size is not None and "columns" not in sheet.model_fields_set:
        columns = max(1, (size[0] - sheet.margin + sheet.spacing) // (sheet.tile_width + sheet.spacing))
        tileset = tileset.model_copy(update={"sheet": sheet.model_copy(update={"columns": columns})})
    if sheet is not None:
        sprite_rows(tileset)
    return tileset


def sprite_rows(tileset: Tileset) -> int:
    """Rows of sprites in a tileset's picture; refuses a sheet that does not fit its picture or its tiles.

    Counted as Tiled does: sprites start after the margin and need none at the far side.
    """
    sheet = tileset.sheet
    assert sheet is not None
    wanted = 1 + max((tile.sprite for tile in tileset if tile.sprite is not None), default=0)
    size = picture_size(sheet)
    if size is None:
        return -(-wanted // sheet.columns)
    columns = max(0, size[0] - sheet.margin + sheet.spacing) // (sheet.tile_width + sheet.spacing)
    rows = max(0, size[1] - sheet.margin + sheet.spacing) // (sheet.tile_height + sheet.spacing)
    if columns != sheet.columns:
        raise InvalidRecipe(
            f"tileset {tileset.name!r}: its sheet says {counted(sheet.columns, 'column')}, "
            f"the picture of {size[0]}x{size[1]} pixels has {columns}"
        )
    if wanted > rows * columns:
        raise InvalidRecipe(
            f"tileset {tileset.name!r}: sprite {wanted - 1} is not in its picture, "
            f"which holds {counted(rows * columns, 'sprite')}"
        )
    return rows


def cut(tileset: Tileset) -> dict[int, bytes]:
    """The sprites of tiles as PNGs, by tile id: those that a tileset's own picture holds."""
    sheet = tileset.sheet
    if sheet is None or not sheet.picture:
        return {}
    from PIL import Image

    sprite_rows(tileset)
    sprites = {}
    try:
        with Image.open(io.BytesIO(sheet.picture)) as picture:
            whole = picture.convert("RGBA")
    except Exception as error:
        raise _unreadable(sheet, error) from None
    for number, tile in enumerate(tileset):
        if tile.sprite is not None:
            row, column = divmod(tile.sprite, sheet.columns)
            left = sheet.margin + column * (sheet.tile_width + sheet.spacing)
            top = sheet.margin + row * (sheet.tile_height + sheet.spacing)
            sprite = whole.crop((left, top, left + sheet.tile_width, top + sheet.tile_height))
            sprites[number] = as_png(np.asarray(sprite))
    return sprites


def _unreadable(sheet: Sheet, error: Exception) -> BadFile:
    return BadFile(f"{sheet.image}: not a picture that can be read ({type(error).__name__})")
