"""Guesses about a picture of sprites: their size, and the layout that a sheet of this size usually has."""

from __future__ import annotations

from math import gcd

from ..core.skins import LAYOUTS, find_layouts

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
