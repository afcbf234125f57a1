"""Noise mapped to tiles, as planes of bits: counterparts of `kernels/noise` and of the technique.

A block of threads makes `TILE_ROWS` rows of a map. For each octave, its threads first compute the lattice in shared
memory, then the octave at every cell, as the kernels for CPUs do row by row.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import cuda, float64, int64, uint8, uint64

from .. import noise, streams
from .. import random as cpu_random
from ..noise import CELLULAR, GRADIENTS, PERLIN, SHIFT_X, SIMPLEX, NoiseTables
from ..random import ROW_SALT
from .device_code import compile_kernel, port, unfuse

TILE_ROWS = 8
"""Number of rows of a block."""
CELLS = 2
"""Number of cells per thread."""
MAX_THREADS = TILE_ROWS * 64 // CELLS
MAX_CORNERS = 1280
"""Upper limit of the number of lattice corners of a tile: 13 rows of 93 for value noise, whose lattice is finest."""
MAX_SIDES = 768
"""Upper limit of the number of sides of lattice squares in all rows of a tile, and of points of cellular noise."""
PLANES = 3
MAX_REGISTERS = 64
"""Maximum number of registers per thread, so that four blocks of 256 threads run at once."""

fade = unfuse(noise.fade)
hash_corner = port(noise.hash_corner)
wrap_cell = port(noise.wrap_cell)
blend_side = unfuse(noise.blend_side)
blend_across = unfuse(noise.blend_across)
shift_place = unfuse(noise.shift_place)
sample_lattice = unfuse(noise.sample_lattice)
add_places = unfuse(noise.add_places)
shift_sheared = unfuse(noise.shift_sheared)
sample_simplex = unfuse(noise.sample_simplex)
find_feature_point = unfuse(noise.find_feature_point)
near_point = unfuse(noise.near_point)
fall_off = unfuse(noise.fall_off)
sample_cellular = unfuse(noise.sample_cellular)
equalize_sum = unfuse(noise.equalize_sum)
sink_land = unfuse(noise.sink_land)
hash_child = port(streams.hash_child)
make_gamma = port(streams.make_gamma)
mix = port(cpu_random.mix)
START, ORDER = streams.START, streams.ORDER


@cuda.jit
def fill_octave_keys(keys, names, ends, depths, shift_name, levels, shifts):
    """Write the level keys (map, octave) and the random shifts (map, octave, axis) of all octaves.

    `keys` (map, word) are those of the technique's streams.
    """
    number = cuda.grid(1)
    if number >= keys.shape[0]:
        return
    message, work = cuda.local.array(16, uint64), cuda.local.array(16, uint64)
    start, order = cuda.const.array_like(START), cuda.const.array_like(ORDER)
    stage, begin = 0, 0
    for octave in range(depths.shape[0]):
        message[0], message[1] = keys[number, 0], keys[number, 1]
        for _ in range(depths[octave]):
            hash_child(names, begin, ends[stage], start, order, message, work)
            begin = ends[stage]
            stage += 1
        levels[number, octave] = mix(message[0] ^ ROW_SALT)
        hash_child(shift_name, 0, shift_name.shape[0], start, order, message, work)
        state, gamma = message[0], make_gamma(message[1])
        for axis in range(2):
            state += gamma
            shifts[number, octave, axis] = int64(mix(state) >> uint64(32))


@unfuse
def locate(axis, at, shift, index):
    """Return the lattice cell and the remainder of a position, all exact; `at` is the first column of the coordinate.

    The quotient of integers below 2^53 as floats, rounded down, is exact.
    """
    position = axis[at + 1] + (shift + index * noise.UNITS) * axis[at + 2]
    cells = int64(float64(position) / float64(axis[0]))
    return uint64(axis[at]) + uint64(cells), float64(position - cells * axis[0])


@unfuse
def add_octave(total, value, gain, factor, summand, weight):
    """Return a sum of octaves with one more octave, folded if the factor is not 0."""
    value = value * gain
    if factor != 0.0:
        value = abs(value) * factor + summand
    return total + value * weight


@unfuse
def sample_shifted(table, kind, key, i, u, j, v, dx, dy, around, per_x, per_y):
    """Return an octave of Perlin, value or cellular noise at a displaced position, without the gain."""
    i, u = shift_place(i, u, dx, per_x)
    j, v = shift_place(j, v, dy, per_y)
    if kind != CELLULAR:
        return sample_lattice(table, kind == PERLIN, key, i, u, j, v, around[0], around[1])
    return sample_cellular(key, i, u, j, v, around[0], around[1])


@unfuse
def sample_sheared(table, key, columns, across, rows, down, column, row, side, is_shifted, dx, dy, per_cell):
    """Return an octave of simplex noise."""
    i, u = add_places(columns[0, column], across[0, column], rows[0, row], down[0, row], side, 1.0 / side)
    j, v = add_places(columns[1, column], across[1, column], rows[1, row], down[1, row], side, 1.0 / side)
    if is_shifted != 0:
        i, u, j, v = shift_sheared(i, u, j, v, dx * per_cell, dy * per_cell)
    return sample_simplex(table, key, i, u, j, v)


@unfuse
def choose_tile(total, moisture, hump, coast, moments, limits, bands, tiles):
    """Return the tile number of a cell from its sums of octaves."""
    band, is_unclear = 0, False
    for number in range(limits.shape[0]):
        if total >= limits[number, 2]:
            band += 1
        elif total > limits[number, 1]:
            is_unclear = True
    if is_unclear:
        height = equalize_sum(total, moments[0, 0], moments[0, 1])
        if coast > 0.0:
            height = sink_land(height, hump, coast)
        band = 0
        for number in range(limits.shape[0]):
            if height >= limits[number, 0]:
                band += 1
    place = 0
    if bands[band, 1] > 1:
        wetness = equalize_sum(moisture, moments[1, 0], moments[1, 1])
        place = min(int64(wetness * float64(bands[band, 1])), bands[band, 1] - 1)
    return tiles[bands[band, 0] + place]


@unfuse
def multiply_humps(a, b):
    return a * b


@cache
def build_fill(has_simplex: bool, has_cellular: bool, is_warped: bool) -> Any:
    """Return the kernel for Perlin and value noise, and for other kinds and displaced octaves if needed."""

    @compile_kernel(MAX_REGISTERS)
    def fill_planes(levels, shifts, octaves, mapping, width, height, planes):
        """Write the tile numbers of maps as bits (map, plane, row)."""
        kinds, axes, scales, fold = octaves
        coast, moments, down, across, limits, bands, tiles = mapping
        # The simulator gives the arrays of one line the same memory.
        corners = cuda.shared.array(MAX_CORNERS, uint64)
        slopes = cuda.shared.array(MAX_SIDES, float64)
        feet = cuda.shared.array(MAX_SIDES, float64)
        column_cells = cuda.shared.array((2, 64), uint64)
        column_places = cuda.shared.array((2, 64), float64)
        row_cells = cuda.shared.array((2, TILE_ROWS), uint64)
        row_places = cuda.shared.array((2, TILE_ROWS), float64)
        column_fades = cuda.shared.array(64, float64)
        row_fades = cuda.shared.array(TILE_ROWS, float64)
        table = cuda.shared.array((16, 2), float64)
        states = cuda.shared.array((TILE_ROWS, 64), uint8)
        words = cuda.shared.array((PLANES, TILE_ROWS), uint64)
        sums = cuda.local.array((4, CELLS), float64)
        around = cuda.local.array(2, uint64)
        gradients = cuda.const.array_like(GRADIENTS)

        thread, threads = cuda.threadIdx.x, cuda.blockDim.x
        number, top = cuda.blockIdx.x, cuda.blockIdx.y * TILE_ROWS
        rows = min(TILE_ROWS, height - top)
        for item in range(thread, 32, threads):
            table[item >> 1, item & 1] = gradients[item >> 1, item & 1]
        for cell in range(CELLS):
            for target in range(4):
                sums[target, cell] = 0.0

        for octave in range(kinds.shape[0]):
            target, kind, is_shifted = kinds[octave, 0], kinds[octave, 1], kinds[octave, 2]
            key, side = levels[number, octave], float64(axes[octave, 0, 0])
            around[0], around[1] = uint64(axes[octave, 0, 1]), uint64(axes[octave, 1, 1])
            coordinates = 2 if has_simplex and kind == SIMPLEX else 1
            cuda.syncthreads()
            for item in range(thread, width + rows, threads):
                for part in range(coordinates):
                    if item < width:
                        cell, rest = locate(axes[octave, 0], 2 + 3 * part, shifts[number, octave, 0], item)
                        place = rest if has_simplex and kind == SIMPLEX else rest / side
                        column_cells[part, item], column_places[part, item] = cell, place
                        column_fades[item] = fade(place)
                    else:
                        index = item - width
                        cell, rest = locate(axes[octave, 1], 2 + 3 * part, shifts[number, octave, 1], top + index)
                        place = rest if has_simplex and kind == SIMPLEX else rest / float64(axes[octave, 1, 0])
                        row_cells[part, index], row_places[part, index] = cell, place
                        row_fades[index] = fade(place)
            cuda.syncthreads()
            is_tabled = kind != SIMPLEX and is_shifted == 0
            margin = uint64(1) if kind == CELLULAR else uint64(0)
            left, upper = column_cells[0, 0] - margin, row_cells[0, 0] - margin
            across_count = int64(column_cells[0, width - 1] - left) + 2
            down_count = int64(row_cells[0, rows - 1] - upper) + 2
            if is_tabled:
                for item in range(thread, across_count * down_count, threads):
                    row = item // across_count
                    column = wrap_cell(left + uint64(item - row * across_count), around[0])
                    bits = hash_corner(key, column, wrap_cell(upper + uint64(row), around[1]))
                    if has_cellular and kind == CELLULAR:
                        slopes[item], feet[item] = find_feature_point(bits)
                    else:
                        corners[item] = bits
                cuda.syncthreads()
                if kind != CELLULAR:
                    for item in range(thread, across_count * rows, threads):
                        row = item // across_count
                        at = item + (int64(row_cells[0, row] - upper) - row) * across_count
                        slopes[item], feet[item] = blend_side(
                            table,
                            corners[at],
                            corners[at + across_count],
                            kind == PERLIN,
                            row_places[0, row],
                            row_fades[row],
                        )
                    cuda.syncthreads()
            gain = noise.PERLIN_GAIN if kind == PERLIN else 1.0
            factor = fold[0] if target == noise.HEIGHT else 0.0
            for cell in range(CELLS):
                item = thread + cell * threads
                row = item // width
                column = item - row * width
                if row < rows:
                    u, v = column_places[0, column], row_places[0, row]
                    if has_simplex and kind == SIMPLEX:
                        value = sample_sheared(
                            table, key, column_cells, column_places, row_cells, row_places, column, row, side,
                            is_shifted, sums[SHIFT_X, cell], sums[SHIFT_X + 1, cell], scales[octave, 1],
                        )  # fmt: skip
                    elif is_warped and is_shifted != 0:
                        value = sample_shifted(
                            table, kind, key, column_cells[0, column], u, row_cells[0, row], v,
                            sums[SHIFT_X, cell], sums[SHIFT_X + 1, cell], around, scales[octave, 1], scales[octave, 2],
                        )  # fmt: skip
                    elif has_cellular and kind == CELLULAR:
                        at = int64(row_cells[0, row] - upper) - 1
                        at = at * across_count + int64(column_cells[0, column] - left) - 1
                        nearest = 8.0
                        for below in range(3):
                            for beside in range(3):
                                point = at + below * across_count + beside
                                nearest = near_point(nearest, u, v, slopes[point], feet[point], beside, below)
                        value = fall_off(nearest)
                    else:
                        at = row * across_count + int64(column_cells[0, column] - left)
                        value = blend_across(
                            slopes[at], feet[at], slopes[at + 1], feet[at + 1], u, column_fades[column]
                        )
                    sums[target, cell] = add_octave(sums[target, cell], value, gain, factor, fold[1], scales[octave, 0])

        for item in range(thread, PLANES * TILE_ROWS, threads):
            words[item // TILE_ROWS, item % TILE_ROWS] = uint64(0)
        for cell in range(CELLS):
            item = thread + cell * threads
            row = item // width
            column = item - row * width
            if row < rows:
                hump = multiply_humps(down[top + row], across[column])
                states[row, column] = choose_tile(
                    sums[noise.HEIGHT, cell], sums[noise.MOISTURE, cell], hump, coast, moments, limits, bands, tiles
                )
        cuda.syncthreads()
        for item in range(thread, 8 * rows, threads):
            row, first = item >> 3, 8 * (item & 7)
            for plane in range(planes.shape[1]):
                word = uint64(0)
                for column in range(first, min(first + 8, width)):
                    word |= uint64((states[row, column] >> plane) & 1) << uint64(column)
                cuda.atomic.or_(words, (plane, row), word)
        cuda.syncthreads()
        for item in range(thread, planes.shape[1] * rows, threads):
            plane = item // rows
            row = item - plane * rows
            planes[number, plane, top + row] = words[plane, row]

    return fill_planes


class NoiseMaker:
    """Makes maps of noise on a GPU."""

    def __init__(self, tables: NoiseTables) -> None:
        copy = cuda.to_device
        shift, _ = streams.pack_names(["shift"])
        self._names = tuple(copy(array) for array in (tables.names, tables.ends, tables.depths, shift))
        self._octaves = tuple(copy(array) for array in (tables.kinds, tables.axes, tables.scales, tables.fold))
        mapping = tables.moments, tables.down, tables.across, tables.limits, tables.bands, tables.tiles
        self._mapping = (tables.coast, *(copy(array) for array in mapping))
        _, kind, is_warped = tables.kinds[-1].tolist()
        self._fill_planes = build_fill(kind == SIMPLEX, kind == CELLULAR, bool(is_warped))
        self._count = len(tables.kinds)
        self._height, self._width = tables.down.size, tables.across.size

    def fill(self, keys: Any, planes: Any) -> None:
        """Write maps to planes (map, plane, row) from the keys (map, word) of the technique's streams."""
        count = keys.shape[0]
        levels = cuda.device_array((count, self._count), np.uint64)
        shifts = cuda.device_array((count, self._count, 2), np.int64)
        fill_octave_keys[(count + 127) // 128, 128](keys, *self._names, levels, shifts)
        grid = count, (self._height + TILE_ROWS - 1) // TILE_ROWS
        threads = (TILE_ROWS * self._width // CELLS + 31) // 32 * 32
        self._fill_planes[grid, threads](
            levels, shifts, self._octaves, self._mapping, self._width, self._height, planes
        )
