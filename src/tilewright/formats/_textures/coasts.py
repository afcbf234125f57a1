"""Textures of water and of tiles in or over water.

Skins say at which sides of a cell there is water. Shores are bands by the distance from land: sand, foam, shallow and
deep water. Shores therefore continue from one cell to the next, around corners and into river mouths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.pieces import SIDES
from ...core.seeds import Rng
from ...core.skins import CORNER_BITS
from .countryside import MEADOW, draw_meadow, draw_road
from .edges import INNER, edge_distance
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
    clear_pixels,
    draw_bands,
    fill,
    line_distance,
    measure_distance,
    put,
    rgb,
)

SAND, FOAM, SHALLOW, DEEP = rgb("ecd9a2"), rgb("f4fbff"), rgb("74bcea"), rgb("4f8fd6")
SAND_WIDTH, FOAM_WIDTH, SHALLOW_WIDTH = 1.6, 1.0, 2.4
BEACH_WIDTH, CHANNEL_BEACH = 7.0, 4.4
"""Width of the sand of a shoal, and its smaller width if land is on both sides of the water."""
BAY_RADIUS = 14.0
"""Radius of the water in a bay between two sides with land."""
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
    """Draw the beach of a shoal over the sea, at the side where it joins.

    Skins say at which sides there is open water. The beach becomes narrow at these sides. If its own side has open
    water, the beach is at all other sides, or else a bank of sand.
    """
    joined = look.joins or "s"
    dry = [joined] if look.mask is None else _find_land(look)
    fields = [_beach_field(dry, side) for side in ([joined] if joined in dry else dry)]
    pixels = _draw_beach(np.maximum.reduce(fields or [_bank_field()]), look.color)
    if look.mask is None:
        pixels[pixels[..., 3] == 0] = (*DEEP, 255)
    return pixels


def shoal_bay(look: Look, rng: Rng) -> Pixels:
    """Draw the beach of a shoal at its further sides with land, and around the corners of a bay."""
    land = _find_land(look)
    is_channel = {"n", "s"} <= set(land) or {"e", "w"} <= set(land)
    width, radius = (CHANNEL_BEACH, MIDDLE) if is_channel else (BEACH_WIDTH, BAY_RADIUS)
    field = np.full((SIDE, SIDE), -float(SIDE))
    behind = np.zeros((SIDE, SIDE), dtype=np.bool_)
    for side in land:
        if side != look.joins:
            field = np.maximum(field, _beach_field(land, side, width))
    for pair in CORNERS:
        if set(pair) <= set(land):
            bay = measure_distance(*(np.maximum(radius - GAPS[side], 0) for side in pair)) - (radius - width)
            inside = (GAPS[pair[0]] < radius) & (GAPS[pair[1]] < radius)
            field = np.maximum(field, np.where(inside, bay, -SIDE))
            behind |= _corner_field(pair) < 0
    pixels = _draw_beach(field, look.color)
    # The beach of `shoal` is below this one: only sand may cover it.
    if look.joins in land:
        pixels[(field <= 0) & (_beach_field(land, look.joins) > -FOAM_WIDTH)] = 0
    fill(pixels, behind, MEADOW)
    return pixels


def _find_land(look: Look) -> list[str]:
    return [side for side in SIDES if not look.has(side)]


def _bank_field() -> Distances:
    """Return the distance of pixels to the edge of a round bank of sand."""
    return CHANNEL_BEACH - measure_distance(ROWS + 0.5 - MIDDLE, COLUMNS + 0.5 - MIDDLE)


def _beach_field(dry: Sequence[str], land: str, width: float = BEACH_WIDTH) -> Distances:
    """Return the distance of pixels to the outer edge of a beach at one side, positive on the sand.

    Toward its ends, the beach becomes as narrow as other coasts if it does not continue there.
    """
    widths = np.full((SIDE, SIDE), width)
    for end in "ew" if land in "ns" else "ns":
        if end not in dry:
            near = np.clip(1 - (GAPS[end] - 0.5) / width, 0, 1)
            widths = np.minimum(widths, SAND_WIDTH + (width - SAND_WIDTH) * np.sqrt(1 - near * near))
    field: Distances = widths - GAPS[land]
    return field


def _draw_beach(field: Distances, color: Color) -> Pixels:
    """Draw sand with foam and shallow water around it, on transparent ground."""
    pixels = clear_pixels()
    fill(
        pixels,
        field > -FOAM_WIDTH - SHALLOW_WIDTH,
        draw_bands(-field, (0, color), (FOAM_WIDTH, FOAM), inside=SHALLOW),
    )
    grains = (ROWS * 5 + COLUMNS * 3) % 11 == 0
    pixels[(field > 0) & (grains | (field < 1.2)), :3] = apply_shades(color, np.array(-0.1))
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


def _corner_field(sides: str) -> Distances:
    """Return the distance of pixels to the rounded corner between two sides with land; negative beyond it."""
    first, second = (ROUND - GAPS[side] for side in sides)
    return np.where((first > 0) & (second > 0), ROUND - measure_distance(first, second), SIDE)


def _edge_distance(look: Look) -> Distances:
    """Return the distance of pixels to land. It is negative beyond the rounded corner between two sides with land."""
    return edge_distance(look, radius=ROUND)[INNER]


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
