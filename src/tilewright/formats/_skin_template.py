"""Template sheets of layouts: a terrain with one sprite per mask, to try a layout or to draw over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.appearance import Rgb
from ..core.seeds import Rng
from ..core.skins import ALL_BITS, CORNER_BITS, LAYOUTS, Layout

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
    rim = _rim(width, height)
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


def _rim(width: int, height: int) -> int:
    """Return the distance in pixels between the terrain and an edge of the sprite with another terrain."""
    return max(1, min(width, height) * 3 // 16)


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
