"""Outlines of terrains: distances to the neighbors that do not count as the same, on a margin around the sprite.

Two neighboring sprites compute the same distances along their common side, so that outlines continue from cell to cell.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...core.pieces import SIDES
from ...core.seeds import Rng
from ...core.skins import DIRECTIONS
from .strokes import CORNERS, SIDE, Color, Distances, Look, Pixels, Shades, Texture, measure_distance, smooth

MARGIN = 8
"""Width of the margin around the sprite in pixels."""
INNER = np.s_[MARGIN : MARGIN + SIDE, MARGIN : MARGIN + SIDE]
"""Part of an array with a margin that is the sprite."""
WIDE_ROWS, WIDE_COLUMNS = np.mgrid[-MARGIN : SIDE + MARGIN, -MARGIN : SIDE + MARGIN]
WIDE_GAPS = {
    "n": WIDE_ROWS + 0.5,
    "e": SIDE - 0.5 - WIDE_COLUMNS,
    "s": SIDE - 0.5 - WIDE_ROWS,
    "w": WIDE_COLUMNS + 0.5,
}
"""Distance of the centers of pixels to each side; negative beyond it."""
LIGHT = (-0.8, -0.6)
"""Direction (down, right) from which light comes."""


def edge_distance(look: Look, *, radius: float = 4.0, raise_by: float = 0.0, inset: float = 0.0) -> Distances:
    """Return the distance of pixels, with a margin, to the neighbors that do not count as the same.

    It is negative beyond the rounded corner between two such sides. `raise_by` moves the lower edges up, as for the
    top of a wall whose face is visible, and `inset` moves all edges inward by a wavy line of about that width.
    """
    mask = 255 if look.mask is None else look.mask
    return _edge_distance(mask, radius, raise_by, inset)


@lru_cache(maxsize=1024)
def _edge_distance(mask: int, radius: float, raise_by: float, inset: float) -> Distances:
    def has(direction: str) -> bool:
        return bool(mask >> DIRECTIONS.index(direction) & 1)

    gaps = {**WIDE_GAPS, "s": WIDE_GAPS["s"] - raise_by}
    field = np.full(WIDE_ROWS.shape, float(2 * SIDE))
    for side in SIDES:
        if not has(side):
            field = np.minimum(field, gaps[side])
    for pair, corner in CORNERS.items():
        first, second = gaps[pair[0]], gaps[pair[1]]
        if not has(pair[0]) and not has(pair[1]):
            inside = (first < radius) & (second < radius)
            curve = radius - measure_distance(radius - first, radius - second)
            field = np.where(inside, np.minimum(field, curve), field)
        elif has(pair[0]) and has(pair[1]) and not has(corner):
            field = np.minimum(field, measure_distance(np.maximum(first, 0), np.maximum(second, 0)))
    if inset:
        field = field - inset * (0.5 + _waves())
    field.flags.writeable = False
    return field


@lru_cache(maxsize=1)
def _waves() -> Shades:
    """Return smooth noise from 0 to 1 that is the same in all sprites and wraps around."""
    field = smooth(Rng.of("edges").cells((SIDE, SIDE)), 2)
    field = (field - field.min()) / (field.max() - field.min())
    waves: Shades = np.pad(field, MARGIN, mode="wrap")
    return waves


def draw_surface(texture: Texture, color: Color, rng: Rng) -> Pixels:
    """Draw a texture that fills the sprite. It is drawn only once for all sprites with the same stream."""
    return _draw_surface(texture, tuple(color.tolist()), rng.key).copy()


@lru_cache(maxsize=256)
def _draw_surface(texture: Texture, color: tuple[float, ...], key: bytes) -> Pixels:
    return texture(Look(np.array(color)), Rng(key))


def light_of(field: Distances) -> Shades:
    """Return how much the slope of a field faces the light, from -1 to 1. Edges face away from the inside."""
    down, right = (np.asarray(slope, dtype=np.float64) for slope in np.gradient(field))
    steep = np.maximum(measure_distance(down, right), 1e-9)
    facing: Shades = -(down * LIGHT[0] + right * LIGHT[1]) / steep
    return facing
