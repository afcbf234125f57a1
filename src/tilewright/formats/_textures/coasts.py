"""Textures of water and of tiles in or over water.

Skins say at which sides of a cell there is water. Shores are bands by the distance from land: sand, foam, shallow and
deep water. Shores therefore continue from one cell to the next, around corners and into river mouths.
"""

from __future__ import annotations

import numpy as np

from ...core.pieces import SIDES
from ...core.seeds import Rng
from ...core.skins import CORNER_BITS
from .countryside import MEADOW, draw_meadow, draw_road
from .strokes import (
    COLUMNS,
    CORNERS,
    GAPS,
    MIDDLE,
    ROWS,
    SIDE,
    Color,
    Distances,
    Look,
    Pixels,
    apply_drawing,
    apply_shades,
    corner_distance,
    draw_bands,
    line_distance,
    measure_distance,
    put,
    rgb,
)

SAND, FOAM, SHALLOW, DEEP = rgb("ecd9a2"), rgb("f4fbff"), rgb("74bcea"), rgb("4f8fd6")
SAND_WIDTH, FOAM_WIDTH, SHALLOW_WIDTH = 1.6, 1.0, 2.4
BEACH_GAP = 6.0
"""Distance of the sand of a shoal from open water."""
RIVER_HALF = 6.0
"""Half the width of a river with the sand on its banks. At its mouth, a river is as wide as the cell."""
ROUND = 6.0
"""Radius of the corners of a coast."""


# -- water ---------------------------------------------------------------------------------------------------------


def sea(look: Look, rng: Rng) -> Pixels:
    """Draw deep water with small waves, and shallow water, foam and sand toward land."""
    return _draw_shore(_edge_distance(look), look.color)


def reef(look: Look, rng: Rng) -> Pixels:
    """Draw rocks in the sea, with foam around them."""
    return apply_drawing(_draw_shore(_edge_distance(look), DEEP), "reef", look.color, {"f": FOAM})


def shoal(look: Look, rng: Rng) -> Pixels:
    """Draw a beach over the sea. It ends before the sides with open water; without neighbors, it is at the side where
    it joins."""
    if look.mask is None:
        land = np.minimum.reduce([GAPS[side] for side in look.joins or SIDES])
        field = SIDE - BEACH_GAP - land
    else:
        field = _edge_distance(look) - BEACH_GAP
    pixels = np.zeros((SIDE, SIDE, 4))
    pixels[..., :3] = draw_bands(-field, (0, look.color), (FOAM_WIDTH, FOAM), inside=SHALLOW)
    pixels[..., 3] = np.where(field > -FOAM_WIDTH - SHALLOW_WIDTH, 255, 0)
    grains = (ROWS * 5 + COLUMNS * 3) % 11 == 0
    darker = apply_shades(look.color, np.array(-0.1))
    pixels[(field > 0) & (grains | (field < 1.2)), :3] = darker
    if look.mask is None:
        pixels[pixels[..., 3] == 0] = (*DEEP, 255)
    return pixels


def river(look: Look, rng: Rng) -> Pixels:
    """Draw a stream between sandy banks, wider at sides with open water."""
    return _draw_stream(
        look, look.joins, [side for side in look.joins if look.mask is not None and look.has(side)], rng
    )


def river_bank(look: Look, rng: Rng) -> Pixels:
    """Draw the rounded source of a river: the bank at the sides where it would continue, but there is no water."""
    wet = "".join(filter(look.has, look.joins))
    pixels = np.zeros((SIDE, SIDE, 4))
    if wet != look.joins:
        streams = [_draw_stream(look, joins, [], rng) for joins in (wet, look.joins)]
        pixels[..., :3] = streams[0]
        pixels[..., 3] = np.where((streams[0] != streams[1]).any(axis=-1), 255, 0)
    return pixels


def _draw_stream(look: Look, joins: str, mouths: list[str], rng: Rng) -> Pixels:
    half = np.full((SIDE, SIDE), RIVER_HALF)
    for side in mouths:
        near = np.clip(1 - GAPS[side] / 6, 0, 1)
        half = np.maximum(half, RIVER_HALF + (MIDDLE - RIVER_HALF) * near**2)
    field = half - line_distance(joins)
    pixels = draw_bands(field, (SAND_WIDTH, SAND), (SAND_WIDTH + FOAM_WIDTH, FOAM), inside=look.color)
    glints = ((ROWS + 2 * COLUMNS) % 16 < 2) & (field > SAND_WIDTH + FOAM_WIDTH + 0.8)
    pixels[glints] = apply_shades(look.color, np.array(0.45))
    grass = draw_meadow(MEADOW, rng.child("meadow"), 2)
    pixels[field < 0] = grass[field < 0]
    return pixels


def bridge(look: Look, rng: Rng) -> Pixels:
    """Draw a road on a deck with railings, over the sea if there is open water on both sides, or else a river."""
    crosswise = "".join(side for side in SIDES if side not in look.joins)
    if look.mask is not None and all(map(look.has, crosswise)):
        pixels = sea(Look(DEEP, "", look.mask | CORNER_BITS), rng)
    else:
        pixels = river(Look(SHALLOW, crosswise, look.mask), rng)
    level = look.joins != "ns"
    across = (ROWS if level else COLUMNS) - 7.5
    along = COLUMNS if level else ROWS
    pixels[(across > 6) & (across < 8)] *= 0.72
    draw_road(pixels, look)
    pixels[np.abs(np.abs(across) - 5.5) < 0.2] = apply_shades(look.color, np.array(-0.5))
    pixels[np.abs(np.abs(across) - 4.5) < 0.2] = apply_shades(look.color, np.array(0.45))
    pixels[(np.abs(np.abs(across) - 4.5) < 0.2) & (along % 4 == 1)] = apply_shades(look.color, np.array(-0.25))
    return pixels


def _edge_distance(look: Look) -> Distances:
    """Return the distance of pixels to the neighbors that do not count as the same.

    It is negative beyond the rounded corner between two such sides.
    """
    field = np.full((SIDE, SIDE), float(SIDE))
    for side in SIDES:
        if not look.has(side):
            field = np.minimum(field, GAPS[side])
    for pair, corner in CORNERS.items():
        first, second = GAPS[pair[0]], GAPS[pair[1]]
        if not look.has(pair[0]) and not look.has(pair[1]):
            inside = (first < ROUND) & (second < ROUND)
            field = np.where(inside, np.minimum(field, ROUND - measure_distance(ROUND - first, ROUND - second)), field)
        elif look.has(pair[0]) and look.has(pair[1]) and not look.has(corner):
            field = np.minimum(field, corner_distance(pair))
    return field


def _draw_shore(field: Distances, color: Color, sand: Distances | float = SAND_WIDTH) -> Pixels:
    """Draw water of a color with small waves, and its shore toward land."""
    out = field - sand
    deep = FOAM_WIDTH + SHALLOW_WIDTH
    pixels = draw_bands(out, (0, SAND), (FOAM_WIDTH, FOAM), (deep, SHALLOW), inside=color)
    pixels[field < 0] = MEADOW
    shades = np.zeros((SIDE, SIDE))
    for row, column in ((3, 1), (7, 9), (11, 3), (15, 11)):
        for step, drop in enumerate((0, -1, -1, 0)):
            put(shades, row + drop, column + step, 0.22)
    pixels[out > deep + 0.5] = apply_shades(color, shades)[out > deep + 0.5]
    return pixels
