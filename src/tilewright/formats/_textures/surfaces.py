"""Textures that fill a tile: ground, water, walls."""

from __future__ import annotations

import numpy as np

from ...core.seeds import Rng
from .strokes import (
    COLUMNS,
    ROWS,
    SIDE,
    Look,
    Pixels,
    apply_shades,
    choose_spots,
    clear_pixels,
    draw_boulders,
    fill,
    measure_distance,
    mottle,
    put,
    smooth,
)


def bevel(look: Look, rng: Rng) -> Pixels:
    """Draw a flat tile with a subtle bevel."""
    shades = np.zeros((SIDE, SIDE))
    shades[0, :] = shades[:, 0] = 0.14
    shades[-1, :] = shades[:, -1] = -0.14
    return apply_shades(look.color, shades)


def ground(look: Look, rng: Rng) -> Pixels:
    """Draw trodden earth or sand with a few pebbles."""
    shades = mottle(rng, 0.09)
    for row, column in choose_spots(rng, 5):
        put(shades, row, column, 0.16)
        put(shades, row + 1, column, -0.16)
    return apply_shades(look.color, shades)


def rock(look: Look, rng: Rng) -> Pixels:
    """Draw boulders, lit from the upper left."""
    return apply_shades(look.color, draw_boulders(rng))


def water(look: Look, rng: Rng) -> Pixels:
    """Draw small waves in rows, every other row shifted."""
    shades = mottle(rng, 0.04)
    for row, column in ((2, 2), (6, 10), (10, 4), (14, 12)):
        column += rng.below(3)
        for step, drop in enumerate((0, 1, 1, 1, 0)):
            put(shades, row + drop, column + step, 0.3)
            put(shades, row + drop + 1, column + step, -0.12)
    return apply_shades(look.color, shades)


def grass(look: Look, rng: Rng) -> Pixels:
    """Draw tufts of three blades."""
    shades = mottle(rng, 0.07)
    for row, column in choose_spots(rng, 7):
        for rise, side, shade in ((0, 0, -0.22), (1, 0, 0.1), (1, -1, 0.18), (1, 1, 0.18), (2, 0, 0.24)):
            put(shades, row - rise, column + side, shade)
    return apply_shades(look.color, shades)


def ore(look: Look, rng: Rng) -> Pixels:
    """Draw nuggets in the tile's color, set in dark rock, or on transparent ground."""
    pixels = clear_pixels() if look.is_thing else apply_shades(look.color * 0.25 + 38.0, draw_boulders(rng))
    for row, column, reach in ((4, 4, 4), (3, 11, 3), (10, 4, 3), (11, 11, 4)):
        row, column = row + rng.below(2), column + rng.below(2)
        down, right = ROWS - row, COLUMNS - column
        size = np.abs(down) + np.abs(right)
        shades = np.select([size >= reach, down + right < -1, down + right < 1], [-0.7, 0.6, 0.25], -0.15)
        nugget = (size < reach) | (np.abs(down - 1) + np.abs(right - 1) < reach)
        fill(pixels, nugget, apply_shades(look.color, shades))
    return pixels


def void(look: Look, rng: Rng) -> Pixels:
    """Draw darkness with a hint of depth."""
    shades = np.zeros((SIDE, SIDE))
    for row, column in choose_spots(rng, 5):
        put(shades, row, column, 0.07)
    return apply_shades(look.color, shades)


def brick(look: Look, rng: Rng) -> Pixels:
    """Draw courses of bricks, four pixels high. The bricks differ slightly in shade."""
    course = ROWS // 4
    across = (COLUMNS + 4 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.14 - 0.05 for _ in range(2)] for _ in range(4)])
    shades = tints[course, across // 8]
    shades[ROWS % 4 == 0] += 0.12
    shades[(ROWS % 4 == 3) | (across % 8 == 7)] = -0.42
    return apply_shades(look.color, shades)


def stone(look: Look, rng: Rng) -> Pixels:
    """Draw flagstones, eight pixels wide, worn at the corners."""
    tints = np.array([[rng.random() * 0.1 - 0.06 for _ in range(2)] for _ in range(2)])
    shades = tints[ROWS // 8, COLUMNS // 8] + mottle(rng, 0.03)
    shades[(ROWS % 8 == 0) | (COLUMNS % 8 == 0)] += 0.12
    shades[(ROWS % 8 == 7) | (COLUMNS % 8 == 7)] = -0.2
    return apply_shades(look.color, shades)


def planks(look: Look, rng: Rng) -> Pixels:
    """Draw upright planks with grain and two iron bands."""
    plank = COLUMNS // 4
    tints = np.array([rng.random() * 0.16 - 0.08 for _ in range(4)])
    shades = tints[plank]
    for row, column in choose_spots(rng, 9):
        for step in range(4):
            put(shades, row + step, column, -0.14)
    shades[COLUMNS % 4 == 0] += 0.12
    shades[COLUMNS % 4 == 3] = -0.4
    pixels = apply_shades(look.color, shades)
    for row in (3, 11):
        pixels[row : row + 2] = apply_shades(
            look.color * 0.3 + 20.0, np.where(COLUMNS[row : row + 2] % 4 == 1, 0.35, 0.0)
        )
    return pixels


def tree(look: Look, rng: Rng) -> Pixels:
    """Draw a round crown over its shadow, on ground of the same color."""
    pixels = apply_shades(look.color, 0.12 + mottle(rng, 0.08))
    distance = measure_distance(ROWS - 6.5, COLUMNS - 7.5)
    pixels[measure_distance((ROWS - 12.5) * 1.8, COLUMNS - 8.5) < 6.5] = apply_shades(look.color, np.array(-0.45))
    pixels[12:15, 7:9] = (92.0, 64.0, 43.0)
    crown = distance < 6.6
    lit = 0.3 - measure_distance(ROWS - 3.5, COLUMNS - 5.0) / 16 + mottle(rng, 0.16)
    lit[(distance > 5.6) & crown] -= 0.18
    pixels[crown] = apply_shades(look.color, np.round(lit * 8) / 8)[crown]
    return pixels


def snow(look: Look, rng: Rng) -> Pixels:
    """Draw soft drifts with blue shadows and a few sparkles."""
    drifts = smooth(rng.cells((SIDE, SIDE)), 4)
    level = (drifts - drifts.min()) / (drifts.max() - drifts.min())
    shadow = np.array([0.9, 0.94, 0.99])
    pixels = np.where((level < 0.38)[..., None], look.color * shadow, look.color)
    pixels[(level >= 0.38) & (level < 0.46)] = look.color * (0.96, 0.975, 0.995)
    for row, column in choose_spots(rng, 4):
        pixels[row, column] = 255.0
    return pixels


def stairs(look: Look, rng: Rng) -> Pixels:
    """Draw steps that lead down into the dark. Over other ground, they have a margin."""
    step = ROWS // 4
    shades = -0.17 * step + np.where(ROWS % 4 == 0, 0.1, 0.0) - np.where(ROWS % 4 == 3, 0.22, 0.0)
    shades[:, :2] = shades[:, -2:] = -0.62
    pixels = apply_shades(look.color, shades)
    if not look.is_thing:
        return pixels
    layer = clear_pixels()
    fill(layer, (ROWS > 0) & (ROWS < SIDE - 1) & (COLUMNS > 0) & (COLUMNS < SIDE - 1), pixels)
    return layer
