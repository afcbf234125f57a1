"""Drawing primitives of textures: a tile's look, shades of its color, and strokes that join at the edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ... import data
from ...core.seeds import Rng
from ...core.skins import DIRECTIONS

SIDE = 16
"""Width and height of a drawn sprite in pixels; other sizes are resampled from it."""
MIDDLE = SIDE / 2
FILLET = 3.0
"""Radius of the rounded inner corners of a fork, in pixels."""

Distances: TypeAlias = NDArray[np.float64]
"""Array (row, column) of the distance of each pixel."""
Region: TypeAlias = NDArray[np.bool_]
"""Array (row, column) of whether a pixel belongs to a part of the sprite."""
Shades: TypeAlias = NDArray[np.float64]
"""Array (row, column) of lightness relative to the tile's color, from -1 (black) to 1 (white)."""
Pixels: TypeAlias = NDArray[np.float64]
"""Array (row, column, 3) of red, green and blue, or (row, column, 4) with alpha."""
Color: TypeAlias = NDArray[np.float64]
"""Red, green and blue, from 0 to 255."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything that a texture depends on besides its kind: color, joins and surroundings of the tile."""

    color: Color
    joins: str = ""
    """Sides at which a piece continues."""
    mask: int | None = None
    """Neighbors that count as the same, as bits by direction (see `core.skins`); None if unknown, as in a palette."""
    is_thing: bool = False
    """Whether the tile is drawn over the ground, so that its background is transparent."""

    def has(self, direction: str) -> bool:
        """Return whether the neighbor in a direction (n, ne, e, ...) counts as the same."""
        return self.mask is None or bool(self.mask >> DIRECTIONS.index(direction) & 1)


Texture: TypeAlias = Callable[[Look, Rng], Pixels]

ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def rgb(color: str) -> Color:
    """Return the color of a hex string rrggbb."""
    return np.array(list(bytes.fromhex(color)), dtype=np.float64)


def apply_shades(color: Color, shades: Shades) -> Pixels:
    """Mix a color with white where a shade is positive and with black where it is negative."""
    light, dark = np.clip(shades, 0, 1)[..., None], np.clip(shades, -1, 0)[..., None]
    return color * (1 + dark) * (1 - light) + 255.0 * light


def put(pixels: Shades | Pixels, row: int, column: int, paint: float | Color) -> None:
    """Set a shade or a color; positions wrap around at the edges, so that sprites join."""
    pixels[row % SIDE, column % SIDE] = paint


def choose_spots(rng: Rng, count: int) -> list[tuple[int, int]]:
    """Choose random places spread over the sprite.

    Each place is the best of a few random candidates: the one farthest from all places chosen before.
    """
    spots: list[tuple[int, int]] = []
    while len(spots) < count:
        tries = [(rng.below(SIDE), rng.below(SIDE)) for _ in range(6)]
        spots.append(max(tries, key=lambda spot: min((_squared_distance(spot, other) for other in spots), default=0)))
    return spots


def _squared_distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    gaps = [min(abs(a - b), SIDE - abs(a - b)) for a, b in zip(one, other, strict=True)]
    return gaps[0] ** 2 + gaps[1] ** 2


def smooth(field: Shades, times: int) -> Shades:
    """Replace each value by its average with the four neighbors, repeatedly. The array wraps around at the edges."""
    for _ in range(times):
        field = (field * 2 + sum(np.roll(field, step, axis) for step in (1, -1) for axis in (0, 1))) / 6
    return field


def mottle(rng: Rng, strength: float) -> Shades:
    """Return random patches that are slightly lighter or darker."""
    field = smooth(rng.child("mottled").cells((SIDE, SIDE)), 1) - 0.5
    shades: Shades = strength * ((field > 0.08) * 1.0 - (field < -0.08) * 1.0)
    return shades


def draw_boulders(rng: Rng) -> Shades:
    """Return the shades of stones around random centers.

    Each stone has its own tint and a lit upper edge; the gaps are dark.
    """
    centers = np.array(choose_spots(rng, 7))
    gaps = np.abs(np.stack([ROWS, COLUMNS], axis=-1)[:, :, None] - centers)
    gaps = np.minimum(gaps, SIDE - gaps)
    owner = (gaps**2).sum(axis=-1).argmin(axis=-1)
    tints = np.array([rng.random() * 0.16 - 0.06 for _ in centers])
    shades: Shades = tints[owner]
    shades[(owner != np.roll(owner, 1, 0)) | (owner != np.roll(owner, 1, 1))] += 0.12
    shades[(owner != np.roll(owner, -1, 0)) | (owner != np.roll(owner, -1, 1))] = -0.36
    return shades


# -- pixels with and without alpha ---------------------------------------------------------------------------------


def clear_pixels() -> Pixels:
    """Return transparent pixels."""
    return np.zeros((SIDE, SIDE, 4))


def fill(pixels: Pixels, where: Region, paint: Color | Pixels) -> None:
    """Set the color of a region, in place."""
    pixels[where, :3] = paint[where] if paint.ndim == pixels.ndim else paint
    pixels[where, 3:] = 255.0


def darken(pixels: Pixels, where: Region, factor: float) -> None:
    """Multiply the brightness of a region, in place. Where pixels are transparent, they become a shadow."""
    if pixels.shape[-1] == 4:
        empty = where & (pixels[..., 3] == 0)
        pixels[empty] = (0.0, 0.0, 0.0, round(255 * (1 - factor)))
        where = where & ~empty
    pixels[where, :3] *= factor


# -- drawings and distances ---------------------------------------------------------------------------------------


def apply_drawing(
    pixels: Pixels, drawing: str, color: Color, colors: Mapping[str, Color] = MappingProxyType({})
) -> Pixels:
    """Apply a built-in drawing to pixels, in place. A drawing has one letter per pixel; a dot keeps the pixel.

    Lines above the drawing define its letters: a shade of the tile's color (`A -0.3`), a color (`x #18141a`) or a
    shadow (`s *0.7`). `colors` defines further letters.
    """
    legend, letters = _read_drawing(drawing)
    for letter, paint in legend.items():
        if paint.startswith("*"):
            darken(pixels, letters == letter, float(paint[1:]))
        else:
            is_color = paint.startswith("#")
            fill(
                pixels,
                letters == letter,
                rgb(paint[1:]) if is_color else apply_shades(color, np.array(float(paint))),
            )
    for letter, fixed in colors.items():
        fill(pixels, letters == letter, fixed)
    return pixels


@cache
def _read_drawing(name: str) -> tuple[dict[str, str], NDArray[np.str_]]:
    """Return the definitions of a drawing's letters, and the array (row, column) of its letters."""
    lines = data.read_text("drawings", name).splitlines()
    legend = dict(line.split() for line in lines[:-SIDE])
    return legend, np.array([list(line) for line in lines[-SIDE:]])


def draw_bands(field: Distances, *bands: tuple[float, Color], inside: Color) -> Pixels:
    """Return the color of each pixel: that of the first band whose limit exceeds the distance, or else `inside`."""
    pixels = np.broadcast_to(inside, (SIDE, SIDE, 3)).copy()
    for limit, color in reversed(bands):
        pixels[field < limit] = color
    return pixels


GAPS = {"n": ROWS + 0.5, "e": SIDE - 0.5 - COLUMNS, "s": SIDE - 0.5 - ROWS, "w": COLUMNS + 0.5}
"""Distance of the centers of pixels to each side."""


CORNERS = {"ne": "ne", "es": "se", "sw": "sw", "nw": "nw"}
"""Directions of corners by the sides between which they are."""


def measure_distance(down: Distances, right: Distances) -> Distances:
    """Return the length of a vector. Unlike `np.hypot`, the square root is the same on every machine."""
    distance: Distances = np.sqrt(down * down + right * right)
    return distance


def corner_distance(sides: str) -> Distances:
    """Return the distance of pixels to the corner between two sides."""
    return measure_distance(GAPS[sides[0]], GAPS[sides[1]])


def line_distance(joins: str) -> Distances:
    """Return the distance of pixels to the center line of a piece, which may be straight, bent or forked, or an end."""
    if len(joins) == 2 and joins not in ("ns", "ew"):
        bend: Distances = np.abs(corner_distance(joins) - MIDDLE)
        return bend
    if not joins:
        return measure_distance(GAPS["n"] - MIDDLE, GAPS["w"] - MIDDLE)
    arms = {side: _arm_distance(side) for side in joins}
    off: Distances = np.minimum.reduce(list(arms.values()))
    for one, other in (tuple(pair) for pair in CORNERS if set(pair) <= set(joins)):
        between = (GAPS[one] < MIDDLE) & (GAPS[other] < MIDDLE)
        near = np.clip(1 - np.abs(arms[one] - arms[other]) / FILLET, 0, 1)
        off = np.where(between, off - near**2 * FILLET / 4, off)
    return off


def _arm_distance(side: str) -> Distances:
    """Return the distance of pixels to the line between the center and a side."""
    return measure_distance(np.maximum(GAPS[side] - MIDDLE, 0), GAPS["w" if side in "ns" else "n"] - MIDDLE)
