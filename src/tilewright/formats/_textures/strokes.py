"""What textures are drawn from and with: a tile's look, shades of its colour, and strokes that join at the edges."""

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

SIDE = 16
"""Pixels along a drawn sprite; other sizes are enlarged or thinned out from it."""
MIDDLE = SIDE / 2
FILLET = 3.0
"""How far the inner corners of a fork are rounded, in pixels."""

Distances: TypeAlias = NDArray[np.float64]
"""(row, column) a number for every pixel."""
Shades: TypeAlias = NDArray[np.float64]
"""(row, column) how much lighter (up to 1: white) or darker (down to -1: black) than the tile's colour a pixel is."""
Pixels: TypeAlias = NDArray[np.float64]
"""(row, column, 3) red, green, blue."""
Color: TypeAlias = NDArray[np.float64]
"""Red, green, blue, up to 255."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """All that a texture knows of a tile and the place where it stands."""

    color: Color
    joins: str = ""
    """The sides where a piece goes on."""
    shore_code: int | None = None
    """What lies around it, as `surroundings` tells; None where that is not known, as in a sheet of tiles."""


Texture: TypeAlias = Callable[[Look, Rng], Pixels]

ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]


def rgb(color: str) -> Color:
    """The colour rrggbb."""
    return np.array(list(bytes.fromhex(color)), dtype=np.float64)


def apply_shades(color: Color, shades: Shades) -> Pixels:
    """The colour, mixed with white where a shade is positive and with black where it is negative."""
    light, dark = np.clip(shades, 0, 1)[..., None], np.clip(shades, -1, 0)[..., None]
    return color * (1 + dark) * (1 - light) + 255.0 * light


def put(pixels: Shades | Pixels, row: int, column: int, paint: float | Color) -> None:
    """Set a shade or a color; what leaves the sprite comes back on the other side, so that sprites join."""
    pixels[row % SIDE, column % SIDE] = paint


def choose_spots(rng: Rng, count: int) -> list[tuple[int, int]]:
    """Places spread over the sprite: random, but the farthest of a few from those before."""
    spots: list[tuple[int, int]] = []
    while len(spots) < count:
        tries = [(rng.below(SIDE), rng.below(SIDE)) for _ in range(6)]
        spots.append(max(tries, key=lambda spot: min((_squared_distance(spot, other) for other in spots), default=0)))
    return spots


def _squared_distance(one: tuple[int, int], other: tuple[int, int]) -> int:
    gaps = [min(abs(a - b), SIDE - abs(a - b)) for a, b in zip(one, other, strict=True)]
    return gaps[0] ** 2 + gaps[1] ** 2


def smooth(field: Shades, times: int) -> Shades:
    """Average with the four neighbours, around the edges."""
    for _ in range(times):
        field = (field * 2 + sum(np.roll(field, step, axis) for step in (1, -1) for axis in (0, 1))) / 6
    return field


def mottle(rng: Rng, strength: float) -> Shades:
    """Patches a shade lighter or darker."""
    field = smooth(rng.child("mottled").cells((SIDE, SIDE)), 1) - 0.5
    shades: Shades = strength * ((field > 0.08) * 1.0 - (field < -0.08) * 1.0)
    return shades


def draw_boulders(rng: Rng) -> Shades:
    """Stones around random centres: a tint each, lit edges above, dark gaps between."""
    centres = np.array(choose_spots(rng, 7))
    gaps = np.abs(np.stack([ROWS, COLUMNS], axis=-1)[:, :, None] - centres)
    gaps = np.minimum(gaps, SIDE - gaps)
    owner = (gaps**2).sum(axis=-1).argmin(axis=-1)
    tints = np.array([rng.random() * 0.16 - 0.06 for _ in centres])
    shades: Shades = tints[owner]
    shades[(owner != np.roll(owner, 1, 0)) | (owner != np.roll(owner, 1, 1))] += 0.12
    shades[(owner != np.roll(owner, -1, 0)) | (owner != np.roll(owner, -1, 1))] = -0.36
    return shades


# -- drawings and fields ------------------------------------------------------------------------------------------


def apply_drawing(
    pixels: Pixels, drawing: str, color: Color, colors: Mapping[str, Color] = MappingProxyType({})
) -> Pixels:
    """Put a drawing that ships with Tilewright over pixels: a letter a pixel, and a dot what was there.

    Lines above the drawing say what its letters are: a shade of the tile's color (`A -0.3`), a color (`x #18141a`) or
    a shadow (`s *0.7`). `colors` are those of further letters.
    """
    legend, letters = _read_drawing(drawing)
    for letter, paint in legend.items():
        if paint.startswith("*"):
            pixels[letters == letter] *= float(paint[1:])
        else:
            is_color = paint.startswith("#")
            pixels[letters == letter] = rgb(paint[1:]) if is_color else apply_shades(color, np.array(float(paint)))
    for letter, fixed in colors.items():
        pixels[letters == letter] = fixed
    return pixels


@cache
def _read_drawing(name: str) -> tuple[dict[str, str], NDArray[np.str_]]:
    """What the letters of a drawing are, and (row, column) the letters."""
    lines = data.read_text("drawings", name).splitlines()
    legend = dict(line.split() for line in lines[:-SIDE])
    return legend, np.array([list(line) for line in lines[-SIDE:]])


def draw_bands(field: Distances, *bands: tuple[float, Color], inside: Color) -> Pixels:
    """The colour of the first band whose limit lies above the field's number, else that of the inside."""
    pixels = np.broadcast_to(inside, (SIDE, SIDE, 3)).copy()
    for limit, color in reversed(bands):
        pixels[field < limit] = color
    return pixels


GAPS = {"n": ROWS + 0.5, "e": SIDE - 0.5 - COLUMNS, "s": SIDE - 0.5 - ROWS, "w": COLUMNS + 0.5}
"""How far the pixels' middles lie from each side."""


CORNERS = ("ne", "es", "sw", "nw")
"""Corners by the sides that they lie between."""


def _hypot(down: Distances, right: Distances) -> Distances:
    distance: Distances = np.hypot(down, right)
    return distance


def corner_distance(sides: str) -> Distances:
    """How far the pixels lie from the corner between two sides."""
    return _hypot(GAPS[sides[0]], GAPS[sides[1]])


def line_distance(joins: str) -> Distances:
    """How far the pixels lie from the line along a piece: straight across, round a bend, to its end, or forked."""
    if len(joins) == 2 and joins not in ("ns", "ew"):
        bend: Distances = np.abs(corner_distance(joins) - MIDDLE)
        return bend
    if not joins:
        return _hypot(GAPS["n"] - MIDDLE, GAPS["w"] - MIDDLE)
    arms = {side: _arm_distance(side) for side in joins}
    off: Distances = np.minimum.reduce(list(arms.values()))
    for one, other in (tuple(pair) for pair in CORNERS if set(pair) <= set(joins)):
        between = (GAPS[one] < MIDDLE) & (GAPS[other] < MIDDLE)
        near = np.clip(1 - np.abs(arms[one] - arms[other]) / FILLET, 0, 1)
        off = np.where(between, off - near**2 * FILLET / 4, off)
    return off


def _arm_distance(side: str) -> Distances:
    """How far the pixels lie from the line between the middle and a side."""
    return _hypot(np.maximum(GAPS[side] - MIDDLE, 0), GAPS["w" if side in "ns" else "n"] - MIDDLE)
