"""Textures of an overworld whose terrains join: coasts, turf, woods, hills, mountains and snow.

Each terrain is drawn over those below it: grass over sand, hills over grass, mountains over hills.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from .edges import INNER, MARGIN, WIDE_COLUMNS, WIDE_ROWS, draw_surface, edge_distance, light_of
from .relief import SHADE, SHADOW, draw_raised, earth, edge_colors, lawn, make_layer
from .strokes import (
    COLUMNS,
    ROWS,
    SIDE,
    Distances,
    Look,
    Pixels,
    Region,
    Shades,
    apply_shades,
    choose_spots,
    draw_bands,
    draw_boulders,
    measure_distance,
    mottle,
    rgb,
)
from .surfaces import snow, water

SAND, FOAM, SHALLOW, WATER = rgb("e6d3a3"), rgb("eef8fb"), rgb("6fa9cf"), rgb("3f7cac")
"""Colors of a coast, as in the tileset terrain."""


# -- water ----------------------------------------------------------------------------------------------------------


def coast(look: Look, rng: Rng) -> Pixels:
    """Draw water that ends at a beach."""
    level = edge_distance(look, radius=7.0, inset=1.6)[INNER]
    pixels = draw_bands(level, (0.6, SAND), (1.6, SAND * 0.86), (2.6, FOAM), (5.4, SHALLOW), inside=look.color)
    pixels[level >= 5.4] = draw_surface(water, look.color, rng)[level >= 5.4]
    return pixels


def depths(look: Look, rng: Rng) -> Pixels:
    """Draw deep water that becomes shallow."""
    level = edge_distance(look, radius=7.0, inset=2.0)[INNER]
    pixels = draw_surface(water, look.color, rng)
    pixels[level < 3.5] = look.color * 0.5 + WATER * 0.5
    pixels[level < 1.5] = WATER
    return pixels


# -- plants ---------------------------------------------------------------------------------------------------------


def turf(look: Look, rng: Rng) -> Pixels:
    """Draw grass that ends in a ragged edge."""
    wide = edge_distance(look, radius=6.0, inset=2.2)
    level, facing = wide[INNER], light_of(wide)[INNER]
    pixels = draw_surface(lawn, look.color, rng)
    rim = np.where(facing > 0, 0.14, -0.3)
    pixels[level < 1] = apply_shades(look.color, rim)[level < 1]
    return make_layer(pixels, level > 0)


Stamp = Callable[[Distances, Distances], tuple[Region, Shades]]
"""A function of the distances down and right of a center, which returns a shape and its shades."""


def _draw_stamps(
    look: Look, stamp: Stamp, centers: tuple[tuple[float, float], ...], need: float
) -> tuple[Region, Shades]:
    """Draw a shape at each center, repeated in all cells, that is far enough inside the terrain.

    Centers are between pixels. Return arrays with a margin, which must not be modified. Shapes farther down cover the
    others.
    """
    return _draw_stamps_of_mask(look.mask, stamp, centers, need)


@lru_cache(maxsize=256)
def _draw_stamps_of_mask(
    mask: int | None, stamp: Stamp, centers: tuple[tuple[float, float], ...], need: float
) -> tuple[Region, Shades]:
    level = edge_distance(Look(np.zeros(3), mask=mask), radius=0.0)
    body = np.zeros(level.shape, dtype=np.bool_)
    shades = np.zeros(level.shape)
    places = [
        (row + SIDE * below, column + SIDE * beside)
        for row, column in centers
        for below in (-1, 0, 1)
        for beside in (-1, 0, 1)
    ]
    for row, column in sorted(places):
        around = np.s_[int(row + MARGIN) : int(row + MARGIN) + 2, int(column + MARGIN) : int(column + MARGIN) + 2]
        in_view = -MARGIN <= row < SIDE + MARGIN and -MARGIN <= column < SIDE + MARGIN
        if in_view and level[around].mean() >= need:
            shape, lit = stamp(WIDE_ROWS - row, WIDE_COLUMNS - column)
            body |= shape
            shades[shape] = lit[shape]
    return body, shades


def _crown(down: Distances, right: Distances) -> tuple[Region, Shades]:
    """Return a round crown of a tree, lit from the upper left."""
    distance = measure_distance(down, right)
    lit = 0.3 - measure_distance(down + 2.2, right + 1.8) / 9
    lit = np.round(lit * 5) / 5
    lit[(distance > 3.6) & (down + right > 0)] = -0.5
    lit[(distance > 3.6) & (down + right <= 0)] = -0.1
    return distance < 4.6, lit


CROWNS = ((1.5, 3.5), (1.5, 11.5), (5.5, -0.5), (5.5, 7.5), (9.5, 3.5), (9.5, 11.5), (13.5, -0.5), (13.5, 7.5))


def canopy(look: Look, rng: Rng) -> Pixels:
    """Draw the crowns of trees close together."""
    body, shades = _draw_stamps(look, _crown, CROWNS, 3.9)
    level = edge_distance(look, radius=8.0)
    body = body | (level > 5)
    shades = np.where(shades == 0, -0.5, shades)
    pixels = make_layer(apply_shades(look.color, shades[INNER] + mottle(rng, 0.05)), body[INNER])
    _add_cast_shadow(pixels, body)
    return pixels


def _add_cast_shadow(pixels: Pixels, body: Region, down: int = 2, right: int = 1) -> None:
    """Draw the shadow of a shape with a margin on transparent ground."""
    cast = np.roll(body, (down, right), axis=(0, 1)) & ~body
    pixels[cast[INNER]] = (*SHADE, SHADOW)


# -- heights --------------------------------------------------------------------------------------------------------


def _mounds(look: Look, rng: Rng) -> Pixels:
    """Draw ground with two small mounds, lit from the upper left."""
    pixels = earth(look, rng)
    for row, column in choose_spots(rng.child("mounds"), 2):
        down, right = ROWS - (5 + row % 7), COLUMNS - (5 + column % 7)
        top = down + np.abs(right) // 2 + (np.abs(right) == 4)
        arch = (np.abs(right) <= 4) & (down <= 2)
        pixels[arch & (top == -2)] = apply_shades(look.color, np.array(0.26))
        pixels[arch & (top == -1) & (right < 2)] = apply_shades(look.color, np.array(0.12))
        pixels[arch & (top >= -1) & (right >= 3)] = apply_shades(look.color, np.array(-0.22))
    return pixels


def upland(look: Look, rng: Rng) -> Pixels:
    """Draw a low plateau of earth."""
    top = draw_surface(_mounds, look.color, rng)
    face = apply_shades(look.color, -0.3 - 0.06 * (ROWS % 2))
    return draw_raised(look, top, face, height=4, radius=7.0, inset=1.6, lips=edge_colors(look.color))


def _whole(distances: Distances) -> NDArray[np.int64]:
    return np.floor(distances).astype(np.int64)


def _summit(down: Distances, right: Distances) -> tuple[Region, Shades]:
    """Return a high peak with snow, an outline, a bright and a dark slope."""
    half = np.minimum(1.2 + (down + 7.5) * 0.52, 7.6)
    shape = (np.abs(right) <= half) & (down >= -7) & (down <= 6)
    ridge = np.array([0.5, 1.5, 0.5, -0.5])[_whole(down) % 4]
    lit = np.where(right < ridge, 0.24, -0.28)
    lit[(right < ridge) & (right < -half * 0.35) & ((_whole(down) + _whole(right)) % 5 == 0)] = 0.0
    lit[(right >= ridge) & ((_whole(down) - _whole(right)) % 5 == 0)] = -0.42
    snow_line = -2 + np.array([0, 1, 0, -1])[_whole(right) % 4]
    lit[(down < snow_line) & (right < ridge)] = 1.0
    lit[(down < snow_line) & (right >= ridge)] = 0.66
    lit[(np.abs(right) > half - 1) | (down < -6) | (down > 5)] = -0.62
    return shape, lit


SUMMITS = ((7.5, 7.5), (6.5, 15.5), (14.5, 11.5), (15.5, 3.5))


def mountain_range(look: Look, rng: Rng) -> Pixels:
    """Draw peaks close together."""
    body, shades = _draw_stamps(look, _summit, SUMMITS, 6.9)
    filled = body | (edge_distance(look, radius=8.0) > 7)
    layer = make_layer(apply_shades(look.color, np.where(body, shades, -0.3)[INNER]), filled[INNER])
    _add_cast_shadow(layer, filled, 1, 2)
    return layer


def _peak(down: Distances, right: Distances) -> tuple[Region, Shades]:
    """Return a peak with a bright and a dark slope."""
    half = (down + 7) * 0.72
    shape = (np.abs(right) <= half) & (down >= -7) & (down <= 4)
    ridge = 0.5 * (_whole(down) % 4) - 1
    lit = np.where(right < ridge, 0.22, -0.3)
    lit[(np.abs(right) > half - 1)] -= 0.2
    lit[(down < -3) & (right < ridge)] = 0.8
    lit[(down < -3) & (right >= ridge)] = 0.45
    return shape, lit


PEAKS = ((9.5, 7.5), (17.5, 15.5))


def massif(look: Look, rng: Rng) -> Pixels:
    """Draw mountains: rock with a cliff toward the south, and peaks."""
    stones = draw_boulders(Rng.of("massif")) * 0.5
    body, shades = _draw_stamps(look, _peak, PEAKS, 5.0)
    top = apply_shades(look.color, np.where(body, shades, np.pad(stones, MARGIN, mode="wrap"))[INNER])
    face = apply_shades(look.color, -0.25 + stones)
    return draw_raised(look, top, face, height=5, radius=6.0, inset=1.2, lips=edge_colors(look.color))


def snowfield(look: Look, rng: Rng) -> Pixels:
    """Draw a cover of snow."""
    top = draw_surface(snow, look.color, rng)
    face = np.broadcast_to(look.color * (0.72, 0.78, 0.88), (SIDE, SIDE, 3))
    return draw_raised(
        look, top, face, height=3, radius=7.0, inset=1.6, lips=(rgb("ffffff"), look.color * (0.52, 0.58, 0.68))
    )
