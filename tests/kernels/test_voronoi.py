"""The Voronoi kernels, each against a direct version that checks every point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import MASK, Rng
from tilewright.kernels.voronoi import (
    SAMPLE_SUM,
    SAMPLES,
    UNITS,
    WallArrays,
    are_neighbors,
    dig_gaps,
    draw_kinds,
    find_owners,
    look_up_kinds,
    mark_walls,
    relax_points,
    scatter,
    sum_samples,
)

Points = NDArray[np.int16]
METRICS = (0, 1, 2)


def length(metric: int, down: int, across: int) -> int:
    return (down * down + across * across, abs(down) + abs(across), max(abs(down), abs(across)))[metric]


def some_points(seed: int, rows: int, columns: int, coarse: int = 1) -> Points:
    """Return random points; coarse ones tie often."""
    numbers = np.random.default_rng(seed).integers(0, UNITS // coarse, (rows, columns, 2)) * coarse
    return numbers.astype(np.int16)


def nearest_of_all(points: Points, spacing: int, metric: int, y: int, x: int) -> int:
    """Return the point nearest to a cell, of all points; the first one on ties."""
    rows, columns, _ = points.shape
    far = []
    for row in range(rows):
        for column in range(columns):
            v = (row * UNITS + int(points[row, column, 0])) * spacing
            u = (column * UNITS + int(points[row, column, 1])) * spacing
            far.append(length(metric, y * UNITS + UNITS // 2 - v, x * UNITS + UNITS // 2 - u))
    return far.index(min(far))


@given(
    some.integers(0, 10**6), some.sampled_from(METRICS), some.integers(2, 9), some.integers(0, 20),
    some.integers(0, 20), some.integers(1, 7), some.integers(1, 7), some.sampled_from([1, 128, 512, 1024]),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_every_cell_belongs_to_the_nearest_point(
    seed: int, metric: int, spacing: int, top: int, left: int, height: int, width: int, coarse: int
) -> None:
    rows, columns = (top + height) // spacing + 6, (left + width) // spacing + 6
    points = some_points(seed, rows, columns, coarse)
    out = np.empty((height, width), dtype=np.int32)
    top, left = top + 2 * spacing, left + 2 * spacing
    find_owners(points, spacing, metric, top, left, out)
    for y in range(height):
        for x in range(width):
            assert out[y, x] == nearest_of_all(points, spacing, metric, top + y, left + x)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("spacing", [1000, 1024])
def test_the_largest_distances_are_exact(metric: int, spacing: int) -> None:
    points = some_points(spacing, 5, 5)
    out = np.empty((4, 4), dtype=np.int32)
    for corner in (2 * spacing, 3 * spacing - 4):
        find_owners(points, spacing, metric, corner, corner, out)
        for y, x in np.ndindex(4, 4):
            assert out[y, x] == nearest_of_all(points, spacing, metric, corner + y, corner + x)


@pytest.mark.parametrize("coarse", [1, 256])
@pytest.mark.parametrize("metric", METRICS)
def test_a_step_of_relaxation_is_the_mean_of_all_samples(metric: int, coarse: int) -> None:
    points = some_points(metric, 10, 11, coarse)
    totals = np.zeros((10, 11), dtype=SAMPLE_SUM)
    sum_samples(points, metric, 2, 5, totals)
    sum_samples(points, metric, 5, 8, totals)
    out = np.empty((2, 3, 2), dtype=np.int16)
    relax_points(points, totals, out)
    samples: dict[int, list[tuple[int, int]]] = {}
    for y in range(2 * SAMPLES, 8 * SAMPLES):
        for x in range(2 * SAMPLES, 9 * SAMPLES):
            samples.setdefault(nearest_of_all(points, SAMPLES, metric, y, x), []).append((y, x))
    for row, column in np.ndindex(2, 3):
        own = samples.get((row + 4) * 11 + column + 4, [])
        for axis, square in enumerate((row + 4, column + 4)):
            expected = float(points[row + 4, column + 4, axis])
            if own:
                middle = sum(sample[axis] + 0.5 for sample in own) / len(own) - square * SAMPLES
                expected = min(max(middle * UNITS / SAMPLES, 0), UNITS - 1)
            assert abs(out[row, column, axis] - expected) <= 0.5


def test_a_point_without_samples_stays() -> None:
    points = some_points(1, 9, 9)
    out = np.empty((1, 1, 2), dtype=np.int16)
    relax_points(points, np.zeros((9, 9), dtype=SAMPLE_SUM), out)
    assert out[0, 0].tolist() == points[4, 4].tolist()


@pytest.mark.parametrize("jitter", [0, 1, 2, 501, 1023, 1024])
def test_points_are_around_the_center_by_position(jitter: int) -> None:
    key = Rng.of(3).level_key()
    points = np.empty((40, 50, 2), dtype=np.int16)
    scatter(key, -20, (1 << 62) - 9, jitter, points)
    assert points.min() >= UNITS // 2 - jitter // 2 >= 0
    assert points.max() <= max(UNITS // 2, UNITS // 2 - jitter // 2 + jitter - 1) < UNITS
    part = np.empty((7, 8, 2), dtype=np.int16)
    scatter(key, -20 + 5, (1 << 62) - 9 + 6, jitter, part)
    assert np.array_equal(part, points[5:12, 6:14])
    if jitter == 1024:
        assert abs(points.mean() - 512) < 20
        assert abs(np.asarray(np.corrcoef(points.reshape(-1, 2).T))[0, 1]) < 0.1
        cells = Rng.of(3).cells((40, 50), (-20, (1 << 62) - 9))  # The upper bits are those of the cell field.
        assert np.array_equal(points[..., 0], (cells * 1024).astype(np.int16))


def test_kinds_are_drawn_by_weight_and_position() -> None:
    rng = Rng.of(4)
    weights = np.array([0.0, 3.0, 1.0, 0.0, 4.0, 0.0])
    out = np.empty((100, 100), dtype=np.uint8)
    draw_kinds(rng.level_key(), -7, 5, weights, out)
    marks = rng.cells((100, 100), (-7, 5)) * 8
    assert np.array_equal(out, np.where(marks < 3, 1, np.where(marks < 4, 2, 4)))


@given(some.integers(0, 10**6), some.integers(1, 8), some.integers(1, 8), some.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_walls_are_where_another_owner_is_near(seed: int, height: int, width: int, margin: int) -> None:
    rng = np.random.default_rng(seed)
    given = rng.integers(0, 3, (height + 2 * margin, width + 2 * margin)).astype(np.int32)
    offsets = rng.integers(-margin, margin + 1, (int(rng.integers(1, 5)), 2)).astype(np.int64)
    out = np.full((height, width), 7, dtype=np.uint8)
    mark_walls(given, offsets, margin, out)
    for y, x in np.ndindex(height, width):
        near = [int(given[y + margin + down, x + margin + across]) for down, across in offsets.tolist()]
        assert out[y, x] == any(owner != given[y + margin, x + margin] for owner in near)


def test_looking_up_marks_owners_as_seen() -> None:
    seen, out = np.zeros(5, dtype=np.uint8), np.empty((2, 2), dtype=np.uint8)
    look_up_kinds(np.array([[4, 1], [1, 4]], dtype=np.int32), np.array([9, 8, 7, 6, 5], dtype=np.uint8), seen, out)
    assert out.tolist() == [[5, 8], [8, 5]]
    assert seen.tolist() == [0, 1, 0, 0, 1]


def list_pairs(points: Points, metric: int) -> list[tuple[tuple[int, int, int], int, int]]:
    """Return ((length, first, second), first, second) of every pair of points."""
    rows, columns, _ = points.shape
    places = [
        (row * UNITS + int(points[row, column, 0]), column * UNITS + int(points[row, column, 1]))
        for row in range(rows)
        for column in range(columns)
    ]
    return [
        ((length(metric, places[a][0] - places[b][0], places[a][1] - places[b][1]), a, b), a, b)
        for a in range(len(places))
        for b in range(a + 1, len(places))
    ]


@pytest.mark.parametrize("coarse", [1, 128, 512, 1024])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_spanning_tree_is_among_the_neighbors(seed: int, metric: int, coarse: int) -> None:
    """Paths between neighbors therefore connect everything. Near the edge of the sample, points for the decision are
    missing.
    """
    size, edge = 15, 5
    points = some_points(seed, size, size, coarse)
    root = list(range(size * size))

    def find_root(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    for _, a, b in sorted(list_pairs(points, metric)):
        if find_root(a) == find_root(b):
            continue
        root[find_root(a)] = find_root(b)
        (row, column), (other_row, other_column) = divmod(a, size), divmod(b, size)
        if (
            edge <= min(row, column, other_row, other_column)
            and max(row, column, other_row, other_column) < size - edge
        ):
            assert max(abs(row - other_row), abs(column - other_column)) <= 3
            assert are_neighbors(points, metric, row, column, other_row, other_column)


@pytest.mark.parametrize("metric", METRICS)
def test_no_third_point_is_nearer_to_the_midpoint_of_neighbors(metric: int) -> None:
    size = 11
    points = some_points(5, size, size)
    neighbor_count = 0
    for _, a, b in list_pairs(points, metric):
        (row, column), (v, u) = divmod(a, size), divmod(b, size)
        if not (min(row, column, v, u) >= 4 and max(row, column, v, u) <= 6):
            continue
        if are_neighbors(points, metric, row, column, v, u):
            neighbor_count += 1
            y = row * UNITS + int(points[row, column, 0]) + v * UNITS + int(points[v, u, 0])
            x = column * UNITS + int(points[row, column, 1]) + u * UNITS + int(points[v, u, 1])
            twice = [
                length(metric, y - 2 * (i * UNITS + int(points[i, j, 0])), x - 2 * (j * UNITS + int(points[i, j, 1])))
                for i, j in np.ndindex(size, size)
            ]
            assert twice[a] in (min(twice), min(twice) + 1)  # For an odd distance, the halves differ by one.
    assert neighbor_count >= 9


def test_gaps_are_straight_paths_between_points() -> None:
    """Two adjacent points of a regular grid: the wall between them opens on the straight line between them."""
    points = np.full((20, 20, 2), UNITS // 2, dtype=np.int16)
    spacing, top = 6, 9 * 6
    given = np.empty((12 + 2, 12 + 2), dtype=np.int32)
    find_owners(points, spacing, 0, top - 1, top - 1, given)
    offsets = np.array([[0, 1], [1, 0], [1, 1]], dtype=np.int64)
    wall = np.empty((12, 12), dtype=np.uint8)
    mark_walls(given, offsets, 1, wall)
    closed = wall.copy()
    count = dig_gaps(points, spacing, 0, 5, 0, 0, 1.0, 1, WallArrays(given, offsets, 1, wall), top, top)
    assert count > 4
    assert np.argwhere(closed & ~wall & 1).tolist() == [
        [3, 5], [3, 11], [5, 3], [5, 9], [9, 5], [9, 11], [11, 3], [11, 9]
    ]  # fmt: skip
    wall[:] = closed
    assert dig_gaps(points, spacing, 0, 5, 0, 0, 0.0, 1, WallArrays(given, offsets, 1, wall), top, top) == 0
    assert np.array_equal(wall, closed)


def test_keys_wrap_where_integers_overflow() -> None:
    points = np.empty((2, 2, 2), dtype=np.int16)
    scatter(Rng.of(1).level_key() & MASK, (1 << 63) - 2, -(1 << 63), 1024, points)
    assert points.min() >= 0
