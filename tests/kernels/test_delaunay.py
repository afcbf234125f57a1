"""The triangulation against its definition, computed with Python's integers, and against SciPy's."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import Delaunay

from tests.plain import join_pairs
from tilewright.kernels.delaunay import MAX_EXTENT, find_delaunay_edges, side_of_circle, turn

Point = tuple[int, int]
Points = NDArray[np.int64]
CASES = 3000


def cross(a: Point, b: Point, c: Point) -> int:
    """Return twice the signed area of a triangle."""
    return (a[0] - c[0]) * (b[1] - c[1]) - (a[1] - c[1]) * (b[0] - c[0])


def in_circle(a: Point, b: Point, c: Point, d: Point) -> int:
    """Return a positive value if d is inside the circle through the other three, of either orientation."""
    rows = [(p[0] - d[0], p[1] - d[1], (p[0] - d[0]) ** 2 + (p[1] - d[1]) ** 2) for p in (a, b, c)]
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = rows
    volume = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay)
    return volume if cross(a, b, c) > 0 else -volume


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def some_points(case: int) -> Points:
    """Return distinct points: on small grids, where most are on common circles and lines, or far apart."""
    random = np.random.default_rng(case)
    count, limit = int(random.integers(2, 10)), int(random.choice([2, 3, 4, 6, 30, MAX_EXTENT]))
    return random.permutation(np.unique(random.integers(0, limit, (count, 2)), axis=0))


def do_cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two segments share a point that is not an end of both."""
    if len({a, b, c, d}) == 4:
        if sign(cross(a, b, c)) * sign(cross(a, b, d)) < 0 and sign(cross(c, d, a)) * sign(cross(c, d, b)) < 0:
            return True
        return any(is_between(p, q, r) for p, q, r in ((a, b, c), (a, b, d), (c, d, a), (c, d, b)))
    (end,) = {a, b} & {c, d}
    (one,), (other,) = {a, b} - {end}, {c, d} - {end}
    return is_between(end, one, other) or is_between(end, other, one)


def is_between(a: Point, b: Point, c: Point) -> bool:
    return cross(a, b, c) == 0 and (a[0] - c[0]) * (b[0] - c[0]) + (a[1] - c[1]) * (b[1] - c[1]) < 0


def find_faces(points: list[Point], edges: set[Point]) -> list[tuple[int, int, int]]:
    """Return the triangles of three edges that contain no other point."""
    return [
        (a, b, c)
        for a, b, c in combinations(range(len(points)), 3)
        if {(a, b), (a, c), (b, c)} <= edges
        and cross(points[a], points[b], points[c])
        and not any(
            is_inside(points[a], points[b], points[c], points[d]) for d in range(len(points)) if d not in (a, b, c)
        )
    ]


def is_inside(a: Point, b: Point, c: Point, d: Point) -> bool:
    sides = {sign(cross(a, b, d)), sign(cross(b, c, d)), sign(cross(c, a, d))}
    return sides in ({1}, {-1})


def find_edges(points: Points) -> set[Point]:
    return {(one, other) for one, other in find_delaunay_edges(points).tolist()}


def as_tuples(points: Points) -> list[Point]:
    return [(x, y) for x, y in points.tolist()]


def test_planar_connected_and_every_circle_empty() -> None:
    for case in range(CASES):
        found = some_points(case)
        points, edges = as_tuples(found), find_edges(found)
        assert set(join_pairs(len(points), edges)) == {0}, case
        for (a, b), (c, d) in combinations(edges, 2):
            assert not do_cross(points[a], points[b], points[c], points[d]), case
        faces = find_faces(points, edges)
        for a, b, c in faces:
            assert all(in_circle(points[a], points[b], points[c], point) <= 0 for point in points), case
        if faces:  # Euler: the outer face is the only other one.
            assert len(points) - len(edges) + len(faces) == 1, case
        else:
            assert len(edges) == len(points) - 1, case
        for one, other in combinations(faces, 2):
            if len({*one} & {*other}) == 2 and len({*one, *other}) == 4:
                (far,) = {*other} - {*one}
                if in_circle(points[one[0]], points[one[1]], points[one[2]], points[far]) == 0:
                    # The edge between them is at the leftmost point.
                    shared = {*one} & {*other}
                    assert min(points[point] for point in {*one, *other}) in {points[point] for point in shared}, case


def test_the_order_of_the_points_changes_nothing() -> None:
    for case in range(500):
        points = some_points(case)
        order = np.random.default_rng(case).permutation(len(points))
        moved = {tuple(sorted((int(order[a]), int(order[b])))) for a, b in find_edges(points[order])}
        assert moved == find_edges(points)


def test_equals_scipy_for_points_in_general_position() -> None:
    for case in range(500):
        random = np.random.default_rng(case)
        points = random.integers(0, 1 << 20, (int(random.integers(3, 80)), 2))
        simplices = Delaunay(points).simplices
        expected = {tuple(sorted(pair)) for simplex in simplices.tolist() for pair in combinations(simplex, 2)}
        assert find_edges(points) == expected


@pytest.mark.parametrize("limit", [2, 1 << 10, 1 << 30, MAX_EXTENT])
def test_the_predicates_are_exact(limit: int) -> None:
    """Points near one line or circle: almost all of these signs are wrong, or 0, if floats decide them."""
    random, sums = np.random.default_rng(limit % 1009), np.zeros(9, dtype=np.int64)
    wrong = 0
    for case in range(2000):
        size = int(random.integers(1, max(2, limit // 8)))
        (x, y), (m, n) = random.integers(0, size, 2).tolist(), random.integers(-1, 2, 2).tolist()
        # On one circle around the origin, or one unit off it.
        found = [(x, y), (-y, x), (-x, -y), (y + m, -x + n)]
        if case % 2:  # On one line, or one unit off it.
            found = [(0, 0), (x, y), (3 * x + m, 3 * y + n), (-x, -y)]
        points = np.array(found, dtype=np.int64)
        area = cross(found[0], found[1], found[2])
        assert turn.compile()(points, 0, 1, 2, sums) == sign(area)
        if not area:
            continue
        a, b, c = (0, 1, 2) if area > 0 else (1, 0, 2)
        volume = in_circle(found[0], found[1], found[2], found[3])
        assert side_of_circle.compile()(points, a, b, c, 3, sums) == sign(volume)
        floats = points[[a, b, c]].astype(np.float64) - points[3]
        wrong += np.sign(np.linalg.det(np.column_stack((floats, (floats**2).sum(axis=1))))) != sign(volume)
    assert wrong > 10 or limit == 2


def test_points_on_a_line_are_a_chain_and_equal_points_are_joined() -> None:
    assert find_delaunay_edges(np.array([[4, 8], [0, 0], [2, 4], [1, 2]])).tolist() == [[0, 2], [1, 3], [2, 3]]
    assert find_delaunay_edges(np.array([[5, 5], [5, 5], [5, 5]])).tolist() == [[0, 1], [0, 2]]
    assert find_delaunay_edges(np.array([[5, 5], [7, 5], [5, 5]])).tolist() == [[0, 1], [0, 2]]
    assert find_delaunay_edges(np.empty((0, 2), dtype=np.int64)).shape == (0, 2)


def test_coordinates_too_far_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="must differ by less than"):
        find_delaunay_edges(np.array([[0, 0], [MAX_EXTENT, 1]]))


def test_a_large_grid_has_all_its_triangles() -> None:
    side = 120
    points = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    edges = find_delaunay_edges(points)
    assert len(edges) == 3 * side * side - 3 - 4 * (side - 1)
    apart = np.abs(points[edges[:, 0]] - points[edges[:, 1]])
    assert (apart.max(axis=1) == 1).all()
