"""The picture of a tileset: one sprite per tile, drawn in code or cut from the user's own sheet.

Sprites are 16x16 pixel textures that follow a tile's kind and colour; they join at their edges. Nothing is left to
chance but what the tile's name decides, so a tile looks the same in every file.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, counted
from ..core.seeds import Rng
from ..core.tileset import Sheet, Tile, Tileset

SIDE = 16
"""Pixels along a drawn sprite; other sizes are enlarged or thinned out from it."""
MOST_COLUMNS = 16

Shades = NDArray[np.float64]
"""(row, column) how much lighter (up to 1: white) or darker (down to -1: black) than the tile's colour a pixel is."""
Pixels = NDArray[np.float64]
"""(row, column, 3) red, green, blue."""
Color = NDArray[np.float64]

ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def drawn(tiles: Sequence[Tile], width: int = SIDE, height: int = SIDE) -> NDArray[np.uint8]:
    """(tile, row, column, 3) the sprites of tiles, drawn by kind and colour."""
    sprites = np.empty((len(tiles), height, width, 3), dtype=np.uint8)
    rows, columns = np.arange(height) * SIDE // height, np.arange(width) * SIDE // width
    for target, tile in zip(sprites, tiles, strict=True):
        texture = TEXTURES.get(tile.kind, plain)
        pixels = texture(np.array(tile.rgb, dtype=np.float64), Rng.of(tile.name))
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


def as_png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", optimize=True)
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


# -- textures: by kind ----------------------------------------------------------------------------------------


def plain(color: Color, rng: Rng) -> Pixels:
    """A flat tile with a subtle bevel."""
    shades = np.zeros((SIDE, SIDE))
    shades[0, :] = shades[:, 0] = 0.14
    shades[-1, :] = shades[:, -1] = -0.14
    return _shaded(color, shades)


def ground(color: Color, rng: Rng) -> Pixels:
    """Trodden earth or sand with a few pebbles."""
    shades = _mottled(rng, 0.09)
    for row, column in _spots(rng, 5):
        _put(shades, row, column, 0.16)
        _put(shades, row + 1, column, -0.16)
    return _shaded(color, shades)


def rock(color: Color, rng: Rng) -> Pixels:
    """Boulders, lit from the upper left."""
    return _shaded(color, _boulders(rng))


def water(color: Color, rng: Rng) -> Pixels:
    """Small waves in rows, every other row shifted."""
    shades = _mottled(rng, 0.04)
    for row, column in ((2, 2), (6, 10), (10, 4), (14, 12)):
        column += rng.below(3)
        for step, drop in enumerate((0, 1, 1, 1, 0)):
            _put(shades, row + drop, column + step, 0.3)
            _put(shades, row + drop + 1, column + step, -0.12)
    return _shaded(color, shades)


def grass(color: Color, rng: Rng) -> Pixels:
    """Tufts of three blades."""
    shades = _mottled(rng, 0.07)
    for row, column in _spots(rng, 7):
        for rise, side, shade in ((0, 0, -0.22), (1, 0, 0.1), (1, -1, 0.18), (1, 1, 0.18), (2, 0, 0.24)):
            _put(shades, row - rise, column + side, shade)
    return _shaded(color, shades)


def ore(color: Color, rng: Rng) -> Pixels:
    """Nuggets in the tile's colour, set in dark rock."""
    pixels = _shaded(color * 0.25 + 38.0, _boulders(rng))
    for row, column in ((3, 4), (5, 12), (11, 8), (13, 1)):
        row, column = row + rng.below(2), column + rng.below(2)
        for drop, side, shade in (
            *((-1, 0, 0.25), (0, -1, 0.45), (0, 0, 0.1), (0, 1, -0.1), (1, 0, -0.25)),
            *((-1, 1, 0.0), (1, -1, 0.0), (1, 1, -0.35), (2, 0, -0.6), (2, 1, -0.6), (0, 2, -0.6), (1, 2, -0.6)),
        ):
            pixels[(row + drop) % SIDE, (column + side) % SIDE] = _shaded(color, np.array(shade))
    return pixels


def void(color: Color, rng: Rng) -> Pixels:
    """Nothing, with a hint of depth."""
    shades = np.zeros((SIDE, SIDE))
    for row, column in _spots(rng, 5):
        _put(shades, row, column, 0.07)
    return _shaded(color, shades)


def brick(color: Color, rng: Rng) -> Pixels:
    """Courses of bricks, four pixels high, each a little different."""
    course = ROWS // 4
    across = (COLUMNS + 4 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.14 - 0.05 for _ in range(2)] for _ in range(4)])
    shades = tints[course, across // 8]
    shades[ROWS % 4 == 0] += 0.12
    shades[(ROWS % 4 == 3) | (across % 8 == 7)] = -0.42
    return _shaded(color, shades)


def stone(color: Color, rng: Rng) -> Pixels:
    """Flagstones, eight pixels wide, worn at the corners."""
    tints = np.array([[rng.random() * 0.1 - 0.06 for _ in range(2)] for _ in range(2)])
    shades = tints[ROWS // 8, COLUMNS // 8] + _mottled(rng, 0.03)
    shades[(ROWS % 8 == 0) | (COLUMNS % 8 == 0)] += 0.12
    shades[(ROWS % 8 == 7) | (COLUMNS % 8 == 7)] = -0.2
    return _shaded(color, shades)


def wood(color: Color, rng: Rng) -> Pixels:
    """Upright planks with grain and two iron bands."""
    plank = COLUMNS // 4
    tints = np.array([rng.random() * 0.16 - 0.08 for _ in range(4)])
    shades = tints[plank]
    for row, column in _spots(rng, 9):
        for step in range(4):
            _put(shades, row + step, column, -0.14)
    shades[COLUMNS % 4 == 0] += 0.12
    shades[COLUMNS % 4 == 3] = -0.4
    pixels = _shaded(color, shades)
    for row in (3, 11):
        pixels[row : row + 2] = _shaded(color * 0.3 + 20.0, np.where(COLUMNS[row : row + 2] % 4 == 1, 0.35, 0.0))
    return pixels


def tree(color: Color, rng: Rng) -> Pixels:
    """A round crown over its shadow, on ground of the same colour."""
    pixels = _shaded(color, 0.12 + _mottled(rng, 0.08))
    distance = np.hypot(ROWS - 6.5, COLUMNS - 7.5)
    pixels[np.hypot((ROWS - 12.5) * 1.8, COLUMNS - 8.5) < 6.5] = _shaded(color, np.array(-0.45))
    pixels[12:15, 7:9] = (92.0, 64.0, 43.0)
    crown = distance < 6.6
    lit = 0.3 - np.hypot(ROWS - 3.5, COLUMNS - 5.0) / 16 + _mottled(rng, 0.16)
    lit[(distance > 5.6) & crown] -= 0.18
    pixels[crown] = _shaded(color, np.round(lit * 8) / 8)[crown]
    return pixels


def snow(color: Color, rng: Rng) -> Pixels:
    """Soft drifts with blue shadows and a few sparkles."""
    drifts = _smooth(rng.cells((SIDE, SIDE)), 4)
    level = (drifts - drifts.min()) / (drifts.max() - drifts.min())
    shadow = np.array([0.9, 0.94, 0.99])
    pixels = np.where((level < 0.38)[..., None], color * shadow, color)
    pixels[(level >= 0.38) & (level < 0.46)] = color * (0.96, 0.975, 0.995)
    for row, column in _spots(rng, 4):
        pixels[row, column] = 255.0
    return pixels


def stairs(color: Color, rng: Rng) -> Pixels:
    """Steps that lead down into the dark."""
    step = ROWS // 4
    shades = -0.17 * step + np.where(ROWS % 4 == 0, 0.1, 0.0) - np.where(ROWS % 4 == 3, 0.22, 0.0)
    shades[:, :2] = shades[:, -2:] = -0.62
    return _shaded(color, shades)


TEXTURES: dict[str, Callable[[Color, Rng], Pixels]] = {
    texture.__name__: texture
    for texture in (ground, rock, water, grass, ore, void, brick, stone, wood, tree, snow, stairs)
}
"""Textures by the kind of tile that they are for; any other kind is plain."""


# -- strokes --------------------------------------------------------------------------------------------------


def _shaded(color: Color, shades: Shades) -> Pixels:
    """The colour, mixed with white where a shade is positive and with black where it is negative."""
    light, dark = np.clip(shades, 0, 1)[..., None], np.clip(shades, -1, 0)[..., None]
    return color * (1 + dark) * (1 - light) + 255.0 * light


def _put(shades: Shades, row: int, column: int, shade: float) -> None:
    """Set a pixel; what leaves the sprite comes back on the other side, so that sprites join."""
    shades[row % SIDE, column % SIDE] = shade


def _spots(rng: Rng, count: int) -> list[tuple[int, int]]:
    """Places spread over the sprite: random, but the farthest of a few from those before."""
    spots: list[tuple[int, int]] = []
    while len(spots) < count:
        tries = [(rng.below(SIDE), rng.below(SIDE)) for _ in range(6)]
        spots.append(max(tries, key=lambda spot: min((_apart(spot, other) for other in spots), default=0)))
    return spots


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    gaps = [min(abs(a - b), SIDE - abs(a - b)) for a, b in zip(one, other, strict=True)]
    return gaps[0] ** 2 + gaps[1] ** 2


def _smooth(field: Shades, times: int) -> Shades:
    """Average with the four neighbours, around the edges."""
    for _ in range(times):
        field = (field * 2 + sum(np.roll(field, step, axis) for step in (1, -1) for axis in (0, 1))) / 6
    return field


def _mottled(rng: Rng, strength: float) -> Shades:
    """Patches a shade lighter or darker."""
    field = _smooth(rng.child("mottled").cells((SIDE, SIDE)), 1) - 0.5
    shades: Shades = strength * ((field > 0.08) * 1.0 - (field < -0.08) * 1.0)
    return shades


def _boulders(rng: Rng) -> Shades:
    """Stones around random centres: a tint each, lit edges above, dark gaps between."""
    centres = np.array(_spots(rng, 7))
    gaps = np.abs(np.stack([ROWS, COLUMNS], axis=-1)[:, :, None] - centres)
    gaps = np.minimum(gaps, SIDE - gaps)
    owner = (gaps**2).sum(axis=-1).argmin(axis=-1)
    tints = np.array([rng.random() * 0.16 - 0.06 for _ in centres])
    shades: Shades = tints[owner]
    shades[(owner != np.roll(owner, 1, 0)) | (owner != np.roll(owner, 1, 1))] += 0.12
    shades[(owner != np.roll(owner, -1, 0)) | (owner != np.roll(owner, -1, 1))] = -0.36
    return shades
