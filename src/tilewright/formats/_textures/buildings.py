"""Textures of buildings, with roofs in the tile's color, and of unknown tiles."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...core.pieces import SIDES
from ...core.seeds import Rng
from .coasts import DEEP, SHALLOW
from .countryside import MEADOW, draw_meadow
from .strokes import (
    COLUMNS,
    GAPS,
    ROWS,
    SIDE,
    Look,
    Pixels,
    Texture,
    apply_drawing,
    apply_shades,
    choose_spots,
    clear_pixels,
    rgb,
)

FIXED_COLORS = {
    letter: rgb(color)
    for letters, colors in (
        ("Wwv", "fffdf5 f3ead6 cbbfa9"),  # walls: bright, lit, shaded
        ("kcy", "4d5a70 8fe3ea ffdf6b"),  # windows: dark, bright, yellow
        ("Ggh", "d5d8dc a9aeb6 737985"),  # metal and concrete
        ("qQx", "f0705a b8402f 2c2a38"),  # warning red, shaded red, and dark
    )
    for letter, color in zip(letters, colors.split(), strict=True)
}
"""Colors that are the same for every country."""


def _draw_building(drawing: str, look: Look, rng: Rng) -> Pixels:
    """Apply a drawing to a meadow, or to transparent ground.

    R, r and d are the tile's color, its lit and its shaded color; o is the darkest shade.
    """
    lit = {
        letter: apply_shades(look.color, np.array(shade)) for letter, shade in {"R": 0.3, "r": 0.0, "d": -0.26}.items()
    }
    darkest = look.color * 0.22 + rgb("2a2433") * 0.78
    beneath = clear_pixels() if look.is_thing else draw_meadow(MEADOW, rng, 0)
    return apply_drawing(beneath, drawing, look.color, {**FIXED_COLORS, **lit, "o": darkest})


DRAWINGS: dict[str, Texture] = {
    kind: partial(_draw_building, kind.replace(" ", "-"))
    for kind in ("city", "base", "airport", "headquarters", "com tower", "lab", "silo", "empty silo")
}


def port(look: Look, rng: Rng) -> Pixels:
    """Draw a warehouse and a crane on a quay. At sides with water, the quay has piles."""
    pixels = _draw_building("port", look, rng)
    for side in "s" if look.mask is None else filter(look.has, SIDES):
        along = COLUMNS if side in "ns" else ROWS
        pixels[GAPS[side] < 3] = FIXED_COLORS["h"]
        pixels[GAPS[side] < 2] = np.where((along % 4 == 1)[..., None], FIXED_COLORS["h"], SHALLOW)[GAPS[side] < 2]
        pixels[(GAPS[side] < 1) & (along % 4 != 1)] = DEEP
    return pixels


def teleport(look: Look, rng: Rng) -> Pixels:
    """Draw a black square with stars."""
    pixels = np.broadcast_to(look.color, (SIDE, SIDE, 3)).copy()
    for number, (row, column) in enumerate(choose_spots(rng, 7)):
        pixels[row, column] = rgb("ffffff") if number % 3 == 0 else apply_shades(look.color, np.array(0.45))
    return pixels


def unknown(look: Look, rng: Rng) -> Pixels:
    """Draw a question mark on a checkered ground."""
    checks = np.where((ROWS // 4 + COLUMNS // 4) % 2 == 0, 0.12, -0.22)
    return apply_drawing(apply_shades(rgb("a56ad6"), checks), "unknown", look.color, FIXED_COLORS)
