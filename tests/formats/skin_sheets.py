"""Sheets of sprites drawn in code, for tests of skins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilewright.core.skins import CORNER_BITS, LAYOUTS

SIDE = 8
FILL, LINE = (40, 200, 90, 255), (10, 20, 30, 255)


def draw_sheet(layout: str, *, columns: int | None = None, margin: int = 0, spacing: int = 0) -> Image.Image:
    """Return a sheet in a layout whose sprites have a line one pixel wide where the terrain ends."""
    found = LAYOUTS[layout]
    sprites = draw_block() if found.is_composed else [draw_sprite(layout, mask) for mask in found.masks]
    return arrange(sprites, columns or found.columns, margin, spacing)


def arrange(sprites: list[NDArray[np.uint8] | None], columns: int, margin: int = 0, spacing: int = 0) -> Image.Image:
    """Return sprites in rows."""
    rows, step = -(-len(sprites) // columns), SIDE + spacing
    pixels = np.zeros((margin + rows * step - spacing, margin + columns * step - spacing, 4), dtype=np.uint8)
    for place, sprite in enumerate(sprites):
        if sprite is not None:
            y, x = margin + place // columns * step, margin + place % columns * step
            pixels[y : y + SIDE, x : x + SIDE] = sprite
    return Image.fromarray(pixels)


def draw_sprite(layout: str, mask: int | None) -> NDArray[np.uint8] | None:
    """Return the sprite of a mask; for sprites between cells, each quarter shows whether its cell is the same."""
    if mask is None:
        return None
    sprite = np.full((SIDE, SIDE, 4), FILL, dtype=np.uint8)
    n, ne, e, se, s, sw, w, nw = (bool(mask >> bit & 1) for bit in range(8))
    if LAYOUTS[layout].bits == CORNER_BITS:
        for has, down, right in ((nw, 0, 0), (ne, 0, 1), (sw, 1, 0), (se, 1, 1)):
            rows, columns = (
                slice(down * SIDE // 2, (down + 1) * SIDE // 2),
                slice(right * SIDE // 2, (right + 1) * SIDE // 2),
            )
            sprite[rows, columns] = FILL if has else (0, 0, 0, 0)
        return sprite
    if not LAYOUTS[layout].bits:
        return sprite
    sprite[:1] = LINE if not n else sprite[:1]
    sprite[-1:] = LINE if not s else sprite[-1:]
    sprite[:, :1] = LINE if not w else sprite[:, :1]
    sprite[:, -1:] = LINE if not e else sprite[:, -1:]
    if LAYOUTS[layout].bits == 255:
        for has, y, x in ((ne, 0, -1), (se, -1, -1), (sw, -1, 0), (nw, 0, 0)):
            if not has:
                sprite[y, x] = LINE
    return sprite


def draw_block() -> list[NDArray[np.uint8] | None]:
    """Return the six tiles of RPG Maker: an icon, inner corners, and a frame of 2x2 tiles."""
    frame = np.full((2 * SIDE, 2 * SIDE, 4), FILL, dtype=np.uint8)
    frame[[0, -1]] = LINE
    frame[:, [0, -1]] = LINE
    inner = np.full((SIDE, SIDE, 4), FILL, dtype=np.uint8)
    inner[[0, 0, -1, -1], [0, -1, 0, -1]] = LINE
    icon = np.full((SIDE, SIDE, 4), (255, 0, 255, 255), dtype=np.uint8)
    return [icon, inner, frame[:SIDE, :SIDE], frame[:SIDE, SIDE:], frame[SIDE:, :SIDE], frame[SIDE:, SIDE:]]
