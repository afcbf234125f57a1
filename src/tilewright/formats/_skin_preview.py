"""Previews of skins: the sprites with their masks, and a map drawn with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from ..core.skins import LAYOUTS, OFFSETS, Skin
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
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(11)
    for place, sprite in zip(places, pixels, strict=True):
        left, top = GAP + place.column * step_x, GAP + place.row * step_y
        pen.rectangle((left, top, left + width * scale - 1, top + height * scale - 1), fill=FREE)
        image = Image.fromarray(sprite)
        picture.paste(image, (left, top), image)
        if LAYOUTS[skin.layout].bits:
            _draw_label(pen, font, place.mask, LAYOUTS[skin.layout].bits, left, top + height * scale + 2)
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


def _draw_label(
    pen: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    mask: int,
    bits: int,
    left: int,
    top: int,
) -> None:
    """Draw the number of a mask, and a 3x3 diagram of the neighbors that matter."""
    for bit, (row, column) in enumerate(((0, 0), *OFFSETS)):
        matters, is_same = not bit or bits >> bit - 1 & 1, not bit or mask >> bit - 1 & 1
        if matters:
            x, y = left + DOT * (column + 1), top + 1 + DOT * (row + 1)
            pen.rectangle((x, y, x + DOT - 2, y + DOT - 2), fill=SAME if is_same else OTHER)
    pen.text((left + 3 * DOT + 3, top - 1), str(mask), fill=TEXT, font=font)
