"""Textures of a bright countryside, seen from slightly above: meadows, woods, mountains, roads and pipes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from .strokes import (
    COLUMNS,
    GAPS,
    ROWS,
    SIDE,
    Color,
    Distances,
    Look,
    Pixels,
    apply_drawing,
    apply_shades,
    choose_spots,
    line_distance,
    measure_distance,
    rgb,
)

MEADOW, STEEL = rgb("a9cf6f"), rgb("9aa4b0")
"""Colors of the ground below pieces and of pipes, as in the tileset awbw."""
ROAD_HALF, PIPE_HALF = 5.0, 4.6
"""Half the width of a road with its curbs, and of a pipe."""


def draw_meadow(color: Color, rng: Rng, tufts: int = 3) -> Pixels:
    """Draw short grass with a few tufts, which joins any other meadow without a seam."""
    pixels = np.broadcast_to(color, (SIDE, SIDE, 3)).copy()
    for row, column in choose_spots(rng, tufts):
        row, column = 2 + row % 12, 2 + column % 12
        for drop, side, shade in ((0, 0, -0.14), (-1, -1, -0.1), (-1, 1, -0.1), (-1, 0, 0.16)):
            pixels[row + drop, column + side] = apply_shades(color, np.array(shade))
    return pixels


def plain(look: Look, rng: Rng) -> Pixels:
    """Draw a meadow."""
    return draw_meadow(look.color, rng)


def wood(look: Look, rng: Rng) -> Pixels:
    """Draw round trees close together. Trees in front cover the trees behind them."""
    return apply_drawing(draw_meadow(MEADOW, rng, 0), "wood", look.color)


def mountain(look: Look, rng: Rng) -> Pixels:
    """Draw a snow-covered peak, lit from the left, with a lower peak in front."""
    return apply_drawing(draw_meadow(MEADOW, rng, 0), "mountain", look.color)


# -- pieces --------------------------------------------------------------------------------------------------------


def road(look: Look, rng: Rng) -> Pixels:
    """Draw a paved road with curbs."""
    return draw_road(draw_meadow(MEADOW, rng, 2), look)


def draw_road(pixels: Pixels, look: Look) -> Pixels:
    """Draw a road over pixels. A road without a fork has a dashed center line."""
    off = line_distance(look.joins)
    pixels[off < ROAD_HALF] = apply_shades(look.color, np.array(-0.46))
    pixels[off < ROAD_HALF - 1] = look.color
    pixels[(off < ROAD_HALF - 1) & (off >= ROAD_HALF - 2) & (ROWS + COLUMNS < SIDE)] = apply_shades(
        look.color, np.array(0.3)
    )
    if len(look.joins) == 2:
        straight = look.joins in ("ns", "ew")
        ahead = GAPS[look.joins[0]] if straight else np.abs(GAPS[look.joins[0]] - GAPS[look.joins[1]])
        dashes = np.abs(ahead % 8 - 4) < 2 if straight else ahead < 3.5
        pixels[(off < 0.8) & dashes] = rgb("fbf3d2")
    return pixels


def pipe(look: Look, rng: Rng) -> Pixels:
    """Draw a thick round pipe, with a rim where two pieces meet and a closed end."""
    return _draw_pipe(draw_meadow(MEADOW, rng, 2), look, np.ones((SIDE, SIDE), dtype=np.bool_))


def seam(look: Look, rng: Rng) -> Pixels:
    """Draw a pipe with a patched, cracked joint in the center, where it can be broken."""
    pixels = _draw_pipe(draw_meadow(MEADOW, rng, 2), look, np.ones((SIDE, SIDE), dtype=np.bool_), STEEL)
    along, across = _axes(look.joins)
    band = (np.abs(along) < 4) & (np.abs(across) < PIPE_HALF + 1)
    pixels[band] = apply_shades(look.color, 0.3 - (across + PIPE_HALF) * 0.07)[band]
    pixels[band & (np.abs(along) > 3)] *= 0.62
    pixels[band & (np.abs(across) > PIPE_HALF)] *= 0.6
    pixels[band & (np.abs(np.abs(along) - 2.5) < 0.1) & (np.abs(np.abs(across) - 2.5) < 0.1)] = rgb("fff2c4")
    crack = (np.abs(along - np.where(np.round(across - 0.5) % 2 == 0, 0.5, -0.5)) < 0.1) & (np.abs(across) < PIPE_HALF)
    pixels[crack] = rgb("4a3323")
    return pixels


def rubble(look: Look, rng: Rng) -> Pixels:
    """Draw a broken pipe: two jagged stumps, and shards on the ground between them."""
    along, across = _axes(look.joins)
    jagged = np.abs(along) > 4 + (np.round(across - 0.5) % 2 == 0)
    pixels = draw_meadow(MEADOW, rng, 1)
    scorched = measure_distance(along * 0.9, across * 1.15) < 6
    pixels[scorched] = pixels[scorched] * 0.55 + rgb("9c8a63") * 0.45
    pixels = _draw_pipe(pixels, look, jagged, STEEL)
    for row, column in ((-3, -2), (2, 1), (-1, 3), (3, -3)):
        shard = (np.abs(along - row) < 1.1) & (np.abs(across - column) < 1.1)
        pixels[shard] = apply_shades(look.color, np.where(along - row + across - column < 0, 0.25, -0.4))[shard]
    return pixels


def _axes(joins: str) -> tuple[Distances, Distances]:
    """Return the distances of pixels along and across a straight piece from its center."""
    down, right = ROWS - 7.5, COLUMNS - 7.5
    return (down, right) if joins == "ns" else (right, down)


def _draw_pipe(pixels: Pixels, look: Look, where: NDArray[np.bool_], color: Color | None = None) -> Pixels:
    """Draw a pipe over pixels, with a shadow to the lower right."""
    color = look.color if color is None else color
    off = line_distance(look.joins)
    body = (off < PIPE_HALF) & where
    shadow = np.zeros_like(body)
    shadow[2:, 1:] = body[:-2, :-1]
    if "w" in look.joins:
        shadow[2:, 0] |= body[:-2, 0]
    if "n" in look.joins:
        shadow[:2, 1:] |= body[:2, :-1]
    pixels[shadow & ~body] *= 0.74
    lit = _tube_shades(off)
    pixels[body] = apply_shades(color, np.round(lit * 10) / 10)[body]
    for side in look.joins:
        rim = (GAPS[side] < 2) & (off < PIPE_HALF + 0.5)
        pixels[rim] = apply_shades(color, np.round((lit - 0.12) * 10) / 10)[rim]
        pixels[(GAPS[side] > 2) & (GAPS[side] < 3) & body] *= 0.66
    edge = where & (off >= PIPE_HALF - 1) & body
    pixels[edge] *= 0.62
    return pixels


def _tube_shades(off: Distances) -> Distances:
    """Return the shades of a round tube around a line, lit from the upper left."""
    padded = np.pad(off, 1, mode="reflect", reflect_type="odd")
    down, right = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2, (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    steep = np.clip(off / PIPE_HALF, 0, 1)
    lit: Distances = 0.24 - 0.42 * steep * (down + right) - 0.3 * np.abs(steep - 0.3)
    return lit
