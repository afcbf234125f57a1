"""Textures of objects, plants and circuits on a tile."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...core.seeds import Rng
from .strokes import (
    COLUMNS,
    ROWS,
    SIDE,
    Look,
    Pixels,
    Texture,
    apply_drawing,
    apply_shades,
    choose_spots,
    clear_pixels,
    darken,
    mottle,
    put,
)
from .surfaces import grass, ground, planks, stone, void, water

FLAGS, TURF, EARTH, AIR, BOARD = (
    Look(np.array(color, dtype=np.float64))
    for color in ((196, 185, 162), (141, 181, 101), (112, 96, 70), (169, 214, 232), (20, 82, 63))
)
"""Ground of objects that do not fill their tile."""


# -- objects on the ground --------------------------------------------------------------------------------------


def roof(look: Look, rng: Rng) -> Pixels:
    """Draw rows of rounded shingles. The shingles differ slightly in shade."""
    course = ROWS // 4
    across = (COLUMNS + 2 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.2 - 0.08 for _ in range(4)] for _ in range(4)])
    shades = tints[course, across // 4]
    shades[ROWS % 4 == 0] += 0.14
    shades[(ROWS % 4 == 3) | ((across % 4 == 3) & (ROWS % 4 > 0))] = -0.3
    return apply_shades(look.color, shades)


def awning(look: Look, rng: Rng) -> Pixels:
    """Draw a striped cloth with a scalloped hem, seen from above."""
    pixels = np.where((COLUMNS // 3 % 2 == 0)[..., None], look.color, look.color * 0.25 + 186.0)
    pixels[0] = pixels[0] * 0.75
    pixels[12:14] *= 0.82
    pixels[(ROWS >= 14) | ((ROWS == 13) & (COLUMNS % 3 == 1))] *= 0.6
    return pixels


def chest(look: Look, rng: Rng) -> Pixels:
    """Draw a box with a domed lid, bands and a lock, on flagstones."""
    pixels = clear_pixels() if look.is_thing else stone(FLAGS, rng)
    darken(pixels, (ROWS >= 5) & (ROWS < 15) & (COLUMNS >= 3) & (COLUMNS < 15), 0.62)
    box = np.zeros((10, 12))
    box[:4] = np.array([0.4, 0.28, 0.12, 0.0])[:, None]
    box[4] = -0.62
    box[5:] = -0.14
    box[:, [2, 9]] -= 0.34
    box[[0, -1]] -= 0.14
    box[:, [0, -1]] = -0.5
    pixels[3:13, 2:14, :3] = apply_shades(look.color, box)
    pixels[3:13, 2:14, 3:] = 255.0
    pixels[6:9, 7:9, :3] = (60.0, 48.0, 40.0)
    return pixels


def gate(look: Look, rng: Rng) -> Pixels:
    """Draw a locked door: painted planks in an iron frame, and a large keyhole."""
    return apply_drawing(planks(look, rng), "gate", look.color)


def rail(look: Look, rng: Rng) -> Pixels:
    """Draw two bright rails on sleepers, from left to right."""
    return apply_drawing(ground(look, rng), "rail", look.color)


def cart(look: Look, rng: Rng) -> Pixels:
    """Draw an open tub on rails, full to the rim."""
    pixels = rail(Look(np.array((143.0, 125.0, 107.0))), rng)
    pixels[2:15, 2:15] *= 0.55
    pixels[2:14, 1:14] = apply_shades(look.color, np.array(0.25))
    pixels[3:14, 2:14] = apply_shades(look.color, np.array(-0.3))
    pixels[4:12, 3:12] = apply_shades(EARTH.color, mottle(rng, 0.3))[4:12, 3:12]
    return pixels


def peak(look: Look, rng: Rng) -> Pixels:
    """Draw a summit: a bright slope, a dark one, and snow on top."""
    pixels = apply_shades(look.color, mottle(rng, 0.06) - 0.12)
    left, right = COLUMNS - (7.5 - ROWS * 0.55), (8.0 + ROWS * 0.55) - COLUMNS
    ridge = 6.7 + 0.6 * (ROWS % 4)
    inside = (left >= 0) & (right >= 0) & (ROWS > 0)
    slope = np.where(ridge > COLUMNS, 0.22, -0.34) + mottle(rng, 0.07)
    pixels[inside] = apply_shades(look.color, slope)[inside]
    cap = inside & (5 + (COLUMNS % 3 == 1) > ROWS)
    pixels[cap] = np.where((ridge > COLUMNS)[..., None], 250.0, look.color * 0.2 + 165.0)[cap]
    return pixels


# -- plants -------------------------------------------------------------------------------------------------------


def reed(look: Look, rng: Rng) -> Pixels:
    """Draw upright blades, some with a brown head."""
    shades = mottle(rng, 0.06) - 0.12
    for number, (row, column) in enumerate(choose_spots(rng, 9)):
        for step in range(6):
            put(shades, row - step, column, 0.26 - 0.05 * step)
            put(shades, row - step, column + 1, -0.3)
        if number % 3 == 0:
            for step in (4, 5, 6):
                put(shades, row - step, column, -0.6)
    return apply_shades(look.color, shades)


def flower(look: Look, rng: Rng) -> Pixels:
    """Draw a bed of blossoms with bright centers, and the grass between them."""
    pixels = grass(TURF, rng)
    for row in range(1, SIDE, 4):
        for column in range(1, SIDE, 4):
            top, left = row + rng.below(2), column + rng.below(2)
            for drop in range(-1, 2):
                for side in range(-1, 2):
                    shade = 0.12 - 0.1 * drop - 0.12 * abs(side)
                    put(pixels, top + drop, left + side, apply_shades(look.color, np.array(shade)))
            put(pixels, top, left, np.array((250.0, 226.0, 120.0)))
    return pixels


def lily(look: Look, rng: Rng) -> Pixels:
    """Draw round leaves with a notch on the water, and a blossom."""
    return apply_drawing(water(Look(look.color * 0.62 + (0.0, 12.0, 26.0)), rng), "lily", look.color)


# -- circuit boards -----------------------------------------------------------------------------------------------


def board(look: Look, rng: Rng) -> Pixels:
    """Draw a smooth plate with a faint weave."""
    shades = 0.03 * ((ROWS + COLUMNS) % 4 == 0)
    for row, column in choose_spots(rng, 3):
        put(shades, row, column, 0.07)
    return apply_shades(look.color, shades)


def wire(look: Look, rng: Rng) -> Pixels:
    """Draw a trace on the board from its center to the sides where it joins.

    With four sides, two arms pass under the other two.
    """
    pixels = board(BOARD, rng)
    down, right = ROWS - 7.5, COLUMNS - 7.5
    arms = {"n": (-down, right), "e": (right, down), "s": (down, right), "w": (-right, down)}
    for pair in ("ns", "ew") if len(look.joins) == 4 else (look.joins or "ew",):
        for reach, shade in ((3, -0.62), (2, 0.0), (1, 0.35)):  # edge, trace and highlight, from wide to narrow
            lines = [(ahead > -reach) & (np.abs(aside) < reach) for ahead, aside in (arms[way] for way in pair)]
            pixels[np.logical_or.reduce(lines)] = apply_shades(look.color, np.array(shade))
    return pixels


def pin(look: Look, rng: Rng) -> Pixels:
    """Draw the leg of a chip, which extends to one side."""
    pixels = board(BOARD, rng)
    outward = COLUMNS if look.joins == "e" else SIDE - 1 - COLUMNS
    body, leg = outward < 8, (outward > 5) & (np.abs(ROWS - 7.5) < 4)
    pixels[body] = (56.0, 60.0, 72.0)
    pixels[leg] = apply_shades(look.color, np.where(np.abs(ROWS - 6.5) < 1, 0.4, -0.1))[leg]
    return pixels


# -- drawings -----------------------------------------------------------------------------------------------------


def _draw_on_surface(kind: str, surface: Texture, beneath: Look, look: Look, rng: Rng) -> Pixels:
    """Apply the drawing of a kind to the surface below it, or to transparent ground."""
    return apply_drawing(clear_pixels() if look.is_thing else surface(beneath, rng), kind, look.color)


DRAWINGS: dict[str, Texture] = {
    kind: partial(_draw_on_surface, kind, surface, beneath)
    for kinds, surface, beneath in (
        ("pillar token key crate target stored-crate", stone, FLAGS),
        ("mushroom snag", ground, EARTH),
        ("coin ladder rope gold person imp spikes", void, AIR),
        ("pad", board, BOARD),
    )
    for kind in kinds.split()
}
"""Textures that consist of a drawing on a surface."""
