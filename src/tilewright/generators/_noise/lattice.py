"""Octaves of lattice noise over a window of an endless world, or over a torus.

Positions are integers with `UNITS` steps per cell, and a lattice cell is an integer number of steps wide. The lattice
cell of a position, and the position within it, are computed in exact integer arithmetic at any distance from the
origin. Only the position within a lattice cell is a float.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import MASK, Rng
from ...core.site import split_blocks
from ...kernels.noise import UNITS, LatticeGrid, equalize_sum, fill_cellular, fill_lattice, fill_simplex

Kind = Literal["perlin", "simplex", "value", "cellular"]
Fractal = Literal["plain", "ridged", "billow"]
Numbers = NDArray[np.float64]

WIDTHS: dict[Kind, float] = {"perlin": 1.0, "simplex": 1.6, "value": 0.7, "cellular": 1.0}
"""Width of a lattice cell relative to a feature, so that features of all kinds look equally large."""
MOISTURE_OCTAVES = 3
NO_DISPLACEMENT = np.empty((2, 0, 0))
SKEW_OWN, SKEW_OTHER, SKEW_SIDE = 153, 41, 112
"""The sheared lattice of simplex noise: u = (153 x + 41 y) / 112, v = (41 x + 153 y) / 112."""

OCTAVE_MOMENTS: dict[tuple[Kind, Fractal], tuple[float, float]] = {
    ("perlin", "plain"): (0.0, 0.306),
    ("perlin", "ridged"): (0.5, 0.352),
    ("perlin", "billow"): (-0.5, 0.352),
    ("simplex", "plain"): (0.0, 0.539),
    ("simplex", "ridged"): (0.067, 0.538),
    ("simplex", "billow"): (-0.067, 0.538),
    ("value", "plain"): (0.0, 0.452),
    ("value", "ridged"): (0.244, 0.496),
    ("value", "billow"): (-0.244, 0.496),
    ("cellular", "plain"): (0.19, 0.333),
    ("cellular", "ridged"): (0.378, 0.45),
    ("cellular", "billow"): (-0.378, 0.45),
}
"""Mean and standard deviation of one octave, measured over many lattices."""


@dataclass(frozen=True, slots=True)
class Window:
    """Cells to fill."""

    shape: tuple[int, int]
    origin: tuple[int, int]
    """Row and column of the first cell in the world."""
    torus: tuple[int, ...] | None = None
    """Rows and columns after which the world repeats; None if it does not."""


def split_rows(shape: tuple[int, int]) -> list[slice]:
    """Split rows into blocks, between which the caller yields. The block size does not affect the result."""
    return list(split_blocks("noise", 1 << 18, *shape))


@dataclass(frozen=True, slots=True)
class Octave:
    """One lattice with features `scale` cells wide and the weight `weight`."""

    rng: Rng
    kind: Kind
    scale: float
    weight: float = 1.0

    @property
    def width(self) -> int:
        """Width of a lattice cell in position steps."""
        return int(self.scale * WIDTHS[self.kind] * UNITS + 0.5)


def make_octaves(rng: Rng, kind: Kind, scale: float, count: int, gain: float, lacunarity: float) -> list[Octave]:
    """Return octaves, each finer by `lacunarity` and weaker by `gain` than the last; none is finer than a cell."""
    octaves, weight = [], 1.0
    for number in range(count):
        octaves.append(Octave(rng.child("octave", number), kind, max(1.0, scale), weight))
        scale, weight = scale / lacunarity, weight * gain
    return octaves


def sample_octave(octave: Octave, window: Window, displacement: Numbers, out: Numbers) -> Iterator[float]:
    """Fill `out` with the noise of an octave, in blocks of rows; yield the fraction done between blocks.

    `displacement` (2, row, column) holds the shift of x and y at every cell, in cells; it is empty for no shift.
    """
    key = octave.rng.level_key()
    # Without a random shift, all octaves would be 0 at the world's origin, where their corners coincide.
    shift = octave.rng.child("shift")
    starts = [part * UNITS + UNITS // 2 + (shift.bits() >> 32) for part in reversed(window.origin)]
    counts = list(reversed(window.shape))
    width = octave.width
    if octave.kind == "simplex":
        side = SKEW_SIDE * width
        columns, across = _shear_positions(starts[0], counts[0], (SKEW_OWN, SKEW_OTHER), side)
        lines, down = _shear_positions(starts[1], counts[1], (SKEW_OTHER, SKEW_OWN), side)
        for block in split_rows(window.shape):
            if block.start:
                yield block.start / counts[1]
            some, at = np.ascontiguousarray(lines[:, block]), np.ascontiguousarray(down[:, block])
            shifts = np.ascontiguousarray(displacement[:, block])
            fill_simplex(key, columns, across, some, at, float(side), shifts, UNITS / width, out[block])
        return
    rings = (0, 0) if window.torus is None else reversed(window.torus)
    axes = [_make_axis(start, count, width, ring) for start, count, ring in zip(starts, counts, rings, strict=True)]
    (columns, lines), (across, down), arounds, scales = zip(*axes, strict=True)
    around, per_cell = np.array(arounds, dtype=np.uint64), np.array(scales)
    for block in split_rows(window.shape):
        if block.start:
            yield block.start / counts[1]
        shifts = np.ascontiguousarray(displacement[:, block])
        grid = LatticeGrid(columns, across, lines[block], down[block], around, shifts, per_cell)
        if octave.kind == "cellular":
            fill_cellular(key, grid, out[block])
        else:
            fill_lattice(octave.kind == "perlin", key, grid, out[block])


def add_octaves(
    octaves: list[Octave], fractal: Fractal, window: Window, displacement: Numbers, total: Numbers
) -> Iterator[tuple[int, float]]:
    """Add octaves to `total`; yield the number of complete octaves and the fraction of the next one."""
    one = np.empty(window.shape)
    for number, octave in enumerate(octaves):
        for share in sample_octave(octave, window, displacement, one):
            yield number, 0.9 * share
        for block in split_rows(window.shape):
            if block.start:
                yield number, 0.9 + 0.1 * block.start / window.shape[0]
            some = one[block]
            if fractal != "plain":
                np.abs(some, out=some)
                some *= 2.0 if fractal == "billow" else -2.0
                some += -1.0 if fractal == "billow" else 1.0
            some *= octave.weight
            total[block] += some
        yield number + 1, 0.0


def equalize(total: Numbers, octaves: list[Octave], fractal: Fractal) -> Numbers:
    """Return a sum of octaves as heights between 0 and 1 that are approximately uniform."""
    return equalize_sum(total, *find_moments(octaves, fractal))


def find_moments(octaves: list[Octave], fractal: Fractal) -> tuple[float, float]:
    """Return the mean and the standard deviation of a sum of octaves."""
    mean, deviation = OCTAVE_MOMENTS[octaves[0].kind, fractal]
    weights = squared = 0.0
    for part in octaves:
        weights += part.weight
        squared += part.weight * part.weight
    return mean * weights, deviation * sqrt(squared)


def _make_axis(start: int, count: int, width: int, ring: int) -> tuple[NDArray[np.uint64], Numbers, int, float]:
    """Return positions along an axis: lattice cells modulo 2^64, and positions within the lattice cells, 0..1.

    Return also the number of lattice cells of a torus, 0 for an endless axis, and the lattice cells per cell.
    """
    side, around, per_cell = measure_axis(ring, width)
    cells, rest = divide_positions(start, count, max(1, around), side)
    return cells, rest / float(side), around, per_cell


def measure_axis(ring: int, width: int) -> tuple[int, int, float]:
    """Return the divisor of positions, the number of lattice cells of a torus of `ring` cells, and those per cell.

    On a torus, positions are multiplied by the number of lattice cells, whose width is adjusted so that an integer
    number of them fits. An endless axis has a `ring` of 0, and 0 lattice cells.
    """
    if not ring:
        return width, 0, UNITS / width
    length = ring * UNITS
    around = max(1, (length + width // 2) // width)
    return length, around, around / ring


def _shear_positions(start: int, count: int, by: tuple[int, int], side: int) -> tuple[NDArray[np.uint64], Numbers]:
    """Return the lattice cells and remainders of both sheared coordinates, as (2, count) arrays."""
    parts = [divide_positions(start, count, factor, side) for factor in by]
    return np.stack([cells for cells, _ in parts]), np.stack([rest for _, rest in parts])


def divide_positions(start: int, count: int, factor: int, side: int) -> tuple[NDArray[np.uint64], Numbers]:
    """Divide positions one cell apart, times a factor, by `side`; return quotients modulo 2^64 and remainders, all
    exact.
    """
    first, rest = divmod(start * factor, side)
    positions = np.arange(count, dtype=np.int64) * (UNITS * factor) + rest
    cells, rests = np.divmod(positions, side)
    return cells.astype(np.uint64) + np.uint64(first & MASK), rests.astype(np.float64)
