"""Textures of terrains that join: walls, rock and plateaus above the ground, water and chasms below it.

A skin says which neighbors are the same terrain. The sprite is cut by the distance to all others, and its background
is transparent. Light comes from the upper left; the lower side of a raised terrain shows its face.
"""

from __future__ import annotations

import numpy as np

from ...core.seeds import Rng
from .edges import INNER, draw_surface, edge_distance, light_of
from .strokes import (
    COLUMNS,
    GAPS,
    ROWS,
    SIDE,
    Color,
    Distances,
    Look,
    Pixels,
    Region,
    Shades,
    apply_shades,
    choose_spots,
    clear_pixels,
    draw_boulders,
    measure_distance,
    put,
    rgb,
    smooth,
)
from .surfaces import ore, water

SHADE = (30.0, 20.0, 26.0)
"""Color of shadows on the ground."""
SHADOW = 104.0
"""Alpha of shadows on the ground, from 0 to 255."""
SHADOW_WIDTH = 3
"""Width of shadows in pixels."""


def make_layer(pixels: Pixels, where: Region) -> Pixels:
    """Return pixels with alpha, opaque in a region."""
    return np.concatenate([pixels, np.where(where, 255.0, 0.0)[..., None]], axis=-1)


# -- above the ground -----------------------------------------------------------------------------------------------


def draw_raised(
    look: Look, top: Pixels, face: Pixels, *, height: int, radius: float, inset: float, lips: tuple[Color, Color]
) -> Pixels:
    """Draw a terrain above the ground: its top, its face toward the south, an outline and a rim in the light.

    `lips` are the colors of the rim in the light and of the outline.
    """
    base = edge_distance(look, radius=radius, inset=inset)[INNER]
    raised = edge_distance(look, radius=radius, raise_by=height, inset=inset)
    facing, level = light_of(raised)[INNER], raised[INNER]
    bright, dark = lips
    body = base > 0
    surface = body & (level > 0)
    pixels = np.where(surface[..., None], top, face)
    # The rim is one pixel wide and inside the outline, but directly above the face.
    above_face = level < base - 1
    rim = surface & np.where(above_face, level <= 1, (base > 1) & (base <= 2))
    share = np.where(above_face, 0.75, np.clip(0.35 + 0.65 * facing, 0, 1))[..., None]
    pixels = np.where(rim[..., None], pixels * (1 - share) + bright * share, pixels)
    pixels[body & ~surface & (level > -1)] = face[body & ~surface & (level > -1)] * 0.62
    pixels[body & (base <= 1)] = dark
    layer = make_layer(pixels, body)
    _add_shadow(layer, body, look)
    return layer


def _add_shadow(layer: Pixels, body: Region, look: Look) -> None:
    """Darken the ground at the lower and right edges of a terrain, within its own cells."""
    cast = np.zeros_like(body)
    if not look.has("s"):
        cast |= ROWS >= SIDE // 2
    if not look.has("e"):
        cast |= (COLUMNS >= SIDE // 2) & (ROWS >= SIDE // 4)
    layer[cast & ~body] = (*SHADE, SHADOW)


def shadow(look: Look, rng: Rng) -> Pixels:
    """Draw the shadow of neighbors at the upper and left sides, on transparent ground."""
    pixels = clear_pixels()
    pixels[..., :3] = SHADE
    if look.mask is not None and look.has("w"):
        pixels[(COLUMNS < SHADOW_WIDTH - 1) & (look.has("n") | (ROWS >= COLUMNS)), 3] = SHADOW * 0.7
    if look.mask is not None and look.has("n"):
        pixels[ROWS < SHADOW_WIDTH, 3] = SHADOW
        pixels[ROWS == SHADOW_WIDTH, 3] = np.maximum(pixels[ROWS == SHADOW_WIDTH, 3], SHADOW * 0.45)
    return pixels


def crag(look: Look, rng: Rng) -> Pixels:
    """Draw a mass of rock: a lit rim, a dark inside, and a cracked face toward the south."""
    height = 9
    level = edge_distance(look, radius=5.0, raise_by=height, inset=1.2)[INNER]
    depth = np.select([level > 9, level > 6.5, level > 4], [-0.5, -0.34, -0.16], 0.02)
    stones = draw_boulders(Rng.of("crag"))
    top = apply_shades(look.color, depth + stones * np.select([level > 9, level > 6.5], [0.15, 0.5], 0.75))
    drop = np.clip(-level / height, 0, 1)
    lit = _cracks(Rng.of("crag face")) + 0.12 - np.round(drop * 4) / 4 * 0.42
    face = apply_shades(look.color * 1.15 + np.array((30.0, 22.0, 14.0)), lit)
    return draw_raised(look, top, face, height=height, radius=5.0, inset=1.2, lips=edge_colors(look.color))


def edge_colors(color: Color) -> tuple[Color, Color]:
    """Return the colors of a rim in the light and of an outline."""
    bright = apply_shades(color * 0.95 + np.array((26.0, 22.0, 18.0)), np.array(0.24))
    return bright, color * 0.3 + np.array((7.0, 5.0, 8.0))


def _cracks(rng: Rng) -> Shades:
    """Return the shades of upright slabs of different width, with cracks between them."""
    edges = np.cumsum([3, 2, 4, 3, 4])
    slab = np.searchsorted(edges, COLUMNS + (ROWS // 5) % 2, side="right") % len(edges)
    tints = np.array([rng.random() * 0.2 - 0.1 for _ in edges])
    shades: Shades = tints[slab]
    shades[slab != np.roll(slab, 1, axis=1)] += 0.16
    shades[slab != np.roll(slab, -1, axis=1)] -= 0.3
    return shades


def masonry(look: Look, rng: Rng) -> Pixels:
    """Draw a wall of bricks: a cap of flat stones, darkness inside, and courses of bricks toward the south."""
    height = 9
    level = edge_distance(look, radius=0.0, raise_by=height)[INNER]
    fade = [level > 13, level > 11, level > 9.5, level > 8.5, level > 5, level > 4]
    depth = np.select(fade, [-0.72, -0.64, -0.54, -0.42, -0.06, -0.2], 0.28)
    upright = _is_upright(level)
    joints = (level <= 4) & (((ROWS + 2) % 8 == 0) & upright | ((COLUMNS + 4) % 8 == 0) & ~upright)
    depth[joints] = 0.04
    top = apply_shades(look.color, depth)
    return draw_raised(
        look, top, _draw_bricks(look.color, height), height=height, radius=0.0, inset=0.0, lips=edge_colors(look.color)
    )


def _draw_bricks(color: Color, height: int) -> Pixels:
    """Draw courses of bricks, four pixels high, on the lowest rows."""
    down = ROWS - (SIDE - height + 1)
    course = down // 4 % 2
    across = (COLUMNS + 4 * course) % SIDE
    shades = np.array([[0.16, 0.08], [0.1, 0.18]])[course, across // 8]
    shades[down % 4 == 0] += 0.1
    shades[(down % 4 == 3) | (across % 8 == 7)] = -0.3
    return apply_shades(color, shades)


def _is_upright(level: Distances) -> Region:
    down, right = np.gradient(level)
    upright: Region = np.abs(right) > np.abs(down)
    return upright


def cloud(look: Look, rng: Rng) -> Pixels:
    """Draw a white cloud with a puffy top and a shaded base, rounded at its ends."""
    places = ((8, 7.5, 7), (11, 0, 4.5), (11, 15, 4.5))
    puffs = [measure_distance(ROWS - row, COLUMNS - column) < radius for row, column, radius in places]
    inside = np.logical_or.reduce(puffs) & (edge_distance(look, radius=7.0)[INNER] > 0) & (ROWS < SIDE - 2)
    return make_layer(np.where((ROWS > 10)[..., None], rgb("d8e8f0"), rgb("fafdfe")), inside)


# -- below the ground -----------------------------------------------------------------------------------------------


def pool(look: Look, rng: Rng) -> Pixels:
    """Draw water below the ground: a bank, foam, shallow and deep water."""
    wide = edge_distance(look, radius=6.0, inset=1.4)
    level, facing = wide[INNER], light_of(wide)[INNER]
    pixels = draw_surface(water, look.color, rng)
    pixels[level < 4.2] = apply_shades(look.color, np.array(0.12))
    pixels[level < 3] = apply_shades(look.color, np.array(0.34))
    pixels[(level < 2)] = apply_shades(look.color, np.array(0.62))
    bank = (level < 1) | ((facing > 0.3) & (level < 2))
    pixels[bank] = look.color * 0.42
    return make_layer(pixels, level > 0)


def chasm(look: Look, rng: Rng) -> Pixels:
    """Draw a chasm: the wall below its upper edge, which becomes darker, and a rim."""
    wide = edge_distance(look, radius=5.0, inset=1.2)
    level, facing = wide[INNER], light_of(wide)[INNER]
    fall = np.where(look.has("n"), 99.0, ROWS + 0.5)
    rock = np.array((118.0, 101.0, 84.0))
    pixels = np.broadcast_to(look.color, (SIDE, SIDE, 3)).copy()
    cliff = apply_shades(rock, _cracks(Rng.of("chasm")) - 0.1)
    for limit, share in ((12, 0.2), (9, 0.42), (6, 0.66), (3, 0.85)):
        where = (fall < limit) & (level > 0)
        pixels[where] = (cliff * share + look.color * (1 - share))[where]
    rim = level < 1
    pixels[rim] = np.where((facing > 0.2)[..., None], rock * 0.45, rock * 1.25)[rim]
    return make_layer(pixels, level > 0)


# -- on the ground ----------------------------------------------------------------------------------------------------


def earth(look: Look, rng: Rng) -> Pixels:
    """Draw trodden ground. Some variants have pebbles or a crack."""
    shades = _draw_patches(rng, 0.05)
    pebbles = rng.below(3)
    for row, column in choose_spots(rng, pebbles or rng.below(2)):
        row, column = 4 + row % 9, 4 + column % 9
        if pebbles == 0:
            for drop, side in ((-2, -2), (-1, -1), (-1, 0), (0, 1), (1, 1), (2, 2)):
                put(shades, row + drop, column + side, -0.16)
        else:
            for drop, side, shade in ((0, 0, 0.2), (0, 1, 0.1), (1, 0, -0.12), (1, 1, -0.26), (1, 2, -0.18)):
                put(shades, row + drop, column + side, shade)
    return apply_shades(look.color, shades)


def lawn(look: Look, rng: Rng) -> Pixels:
    """Draw short grass with a few tufts of three blades."""
    shades = _draw_patches(rng, 0.05)
    for row, column in choose_spots(rng, 3):
        row, column = 3 + row % 11, 2 + column % 12
        for rise, side, shade in ((0, 0, -0.24), (1, -1, 0.14), (1, 1, 0.14), (1, 0, -0.1), (2, 0, 0.18)):
            put(shades, row - rise, column + side, shade)
    return apply_shades(look.color, shades)


def _draw_patches(rng: Rng, strength: float) -> Shades:
    """Return large patches that are slightly lighter or darker. They are the same at the edges of all sprites."""
    own, common = (smooth(stream.child("patches").cells((SIDE, SIDE)), 3) for stream in (rng, Rng.of("patches")))
    inner = np.clip(np.minimum.reduce(list(GAPS.values())) / 4, 0, 1)
    field = own * inner + common * (1 - inner) - 0.5
    shades: Shades = strength * ((field > 0.045) * 1.0 - (field < -0.045) * 1.0)
    return shades


def patch(look: Look, rng: Rng) -> Pixels:
    """Draw plants that end in a ragged edge."""
    wide = edge_distance(look, radius=6.0, inset=2.4)
    level = wide[INNER]
    pixels = draw_surface(lawn, look.color, rng)
    pixels[level < 1] = apply_shades(look.color, np.array(-0.3))
    return make_layer(pixels, level > 0)


def vein(look: Look, rng: Rng) -> Pixels:
    """Draw nuggets on transparent ground, for ore over rock."""
    return ore(Look(look.color, is_thing=True), rng)
