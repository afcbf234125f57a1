"""Lattice noise: interpolated between corners (Perlin, value), on triangles (simplex), or around points (cellular).

A sample is given by its lattice cell and its position within it, so that distant samples are as exact as near ones.
Corners are hashed by their cell modulo 2^64. Only + - * / and floor are used, in a fixed order, so that results are
identical on all machines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .random import GAMMA, ROW_SALT, mix
from .types import Float64_1D, Float64_2D, Float64_3D, Int64_1D, ReadOnlyFloat64_2D, Uint64, Uint64_1D, Uint64_2D

GRADIENTS = np.array(
    [
        (x * a, y * b)
        for long, short in ((0.9807852804032304, 0.19509032201612825), (0.8314696123025452, 0.5555702330196022))
        for a, b in ((long, short), (short, long))
        for x in (1.0, -1.0)
        for y in (1.0, -1.0)
    ]
)
"""Sixteen evenly spaced directions as (direction, 2), none along an axis."""
PERLIN_GAIN = 1.4142135623730951
SIMPLEX_GAIN = 99.2
SKEW = 41.0 / 112.0
"""Skew of the squares of simplex noise: a fraction near (sqrt(3) - 1) / 2, for exact lattice cells."""
UNSKEW = 41.0 / 194.0
JITTER = 0.65
"""Maximum spread of points around the centers of their cells. With more, the nearest could be two cells away."""
TO_NUMBER = 2.0**-53


class LatticeGrid(NamedTuple):
    """Places of the cells of a window in a lattice."""

    columns: Uint64_1D
    """(column,) lattice column."""
    across: Float64_1D
    """(column,) position within the lattice column, 0..1."""
    rows: Uint64_1D
    down: Float64_1D
    around: Uint64_1D
    """Number of lattice cells of a torus in x and y, or 0."""
    displacement: Float64_3D
    """(2, row, column) numbers that are added to x and y, in cells; empty for no warp."""
    per_cell: Float64_1D
    """Lattice cells per cell in x and y."""


@part
def hash_corner(key: int | np.uint64, column: np.uint64, row: np.uint64) -> np.uint64:
    """Return the 64 bits of a lattice corner."""
    return mix(np.uint64(key) + column * GAMMA + row * ROW_SALT)


@part
def wrap_cell(cell: np.uint64, around: np.uint64) -> np.uint64:
    """Wrap a lattice cell on a torus of `around` cells, from 0 on; 0 means an infinite lattice."""
    if around == np.uint64(0):
        return cell
    if cell >= np.uint64(1 << 63):  # Left of 0.
        return (around - np.uint64(1)) - ((~cell) % around)
    return cell % around


@part
def fade(t: float) -> float:
    """Return 6t^5 - 15t^4 + 10t^3, which goes from 0 to 1 with flat ends."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@part
def blend_side(
    table: ReadOnlyFloat64_2D, bits: np.uint64, below: np.uint64, gradients: bool, v: float, s: float
) -> tuple[float, float]:
    """Interpolate one side of a lattice square between its upper and lower corner: slope, and value at the side.

    `table` is GRADIENTS, which GPUs read from faster memory.
    """
    if gradients:
        upper, lower = table[bits >> np.uint64(60)], table[below >> np.uint64(60)]
        slope = upper[0] + s * (lower[0] - upper[0])
        high, low = upper[1] * v, lower[1] * (v - 1.0)
    else:
        slope = 0.0
        high = np.float64(bits >> np.uint64(11)) * TO_NUMBER * 2.0 - 1.0
        low = np.float64(below >> np.uint64(11)) * TO_NUMBER * 2.0 - 1.0
    return slope, high + s * (low - high)


@inline
def blend_across(slope: float, foot: float, slope_2: float, foot_2: float, u: float, faded: float) -> float:
    """Interpolate between the west and the east side of a lattice square."""
    here = slope * u + foot
    return here + faded * ((slope_2 * (u - 1.0) + foot_2) - here)


@inline
def carry(cell: np.uint64, place: float) -> tuple[np.uint64, float]:
    """Return the lattice cell of a position that may be outside of `cell`, and the position within it, 0..1."""
    whole = np.floor(place)
    return cell + np.uint64(np.int64(whole)), place - whole


@inline
def shift_place(cell: np.uint64, place: float, shift: float, per_cell: float) -> tuple[np.uint64, float]:
    """Return the lattice cell and the position within it after a shift by a number of cells."""
    return carry(cell, place + shift * per_cell)


@inline
def sample_lattice(
    table: ReadOnlyFloat64_2D,
    gradients: bool,
    key: int | np.uint64,
    i: np.uint64,
    u: float,
    j: np.uint64,
    v: float,
    around_x: np.uint64,
    around_y: np.uint64,
) -> float:
    """Return Perlin or value noise in lattice cell i, j at u, v within it, without the gain of Perlin noise."""
    s, one = fade(v), np.uint64(1)
    west, east = wrap_cell(i, around_x), wrap_cell(i + one, around_x)
    north, south = wrap_cell(j, around_y), wrap_cell(j + one, around_y)
    slope, foot = blend_side(table, hash_corner(key, west, north), hash_corner(key, west, south), gradients, v, s)
    slope_2, foot_2 = blend_side(table, hash_corner(key, east, north), hash_corner(key, east, south), gradients, v, s)
    return blend_across(slope, foot, slope_2, foot_2, u, fade(u))


@part
def _number_columns(columns: Uint64_1D, first: np.uint64, around: np.uint64) -> tuple[Int64_1D, Uint64_1D]:
    """Return the distance of each lattice column from the first one, and the names of all columns and one more."""
    place = np.empty(columns.size, dtype=np.int64)
    for column in range(columns.size):
        place[column] = np.int64(columns[column] - first)
    names = np.empty(place[-1] + 2, dtype=np.uint64)
    for number in range(names.size):
        names[number] = wrap_cell(first + np.uint64(number), around)
    return place, names


@kernel
def fill_lattice(gradients: bool, key: Uint64, grid: LatticeGrid, out: Float64_2D) -> None:
    """Fill `out` with Perlin noise (with gradients) or value noise, approximately -1..1.

    Without a warp, each lattice square is computed once per row.
    """
    columns, across, rows, down, around, displacement, per_cell = grid
    height, width = out.shape
    gain = PERLIN_GAIN if gradients else 1.0
    one = np.uint64(1)
    if displacement.size:
        for row in range(height):
            for column in range(width):
                i, u = shift_place(columns[column], across[column], displacement[0, row, column], per_cell[0])
                j, v = shift_place(rows[row], down[row], displacement[1, row, column], per_cell[1])
                out[row, column] = sample_lattice(GRADIENTS, gradients, key, i, u, j, v, around[0], around[1]) * gain
        return
    place, names = _number_columns(columns, columns[0], around[0])
    count = names.size
    faded = np.empty(width)
    for column in range(width):
        faded[column] = fade(across[column])
    upper, lower = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.uint64)
    slopes, feet = np.empty(count), np.empty(count)
    for row in range(height):
        if row == 0 or rows[row] != rows[row - 1]:
            north, south = wrap_cell(rows[row], around[1]), wrap_cell(rows[row] + one, around[1])
            for number in range(count):
                upper[number] = hash_corner(key, names[number], north)
                lower[number] = hash_corner(key, names[number], south)
        v = down[row]
        s = fade(v)
        for number in range(count):
            slopes[number], feet[number] = blend_side(GRADIENTS, upper[number], lower[number], gradients, v, s)
        target = out[row]
        for column in range(width):
            number, u = place[column], across[column]
            target[column] = (
                blend_across(slopes[number], feet[number], slopes[number + 1], feet[number + 1], u, faded[column])
                * gain
            )


@part
def bump(table: ReadOnlyFloat64_2D, bits: np.uint64, x: float, y: float) -> float:
    """Return the contribution of a corner to simplex noise at x, y from it."""
    direction = bits >> np.uint64(60)
    t = 0.5 - x * x - y * y
    t = t if t > 0.0 else 0.0
    t *= t
    return float(t * t * (table[direction, 0] * x + table[direction, 1] * y))


@inline
def add_places(
    cell: np.uint64, rest: float, other_cell: np.uint64, other_rest: float, side: float, share: float
) -> tuple[np.uint64, float]:
    """Return the lattice cell of the sum of two positions, which are integers out of `side`, and the place within it.

    `share` is 1 / `side`.
    """
    total = rest + other_rest
    is_over = total >= side
    cell = cell + other_cell + (np.uint64(1) if is_over else np.uint64(0))
    return cell, (total - side if is_over else total) * share


@inline
def shift_sheared(
    i: np.uint64, u: float, j: np.uint64, v: float, x: float, y: float
) -> tuple[np.uint64, float, np.uint64, float]:
    """Return a position of the sheared lattice after a shift by x, y lattice cells."""
    both = (x + y) * SKEW
    i, u = carry(i, u + (x + both))
    j, v = carry(j, v + (y + both))
    return i, u, j, v


@inline
def sample_simplex(
    table: ReadOnlyFloat64_2D, key: int | np.uint64, i: np.uint64, u: float, j: np.uint64, v: float
) -> float:
    """Return simplex noise in cell i, j of the sheared lattice at u, v within it."""
    none, one = np.uint64(0), np.uint64(1)
    back = (u + v) * UNSKEW
    x, y = u - back, v - back
    is_right = u > v
    step = 1.0 if is_right else 0.0
    right, below = (one if is_right else none), (none if is_right else one)
    total = bump(table, hash_corner(key, i, j), x, y)
    total += bump(table, hash_corner(key, i + right, j + below), x - step + UNSKEW, y - (1.0 - step) + UNSKEW)
    total += bump(table, hash_corner(key, i + one, j + one), x - 1.0 + 2.0 * UNSKEW, y - 1.0 + 2.0 * UNSKEW)
    return total * SIMPLEX_GAIN


@kernel
def fill_simplex(
    key: Uint64,
    columns: Uint64_2D,
    across: Float64_2D,
    rows: Uint64_2D,
    down: Float64_2D,
    side: float,
    displacement: Float64_3D,
    per_cell: float,
    out: Float64_2D,
) -> None:
    """Fill `out` with simplex noise, approximately -1..1.

    On a sheared lattice, both coordinates are the sum of a part from the column and a part from the row, each a lattice
    cell and an integer out of `side`: (2, column) and (2, row). The sum is exact.
    """
    height, width = out.shape
    warped = displacement.size > 0
    share = 1.0 / side
    across_a, across_b, columns_i, columns_j = across[0], across[1], columns[0], columns[1]
    for row in range(height):
        add_i, add_j, add_a, add_b = rows[0, row], rows[1, row], down[0, row], down[1, row]
        target = out[row]
        for column in range(width):
            i, u = add_places(columns_i[column], across_a[column], add_i, add_a, side, share)
            j, v = add_places(columns_j[column], across_b[column], add_j, add_b, side, share)
            if warped:
                x, y = displacement[0, row, column] * per_cell, displacement[1, row, column] * per_cell
                i, u, j, v = shift_sheared(i, u, j, v, x, y)
            target[column] = sample_simplex(GRADIENTS, key, i, u, j, v)


@part
def find_feature_point(bits: np.uint64) -> tuple[float, float]:
    """Return the position of a corner's point within its cell."""
    x = np.float64(bits >> np.uint64(32)) * 2.0**-32 - 0.5
    y = np.float64(bits & np.uint64(0xFFFFFFFF)) * 2.0**-32 - 0.5
    return 0.5 + x * JITTER, 0.5 + y * JITTER


@inline
def near_point(nearest: float, u: float, v: float, x: float, y: float, beside: int, below: int) -> float:
    """Return the smaller of a squared distance and that to the point x, y of a lattice cell."""
    x, y = u - (x + (beside - 1.0)), v - (y + (below - 1.0))
    return min(nearest, x * x + y * y)


@inline
def fall_off(nearest: float) -> float:
    """Return cellular noise at the square of a distance."""
    return float(1.0 - 2.0 * np.sqrt(nearest))


@inline
def sample_cellular(
    key: int | np.uint64, i: np.uint64, u: float, j: np.uint64, v: float, around_x: np.uint64, around_y: np.uint64
) -> float:
    """Return cellular noise in lattice cell i, j at u, v within it."""
    nearest, one = 8.0, np.uint64(1)
    for below in range(3):
        name = wrap_cell(j + np.uint64(below) - one, around_y)
        for beside in range(3):
            x, y = find_feature_point(hash_corner(key, wrap_cell(i + np.uint64(beside) - one, around_x), name))
            nearest = near_point(nearest, u, v, x, y, beside, below)
    return fall_off(nearest)


@kernel
def fill_cellular(key: Uint64, grid: LatticeGrid, out: Float64_2D) -> None:
    """Fill `out` with cellular noise: 1 at a point, lower with the distance to the nearest one, at least -1.4."""
    columns, across, rows, down, around, displacement, per_cell = grid
    height, width = out.shape
    one = np.uint64(1)
    if displacement.size:
        for row in range(height):
            for column in range(width):
                i, u = shift_place(columns[column], across[column], displacement[0, row, column], per_cell[0])
                j, v = shift_place(rows[row], down[row], displacement[1, row, column], per_cell[1])
                out[row, column] = sample_cellular(key, i, u, j, v, around[0], around[1])
        return
    place, names = _number_columns(columns, columns[0] - one, around[0])
    count = names.size
    xs, ys = np.empty((3, count)), np.empty((3, count))
    for row in range(height):
        if row == 0 or rows[row] != rows[row - 1]:
            for below in range(3):
                name = wrap_cell(rows[row] + np.uint64(below) - one, around[1])
                for number in range(count):
                    xs[below, number], ys[below, number] = find_feature_point(hash_corner(key, names[number], name))
        v = down[row]
        target = out[row]
        for column in range(width):
            u, number = across[column], place[column] - 1
            nearest = 8.0
            for below in range(3):
                for beside in range(3):
                    x, y = xs[below, number + beside], ys[below, number + beside]
                    nearest = near_point(nearest, u, v, x, y, beside, below)
            target[column] = fall_off(nearest)


# -- parameters as arrays, from which GPUs make maps, and heights ------------------------------------------------

HEIGHT, MOISTURE, SHIFT_X, SHIFT_Y = 0, 1, 2, 3
"""What an octave is added to: heights, moisture, or the displacement of heights along an axis."""
PERLIN, VALUE, SIMPLEX, CELLULAR = 0, 1, 2, 3
"""Kinds of noise."""
UNITS = 1 << 16
"""Position steps per cell. The width of a lattice cell is an integer number of steps."""
HALF_PI = 1.5707963267948966
LIFT = 0.4
"""Height added to the middle of an island, to compensate for the land lost at its coast."""


class NoiseTables(NamedTuple):
    """Octaves of noise, and the mapping of their sums to tiles. Octaves that displace others come first."""

    kinds: NDArray[np.int64]
    """(octave, 3) target, kind, and 1 if the octave is displaced."""
    axes: NDArray[np.int64]
    """(octave, 2, 8) for x and y: divisor of positions, number of lattice cells of a torus or 0, and twice the lattice
    cell, the remainder and the factor of the first position, without the random shift of the octave. Simplex noise has
    two coordinates on each axis.
    """
    scales: NDArray[np.float64]
    """(octave, 3) weight, and lattice cells per cell in x and y."""
    names: NDArray[np.uint8]
    """Names of the streams of all octaves, see `streams.pack_names`."""
    ends: NDArray[np.int64]
    """End of each name."""
    depths: NDArray[np.int64]
    """(octave,) number of names that lead to the stream of an octave."""
    fold: NDArray[np.float64]
    """(2,) factor and summand that fold the absolute value of an octave of heights; a factor of 0 folds nothing."""
    moments: NDArray[np.float64]
    """(2, 2) mean and deviation of the sums of heights and of moisture."""
    down: NDArray[np.float64]
    """(row,) height of the island's hump."""
    across: NDArray[np.float64]
    """(column,) height of the island's hump."""
    coast: float
    """Width of the coast as a fraction; 0 without an island."""
    limits: NDArray[np.float64]
    """(threshold, 3) threshold, and sums of octaves below and above which heights are surely below and above it."""
    bands: NDArray[np.int64]
    """(band, 2) first tile in `tiles`, and number of tiles from dry to wet."""
    tiles: NDArray[np.int64]
    """Tile numbers of all bands."""


def equalize_sum(total: NDArray[np.float64], mean: float, deviation: float) -> NDArray[np.float64]:
    """Return a sum of octaves as heights between 0 and 1 that are approximately uniform.

    Sums of noise are almost normally distributed, with lighter tails. The cumulative distribution at z deviations is
    close to w = z / sqrt(z^2 + pi / 2), corrected by w^5 (1 - w^2) / 2. This function is increasing, stays within -1..1
    and needs no exp. It and `sink_land` are for arrays of numpy and, as device functions, for single numbers on a GPU.
    """
    z = (total - mean) / deviation
    w = z / np.sqrt(z * z + HALF_PI)
    w_2 = w * w
    heights: NDArray[np.float64] = 0.5 + 0.5 * (w + 0.5 * (w_2 * w_2 * w) * (1.0 - w_2))
    return heights


def sink_land(heights: NDArray[np.float64], hump: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return heights sunk toward the edges of a world, where `hump` is 0; it is 1 in the middle.

    `share` is the width of the coast, as a fraction of the distance from edge to center.
    """
    shore = np.minimum(hump, share) / share
    shore = shore * shore * (3.0 - 2.0 * shore)
    return (heights + (1.0 - heights) * (LIFT * share) * hump) * shore
