"""Textures: 16x16 pixels for a tile, drawn by its kind and colour. They join at their edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..core.seeds import Rng

SIDE = 16
"""Pixels along a drawn sprite; other sizes are enlarged or thinned out from it."""

Shades = NDArray[np.float64]
"""(row, column) how much lighter (up to 1: white) or darker (down to -1: black) than the tile's colour a pixel is."""
Pixels = NDArray[np.float64]
"""(row, column, 3) red, green, blue."""
Color = NDArray[np.float64]

ROWS, COLUMNS = np.mgrid[0:SIDE, 0:SIDE]
FLAGS, TURF, EARTH, AIR, BOARD = (
    np.array(color, dtype=np.float64)
    for color in ((196, 185, 162), (124, 158, 84), (112, 96, 70), (169, 214, 232), (20, 82, 63))
)
"""What things stand on that do not fill their tile."""


def plain(color: Color, rng: Rng) -> Pixels:
    """A flat tile with a subtle bevel."""
    shades = np.zeros((SIDE, SIDE))
    shades[0, :] = shades[:, 0] = 0.14
    shades[-1, :] = shades[:, -1] = -0.14
    return _shaded(color, shades)


def ground(color: Color, rng: Rng) -> Pixels:
    """Trodden earth or sand with a few pebbles."""
    shades = _mottled(rng, 0.09)
    for row, column in _spots(rng, 5):
        _put(shades, row, column, 0.16)
        _put(shades, row + 1, column, -0.16)
    return _shaded(color, shades)


def rock(color: Color, rng: Rng) -> Pixels:
    """Boulders, lit from the upper left."""
    return _shaded(color, _boulders(rng))


def water(color: Color, rng: Rng) -> Pixels:
    """Small waves in rows, every other row shifted."""
    shades = _mottled(rng, 0.04)
    for row, column in ((2, 2), (6, 10), (10, 4), (14, 12)):
        column += rng.below(3)
        for step, drop in enumerate((0, 1, 1, 1, 0)):
            _put(shades, row + drop, column + step, 0.3)
            _put(shades, row + drop + 1, column + step, -0.12)
    return _shaded(color, shades)


def grass(color: Color, rng: Rng) -> Pixels:
    """Tufts of three blades."""
    shades = _mottled(rng, 0.07)
    for row, column in _spots(rng, 7):
        for rise, side, shade in ((0, 0, -0.22), (1, 0, 0.1), (1, -1, 0.18), (1, 1, 0.18), (2, 0, 0.24)):
            _put(shades, row - rise, column + side, shade)
    return _shaded(color, shades)


def ore(color: Color, rng: Rng) -> Pixels:
    """Nuggets in the tile's colour, set in dark rock."""
    pixels = _shaded(color * 0.25 + 38.0, _boulders(rng))
    for row, column in ((3, 4), (5, 12), (11, 8), (13, 1)):
        row, column = row + rng.below(2), column + rng.below(2)
        for drop, side, shade in (
            *((-1, 0, 0.25), (0, -1, 0.45), (0, 0, 0.1), (0, 1, -0.1), (1, 0, -0.25)),
            *((-1, 1, 0.0), (1, -1, 0.0), (1, 1, -0.35), (2, 0, -0.6), (2, 1, -0.6), (0, 2, -0.6), (1, 2, -0.6)),
        ):
            pixels[(row + drop) % SIDE, (column + side) % SIDE] = _shaded(color, np.array(shade))
    return pixels


def void(color: Color, rng: Rng) -> Pixels:
    """Nothing, with a hint of depth."""
    shades = np.zeros((SIDE, SIDE))
    for row, column in _spots(rng, 5):
        _put(shades, row, column, 0.07)
    return _shaded(color, shades)


def brick(color: Color, rng: Rng) -> Pixels:
    """Courses of bricks, four pixels high, each a little different."""
    course = ROWS // 4
    across = (COLUMNS + 4 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.14 - 0.05 for _ in range(2)] for _ in range(4)])
    shades = tints[course, across // 8]
    shades[ROWS % 4 == 0] += 0.12
    shades[(ROWS % 4 == 3) | (across % 8 == 7)] = -0.42
    return _shaded(color, shades)


def stone(color: Color, rng: Rng) -> Pixels:
    """Flagstones, eight pixels wide, worn at the corners."""
    tints = np.array([[rng.random() * 0.1 - 0.06 for _ in range(2)] for _ in range(2)])
    shades = tints[ROWS // 8, COLUMNS // 8] + _mottled(rng, 0.03)
    shades[(ROWS % 8 == 0) | (COLUMNS % 8 == 0)] += 0.12
    shades[(ROWS % 8 == 7) | (COLUMNS % 8 == 7)] = -0.2
    return _shaded(color, shades)


def wood(color: Color, rng: Rng) -> Pixels:
    """Upright planks with grain and two iron bands."""
    plank = COLUMNS // 4
    tints = np.array([rng.random() * 0.16 - 0.08 for _ in range(4)])
    shades = tints[plank]
    for row, column in _spots(rng, 9):
        for step in range(4):
            _put(shades, row + step, column, -0.14)
    shades[COLUMNS % 4 == 0] += 0.12
    shades[COLUMNS % 4 == 3] = -0.4
    pixels = _shaded(color, shades)
    for row in (3, 11):
        pixels[row : row + 2] = _shaded(color * 0.3 + 20.0, np.where(COLUMNS[row : row + 2] % 4 == 1, 0.35, 0.0))
    return pixels


def tree(color: Color, rng: Rng) -> Pixels:
    """A round crown over its shadow, on ground of the same colour."""
    pixels = _shaded(color, 0.12 + _mottled(rng, 0.08))
    distance = np.hypot(ROWS - 6.5, COLUMNS - 7.5)
    pixels[np.hypot((ROWS - 12.5) * 1.8, COLUMNS - 8.5) < 6.5] = _shaded(color, np.array(-0.45))
    pixels[12:15, 7:9] = (92.0, 64.0, 43.0)
    crown = distance < 6.6
    lit = 0.3 - np.hypot(ROWS - 3.5, COLUMNS - 5.0) / 16 + _mottled(rng, 0.16)
    lit[(distance > 5.6) & crown] -= 0.18
    pixels[crown] = _shaded(color, np.round(lit * 8) / 8)[crown]
    return pixels


def snow(color: Color, rng: Rng) -> Pixels:
    """Soft drifts with blue shadows and a few sparkles."""
    drifts = _smooth(rng.cells((SIDE, SIDE)), 4)
    level = (drifts - drifts.min()) / (drifts.max() - drifts.min())
    shadow = np.array([0.9, 0.94, 0.99])
    pixels = np.where((level < 0.38)[..., None], color * shadow, color)
    pixels[(level >= 0.38) & (level < 0.46)] = color * (0.96, 0.975, 0.995)
    for row, column in _spots(rng, 4):
        pixels[row, column] = 255.0
    return pixels


def stairs(color: Color, rng: Rng) -> Pixels:
    """Steps that lead down into the dark."""
    step = ROWS // 4
    shades = -0.17 * step + np.where(ROWS % 4 == 0, 0.1, 0.0) - np.where(ROWS % 4 == 3, 0.22, 0.0)
    shades[:, :2] = shades[:, -2:] = -0.62
    return _shaded(color, shades)


# -- things that stand on the ground ----------------------------------------------------------------------------


def roof(color: Color, rng: Rng) -> Pixels:
    """Rows of rounded shingles, each a little different."""
    course = ROWS // 4
    across = (COLUMNS + 2 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.2 - 0.08 for _ in range(4)] for _ in range(4)])
    shades = tints[course, across // 4]
    shades[ROWS % 4 == 0] += 0.14
    shades[(ROWS % 4 == 3) | ((across % 4 == 3) & (ROWS % 4 > 0))] = -0.3
    return _shaded(color, shades)


def awning(color: Color, rng: Rng) -> Pixels:
    """A striped cloth with a scalloped hem, seen from above."""
    pixels = np.where((COLUMNS // 3 % 2 == 0)[..., None], color, color * 0.25 + 186.0)
    pixels[0] = pixels[0] * 0.75
    pixels[12:14] *= 0.82
    pixels[(ROWS >= 14) | ((ROWS == 13) & (COLUMNS % 3 == 1))] *= 0.6
    return pixels


def pillar(color: Color, rng: Rng) -> Pixels:
    """A round shaft on flagstones, lit from the upper left."""
    pixels = stone(FLAGS, rng)
    pixels[np.hypot(ROWS - 9.5, COLUMNS - 9.5) < 6.2] *= 0.6
    distance = np.hypot(ROWS - 7.0, COLUMNS - 7.0)
    lit = 0.42 - np.hypot(ROWS - 4.0, COLUMNS - 4.0) / 14
    lit[(distance > 4.2) & (distance < 5.2)] -= 0.22
    pixels[distance < 6.3] = _shaded(color, np.round(lit * 8) / 8)[distance < 6.3]
    return pixels


def chest(color: Color, rng: Rng) -> Pixels:
    """A box with a domed lid, bands and a lock, on flagstones."""
    pixels = stone(FLAGS, rng)
    pixels[5:15, 3:15] *= 0.62
    box = np.zeros((10, 12))
    box[:4] = np.array([0.4, 0.28, 0.12, 0.0])[:, None]
    box[4] = -0.62
    box[5:] = -0.14
    box[:, [2, 9]] -= 0.34
    box[[0, -1]] -= 0.14
    box[:, [0, -1]] = -0.5
    pixels[3:13, 2:14] = _shaded(color, box)
    pixels[6:9, 7:9] = (60.0, 48.0, 40.0)
    return pixels


def token(color: Color, rng: Rng) -> Pixels:
    """A round piece, as on a board, on flagstones."""
    pixels = stone(FLAGS, rng)
    pixels[np.hypot(ROWS - 9.0, COLUMNS - 8.5) < 6.0] *= 0.62
    distance = np.hypot(ROWS - 7.5, COLUMNS - 7.5)
    shades = np.where(distance > 4.6, -0.45, np.where(distance > 3.4, 0.22, 0.0))
    shades[(np.hypot(ROWS - 5.5, COLUMNS - 5.5) < 1.5)] = 0.6
    pixels[distance < 5.9] = _shaded(color, shades)[distance < 5.9]
    return pixels


def gate(color: Color, rng: Rng) -> Pixels:
    """A locked door: painted planks in an iron frame, and a large keyhole."""
    pixels = wood(color, rng)
    pixels[3:5], pixels[11:13] = (_shaded(color, np.where(COLUMNS[:2] % 4 == 3, -0.4, -0.2)) for _ in range(2))
    frame = (ROWS < 1) | (ROWS > 14) | (COLUMNS < 1) | (COLUMNS > 14)
    pixels[frame] = _shaded(color, np.array(-0.72))
    plate = (np.abs(ROWS - 7.5) < 4) & (np.abs(COLUMNS - 7.5) < 3)
    pixels[plate] = _shaded(color, np.array(0.55))
    hole = (np.hypot(ROWS - 6.5, COLUMNS - 7.5) < 1.7) | ((ROWS > 6) & (ROWS < 11) & (np.abs(COLUMNS - 7.5) < 1))
    pixels[hole] = (24.0, 20.0, 24.0)
    return pixels


def key(color: Color, rng: Rng) -> Pixels:
    """A key with a ring and two teeth, aslant over its shadow, on flagstones."""
    pixels = stone(FLAGS, rng)
    ring = np.abs(np.hypot(ROWS - 4.5, COLUMNS - 4.5) - 2.6) < 1.1
    shaft = (np.abs(ROWS - COLUMNS) < 1.5) & (ROWS + COLUMNS > 12) & (ROWS < 14)
    teeth = ((ROWS + COLUMNS == 21) | (ROWS + COLUMNS == 25)) & (ROWS > COLUMNS) & (ROWS < COLUMNS + 6)
    shape = ring | shaft | teeth | (np.roll(teeth, -1, 1) & (ROWS > COLUMNS))
    around = np.zeros_like(shape)
    for drop, side in product((-1, 0, 1), (-1, 0, 1)):
        around |= np.roll(shape, (drop, side), (0, 1))
    pixels[1:, 1:][around[:-1, :-1]] *= 0.7
    pixels[around] = _shaded(color, np.array(-0.7))
    pixels[shape] = _shaded(color, np.where(ROWS > COLUMNS, -0.05, 0.2))[shape]
    return pixels


def rail(color: Color, rng: Rng) -> Pixels:
    """Two bright rails on sleepers, from left to right."""
    pixels = ground(color, rng)
    pixels[(COLUMNS % 4 < 2) & (ROWS > 1) & (ROWS < 14)] = (92.0, 68.0, 48.0)
    for row in (4, 11):
        pixels[row], pixels[row + 1] = (196.0, 194.0, 198.0), (88.0, 86.0, 94.0)
    return pixels


def cart(color: Color, rng: Rng) -> Pixels:
    """An open tub on rails, full to the rim."""
    pixels = rail(np.array((143.0, 125.0, 107.0)), rng)
    pixels[2:15, 2:15] *= 0.55
    pixels[2:14, 1:14] = _shaded(color, np.array(0.25))
    pixels[3:14, 2:14] = _shaded(color, np.array(-0.3))
    pixels[4:12, 3:12] = _shaded(EARTH, _mottled(rng, 0.3))[4:12, 3:12]
    return pixels


def peak(color: Color, rng: Rng) -> Pixels:
    """A summit: a bright slope, a dark one, and snow on top."""
    pixels = _shaded(color, _mottled(rng, 0.06) - 0.12)
    left, right = COLUMNS - (7.5 - ROWS * 0.55), (8.0 + ROWS * 0.55) - COLUMNS
    ridge = 6.7 + 0.6 * (ROWS % 4)
    inside = (left >= 0) & (right >= 0) & (ROWS > 0)
    slope = np.where(ridge > COLUMNS, 0.22, -0.34) + _mottled(rng, 0.07)
    pixels[inside] = _shaded(color, slope)[inside]
    cap = inside & (5 + (COLUMNS % 3 == 1) > ROWS)
    pixels[cap] = np.where((ridge > COLUMNS)[..., None], 250.0, color * 0.2 + 165.0)[cap]
    return pixels


# -- what grows on it ---------------------------------------------------------------------------------------------


def reed(color: Color, rng: Rng) -> Pixels:
    """Upright blades, some with a brown head."""
    shades = _mottled(rng, 0.06) - 0.12
    for number, (row, column) in enumerate(_spots(rng, 9)):
        for step in range(6):
            _put(shades, row - step, column, 0.26 - 0.05 * step)
            _put(shades, row - step, column + 1, -0.3)
        if number % 3 == 0:
            for step in (4, 5, 6):
                _put(shades, row - step, column, -0.6)
    return _shaded(color, shades)


def flower(color: Color, rng: Rng) -> Pixels:
    """Blossoms of four petals in the grass."""
    pixels = grass(TURF, rng)
    for row, column in _spots(rng, 6):
        for drop, side in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            _dot(pixels, row + drop, column + side, _shaded(color, np.array(0.15 - 0.12 * drop)))
        _dot(pixels, row, column, np.array((250.0, 226.0, 120.0)))
    return pixels


def mushroom(color: Color, rng: Rng) -> Pixels:
    """A few caps with pale dots on earth."""
    pixels = ground(EARTH, rng)
    for top, left in ((3, 2), (8, 9)):
        pixels[top + 3 : top + 6, left + 1 : left + 3] = (232.0, 222.0, 200.0)
        for row, (first, last) in enumerate(((0, 4), (-1, 5), (-1, 5))):
            pixels[top + row, left + first : left + last] = _shaded(color, np.array(0.2 - 0.18 * row))
        pixels[top + 1, left], pixels[top, left + 2] = 245.0, 245.0
    return pixels


def lily(color: Color, rng: Rng) -> Pixels:
    """Round leaves with a notch on the water, and a blossom."""
    pixels = water(color * 0.62 + (0.0, 12.0, 26.0), rng)
    for row, column, size in ((4, 4, 3.2), (11, 10, 3.8), (3, 13, 2.2)):
        distance = np.hypot(ROWS - row, COLUMNS - column)
        notch = (row >= ROWS) & (np.abs(COLUMNS - column) * 2 < row - ROWS)
        leaf = (distance < size) & ~notch
        pixels[leaf] = _shaded(color, np.where(distance > size - 1, -0.12, 0.16))[leaf]
    for drop, side in product((-1, 0, 1), (-1, 0, 1)):
        _dot(pixels, 11 + drop, 11 + side, np.array((244.0, 214.0, 226.0) if drop or side else (246.0, 216.0, 110.0)))
    return pixels


def snag(color: Color, rng: Rng) -> Pixels:
    """A bare trunk with broken branches, and its shadow on wet earth."""
    pixels = ground(EARTH, rng)
    pixels[np.hypot((ROWS - 13.5) * 2.2, COLUMNS - 9.5) < 5.0] *= 0.7
    strokes = (
        *((row, 7) for row in range(2, 15)),
        *((row, 8) for row in range(4, 15)),
        *((9 - step, 6 - step) for step in range(4)),
        *((7 - step, 9 + step) for step in range(4)),
        *((4 - step, 6 - step) for step in range(2)),
        *((11 - step, 9 + step) for step in range(3)),
    )
    for row, column in strokes:
        _dot(pixels, row, column, _shaded(color, np.array(0.18 if column == 7 else -0.1)))
    return pixels


# -- what hangs in the air, and what runs over a circuit board ------------------------------------------------------


def coin(color: Color, rng: Rng) -> Pixels:
    """A coin with a rim and a stroke."""
    pixels = void(AIR, rng)
    distance = np.hypot((ROWS - 7.5) * 0.92, COLUMNS - 7.5)
    shades = np.where(distance > 4.4, -0.45, np.where(distance > 3.3, 0.4, -0.1))
    shades[(np.abs(COLUMNS - 7.5) < 1) & (np.abs(ROWS - 7.5) < 2.5)] = 0.55
    pixels[distance < 5.5] = _shaded(color, shades)[distance < 5.5]
    return pixels


def ladder(color: Color, rng: Rng) -> Pixels:
    """Two rails and four rungs; one ladder stands on another."""
    pixels = void(AIR, rng)
    rung = (ROWS % 4 == 1) & (COLUMNS > 2) & (COLUMNS < 13)
    pixels[np.roll(rung, 1, 0)] = _shaded(color, np.array(-0.5))
    pixels[rung] = _shaded(color, np.array(0.1))
    for column, shade in ((2, 0.2), (3, -0.3), (12, 0.2), (13, -0.3)):
        pixels[:, column] = _shaded(color, np.array(shade))
    return pixels


def board(color: Color, rng: Rng) -> Pixels:
    """A smooth plate with a faint weave."""
    shades = 0.03 * ((ROWS + COLUMNS) % 4 == 0)
    for row, column in _spots(rng, 3):
        _put(shades, row, column, 0.07)
    return _shaded(color, shades)


def pad(color: Color, rng: Rng) -> Pixels:
    """A ring of solder around a hole, as wide as the tile, so that it meets a wire on any side."""
    pixels = board(BOARD, rng)
    distance = np.hypot(ROWS - 7.5, COLUMNS - 7.5)
    shades = np.where(distance > 6.6, -0.3, np.where(ROWS + COLUMNS < 13, 0.4, 0.0))
    pixels[distance < 7.9] = _shaded(color, shades)[distance < 7.9]
    pixels[distance < 3.0] = (24.0, 28.0, 30.0)
    return pixels


def wire(ways: str, color: Color, rng: Rng) -> Pixels:
    """A trace on the board from its middle to the sides that `ways` names; of four, two pass under the others."""
    pixels = board(BOARD, rng)
    down, right = ROWS - 7.5, COLUMNS - 7.5
    arms = {"n": (-down, right), "e": (right, down), "s": (down, right), "w": (-right, down)}
    for pair in ("ns", "ew") if len(ways) == 4 else (ways,):
        for reach, shade in ((3, -0.62), (2, 0.0), (1, 0.35)):  # edge, trace and glint, from wide to narrow
            lines = [(ahead > -reach) & (np.abs(aside) < reach) for ahead, aside in (arms[way] for way in pair)]
            pixels[np.logical_or.reduce(lines)] = _shaded(color, np.array(shade))
    return pixels


def pin(way: str, color: Color, rng: Rng) -> Pixels:
    """The leg of a chip, which reaches out to one side."""
    pixels = board(BOARD, rng)
    outward = COLUMNS if way == "e" else SIDE - 1 - COLUMNS
    body, leg = outward < 8, (outward > 5) & (np.abs(ROWS - 7.5) < 4)
    pixels[body] = (56.0, 60.0, 72.0)
    pixels[leg] = _shaded(color, np.where(np.abs(ROWS - 6.5) < 1, 0.4, -0.1))[leg]
    return pixels


TEXTURES: dict[str, Callable[[Color, Rng], Pixels]] = {
    texture.__name__: texture
    for texture in (
        *(ground, rock, water, grass, ore, void, brick, stone, wood, tree, snow, stairs),
        *(roof, awning, pillar, chest, token, gate, key, rail, cart, peak, reed, flower, mushroom, lily, snag),
        *(coin, ladder, board, pad),
    )
}
TEXTURES |= {f"wire-{ways}": partial(wire, ways) for ways in ("ew", "ns", "ne", "nw", "se", "sw", "nesw")}
TEXTURES |= {f"pin-{way}": partial(pin, way) for way in "ew"}
"""Textures by the kind of tile that they are for; any other kind is plain."""


# -- strokes --------------------------------------------------------------------------------------------------


def _shaded(color: Color, shades: Shades) -> Pixels:
    """The colour, mixed with white where a shade is positive and with black where it is negative."""
    light, dark = np.clip(shades, 0, 1)[..., None], np.clip(shades, -1, 0)[..., None]
    return color * (1 + dark) * (1 - light) + 255.0 * light


def _put(shades: Shades, row: int, column: int, shade: float) -> None:
    """Set a pixel; what leaves the sprite comes back on the other side, so that sprites join."""
    shades[row % SIDE, column % SIDE] = shade


def _dot(pixels: Pixels, row: int, column: int, color: Color) -> None:
    """Colour a pixel, around the edges."""
    pixels[row % SIDE, column % SIDE] = color


def _spots(rng: Rng, count: int) -> list[tuple[int, int]]:
    """Places spread over the sprite: random, but the farthest of a few from those before."""
    spots: list[tuple[int, int]] = []
    while len(spots) < count:
        tries = [(rng.below(SIDE), rng.below(SIDE)) for _ in range(6)]
        spots.append(max(tries, key=lambda spot: min((_apart(spot, other) for other in spots), default=0)))
    return spots


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    gaps = [min(abs(a - b), SIDE - abs(a - b)) for a, b in zip(one, other, strict=True)]
    return gaps[0] ** 2 + gaps[1] ** 2


def _smooth(field: Shades, times: int) -> Shades:
    """Average with the four neighbours, around the edges."""
    for _ in range(times):
        field = (field * 2 + sum(np.roll(field, step, axis) for step in (1, -1) for axis in (0, 1))) / 6
    return field


def _mottled(rng: Rng, strength: float) -> Shades:
    """Patches a shade lighter or darker."""
    field = _smooth(rng.child("mottled").cells((SIDE, SIDE)), 1) - 0.5
    shades: Shades = strength * ((field > 0.08) * 1.0 - (field < -0.08) * 1.0)
    return shades


def _boulders(rng: Rng) -> Shades:
    """Stones around random centres: a tint each, lit edges above, dark gaps between."""
    centres = np.array(_spots(rng, 7))
    gaps = np.abs(np.stack([ROWS, COLUMNS], axis=-1)[:, :, None] - centres)
    gaps = np.minimum(gaps, SIDE - gaps)
    owner = (gaps**2).sum(axis=-1).argmin(axis=-1)
    tints = np.array([rng.random() * 0.16 - 0.06 for _ in centres])
    shades: Shades = tints[owner]
    shades[(owner != np.roll(owner, 1, 0)) | (owner != np.roll(owner, 1, 1))] += 0.12
    shades[(owner != np.roll(owner, -1, 0)) | (owner != np.roll(owner, -1, 1))] = -0.36
    return shades
