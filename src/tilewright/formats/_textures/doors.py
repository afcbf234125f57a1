"""Textures of doors in walls: seen from the front, or from above in a wall that runs north and south."""

from __future__ import annotations

import numpy as np

from ...core.seeds import Rng
from ...core.skins import DIRECTIONS
from .relief import masonry
from .strokes import COLUMNS, ROWS, Look, Pixels, apply_shades, clear_pixels, darken, fill, rgb

STONE = rgb("3d4152")
"""Color of the walls of the tileset dungeon."""
IRON = rgb("3a3532")
ALONG = sum(1 << DIRECTIONS.index(side) for side in "ew")
"""Mask of a wall that runs west and east."""


def door(look: Look, rng: Rng) -> Pixels:
    """Draw a wooden door. Skins say at which sides there is a wall."""
    return _draw_door(look, is_locked=False)


def locked_door(look: Look, rng: Rng) -> Pixels:
    """Draw a painted door with a large lock."""
    return _draw_door(look, is_locked=True)


def _draw_door(look: Look, *, is_locked: bool) -> Pixels:
    in_row = look.mask is None or look.has("w") or look.has("e")
    return _draw_front(look, is_locked) if in_row else _draw_side(look, is_locked)


def _draw_front(look: Look, is_locked: bool) -> Pixels:
    """Draw the door in the face of a wall."""
    pixels = masonry(Look(STONE, mask=ALONG), Rng.of("door"))
    down = ROWS - 5
    leaf = (down >= 0) & (COLUMNS >= 2) & (COLUMNS <= 13)
    inside = (down >= 1) & (COLUMNS >= 3) & (COLUMNS <= 12)
    fill(pixels, leaf, IRON * 0.55)
    plank = (COLUMNS - 3) % 3
    shades = np.select([plank == 0, plank == 2], [0.16, -0.32], 0.0) - 0.05 * (down > 6)
    fill(pixels, inside, apply_shades(look.color, shades))
    for row in (7, 13):
        fill(pixels, inside & (row == ROWS), IRON)
        fill(pixels, inside & (row == ROWS) & (plank == 1), IRON * 0.5 + 90.0)
    if is_locked:
        _draw_lock(pixels, 8, 6)
    else:
        fill(pixels, (ROWS == 10) & (COLUMNS == 11), rgb("f3d27a"))
        fill(pixels, (ROWS == 11) & (COLUMNS == 11), IRON)
    return pixels


def _draw_side(look: Look, is_locked: bool) -> Pixels:
    """Draw the door from above: a narrow leaf from wall to wall."""
    pixels = clear_pixels()
    darken(pixels, (COLUMNS >= 11) & (COLUMNS <= 12), 0.65)
    leaf = (COLUMNS >= 5) & (COLUMNS <= 10)
    fill(pixels, leaf, IRON * 0.55)
    shades = np.select([COLUMNS == 6, COLUMNS == 9], [0.24, -0.3], 0.0) - np.where(ROWS % 5 == 4, 0.2, 0.0)
    fill(pixels, leaf & (COLUMNS >= 6) & (COLUMNS <= 9) & (ROWS > 0) & (ROWS < 15), apply_shades(look.color, shades))
    for row in (2, 12):
        fill(pixels, leaf & (row == ROWS), IRON)
    if is_locked:
        _draw_lock(pixels, 5, 6)
    return pixels


def _draw_lock(pixels: Pixels, row: int, column: int) -> None:
    """Draw a lock of 4x5 pixels with a keyhole."""
    down, right = ROWS - row, COLUMNS - column
    plate = (down >= 0) & (down < 5) & (right >= 0) & (right < 4)
    fill(pixels, plate, rgb("f6e3a0"))
    fill(pixels, plate & ((down == 4) | (right == 3)), rgb("b98f3a"))
    fill(
        pixels,
        plate & (down >= 1) & (down <= 3) & (right >= 1) & (right <= 2) & ((down < 3) | (right == 1)),
        rgb("181418"),
    )
