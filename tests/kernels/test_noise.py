"""The noise kernels against direct versions of their definitions, sample by sample in Python floats, bit for bit.

Python never fuses a multiplication with an addition, so a compiler that does is detected here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import CELL_GAMMA, MASK, ROW_SALT, mix
from tilewright.kernels import noise
from tilewright.kernels.noise import GRADIENTS, LatticeGrid, fill_cellular, fill_lattice, fill_simplex

SHARE = 1 << 32
"""Divisor of the integers that the positions of `fill_simplex` consist of."""


class Case(NamedTuple):
    """Arguments of `fill_lattice` and `fill_cellular`."""

    key: int
    grid: LatticeGrid

    @property
    def out(self) -> NDArray[np.float64]:
        return np.full((len(self.grid.rows), len(self.grid.columns)), np.nan)


@some.composite
def cases(draw: some.DrawFn) -> Case:
    """Draw windows anywhere, including where 64 bits overflow; on a torus they start at 0."""
    random = np.random.default_rng(draw(some.integers(0, 1 << 32)))
    height, width = draw(some.integers(1, 7)), draw(some.integers(1, 9))
    around = draw(some.sampled_from([(0, 0), (1, 1), (3, 2), (5, 0)]))
    starts = [0 if side else draw(some.sampled_from([0, -3, (1 << 63) - 2, -(1 << 62), 1 << 62])) for side in around]
    steps = [np.sort(random.integers(0, draw(some.integers(1, 9)), count)) for count in (width, height)]
    columns, rows = (
        np.array([(start + int(step)) & MASK for step in line], dtype=np.uint64)
        for start, line in zip(starts, steps, strict=True)
    )
    moved = np.empty((2, 0, 0))
    if draw(some.booleans()):
        moved = random.normal(size=(2, height, width)) * draw(some.sampled_from([0.0, 1.0, 50.0]))
    key = int(random.integers(0, 1 << 63)) * 2 + 1
    across, down = random.random(width), random.random(height)
    ring = np.array(around, dtype=np.uint64)
    return Case(key, LatticeGrid(columns, across, rows, down, ring, moved, random.random(2) + 0.1))


def corner(key: int, column: int, row: int) -> int:
    return mix((key + column * CELL_GAMMA + row * ROW_SALT) & MASK)


def signed(cell: int) -> int:
    return cell - (1 << 64) if cell >> 63 else cell


def fade(t: float) -> float:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def locate_sample(case: Case, row: int, column: int) -> tuple[int, float, int, float]:
    """Return lattice column and position within it, lattice row and position within it, after the warp."""
    found, grid = list[tuple[int, float]](), case.grid
    places = (grid.columns[column], grid.across[column]), (grid.rows[row], grid.down[row])
    for axis, (cell, place) in enumerate(places):
        i, u = int(cell), float(place)
        if grid.displacement.size:
            u += float(grid.displacement[axis, row, column]) * float(grid.per_cell[axis])
            i, u = i + math.floor(u), u - math.floor(u)
        found.append((i, u))
    return found[0][0], found[0][1], found[1][0], found[1][1]


def on_torus(case: Case, i: int, j: int) -> tuple[int, int]:
    around = case.grid.around.tolist()
    i, j = signed(i & MASK), signed(j & MASK)
    return i % around[0] if around[0] else i, j % around[1] if around[1] else j


def plain_square(case: Case, gradients: bool, row: int, column: int) -> float:
    i, u, j, v = locate_sample(case, row, column)
    s = fade(v)
    sides: list[float] = []
    for beside in (0, 1):
        upper, lower = (corner(case.key, *on_torus(case, i + beside, j + below)) for below in (0, 1))
        if gradients:
            (gx, gy), (hx, hy) = GRADIENTS[upper >> 60].tolist(), GRADIENTS[lower >> 60].tolist()
            slope, high, low = gx + s * (hx - gx), gy * v, hy * (v - 1.0)
        else:
            slope = 0.0
            high, low = ((bits >> 11) * 2.0**-53 * 2.0 - 1.0 for bits in (upper, lower))
        sides.append(slope * (u - beside) + (high + s * (low - high)))
    return (sides[0] + fade(u) * (sides[1] - sides[0])) * (1.4142135623730951 if gradients else 1.0)


def plain_point(case: Case, row: int, column: int) -> float:
    i, u, j, v = locate_sample(case, row, column)
    nearest = 8.0
    for below in (-1, 0, 1):
        for beside in (-1, 0, 1):
            bits = corner(case.key, *on_torus(case, i + beside, j + below))
            x = 0.5 + ((bits >> 32) * 2.0**-32 - 0.5) * 0.65
            y = 0.5 + ((bits & 0xFFFFFFFF) * 2.0**-32 - 0.5) * 0.65
            dx, dy = u - (x + beside), v - (y + below)
            nearest = min(nearest, dx * dx + dy * dy)
    return 1.0 - 2.0 * math.sqrt(nearest)


def plain_triangle(key: int, i: int, j: int, u: float, v: float) -> float:
    unskew = 41.0 / 194.0
    back = (u + v) * unskew
    x, y = u - back, v - back
    middle = (1, 0) if u > v else (0, 1)
    total = 0.0
    for number, (a, b) in enumerate([(0, 0), middle, (1, 1)]):
        dx, dy = x - a + number * unskew, y - b + number * unskew
        gx, gy = GRADIENTS[corner(key, i + a, j + b) >> 60].tolist()
        t = max(0.5 - dx * dx - dy * dy, 0.0)
        t *= t
        total += t * t * (gx * dx + gy * dy)
    return total * 99.2


@given(cases(), some.booleans())
def test_lattice_noise_follows_the_definition(case: Case, gradients: bool) -> None:
    out = case.out
    fill_lattice(gradients, *case, out)
    plain = [[plain_square(case, gradients, row, column) for column in range(out.shape[1])] for row in range(len(out))]
    assert out.tolist() == plain


@given(cases())
def test_cellular_noise_follows_the_definition(case: Case) -> None:
    out = case.out
    fill_cellular(*case, out)
    assert out.tolist() == [
        [plain_point(case, row, column) for column in range(out.shape[1])] for row in range(len(out))
    ]


@given(cases(), some.integers(0, 1 << 32))
def test_simplex_noise_follows_the_definition(case: Case, seed: int) -> None:
    random = np.random.default_rng(seed)
    (height, width), moved = case.out.shape, case.grid.displacement
    columns, rows = (random.integers(0, 1 << 64, (2, count), dtype=np.uint64) for count in (width, height))
    across, down = (random.integers(0, SHARE, (2, count)).astype(np.float64) for count in (width, height))
    across[:, ::3] = SHARE - 1  # Some positions carry over.
    per_cell, out = float(case.grid.per_cell[0]), case.out
    fill_simplex(case.key, columns, across, rows, down, float(SHARE), moved, per_cell, out)
    for row in range(height):
        for column in range(width):
            at = []
            for axis in (0, 1):
                carried, rest = divmod(int(across[axis, column]) + int(down[axis, row]), SHARE)
                at.append((int(columns[axis, column]) + int(rows[axis, row]) + carried, rest * (1.0 / SHARE)))
            (i, u), (j, v) = at
            if moved.size:
                x, y = (float(moved[axis, row, column]) * per_cell for axis in (0, 1))
                both = (x + y) * (41.0 / 112.0)
                u, v = u + (x + both), v + (y + both)
                i, u, j, v = i + math.floor(u), u - math.floor(u), j + math.floor(v), v - math.floor(v)
            assert out[row, column] == plain_triangle(case.key, i, j, u, v)


def test_a_warp_of_zero_changes_nothing() -> None:
    random = np.random.default_rng(3)
    columns, rows = np.arange(40, dtype=np.uint64) // np.uint64(5), np.arange(30, dtype=np.uint64) // np.uint64(7)
    rest = (columns, random.random(40), rows, random.random(30), np.array([4, 3], dtype=np.uint64))
    for kernel in (
        fill_cellular,
        lambda *given: fill_lattice(True, *given),
        lambda *given: fill_lattice(False, *given),
    ):
        still, moved = np.empty((30, 40)), np.empty((30, 40))
        kernel(7, LatticeGrid(*rest, np.empty((2, 0, 0)), np.ones(2)), still)
        kernel(7, LatticeGrid(*rest, np.zeros((2, 30, 40)), np.ones(2)), moved)
        assert np.array_equal(still, moved)


def test_the_gradients_are_a_fixed_table() -> None:
    assert GRADIENTS.shape == (16, 2)
    assert len({tuple(gradient) for gradient in GRADIENTS.tolist()}) == 16
    assert np.allclose((GRADIENTS**2).sum(axis=1), 1)
    assert pytest.approx(noise.SKEW / (1 + 2 * noise.SKEW), rel=1e-15) == noise.UNSKEW
    assert pytest.approx((3**0.5 - 1) / 2, abs=1e-4) == noise.SKEW


def test_the_kernels_take_nothing_else() -> None:
    three, two = np.zeros(3), np.zeros(2)
    with pytest.raises(TypeError):
        fill_cellular(1, LatticeGrid(three, three, three, three, two, two, two), two)  # type: ignore[arg-type]
