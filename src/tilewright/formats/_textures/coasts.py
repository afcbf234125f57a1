"""Textures of water and of tiles in or over water, with shores that depend on the neighbors.

`encode_shores` returns the surroundings of every cell of water. Shores are bands by the distance from land: sand, foam,
shallow and deep water. Shores therefore continue from one cell to the next, around corners and into river mouths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.pieces import SIDES, STEPS
from ...core.seeds import Rng
from ...core.tileset import Tile
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

Cell = TypeVar("Cell", np.uint8, np.bool_)

LAND, OPEN, BEACH, CHANNEL = range(4)
"""Types of neighbors of water: land, open water, a beach with water in front of it, or a channel that ends here."""
ALL_OPEN = sum(OPEN << 2 * side for side in range(4))
OPEN_KINDS = ("sea", "reef", "port")
"""Kinds next to which water has no shore. A port, for example, has its own quay."""
SHORE_KINDS = ("sea", "reef", "shoal", "river", "bridge", "port")
"""Kinds of tiles whose sprite depends on their neighbors."""

SAND, FOAM, SHALLOW, DEEP = rgb("ecd9a2"), rgb("f4fbff"), rgb("74bcea"), rgb("4f8fd6")
SAND_WIDTH, FOAM_WIDTH, SHALLOW_WIDTH = 1.6, 1.0, 2.4
WIDE_BEACH, NARROW_BEACH = 7.0, 4.4
"""Width of the sand of a shoal, and its smaller width if land is on both sides of the water."""
RIVER_HALF = 6.0
"""Half the width of a river with the sand on its banks. At its mouth, a river is as wide as the cell."""
ROUND = 6.0
"""Radius of the corners of a coast."""


# -- surroundings --------------------------------------------------------------------------------------------------


def encode_shores(tiles: Sequence[Tile], cells: NDArray[np.integer]) -> NDArray[np.uint16] | None:
    """Return the shore codes of all cells as an array (level, row, column), or None if no tile is water.

    The code of a cell that is not water is 0. A code has two bits for each side, one bit for each corner that is land
    between sides with water, and one bit for a bridge over open water. Beyond the edge of the map, tiles are assumed to
    be the same as at the edge.
    """
    shore = np.array([tile.kind in SHORE_KINDS for tile in tiles])
    if not shore.any():
        return None
    offers = np.array([[_classify_edge(tile, side) for side in SIDES] for tile in tiles], dtype=np.uint8)
    across = np.array([[tile.kind == "bridge" and side not in tile.joins for side in SIDES] for tile in tiles])
    shown = np.moveaxis(offers[cells], -1, 0)  # (side, level, row, column) type of a cell for its neighbors
    afloat = _find_open_bridges(shown, across[cells])
    shown[:, afloat] = OPEN
    beside = [_neighbor_edges(shown, side) for side in range(4)]
    wet = [_is_open(neighbor) for neighbor in beside]
    flooded = np.pad(_is_open(shown).all(axis=0), ((0, 0), (1, 1), (1, 1)), mode="edge")
    code: NDArray[np.uint16] = np.left_shift(afloat, 12, dtype=np.uint16)
    for side in range(4):
        code |= np.left_shift(beside[side], 2 * side, dtype=np.uint16)
    for number, pair in enumerate(CORNERS):
        one, other = SIDES.index(pair[0]), SIDES.index(pair[1])
        step = (STEPS[one][0] + STEPS[other][0], STEPS[one][1] + STEPS[other][1])
        dry = wet[one] & wet[other] & ~_shift(flooded, step)
        code |= np.left_shift(dry, 8 + number, dtype=np.uint16)
    code[~shore[cells]] = 0
    return code


def _classify_edge(tile: Tile, side: str) -> int:
    """Return the type of a tile for its neighbor at a side."""
    if tile.kind in OPEN_KINDS:
        return OPEN
    if tile.kind == "shoal":
        return BEACH
    runs = (tile.kind == "river" and side in tile.joins) or (tile.kind == "bridge" and side not in tile.joins)
    return CHANNEL if runs else LAND


def _find_open_bridges(shown: NDArray[np.uint8], across: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask (level, row, column) of bridges over open water.

    Open water is beside the deck or, if there is no river, at any side.
    """
    afloat, channel, near = (np.zeros(shown.shape[1:], dtype=np.bool_) for _ in range(3))
    for side in range(4):
        beside = _neighbor_edges(shown, side)
        afloat |= across[..., side] & _is_open(beside)
        channel |= across[..., side] & (beside == CHANNEL)
        near |= _is_open(beside)
    afloat |= across.any(axis=-1) & near & ~channel
    return afloat


def _is_open(shown: NDArray[np.uint8]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (shown == OPEN) | (shown == BEACH)
    return found


def _neighbor_edges(shown: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return an array (level, row, column) of the type of the neighbor at a side.

    At the edge, it is the cell's own type.
    """
    beside = _shift(np.pad(shown[(side + 2) % 4], ((0, 0), (1, 1), (1, 1))), STEPS[side]).copy()
    edge = ((slice(None), 0), (slice(None), slice(None), -1), (slice(None), -1), (slice(None), slice(None), 0))[side]
    beside[edge] = shown[side][edge]
    return beside


def _shift(padded: NDArray[Cell], step: tuple[int, int]) -> NDArray[Cell]:
    """Return an array (level, row, column) of the neighbor of each cell at a step, from an array padded by one."""
    rows, columns = padded.shape[1] - 2, padded.shape[2] - 2
    down, right = step
    return padded[:, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]


def open_sides(shore_code: int) -> str:
    """Return the sides with open water."""
    return "".join(side for side, beside in _decode_sides(shore_code).items() if beside in (OPEN, BEACH))


def _decode_sides(shore_code: int) -> dict[str, int]:
    return {side: shore_code >> (2 * number) & 3 for number, side in enumerate(SIDES)}


# -- water ---------------------------------------------------------------------------------------------------------


def sea(look: Look, rng: Rng) -> Pixels:
    """Draw deep water with small waves, and shallow water, foam and sand toward land."""
    return _draw_shore(_land_distance(look.shore_code), look.color)


def reef(look: Look, rng: Rng) -> Pixels:
    """Draw rocks in the sea, with foam around them."""
    return apply_drawing(_draw_shore(_land_distance(look.shore_code), DEEP), "reef", look.color, {"f": FOAM})


def shoal(look: Look, rng: Rng) -> Pixels:
    """Draw a beach toward all neighboring land, or at the side where it joins, with water in front of the beach."""
    sides = dict.fromkeys(SIDES, BEACH) if look.shore_code is None else _decode_sides(look.shore_code)
    corners = 0 if look.shore_code is None else look.shore_code >> 8
    if LAND not in sides.values():
        sides |= dict.fromkeys(look.joins, LAND)
    field = _land_distance(_encode_sides(sides, corners))
    widest = NARROW_BEACH if _is_strait(sides, corners) else WIDE_BEACH
    width = np.full((SIDE, SIDE), widest)
    for side, beside in sides.items():
        if beside == OPEN:
            near = np.clip(1 - GAPS[side] / widest, 0, 1)
            width = np.minimum(width, SAND_WIDTH + (widest - SAND_WIDTH) * (1 - near**2))
    pixels = _draw_shore(field, DEEP, width)
    sand = (field >= 0) & (field < width)
    pixels[sand] = look.color
    grains = (ROWS * 5 + COLUMNS * 3) % 11 == 0
    pixels[sand & (grains | (field > width - 1.2))] = apply_shades(look.color, np.array(-0.1))
    return pixels


def _is_strait(sides: dict[str, int], corners: int) -> bool:
    """Return whether land is on both sides of the passage, straight or around a corner."""
    land = {side for side, beside in sides.items() if beside == LAND}
    straight = land >= {"n", "s"} or land >= {"e", "w"}
    return straight or any(
        corners >> number & 1 and land >= set(SIDES) - set(pair) for number, pair in enumerate(CORNERS)
    )


def river(look: Look, rng: Rng) -> Pixels:
    """Draw a stream between sandy banks, wider at the sea and rounded at its source."""
    sides = dict.fromkeys(SIDES, CHANNEL) if look.shore_code is None else _decode_sides(look.shore_code)
    joins = "".join(side for side in look.joins if sides[side] != LAND) or look.joins
    half = np.full((SIDE, SIDE), RIVER_HALF)
    for side in joins:
        if sides[side] in (OPEN, BEACH):
            near = np.clip(1 - GAPS[side] / 6, 0, 1)
            half = np.maximum(half, RIVER_HALF + (MIDDLE - RIVER_HALF) * near**2)
    field = half - line_distance(joins)
    pixels = draw_bands(field, (SAND_WIDTH, SAND), (SAND_WIDTH + FOAM_WIDTH, FOAM), inside=look.color)
    glints = ((ROWS + 2 * COLUMNS) % 16 < 2) & (field > SAND_WIDTH + FOAM_WIDTH + 0.8)
    pixels[glints] = apply_shades(look.color, np.array(0.45))
    grass = draw_meadow(MEADOW, rng, 2)
    pixels[field < 0] = grass[field < 0]
    return pixels


def bridge(look: Look, rng: Rng) -> Pixels:
    """Draw a road on a deck with railings, over the sea or a river."""
    crosswise = "".join(side for side in SIDES if side not in look.joins)
    if look.shore_code is not None and look.shore_code >> 12:
        pixels = sea(Look(DEEP, "", look.shore_code), rng)
    else:
        pixels = river(Look(SHALLOW, crosswise, look.shore_code), rng)
    level = look.joins != "ns"
    across = (ROWS if level else COLUMNS) - 7.5
    along = COLUMNS if level else ROWS
    pixels[(across > 6) & (across < 8)] *= 0.72
    draw_road(pixels, look)
    pixels[np.abs(np.abs(across) - 5.5) < 0.2] = apply_shades(look.color, np.array(-0.5))
    pixels[np.abs(np.abs(across) - 4.5) < 0.2] = apply_shades(look.color, np.array(0.45))
    pixels[(np.abs(np.abs(across) - 4.5) < 0.2) & (along % 4 == 1)] = apply_shades(look.color, np.array(-0.25))
    return pixels


def _encode_sides(sides: dict[str, int], corners: int) -> int:
    return sum(sides[side] << (2 * number) for number, side in enumerate(SIDES)) | corners << 8


def _land_distance(shore_code: int | None) -> Distances:
    """Return the distance of pixels to land. It is negative on land, in the rounded corner between two shores."""
    shore_code = ALL_OPEN if shore_code is None else shore_code
    sides = _decode_sides(shore_code)
    field = np.full((SIDE, SIDE), float(SIDE))
    for side, beside in sides.items():
        gap, aside = GAPS[side], np.abs(GAPS["w" if side in "ns" else "n"] - MIDDLE)
        if beside == LAND:
            field = np.minimum(field, gap)
        elif beside == CHANNEL:
            field = np.minimum(field, measure_distance(gap, MIDDLE - aside))
    for number, pair in enumerate(CORNERS):
        first, second = GAPS[pair[0]], GAPS[pair[1]]
        if sides[pair[0]] == sides[pair[1]] == LAND:
            inside = (first < ROUND) & (second < ROUND)
            field = np.where(inside, np.minimum(field, ROUND - measure_distance(ROUND - first, ROUND - second)), field)
        elif shore_code >> (8 + number) & 1:
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
