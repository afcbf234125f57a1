"""Pictures of skins: previews of the sprites with their masks and of a map, and templates of layouts.

A template is a sheet of a terrain with one sprite per mask, to try a layout or to draw over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..core.appearance import Rgb
from ..core.seeds import Rng
from ..core.skins import ALL_BITS, CORNER_BITS, LAYOUTS, OFFSETS, Layout, Skin
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ._artwork import Artwork
from ._sheet import sheet_picture, sprite_box

BACKGROUND, FREE, TEXT, SAME, OTHER = "#16151c", "#24222c", "#e8e2d2", "#f2545b", "#4a4658"
MIN_SIDE = 32
"""Minimum width of an enlarged sprite in pixels."""
MAX_SIDE = 48
"""Maximum width of a cell of the map in pixels."""
LABEL = 15
"""Height of the label below a sprite in pixels."""
GAP = 4
DOT = 3
"""Width of a neighbor in the label in pixels."""
COLUMNS = 12
"""Number of sprites in a row if they are not shown as in the sheet."""


@dataclass(frozen=True)
class _Place:
    """A sprite and its place in the preview."""

    sprite: int
    mask: int
    row: int
    column: int


def draw_preview(tileset: Tileset, skin: Skin, map: TileMap) -> Image.Image:
    """Return a picture of the sprites of a skin with their masks, and a map of the tileset."""
    sprites = draw_masks(tileset, skin)
    cell = min(Artwork.of(tileset).native_size[1], MAX_SIDE)
    drawn = map.image(scale=cell, sprites=True).convert("RGB")
    beside = (sprites.width + GAP + drawn.width, max(sprites.height, drawn.height))
    below = (max(sprites.width, drawn.width), sprites.height + GAP + drawn.height)
    is_beside = beside[0] * beside[1] <= below[0] * below[1]
    picture = Image.new("RGB", beside if is_beside else below, BACKGROUND)
    picture.paste(sprites, (0, 0))
    picture.paste(drawn, (sprites.width + GAP, 0) if is_beside else (0, sprites.height + GAP))
    return picture


def draw_masks(tileset: Tileset, skin: Skin) -> Image.Image:
    """Return a picture of the sprites of a skin, arranged as in the sheet. Below each sprite are its mask and a diagram
    of the neighbors that count as the same.

    Composed sprites, and sprites of a table of positions, are in ascending order of their masks. The block of composed
    sprites is at their left.
    """
    artwork = Artwork.of(tileset)
    height, width = artwork.native_size
    scale = max(1, -(-MIN_SIDE // width))
    places = list(_list_places(tileset, skin, artwork))
    pixels = artwork.draw([place.sprite for place in places], height * scale, width * scale)
    step_x, step_y = width * scale + GAP, height * scale + LABEL + GAP
    columns, rows = 1 + max(place.column for place in places), 1 + max(place.row for place in places)
    picture = Image.new("RGB", (columns * step_x + GAP, rows * step_y + GAP), BACKGROUND)
    pen = ImageDraw.Draw(picture)
    pen.font = ImageFont.load_default(11)
    for place, sprite in zip(places, pixels, strict=True):
        left, top = GAP + place.column * step_x, GAP + place.row * step_y
        pen.rectangle((left, top, left + width * scale - 1, top + height * scale - 1), fill=FREE)
        image = Image.fromarray(sprite)
        picture.paste(image, (left, top), image)
        if LAYOUTS[skin.layout].bits:
            _draw_label(pen, place.mask, LAYOUTS[skin.layout].bits, left, top + height * scale + 2)
    if artwork.sheet is not None and skin.first is not None and LAYOUTS[skin.layout].is_composed:
        left, top, _, _ = sprite_box(artwork.sheet, skin.first)
        block = (skin.extent[0] * (width + artwork.sheet.spacing), skin.extent[1] * (height + artwork.sheet.spacing))
        image = sheet_picture(artwork.sheet).crop((left, top, left + block[0], top + block[1]))
        image = image.resize((block[0] * scale, block[1] * scale), Image.Resampling.NEAREST)
        picture.paste(image, (GAP, GAP), image)
    return picture


def _list_places(tileset: Tileset, skin: Skin, artwork: Artwork) -> Iterator[_Place]:
    """Yield the sprites of a skin for its first tile, with their places."""
    index, tile = tileset.skins.index(skin), tileset.find_tiles(skin.tile)[0]
    found = [(n, one) for n, one in enumerate(artwork.sprites) if one.skin == index and one.tile == tile]
    sheet = artwork.sheet
    for number, (sprite, one) in enumerate(found):
        row, column = divmod(number, COLUMNS)
        if sheet is not None and skin.first is not None and one.position is not None and not skin.sprites:
            row, column = divmod(one.position, sheet.columns)
            row, column = row - skin.first // sheet.columns, column - skin.first % sheet.columns
        elif skin.first is not None and LAYOUTS[skin.layout].is_composed:
            column += skin.extent[0] + 1
        yield _Place(sprite, one.mask, row, column)


def _draw_label(pen: ImageDraw.ImageDraw, mask: int, bits: int, left: int, top: int) -> None:
    """Draw the number of a mask, and a 3x3 diagram of the neighbors that matter."""
    for bit, (row, column) in enumerate(((0, 0), *OFFSETS)):
        matters, is_same = not bit or bits >> bit - 1 & 1, not bit or mask >> bit - 1 & 1
        if matters:
            x, y = left + DOT * (column + 1), top + 1 + DOT * (row + 1)
            pen.rectangle((x, y, x + DOT - 2, y + DOT - 2), fill=SAME if is_same else OTHER)
    pen.text((left + 3 * DOT + 3, top - 1), str(mask), fill=TEXT)


STONE = (128, 132, 150)
GRAIN = 14
"""Range of the brightness of a terrain."""
EDGE = 0.55
"""Brightness of the edge of a terrain, relative to its color."""


def draw_template(name: str, width: int = 16, height: int = 16, color: Rgb = STONE) -> Image.Image:
    """Return a sheet in a layout, with sprites of some size in pixels. Outside of the terrain it is transparent."""
    layout = LAYOUTS[name]
    shapes = _list_block(width, height) if layout.is_composed else _list_shapes(layout, width, height)
    sprites = [None if shape is None else _paint(shape, width, height, color) for shape in shapes]
    sheet = Image.new("RGBA", (layout.columns * width, -(-len(sprites) // layout.columns) * height))
    for place, sprite in enumerate(sprites):
        if sprite is not None:
            sheet.paste(sprite, (place % layout.columns * width, place // layout.columns * height))
    return sheet


def _list_shapes(layout: Layout, width: int, height: int) -> list[NDArray[np.bool_] | None]:
    """Return the pixels that the terrain covers in each place of a layout."""
    find = _find_between if layout.bits == CORNER_BITS else _find_inside
    masks = (ALL_BITS if mask is not None and not layout.bits else mask for mask in layout.masks)
    return [None if mask is None else find(_complete(mask, layout), width, height) for mask in masks]


def _complete(mask: int, layout: Layout) -> int:
    """Return a mask with the corners that its layout does not know, which are set between two sides."""
    corners = (bit for bit in range(1, 8, 2) if mask >> bit - 1 & 1 and mask >> (bit + 1) % 8 & 1)
    return mask if layout.bits & CORNER_BITS else mask | sum(1 << bit for bit in corners)


def _find_inside(mask: int, width: int, height: int) -> NDArray[np.bool_]:
    """Return an array (row, column) of the pixels that the terrain covers in the sprite of a mask."""
    y, x = np.mgrid[:height, :width]
    rim = max(1, min(width, height) * 3 // 16)  # width of the rim
    inside = np.ones((height, width), dtype=np.bool_)
    gaps = (y, width - 1 - x, height - 1 - y, x)  # distances from the north, east, south and west edges
    for number, gap in enumerate(gaps):
        other = gaps[(number + 1) % 4]
        has_side, has_corner, has_other = (mask >> (2 * number + bit) % 8 & 1 for bit in range(3))
        if not has_side:
            inside &= gap >= rim
        if not has_side and not has_other:
            inside &= (gap > rim) | (other > rim)  # a round corner
        if has_side and has_other and not has_corner:
            inside &= (gap >= rim) | (other >= rim)
    return inside


def _find_between(mask: int, width: int, height: int) -> NDArray[np.bool_]:
    """Return the pixels that the terrain covers in a sprite between four cells."""
    y, x = np.mgrid[:height, :width]
    right, down = (x + 0.5) / width, (y + 0.5) / height
    ne, se, sw, nw = (mask >> bit & 1 for bit in range(1, 8, 2))
    above, below = nw * (1 - right) + ne * right, sw * (1 - right) + se * right
    return np.asarray(above * (1 - down) + below * down >= 0.5)


def _list_block(width: int, height: int) -> list[NDArray[np.bool_] | None]:
    """Return the six tiles of an RPG Maker block: an icon, the inner corners, and a frame of 2x2 tiles."""
    corners = (0b00011100, 0b01110000, 0b00000111, 0b11000001)  # the frame is a terrain of 2x2 cells
    return [_find_inside(mask, width, height) for mask in (0, 0b01010101, *corners)]


def _paint(inside: NDArray[np.bool_], width: int, height: int, color: Rgb) -> Image.Image:
    """Return a picture of a terrain with a dark edge. All sprites have the same grain, so that they join."""
    padded = np.pad(inside, 1, mode="edge")
    around = [padded[row : row + height, column : column + width] for row in range(3) for column in range(3)]
    grain = Rng.of("grain").cells((height, width))
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    pixels[..., :3] = np.clip(np.array(color) + GRAIN * (grain[..., None] - 0.5), 0, 255)
    pixels[inside & ~np.logical_and.reduce(around), :3] = EDGE * np.array(color)
    pixels[..., 3] = np.where(inside, 255, 0)
    return Image.fromarray(pixels)
