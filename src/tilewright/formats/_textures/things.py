"""Textures of things that stand, grow, lie or hang on a tile."""

from __future__ import annotations

from itertools import product

import numpy as np

from ...core.seeds import Rng
from .strokes import COLUMNS, ROWS, SIDE, Look, Pixels, dot, mottled, put, shaded, spots
from .surfaces import grass, ground, planks, stone, void, water

FLAGS, TURF, EARTH, AIR, BOARD = (
    Look(np.array(color, dtype=np.float64))
    for color in ((196, 185, 162), (124, 158, 84), (112, 96, 70), (169, 214, 232), (20, 82, 63))
)
"""What things stand on that do not fill their tile."""


# -- things that stand on the ground ----------------------------------------------------------------------------


def roof(look: Look, rng: Rng) -> Pixels:
    """Rows of rounded shingles, each a little different."""
    course = ROWS // 4
    across = (COLUMNS + 2 * (course % 2)) % SIDE
    tints = np.array([[rng.random() * 0.2 - 0.08 for _ in range(4)] for _ in range(4)])
    shades = tints[course, across // 4]
    shades[ROWS % 4 == 0] += 0.14
    shades[(ROWS % 4 == 3) | ((across % 4 == 3) & (ROWS % 4 > 0))] = -0.3
    return shaded(look.color, shades)


def awning(look: Look, rng: Rng) -> Pixels:
    """A striped cloth with a scalloped hem, seen from above."""
    pixels = np.where((COLUMNS // 3 % 2 == 0)[..., None], look.color, look.color * 0.25 + 186.0)
    pixels[0] = pixels[0] * 0.75
    pixels[12:14] *= 0.82
    pixels[(ROWS >= 14) | ((ROWS == 13) & (COLUMNS % 3 == 1))] *= 0.6
    return pixels


def pillar(look: Look, rng: Rng) -> Pixels:
    """A round shaft on flagstones, lit from the upper left."""
    pixels = stone(FLAGS, rng)
    pixels[np.hypot(ROWS - 9.5, COLUMNS - 9.5) < 6.2] *= 0.6
    distance = np.hypot(ROWS - 7.0, COLUMNS - 7.0)
    lit = 0.42 - np.hypot(ROWS - 4.0, COLUMNS - 4.0) / 14
    lit[(distance > 4.2) & (distance < 5.2)] -= 0.22
    pixels[distance < 6.3] = shaded(look.color, np.round(lit * 8) / 8)[distance < 6.3]
    return pixels


def chest(look: Look, rng: Rng) -> Pixels:
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
    pixels[3:13, 2:14] = shaded(look.color, box)
    pixels[6:9, 7:9] = (60.0, 48.0, 40.0)
    return pixels


def token(look: Look, rng: Rng) -> Pixels:
    """A round piece, as on a board, on flagstones."""
    pixels = stone(FLAGS, rng)
    pixels[np.hypot(ROWS - 9.0, COLUMNS - 8.5) < 6.0] *= 0.62
    distance = np.hypot(ROWS - 7.5, COLUMNS - 7.5)
    shades = np.where(distance > 4.6, -0.45, np.where(distance > 3.4, 0.22, 0.0))
    shades[(np.hypot(ROWS - 5.5, COLUMNS - 5.5) < 1.5)] = 0.6
    pixels[distance < 5.9] = shaded(look.color, shades)[distance < 5.9]
    return pixels


def gate(look: Look, rng: Rng) -> Pixels:
    """A locked door: painted planks in an iron frame, and a large keyhole."""
    pixels = planks(look, rng)
    pixels[3:5], pixels[11:13] = (shaded(look.color, np.where(COLUMNS[:2] % 4 == 3, -0.4, -0.2)) for _ in range(2))
    frame = (ROWS < 1) | (ROWS > 14) | (COLUMNS < 1) | (COLUMNS > 14)
    pixels[frame] = shaded(look.color, np.array(-0.72))
    plate = (np.abs(ROWS - 7.5) < 4) & (np.abs(COLUMNS - 7.5) < 3)
    pixels[plate] = shaded(look.color, np.array(0.55))
    hole = (np.hypot(ROWS - 6.5, COLUMNS - 7.5) < 1.7) | ((ROWS > 6) & (ROWS < 11) & (np.abs(COLUMNS - 7.5) < 1))
    pixels[hole] = (24.0, 20.0, 24.0)
    return pixels


def key(look: Look, rng: Rng) -> Pixels:
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
    pixels[around] = shaded(look.color, np.array(-0.7))
    pixels[shape] = shaded(look.color, np.where(ROWS > COLUMNS, -0.05, 0.2))[shape]
    return pixels


def rail(look: Look, rng: Rng) -> Pixels:
    """Two bright rails on sleepers, from left to right."""
    pixels = ground(look, rng)
    pixels[(COLUMNS % 4 < 2) & (ROWS > 1) & (ROWS < 14)] = (92.0, 68.0, 48.0)
    for row in (4, 11):
        pixels[row], pixels[row + 1] = (196.0, 194.0, 198.0), (88.0, 86.0, 94.0)
    return pixels


def cart(look: Look, rng: Rng) -> Pixels:
    """An open tub on rails, full to the rim."""
    pixels = rail(Look(np.array((143.0, 125.0, 107.0))), rng)
    pixels[2:15, 2:15] *= 0.55
    pixels[2:14, 1:14] = shaded(look.color, np.array(0.25))
    pixels[3:14, 2:14] = shaded(look.color, np.array(-0.3))
    pixels[4:12, 3:12] = shaded(EARTH.color, mottled(rng, 0.3))[4:12, 3:12]
    return pixels


def peak(look: Look, rng: Rng) -> Pixels:
    """A summit: a bright slope, a dark one, and snow on top."""
    pixels = shaded(look.color, mottled(rng, 0.06) - 0.12)
    left, right = COLUMNS - (7.5 - ROWS * 0.55), (8.0 + ROWS * 0.55) - COLUMNS
    ridge = 6.7 + 0.6 * (ROWS % 4)
    inside = (left >= 0) & (right >= 0) & (ROWS > 0)
    slope = np.where(ridge > COLUMNS, 0.22, -0.34) + mottled(rng, 0.07)
    pixels[inside] = shaded(look.color, slope)[inside]
    cap = inside & (5 + (COLUMNS % 3 == 1) > ROWS)
    pixels[cap] = np.where((ridge > COLUMNS)[..., None], 250.0, look.color * 0.2 + 165.0)[cap]
    return pixels


# -- what grows on it ---------------------------------------------------------------------------------------------


def reed(look: Look, rng: Rng) -> Pixels:
    """Upright blades, some with a brown head."""
    shades = mottled(rng, 0.06) - 0.12
    for number, (row, column) in enumerate(spots(rng, 9)):
        for step in range(6):
            put(shades, row - step, column, 0.26 - 0.05 * step)
            put(shades, row - step, column + 1, -0.3)
        if number % 3 == 0:
            for step in (4, 5, 6):
                put(shades, row - step, column, -0.6)
    return shaded(look.color, shades)


def flower(look: Look, rng: Rng) -> Pixels:
    """Blossoms of four petals in the grass."""
    pixels = grass(TURF, rng)
    for row, column in spots(rng, 6):
        for drop, side in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            dot(pixels, row + drop, column + side, shaded(look.color, np.array(0.15 - 0.12 * drop)))
        dot(pixels, row, column, np.array((250.0, 226.0, 120.0)))
    return pixels


def mushroom(look: Look, rng: Rng) -> Pixels:
    """A few caps with pale dots on earth."""
    pixels = ground(EARTH, rng)
    for top, left in ((3, 2), (8, 9)):
        pixels[top + 3 : top + 6, left + 1 : left + 3] = (232.0, 222.0, 200.0)
        for row, (first, last) in enumerate(((0, 4), (-1, 5), (-1, 5))):
            pixels[top + row, left + first : left + last] = shaded(look.color, np.array(0.2 - 0.18 * row))
        pixels[top + 1, left], pixels[top, left + 2] = 245.0, 245.0
    return pixels


def lily(look: Look, rng: Rng) -> Pixels:
    """Round leaves with a notch on the water, and a blossom."""
    pixels = water(Look(look.color * 0.62 + (0.0, 12.0, 26.0)), rng)
    for row, column, size in ((4, 4, 3.2), (11, 10, 3.8), (3, 13, 2.2)):
        distance = np.hypot(ROWS - row, COLUMNS - column)
        notch = (row >= ROWS) & (np.abs(COLUMNS - column) * 2 < row - ROWS)
        leaf = (distance < size) & ~notch
        pixels[leaf] = shaded(look.color, np.where(distance > size - 1, -0.12, 0.16))[leaf]
    for drop, side in product((-1, 0, 1), (-1, 0, 1)):
        dot(pixels, 11 + drop, 11 + side, np.array((244.0, 214.0, 226.0) if drop or side else (246.0, 216.0, 110.0)))
    return pixels


def snag(look: Look, rng: Rng) -> Pixels:
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
        dot(pixels, row, column, shaded(look.color, np.array(0.18 if column == 7 else -0.1)))
    return pixels


# -- what hangs in the air, and what runs over a circuit board ------------------------------------------------------


def coin(look: Look, rng: Rng) -> Pixels:
    """A coin with a rim and a stroke."""
    pixels = void(AIR, rng)
    distance = np.hypot((ROWS - 7.5) * 0.92, COLUMNS - 7.5)
    shades = np.where(distance > 4.4, -0.45, np.where(distance > 3.3, 0.4, -0.1))
    shades[(np.abs(COLUMNS - 7.5) < 1) & (np.abs(ROWS - 7.5) < 2.5)] = 0.55
    pixels[distance < 5.5] = shaded(look.color, shades)[distance < 5.5]
    return pixels


def ladder(look: Look, rng: Rng) -> Pixels:
    """Two rails and four rungs; one ladder stands on another."""
    pixels = void(AIR, rng)
    rung = (ROWS % 4 == 1) & (COLUMNS > 2) & (COLUMNS < 13)
    pixels[np.roll(rung, 1, 0)] = shaded(look.color, np.array(-0.5))
    pixels[rung] = shaded(look.color, np.array(0.1))
    for column, shade in ((2, 0.2), (3, -0.3), (12, 0.2), (13, -0.3)):
        pixels[:, column] = shaded(look.color, np.array(shade))
    return pixels


def board(look: Look, rng: Rng) -> Pixels:
    """A smooth plate with a faint weave."""
    shades = 0.03 * ((ROWS + COLUMNS) % 4 == 0)
    for row, column in spots(rng, 3):
        put(shades, row, column, 0.07)
    return shaded(look.color, shades)


def pad(look: Look, rng: Rng) -> Pixels:
    """A ring of solder around a hole, as wide as the tile, so that it meets a wire on any side."""
    pixels = board(BOARD, rng)
    distance = np.hypot(ROWS - 7.5, COLUMNS - 7.5)
    shades = np.where(distance > 6.6, -0.3, np.where(ROWS + COLUMNS < 13, 0.4, 0.0))
    pixels[distance < 7.9] = shaded(look.color, shades)[distance < 7.9]
    pixels[distance < 3.0] = (24.0, 28.0, 30.0)
    return pixels


def wire(look: Look, rng: Rng) -> Pixels:
    """A trace on the board from its middle to the sides where it joins; of four, two pass under the others."""
    pixels = board(BOARD, rng)
    down, right = ROWS - 7.5, COLUMNS - 7.5
    arms = {"n": (-down, right), "e": (right, down), "s": (down, right), "w": (-right, down)}
    for pair in ("ns", "ew") if len(look.joins) == 4 else (look.joins or "ew",):
        for reach, shade in ((3, -0.62), (2, 0.0), (1, 0.35)):  # edge, trace and glint, from wide to narrow
            lines = [(ahead > -reach) & (np.abs(aside) < reach) for ahead, aside in (arms[way] for way in pair)]
            pixels[np.logical_or.reduce(lines)] = shaded(look.color, np.array(shade))
    return pixels


def pin(look: Look, rng: Rng) -> Pixels:
    """The leg of a chip, which reaches out to one side."""
    pixels = board(BOARD, rng)
    outward = COLUMNS if look.joins == "e" else SIDE - 1 - COLUMNS
    body, leg = outward < 8, (outward > 5) & (np.abs(ROWS - 7.5) < 4)
    pixels[body] = (56.0, 60.0, 72.0)
    pixels[leg] = shaded(look.color, np.where(np.abs(ROWS - 6.5) < 1, 0.4, -0.1))[leg]
    return pixels
